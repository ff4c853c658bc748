"""Guessing a mapping: where an owner's table keeps each field, from its schema and a few rows.

Nothing here reads or writes a table. `guess` concludes, `toml` writes it down, `prove` tries it on rows.
"""

from mendory.guess.evidence import Evidence
from mendory.guess.finish import vector_columns
from mendory.guess.model import Guess, guess
from mendory.guess.proof import Proof, prove
from mendory.guess.toml import listed, toml

__all__ = ["Evidence", "Guess", "Proof", "guess", "listed", "prove", "toml", "vector_columns"]
