"""Which language reads a text."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from mendory.errors import DependencyMissing
from mendory.language.reading import Language
from mendory.text import script

GROUP = "mendory.languages"
"""The entry point group of further languages; each value is an object of the interface `Language`."""

# By script: a process whose memories are all English never loads a Chinese dictionary.
_SHIPPED = {"latin": ("mendory.language.en", "English"), "zh": ("mendory.language.zh", "Chinese")}

_ASKED = ("code", "scripts", "speaks", "read", "sentences", "opposites")


def language_of(text: str) -> Language | None:
    """The language that reads the text; None where no language does.

    A language that comes with Mendory is asked before others of the same script: it claims only what it can read.
    Raises DependencyMissing when a plugged-in language can't be loaded.
    """
    written = script(text)
    for language in (*_shipped(written), *_others()):
        if written in language.scripts and language.speaks(text):
            return language
    return None


def languages() -> tuple[str, ...]:
    """The codes of all languages there are; none of those that come with Mendory is loaded for it."""
    shipped = (module.rpartition(".")[2] for module, _ in _SHIPPED.values())
    return tuple(sorted({*shipped, *(language.code for language in _others())}))


@cache
def _shipped(written: str) -> tuple[Language, ...]:
    if written not in _SHIPPED:
        return ()
    module, name = _SHIPPED[written]
    return (getattr(import_module(module), name)(),)


@cache
def _others() -> tuple[Language, ...]:
    return tuple(_loaded(found) for found in sorted(entry_points(group=GROUP), key=lambda found: found.name))


def _loaded(found: EntryPoint) -> Language:
    try:
        language = found.load()
    except (ImportError, AttributeError) as error:
        raise DependencyMissing(
            f"The language '{found.name}' ({found.value}) can't be loaded: {type(error).__name__}. No text was judged. "
            "Install it again, or uninstall it."
        ) from error
    missing = [name for name in _ASKED if not hasattr(language, name)]
    if missing:
        raise DependencyMissing(
            f"The language '{found.name}' ({found.value}) lacks {', '.join(missing)}. No text was judged. "
            "Let its entry point name an object that has all that mendory.language.Language asks for, or uninstall it."
        )
    return language  # type: ignore[no-any-return]
