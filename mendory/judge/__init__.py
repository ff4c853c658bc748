"""Optional judges: models that are asked about a conflict, and may confirm or lower, never decide."""
