"""The border: exceptions of Lance and LanceDB leave as ours; where a table lies; opening it with pylance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from mendory.errors import (
    CommitConflict,
    DependencyMissing,
    MendoryError,
    SchemaMismatch,
    TableCorrupt,
    TableNotFound,
    Unavailable,
    VersionUnreadable,
)
from mendory.lance.faults import NEWER, named

# What Lance says of a write that another writer's commit overtook: a plain OSError or RuntimeError where the two
# can't both stand, as two processes that name one key of the table's configuration.
_OVERTAKEN = ("commit conflict", "incompatible transaction")


@contextmanager
def ours(what: str, folder: Path | None = None) -> Iterator[None]:
    """Exceptions of Lance and LanceDB leave as ours; the file at fault is named when the table's `folder` is given."""
    try:
        yield
    except MendoryError:
        raise
    except (OSError, ValueError, RuntimeError, NotImplementedError, KeyError) as error:
        raise mapped(error, what, folder) from error
    except BaseException as error:  # a panic derives from Exception alone in LanceDB, from BaseException in pylance
        if type(error).__name__ not in ("RustPanic", "PanicException"):
            raise
        short = "the storage library panicked"
        raise named(folder, what, short) if folder else _corrupt(what, short) from error


def mapped(error: Exception, what: str, folder: Path | None = None) -> MendoryError:
    """The error of ours that says what `error` of Lance or LanceDB means, while doing `what`."""
    text = str(error)
    short = re.sub(r",? ?/\S+\.rs:\d+:\d+.*", "", text, flags=re.DOTALL)[:200]
    if any(sign in text for sign in NEWER):
        return named(Path(), what, short)
    if type(error).__name__ == "CommitConflictError" or any(sign in text.lower() for sign in _OVERTAKEN):
        return CommitConflict(f"{what}: another writer committed first. Nothing was written. It is tried again.")
    if re.search(r"Table '.*' was not found|_versions, |_versions/?\s", text) or (
        "was not found" in text and "_versions" not in text and ".lance" in text and "/data/" not in text
    ):
        return TableNotFound(f"{what}: there is no such table. Nothing was read. Check table.uri and table.name.")
    if re.search(r"_versions/\d+\.manifest", text):
        return VersionUnreadable(f"{what}: that version is gone ({short}). Nothing was written.")
    if "No field named" in text or "Schema error" in text:
        return SchemaMismatch(f"{what}: {short}. Nothing was read. Check [mapping.columns].")
    if isinstance(error, OSError) and error.errno is not None:
        return Unavailable(f"{what}: {error.strerror or short}. Nothing is known to be written. Try again.")
    return named(folder, what, short) if folder else _corrupt(what, short)


def _corrupt(what: str, short: str) -> TableCorrupt:
    return TableCorrupt(f"{what}: {short}. Nothing was written. Check the table's files.")


def table_folder(uri: str, table: str) -> Path | None:
    """The folder of a table under a local URI; None for one elsewhere."""
    root = local_folder(uri)
    return None if root is None else root / f"{table}.lance"


def local_folder(uri: str) -> Path | None:
    """The folder of a local URI; None for one elsewhere."""
    parsed = urlparse(uri)
    if parsed.scheme in ("", "file") or len(parsed.scheme) == 1:
        return Path(parsed.path if parsed.scheme == "file" else uri)
    return None


def pylance() -> Any:
    """The lance module, ready to read histories. Raises DependencyMissing without it."""
    try:
        import lance
    except ImportError:
        raise DependencyMissing(
            "Repairing needs pylance, which is not installed. Nothing was done. Run: pip install 'mendory[repair]'"
        ) from None
    # pylance 13.0.0 and 14.0.2 can't read a transaction that rewrote an index: three of its own
    # arguments have no default. Remove when upstream has mended it.
    lance.LanceOperation.RewrittenIndex.__init__.__defaults__ = ("", b"", 0)
    return lance


def dataset(uri: str, table: str, version: int | None = None) -> Any:
    """The table as a Lance dataset, at its newest version or at the one named."""
    what = f"Opening table '{table}'" + (f" at version {version}" if version is not None else "")
    with ours(what, table_folder(uri, table)):
        return pylance().dataset(f"{uri.rstrip('/')}/{table}.lance", version=version)
