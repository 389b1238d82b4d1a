"""A command at a terminal of its own, for tests of what is shown there."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

from conftest import clean_environ


def at_terminal(*arguments: str | Path, rows: int = 24, **environ: str) -> tuple[int, str]:
    """Run ``lt-render`` at a terminal; return its exit code, and what the terminal was given."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
    kept = clean_environ()
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LESS"):
        kept.pop(name, None)
    kept |= {"TERM": "xterm", **environ}
    with subprocess.Popen(
        [sys.executable, "-m", "lt_render", *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=kept,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:  # what Linux says when nobody writes any more
                break
            if not data:
                break
            shown += data
    os.close(ours)
    return process.returncode, shown.decode("utf-8", "replace").replace("\r\n", "\n")
