"""Great Expectations suites, derived from the one field declaration in `mendory.record`."""
