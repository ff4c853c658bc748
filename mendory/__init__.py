"""Mendory: a clinic for the long-term memory of AI agents kept in LanceDB."""

__version__ = "0.1.0"
