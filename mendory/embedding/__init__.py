"""Embedders: models on this machine and services that turn texts into vectors, behind one port.

`build(config.embedder, config.root)` makes the one the configuration describes. Importing this loads no model.
"""

from mendory.embedding.build import build
from mendory.embedding.port import Embedder, Estimate, Identity, Vectors

__all__ = ["Embedder", "Estimate", "Identity", "Vectors", "build"]
