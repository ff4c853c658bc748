"""A demo store: months of a bilingual assistant's memories, with faults planted that healing must find."""
