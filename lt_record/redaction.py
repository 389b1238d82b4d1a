"""What ``TL_LOWER_TRACE_REDACT=1`` and ``lt-render --redact`` leave out."""

from __future__ import annotations

import re

from .format import Record

#: Fields of the ``process`` record that tell of a person or a machine.
PERSONAL = ("host", "user", "cwd", "argv", "executable", "env", "platform", "pid", "ppid")

_PATH = re.compile(r"(?<![\w.:/])(?:[A-Za-z]:)?(?:[/\\][\w.+@~ -]*?)*[/\\](?=[\w.+@~-]+)")


def redact_process(fields: Record) -> Record:
    """Return a ``process`` record's fields without the personal ones."""
    return {key: value for key, value in fields.items() if key not in PERSONAL} | {"redacted": True}


def redact_paths(message: str) -> str:
    """Shorten absolute paths in a message to their last component."""
    return _PATH.sub("…/", message)
