"""Models are loaded and saved without the bars that their library draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet(warnings: bool = True) -> Iterator[None]:
    """The library's own bars are not drawn meanwhile; without `warnings` it says nothing short of an error either."""
    from transformers.utils import logging

    drawn, said = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    if not warnings:
        logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(said)
        if drawn:
            logging.enable_progress_bar()
