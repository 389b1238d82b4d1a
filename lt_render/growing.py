"""A journal that is still being written, in the place of the bytes of one that is not."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import overload

from .errors import RenderError

_CHUNK = 1 << 16


class GrowingFile:
    """Reads like ``bytes``, as far as the file has come; :meth:`grow` waits for more.

    ``wait`` is called whenever all there is has been used. It takes its time,
    and returns whether there may be more to come.
    """

    def __init__(self, path: str, wait: Callable[[], bool]) -> None:
        self.path = path
        self._wait = wait
        try:
            self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError as error:
            raise RenderError(f"{path} cannot be read: {error.strerror or error}.") from None
        self._size = 0
        self._look()

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)

    def grow(self) -> bool:
        """Wait until the file has changed; ``False`` if it will not any more."""
        while True:
            # What comes between these two lines is still seen.
            may_grow = self._wait()
            if self._look():
                return True
            if not may_grow:
                return False

    def _look(self) -> bool:
        """See how far the file has come; return whether that is new."""
        before, status = self._size, os.fstat(self._fd)
        if not status.st_nlink and self._reopen():
            status = os.fstat(self._fd)
        self._size = status.st_size
        return self._size != before

    def _reopen(self) -> bool:
        """Go on in the file that the recorder has put in the place of a removed one."""
        try:
            fd = os.open(self.path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            return False
        begins = self[:_CHUNK]
        if os.fstat(fd).st_size < self._size or os.pread(fd, len(begins), 0) != begins:
            os.close(fd)
            return False
        os.close(self._fd)
        self._fd = fd
        return True

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, key: int) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> bytes: ...
    def __getitem__(self, key: int | slice) -> int | bytes:
        if isinstance(key, int):
            return self[key : key + 1][0]
        start, stop, _ = key.indices(self._size)
        parts = []
        while start < stop:
            part = os.pread(self._fd, stop - start, start)
            if not part:
                break  # taken back by its writer meanwhile
            parts.append(part)
            start += len(part)
        return b"".join(parts)

    def find(self, wanted: bytes, start: int) -> int:
        """Like ``bytes.find``."""
        while start < self._size:
            at = self[start : start + _CHUNK + len(wanted) - 1].find(wanted)
            if at >= 0:
                return start + at
            start += _CHUNK
        return -1


def grow(data: object) -> bool:
    """Wait for more of ``data``; ``False`` where there is nothing to wait for."""
    return isinstance(data, GrowingFile) and data.grow()
