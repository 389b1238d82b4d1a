"""Records what each pass of a TVM or TileLang compile did, into a crash-safe journal."""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = ["__version__", "disable", "enable"]


def enable() -> None:
    """Record from now on, as ``TL_LOWER_TRACE=1`` does; does nothing if recording already.

    Where TVM has not been imported yet, recording begins with its import.
    """
    from . import settings, startup

    startup.start(settings.from_environ() or settings.default())


def disable() -> None:
    """Stop recording: take out every hook and close the journal."""
    from . import startup

    startup.stop()
