"""Whether the process that writes a journal is still alive."""

from __future__ import annotations

import os
import socket
import time
from typing import Any

#: Seconds by which clocks may disagree about when a process was started.
_CLOCKS = 60


class Writer:
    """The process that writes a journal, as far as it can be seen from here."""

    def __init__(self, pid: int | None) -> None:
        self._pid = pid
        self._first = None if pid is None else _started(pid)

    @classmethod
    def of(cls, process: dict[str, Any]) -> Writer:
        """The process of a ``process`` record."""
        pid, started = process.get("pid"), process.get("started")
        here = process.get("host") == socket.gethostname()
        if not here or not isinstance(pid, int) or not 0 < pid < 1 << 31:
            return cls(None)
        writer = cls(pid)
        ticks, booted = writer._first, _booted()
        if isinstance(started, int) and ticks is not None and booted is not None:
            begun = booted + ticks / os.sysconf("SC_CLK_TCK")
            if begun > started / 1e9 + _CLOCKS:
                writer._first = -1  # a later process with the same number
        return writer

    @property
    def known(self) -> bool:
        """Whether it can be seen at all: it runs, or ran, on this machine."""
        return self._pid is not None

    @property
    def alive(self) -> bool:
        """Whether it may still write; true where it cannot be seen."""
        if self._pid is None:
            return True
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass  # somebody else's
        return _started(self._pid) == self._first and not _is_zombie(self._pid)


def _stat(pid: int) -> list[str]:
    """The fields behind a process's name in ``/proc``; empty where there is no such thing."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().decode("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return []


def _started(pid: int) -> int | None:
    """When a process was started, in clock ticks since the machine was."""
    fields = _stat(pid)
    return int(fields[19]) if len(fields) > 19 else None


def _is_zombie(pid: int) -> bool:
    return _stat(pid)[:1] == ["Z"]


def _booted() -> float | None:
    """When the machine was started, in seconds since 1970."""
    try:
        with open("/proc/uptime", "rb") as file:
            return time.time() - float(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return None
