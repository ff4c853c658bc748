"""The story, read from top to bottom: no types, no helpers."""
