"""Staleness: what a memory is worth at recall, by its kind, its age and what its scope has moved on to."""
