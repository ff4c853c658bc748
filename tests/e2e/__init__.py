"""`make e2e`: from nothing to a served, scheduled, damaged table, approved in a browser and healed."""
