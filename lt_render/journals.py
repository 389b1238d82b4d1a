"""Which journals a path stands for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lt_record.format import JOURNAL_NAME, PROCESS

from .errors import RenderError
from .reader import JournalReader


def find_journals(paths: Sequence[Path]) -> list[Path]:
    """Return the journals that ``paths`` stand for, each once, links left out."""
    found: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            below = [
                journal
                for journal in sorted(path.rglob(JOURNAL_NAME))
                # The link to the newest run is one of the others again.
                if not journal.is_symlink() and journal.is_file()
            ]
            if not below:
                raise RenderError(
                    f"no {JOURNAL_NAME} below {path}: was TL_LOWER_TRACE set when the script ran?"
                )
            for journal in below:
                found.setdefault(journal.resolve(), journal)
        elif path.exists():
            found.setdefault(path.resolve(), path)
        else:
            raise RenderError(f"{path} does not exist.")
    return list(found.values())


def newest_journal(path: str | os.PathLike[str]) -> Path:
    """Return the journal that ``path`` is, or of a directory's the one that was begun last.

    Raises :class:`RenderError` where there is none.
    """
    journals = find_journals([Path(path)])
    return journals[0] if len(journals) == 1 else max(journals, key=_started)


def _started(journal: Path) -> int:
    """When the process began to record, in ns since 1970; −1 where that cannot be read."""
    try:
        first = next(JournalReader(journal).records(), {})
    except RenderError:
        return -1
    started = first.get("started") if first.get("k") == PROCESS else None
    return started if isinstance(started, int) else -1
