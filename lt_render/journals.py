"""Which journals a path, a pattern or a URL stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lt_record.format import HEADER_SIZE, JOURNAL_NAME, PROCESS, FormatError, decode_header

from .errors import RenderError
from .layout import RUN_RECORDS
from .reader import JournalReader
from .sources import fetch_journals, is_url


def find_journals(places: Sequence[str | os.PathLike[str]], *, latest: bool = False) -> list[Path]:
    """Return the journals that ``places`` stand for, each once, links left out.

    A place is a journal, a directory for all below it, a pattern (``runs/**``) for
    all that it matches, or a URL for any of these. ``latest``: of each script only
    the run that was begun last. Raises :class:`RenderError` where there is none.
    """
    found: dict[Path, Path] = {}
    for place in places:
        name = os.fspath(place)
        for journal in fetch_journals(name) if is_url(name) else _at(name):
            if not (is_url(name) and _was_link(journal)):
                found.setdefault(journal.resolve(), journal)
    return _newest_of_each(found.values()) if latest else list(found.values())


def newest_journal(place: str | os.PathLike[str]) -> Path:
    """Return the journal that ``place`` is, or of several the one that was begun last.

    Raises :class:`RenderError` where there is none.
    """
    journals = find_journals([place])
    return journals[0] if len(journals) == 1 else max(journals, key=began)


def _at(place: str) -> list[Path]:
    path = Path(place)
    if path.is_dir():
        below = list(_below(path))
        if not below:
            raise RenderError(
                f"no {JOURNAL_NAME} below {path}: was TL_LOWER_TRACE set when the script ran?"
            )
        return below
    if path.exists():
        return [path]
    if not glob.has_magic(place):
        raise RenderError(f"{path} does not exist.")
    matched = [one for match in _matches(path) for one in _matched(match)]
    if not matched:
        raise RenderError(f"no journal matches {place}: ** stands for any directories.")
    return matched


def _matches(pattern: Path) -> list[Path]:
    # Not the glob module's: it passes over directories that begin with a dot.
    base = Path(pattern.anchor)
    return sorted(base.glob(str(pattern.relative_to(base))))


def _matched(path: Path) -> Iterator[Path]:
    """What of a pattern's matches are journals: others lie beside them."""
    if path.is_dir():
        yield from _below(path)
    elif path.is_file() and not path.is_symlink() and _looks_like_one(path):
        yield path


def _below(directory: Path) -> Iterator[Path]:
    for journal in sorted(directory.rglob(JOURNAL_NAME)):
        # The link to the newest run is one of the others again.
        if not journal.is_symlink() and journal.is_file() and not _was_link(journal):
            yield journal


def _was_link(journal: Path) -> bool:
    """Whether it is a copy of the link to the newest run: an upload follows links."""
    runs = journal.parent / RUN_RECORDS
    if not runs.is_dir():
        return False
    head, size = _head(journal), journal.stat().st_size
    return any(
        run.stat().st_size == size and _head(run) == head for run in runs.glob(f"*/{JOURNAL_NAME}")
    )


def _looks_like_one(path: Path) -> bool:
    if path.name.endswith(JOURNAL_NAME.partition(".")[2]):
        return True
    try:
        decode_header(_head(path))
    except FormatError:
        return False
    return True


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEADER_SIZE)
    except OSError:
        return b""


def _newest_of_each(journals: Iterable[Path]) -> list[Path]:
    """The newest journal of each script, in the order in which the scripts come."""
    newest: dict[Path, tuple[int, Path]] = {}
    for journal in journals:
        run = journal.resolve().parent
        script = run.parent.parent if run.parent.name == RUN_RECORDS else run
        begun = began(journal)
        if script not in newest or newest[script][0] <= begun:
            newest[script] = begun, journal
    return [journal for _, journal in newest.values()]


def began(journal: Path) -> int:
    """When the process began to record, in ns since 1970; −1 where that cannot be read."""
    try:
        first = next(JournalReader(journal).records(), {})
    except RenderError:
        return -1
    started = first.get("started") if first.get("k") == PROCESS else None
    return started if isinstance(started, int) else -1
