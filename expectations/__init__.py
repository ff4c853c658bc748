"""Great Expectations suites, derived from the one field declaration in `mendory.record` and the owner's mapping.

`judged` runs them all over a table; the pure rules in `mendory.detect` flag exactly the same ids.
"""
