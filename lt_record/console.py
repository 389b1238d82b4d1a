"""What the recorder says to the person at the terminal: single lines on stderr."""

from __future__ import annotations

import sys

from .signals import reraise_a_signals

_said: set[str] = set()


def say(text: str) -> None:
    """Write one line to stderr; silently nothing where that is impossible."""
    try:
        stream = sys.stderr
        if stream is None:
            return
        line = f"[lower_trace] {text}\n"
        encoding = getattr(stream, "encoding", None) or "utf-8"
        stream.write(line.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except Exception as error:
        reraise_a_signals(error)
        # stderr closed, a broken pipe, a replaced stream with a fault of its
        # own: none of it may reach the compile.
        pass


def say_once(key: str, text: str) -> None:
    """Like :func:`say`, but only the first time for each ``key`` in this process."""
    if key not in _said:
        _said.add(key)
        say(text)


def forget() -> None:
    """Let a forked child say for itself what its parent has said."""
    _said.clear()


def counted(number: int, noun: str) -> str:
    """``1 kernel``, ``2 kernels``, ``1 pass``, ``2 passes``."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def human_size(size: int) -> str:
    """``size`` in bytes, for a person: ``8.3 kB``."""
    value = float(size)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
