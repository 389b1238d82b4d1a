"""What ``TL_LOWER_TRACE_REDACT=1`` and ``lt-render --redact`` leave out."""

from __future__ import annotations

import re

from .format import Record
from .settings import Settings
from .signals import tried

#: Fields of the ``process`` record that tell of a person or a machine.
PERSONAL = ("host", "user", "cwd", "argv", "executable", "env", "platform", "pid", "ppid")

_PATH = re.compile(r"(?<![\w.:/])(?:[A-Za-z]:)?(?:[/\\][\w.+@~ -]*?)*[/\\](?=[\w.+@~-]+)")


def redact_process(fields: Record) -> Record:
    """Return a ``process`` record's fields without the personal ones."""
    kept = {key: value for key, value in fields.items() if key not in PERSONAL}
    if isinstance(kept.get("codegen"), str):
        kept["codegen"] = re.split(r"[/\\]", kept["codegen"])[-1]
    return kept | {"redacted": True}


def redact_paths(message: str) -> str:
    """Shorten absolute paths in a message to their last component."""
    return _PATH.sub("…/", message)


def error_fields(error: BaseException | None, settings: Settings) -> Record:
    """What a record says of an error; nothing where there is none."""
    if error is None:
        return {}
    message = tried(lambda: str(error), "")
    if settings.redact:
        message = redact_paths(message)
    return {"error": message, "error_type": type(error).__name__}
