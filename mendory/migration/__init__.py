"""Moving a table to another embedding model: two spaces side by side, a gate, a person, a canary, and the way back.

The modules here decide and touch nothing: what they need of the table, of the ledger and of a model is passed in.
"""
