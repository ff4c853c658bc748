"""Faults of a whole table, named from its files: nothing is read through Lance here and nothing is written.

Lance has no checksums, reports many faults alike ("there is no such table"), and a damaged deletion file can end the
process that reads it. So the files are looked at first; one that looks odd is read by a child process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Final

from mendory.errors import FileUnreadable, FormatNewer, ManifestMissing, ManifestTorn, TableCorrupt, TableHalfDeleted
from mendory.lance import manifest
from mendory.lance.deletions import plausible
from mendory.lance.manifest import Contents, Deletions, Torn

_TRIES: Final = 3
_PROBE_SECONDS: Final = 600
_PROBE: Final = """
import sys, lancedb
table = lancedb.connect(sys.argv[1]).open_table(sys.argv[2])
query = table.search().select({"one": "1"}).limit(2**31 - 1)
print(sum(batch.num_rows for batch in query.to_batches()))
"""
NEWER: Final = ("Please upgrade Lance", "Unknown Lance storage version")
"""What Lance says of a format that it does not know."""


def half_deleted(folder: Path) -> None:
    """Return when the folder is no wreck; raises TableHalfDeleted where it is there and no manifest is.

    LanceDB lists such a table, can't open it, and makes a new one of that name over what is left.
    """
    if folder.is_dir() and manifest.newest(folder) is None:
        files = [p for p in folder.rglob("*") if p.is_file()]
        left = sum(p.parent.name in ("data", "_deletions") for p in files)
        if files and not left:
            return  # somebody is making it just now
        raise TableHalfDeleted(
            f"Of table '{folder.stem}' the folder is there and no manifest, so it was deleted by half; {left} of its "
            f"files are left. Nothing was read or created. Restore {folder.name}/_versions from a backup, or move the "
            "folder aside; do not create a table of that name before."
        )


def openable(folder: Path) -> None:
    """Return when the newest version can be opened without harm to this process; else raise what is wrong with it.

    Cost: the newest manifest and its deletion files are read.
    """
    half_deleted(folder)
    if not folder.is_dir():
        return
    for held in _contents(folder).deletions:
        if _suspicious(folder, held):
            _survived(folder, held)


def whole(folder: Path) -> int:
    """How many files the newest version names, when each is there and as long as it says; else raises what is wrong.

    A table of which its owner cleaned files away meanwhile is looked at anew. Cost: the end of each file is read.
    """
    openable(folder)
    if not folder.is_dir():
        return 0
    newest_is_there(folder)
    for tried in range(1, _TRIES + 1):
        before = manifest.newest(folder)
        held = _contents(folder)
        lost = _lost(folder, held) or _headless(folder, held)
        if lost is None:
            return len(held.data) + len(held.deletions)
        if tried == _TRIES or manifest.newest(folder) == before:
            raise unreadable(*lost)
    raise AssertionError("unreachable")


def named(folder: Path, what: str, short: str) -> TableCorrupt:
    """The error that names the file at fault after Lance failed while doing `what`; what Lance says when none is."""
    if any(text in short for text in NEWER):
        return FormatNewer(
            f"{what}: the table was written in a newer format than this LanceDB knows. Nothing was read or written. "
            "Upgrade lancedb, and with it pylance, to the version of the program that writes the table."
        )
    try:
        half_deleted(folder)
        held = _contents(folder)
    except TableCorrupt as error:
        return error
    lost = _lost(folder, held) or _headless(folder, held) or _odd(folder, held)
    if lost is not None:
        return unreadable(*lost)
    return TableCorrupt(f"{what}: {short}. Nothing was written. Check the table's files.")


def unreadable(path: str, why: str) -> FileUnreadable:
    """The error for one file of the table."""
    without = "the rows in it are lost, and the owner's program must write them anew"
    if path.startswith("_deletions"):
        without = "nobody knows which of its rows were deleted: ask the owner"
    return FileUnreadable(
        f"The file {path}, of which the table's newest version consists, {why}. Nothing was read or written. "
        f"Restore it from a backup; without one, {without}."
    )


def _contents(folder: Path) -> Contents:
    for tried in range(1, _TRIES + 1):
        path = manifest.newest(folder)
        if path is None:
            half_deleted(folder)
            break
        try:
            known = path.stat()
            return _read(path, known.st_mtime_ns, known.st_size)
        except FileNotFoundError:
            continue  # cleaned up meanwhile by its owner: there is a newer one
        except Torn as error:
            if tried < _TRIES and manifest.newest(folder) != path:
                continue
            raise _torn(path, error) from None
    return Contents((), (), 0, 0)


@lru_cache(maxsize=8)
def _read(path: Path, *_written_and_size: int) -> Contents:
    return manifest.contents(path.read_bytes())


def _torn(path: Path, error: Torn) -> ManifestTorn:
    return ManifestTorn(
        f"The newest manifest of the table, _versions/{path.name} (version {manifest.version_of(path)}), is damaged: "
        f"{error}. Nothing was read or written. Restore it from a backup; without one, move it and "
        "_versions/latest_version_hint.json aside: then the version before it opens, without what the newest wrote."
    )


def newest_is_there(folder: Path) -> None:
    """Return unless a writer noted a newer version than any manifest there is of; else raises ManifestMissing.

    Who writes on then takes the lost version's number, and after that nobody can tell. Cost: two files are looked for.
    """
    for tried in range(1, _TRIES + 1):
        hint = manifest.hinted(folder)
        if hint is None or manifest.has(folder, hint):
            return
        path = manifest.newest(folder)
        held = manifest.version_of(path) if path else None
        if held is None or hint <= held:
            return
        if tried == _TRIES:
            raise ManifestMissing(
                f"The table's last writer noted version {hint} as the newest, and the newest manifest there is that of "
                f"version {held}: {hint - held} are lost. Nothing was read or written. Restore _versions from a "
                "backup, or accept the table as it is: move _versions/latest_version_hint.json aside."
            )


def _lost(folder: Path, held: Contents) -> tuple[str, str] | None:
    """The first file that is missing or of another size than the manifest says, and which of both."""
    for path, size in (*held.data, *((d.path, 0) for d in held.deletions)):
        try:
            found = (folder / path).stat().st_size
        except FileNotFoundError:
            return path, "is missing"
        if size and found != size:
            return path, f"has {found} bytes instead of {size}"
    return None


def _headless(folder: Path, held: Contents) -> tuple[str, str] | None:
    """The first data file that does not end as one must."""
    for path, _ in held.data:
        try:
            with (folder / path).open("rb") as file:
                file.seek(-len(manifest.MAGIC), os.SEEK_END)
                ends = file.read() == manifest.MAGIC
        except FileNotFoundError:
            return path, "is missing"
        except OSError:
            ends = False
        if not ends:
            return path, "is damaged: its end is not that of a data file"
    return None


def _odd(folder: Path, held: Contents) -> tuple[str, str] | None:
    """The first deletion file that looks odd."""
    return next(((d.path, "is damaged") for d in held.deletions if _suspicious(folder, d)), None)


def _suspicious(folder: Path, held: Deletions) -> bool:
    """True for a deletion file that can't be read by plain Arrow, or deletes other than the manifest says."""
    path = folder / held.path
    try:
        known = path.stat()
    except FileNotFoundError:
        return False  # a missing file harms nobody, and is named where all files are looked for
    return not _plausible(path, held, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=65536)
def _plausible(path: Path, held: Deletions, *_written_and_size: int) -> bool:
    # Lance refuses a damaged bitmap by itself
    return path.suffix != ".arrow" or plausible(path.read_bytes(), held.deleted, held.rows)


def _survived(folder: Path, held: Deletions) -> None:
    """Return when a child process reads as many rows as the manifest says; else raises FileUnreadable."""
    command = [sys.executable, "-c", _PROBE, str(folder.parent), folder.stem]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise unreadable(held.path, "can't be read to its end") from None
    if done.returncode < 0:
        raise unreadable(held.path, "is damaged: reading it ends the process that reads it")
    if done.returncode:
        raise unreadable(held.path, "is damaged")
    read, expected = int(done.stdout.split()[-1]), _contents(folder).rows
    if read != expected:
        raise unreadable(held.path, f"is damaged: with it the table has {read} rows instead of {expected}")
