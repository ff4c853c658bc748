"""The executor: the only way a repair reaches a table."""
