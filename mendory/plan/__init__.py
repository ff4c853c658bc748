"""Plans: what would be changed, made without touching anything."""
