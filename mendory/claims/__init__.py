"""Claims: what a memory says of whom, given by its writer or extracted by the rules of its language."""

from __future__ import annotations

from mendory.claims.extract import claims_in
from mendory.claims.of import ClaimsOf, claims_of, of_writer, scenes_given

__all__ = ["ClaimsOf", "claims_in", "claims_of", "of_writer", "scenes_given"]
