"""File names out of names that a journal holds: harmless, readable, never the same twice."""

from __future__ import annotations

import hashlib
import re
import unicodedata

#: Longest name in bytes; leaves room for suffixes within the usual 255.
LONGEST = 120

_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def safe(name: str) -> str:
    """Make ``name`` one path component that means nothing to any file system."""
    kept = re.sub(r"[^\w.\-+]", "_", unicodedata.normalize("NFC", name))
    kept = re.sub(r"^\.+", "_", kept).rstrip(".")
    if not kept or _DEVICES.fullmatch(kept):
        kept = f"_{kept}"
    if len(kept.encode()) > LONGEST:
        kept = f"{_cut(kept, LONGEST - 9)}~{_digest(name)}"
    return kept


class SafeNames:
    """Gives each name of one directory a safe one of its own, the same for the same name."""

    def __init__(self, *reserved: str) -> None:
        self._taken = {_folded(name) for name in reserved}
        self._given: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        """Return the safe name for ``name``."""
        given = self._given.get(name)
        if given is None:
            given = safe(name)
            # Also where only case or composition differs: not every file system tells.
            while _folded(given) in self._taken:
                given = f"{_cut(given, LONGEST - 9)}~{_digest(name + given)}"
            self._taken.add(_folded(given))
            self._given[name] = given
        return given


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _digest(name: str) -> str:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _cut(name: str, size: int) -> str:
    return name.encode()[:size].decode("utf-8", "ignore")
