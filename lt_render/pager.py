"""A pager for what is longer than the terminal is high."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import TextIO

#: Leave at once what fits, let colours through, let the text stand afterwards; as in git.
_LESS = "FRX"


@contextlib.contextmanager
def paged(wanted: bool = True) -> Iterator[None]:
    """Send standard output through ``$LT_PAGER``, ``$PAGER`` or ``less`` where it is a terminal.

    That the reader leaves early is no error: what was to come is left out.
    """
    command = _command() if wanted and sys.stdout.isatty() else None
    if command is None:
        yield
        return
    terminal, errors = sys.stdout, sys.stderr
    pager = _Pager(command, terminal)
    sys.stdout = pager
    if errors.isatty():
        sys.stderr = pager  # or it would be written across the pager's page
    try:
        yield
    except BrokenPipeError:
        pass  # the pager has gone
    finally:
        sys.stdout, sys.stderr = terminal, errors
        pager.close()


class _Pager(io.TextIOBase, TextIO):
    """A terminal to those who write; its pager starts with the first line, if there is one."""

    def __init__(self, command: str, terminal: TextIO) -> None:
        self._command = command
        self._terminal = terminal
        self._process: subprocess.Popen[bytes] | None = None

    def isatty(self) -> bool:
        """It looks like the terminal that the pager writes to."""
        return True

    def fileno(self) -> int:
        """The terminal's."""
        return self._terminal.fileno()

    def write(self, text: str) -> int:
        """Hand ``text`` on. Raises :class:`BrokenPipeError` when the pager has gone."""
        if self._process is None:
            self._terminal.flush()
            self._process = subprocess.Popen(
                self._command,
                shell=True,
                stdin=subprocess.PIPE,
                env={"LESS": _LESS, "LV": "-c", **os.environ},
            )
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode("utf-8", "backslashreplace"))
        return len(text)

    def flush(self) -> None:
        """Let the pager show what there is."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.flush()

    def close(self) -> None:
        """Wait until the reader has finished."""
        if self._process is None:
            return
        with contextlib.suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        while True:
            try:
                self._process.wait()
                return
            except KeyboardInterrupt:
                pass  # meant for the pager, which shares the terminal


def _command() -> str | None:
    """The pager's command line; ``None`` where there is none to be used."""
    for variable in ("LT_PAGER", "PAGER"):
        if variable in os.environ:
            command = os.environ[variable].strip()
            break
    else:
        command = "less"
    try:
        program = shlex.split(command)[0]
    except (ValueError, IndexError):
        return None
    if program == "cat" or os.environ.get("TERM") == "dumb":
        return None
    return command if shutil.which(program) else None
