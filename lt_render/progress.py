"""A progress bar on stderr, for a person who waits."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

#: Seconds of work before a bar is worth looking at.
_PATIENCE = 0.5


@contextlib.contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after each of ``total`` steps.

    Silent without a terminal, and where there are no steps.
    """
    if not total or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console  # a tenth of a second that a pipe need not pay
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=total)
    begun = time.monotonic()
    shown = False

    def advance() -> None:
        nonlocal shown
        if not shown and time.monotonic() - begun > _PATIENCE:
            shown = True
            bar.start()
        bar.advance(task)

    try:
        yield advance
    finally:
        bar.stop()
