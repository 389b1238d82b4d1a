"""Journals at URLs, through fsspec where it is installed: fetched before they are read."""

from __future__ import annotations

import glob
import re
import tempfile
from pathlib import Path
from typing import Any

from lt_record.format import JOURNAL_NAME

from . import names
from .errors import RenderError
from .layout import RUN_RECORDS

#: ``s3://…``, and chains as in ``zip://**::https://…``.
_URL = re.compile(r"[A-Za-z][\w+.\-]*(://|::[A-Za-z][\w+.\-]*://)")

#: What has been fetched, and where it is from.
_urls: dict[Path, str] = {}
#: Holds what was fetched, until the process ends.
_fetched: list[tempfile.TemporaryDirectory[str]] = []


def is_url(name: str) -> bool:
    """Whether ``name`` is a URL, and not a path."""
    return _URL.match(name) is not None


def url_of(journal: Path) -> str | None:
    """The URL that a journal was fetched from, or ``None``."""
    return _urls.get(journal)


def shown(journal: Path) -> str:
    """What a person knows a journal by: its URL, or its path."""
    return _urls.get(journal) or str(journal)


def fetch_journals(url: str) -> list[Path]:
    """Fetch the journals that ``url`` stands for, as a path would; return the copies.

    Raises :class:`RenderError` where fsspec is missing, or cannot read it.
    """
    try:
        import fsspec
    except ImportError:
        raise RenderError(
            f"{url} is a URL: to read it, pip install 'lower-trace[remote]' (fsspec)."
        ) from None
    try:
        system, path = fsspec.core.url_to_fs(url)
        found = _journals_at(system, path)
    except (ImportError, FileNotFoundError) as error:
        raise RenderError(f"{url} cannot be read: {str(error).rstrip('.')}.") from None
    except Exception as error:  # a file system's own, whatever it is
        raise _unreadable(url, error) from None
    if not found:
        raise RenderError(f"no {JOURNAL_NAME} at {url}.")
    return _copies(url, system, found)


def _journals_at(system: Any, path: str) -> list[str]:
    """What a path stands for on the other side: a file, what a pattern matches, a directory."""
    if glob.has_magic(path):
        found: list[str] = []
        for one in system.glob(path):
            found += [one] if system.isfile(one) else _below(system, one)
        return sorted(one for one in set(found) if one.endswith((".zst", JOURNAL_NAME)))
    # On a web server everything is a file: a directory's address ends with a slash.
    if path and not path.endswith("/") and system.isfile(path):
        return [path]
    return _below(system, path)


def _below(system: Any, path: str) -> list[str]:
    return sorted(one for one in system.find(path) if one.rsplit("/", 1)[-1] == JOURNAL_NAME)


def _copies(url: str, system: Any, found: list[str]) -> list[Path]:
    base = Path(_temporary().name) / str(len(_urls))
    copies = []
    for one in found:
        # Its directories stay as they are: a run and its script are known by them.
        copy = base.joinpath(*map(_part, filter(None, one.split("/"))))
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            system.get_file(one, str(copy))
        except Exception as error:  # as above
            raise _unreadable(url, error) from None
        _urls[copy] = system.unstrip_protocol(one)
        copies.append(copy)
    return copies


def _temporary() -> tempfile.TemporaryDirectory[str]:
    if not _fetched:
        _fetched.append(tempfile.TemporaryDirectory(prefix="lt-render-"))
    return _fetched[0]


def _part(name: str) -> str:
    return name if name == RUN_RECORDS else names.safe(name)


def _unreadable(url: str, error: Exception) -> RenderError:
    return RenderError(f"{url} cannot be read: {type(error).__name__}: {error}.")
