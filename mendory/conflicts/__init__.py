"""Conflicts: which of two memories that can't both hold is to be kept, by rules that are configured."""
