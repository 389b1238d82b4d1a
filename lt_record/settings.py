"""What the environment asks of the recorder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

MODE_VARIABLE = "TL_LOWER_TRACE"
DIR_VARIABLE = "TL_LOWER_TRACE_DIR"
FSYNC_VARIABLE = "TL_LOWER_TRACE_FSYNC"
REDACT_VARIABLE = "TL_LOWER_TRACE_REDACT"
#: ``0`` leaves tracing to TileLang's built-in tracer.
RECORD_VARIABLE = "LT_RECORD"
#: Developer's switch: print before every comparison, to check the snapshots' shortcut.
VERIFY_VARIABLE = "LT_RECORD_VERIFY"

DEFAULT_DIR = os.path.join(".", "tmp", "lower_trace_dir")

#: Values that mean off; the ``.pth`` file knows the same ones.
OFF = ("", "0", "off", "false", "no")
_MODES = {
    **dict.fromkeys(("1", "on", "true", "yes"), "record"),
    "terminal": "terminal",
    "html": "html",
    "both": "both",
}


@dataclass(frozen=True)
class Settings:
    """Settings of one trace, fixed when it starts."""

    #: ``record``, ``terminal``, ``html`` or ``both``; the last three also record.
    mode: str
    #: Base directory, absolute.
    trace_dir: str
    #: The value of ``TL_LOWER_TRACE`` where it is none of the accepted ones.
    unknown_mode: str | None = None
    #: Safe against power loss, not only against death of the process.
    fsync: bool = False
    #: Leave out what tells of a person or a machine.
    redact: bool = False
    #: Print every snapshot, and count where a skipped print would have differed.
    verify: bool = False


def from_environ(environ: Mapping[str, str] = os.environ) -> Settings | None:
    """Read the settings; ``None`` when tracing is off or left to the built-in tracer."""
    mode = environ.get(MODE_VARIABLE, "").strip().lower()
    if mode in OFF or not is_on(environ.get(RECORD_VARIABLE, "1")):
        return None
    return _settings(
        _MODES.get(mode, "record"), environ, None if mode in _MODES else environ[MODE_VARIABLE]
    )


def default(environ: Mapping[str, str] = os.environ) -> Settings:
    """What a program that asks for recording itself gets, whatever ``TL_LOWER_TRACE`` says."""
    return _settings("record", environ)


def _settings(mode: str, environ: Mapping[str, str], unknown_mode: str | None = None) -> Settings:
    return Settings(
        mode=mode,
        trace_dir=absolute(environ.get(DIR_VARIABLE, "").strip() or DEFAULT_DIR),
        unknown_mode=unknown_mode,
        fsync=is_on(environ.get(FSYNC_VARIABLE, "")),
        redact=is_on(environ.get(REDACT_VARIABLE, "")),
        verify=is_on(environ.get(VERIFY_VARIABLE, "")),
    )


def is_on(value: str) -> bool:
    """Whether a switch's value means on."""
    return value.strip().lower() not in OFF


def accepted_modes() -> str:
    """The accepted values of ``TL_LOWER_TRACE``, for a message."""
    return "0/off/false/no, 1/on/true/yes, terminal, html, both"


def absolute(path: str) -> str:
    """``path`` made absolute; as it is where the working directory is gone."""
    try:
        return os.path.abspath(path)
    except OSError:
        return path
