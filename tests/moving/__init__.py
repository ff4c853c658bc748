"""The proof of a move to another model: a large table is moved while other programs read and write it and acts die.

`python -m tests.moving` tells it; `oracle.py` judges by the table and by what every program wrote down.
"""
