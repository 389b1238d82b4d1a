"""Keeps a report fresh while its journal grows."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from . import files

#: A report is rendered again after this many times what the last one took: a few
#: percent of one core, and a little more when a compile has just ended.
_TIMES_OF_LAST = 25
_TIMES_OF_LAST_AFTER_COMPILE = 3
#: Seconds that the first one is taken to need.
_GUESS = 0.05


class FreshReport:
    """Calls ``render`` in a forked process, which sees the trace as it is now.

    So whoever follows the journal goes on following it meanwhile.
    """

    def __init__(self, render: Callable[[], None]) -> None:
        self._render = render
        self._child: int | None = None
        self._begun = self._ended = time.monotonic()
        self._took = _GUESS
        self._changed = False
        self._compile_ended = False

    def has_changed(self, *, compile_ended: bool) -> None:
        """Take note of what there is to be rendered."""
        self._changed = True
        self._compile_ended = self._compile_ended or compile_ended

    def step(self) -> None:
        """Render if it is time to."""
        if self._child is not None:
            self._reap(os.WNOHANG)
        times = _TIMES_OF_LAST_AFTER_COMPILE if self._compile_ended else _TIMES_OF_LAST
        due = self._ended + times * self._took
        if self._child is None and self._changed and time.monotonic() >= due:
            self._changed = self._compile_ended = False
            self._start()

    def stop(self, *directories: Path) -> None:
        """End what is under way, and remove what it leaves in ``directories``."""
        child = self._child
        if child is not None:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
            self._reap(0)
            for directory in directories:
                files.discard(directory, child)

    def _start(self) -> None:
        self._begun = time.monotonic()
        if not hasattr(os, "fork"):
            self._render()
            self._has_ended()
            return
        self._child = os.fork()
        if self._child == 0:
            try:
                os.nice(10)  # the compile comes first
                self._render()
            except BaseException:
                os._exit(1)  # the last report, at the end, tells what is wrong
            os._exit(0)

    def _reap(self, options: int) -> None:
        pid, _ = os.waitpid(self._child or 0, options)
        if pid:
            self._child = None
            self._has_ended()

    def _has_ended(self) -> None:
        self._ended = time.monotonic()
        self._took = self._ended - self._begun
