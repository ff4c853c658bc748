"""Scopes: how they are named, which contain which, and what tells that rows are in a wrong one."""
