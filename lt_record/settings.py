"""What the environment asks of the recorder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

MODE_VARIABLE = "TL_LOWER_TRACE"
DIR_VARIABLE = "TL_LOWER_TRACE_DIR"
CODEGEN_VARIABLE = "TL_LOWER_TRACE_CODEGEN"
FSYNC_VARIABLE = "TL_LOWER_TRACE_FSYNC"
REDACT_VARIABLE = "TL_LOWER_TRACE_REDACT"
#: ``0`` leaves tracing to TileLang's built-in tracer.
RECORD_VARIABLE = "LT_RECORD"
#: Developer's switch: print before every comparison, to check the snapshots' shortcut.
VERIFY_VARIABLE = "LT_RECORD_VERIFY"

DEFAULT_DIR = os.path.join(".", "tmp", "lower_trace_dir")

#: Values that mean off; the ``.pth`` file knows the same ones.
OFF = ("", "0", "off", "false", "no")
#: The mode that shows nothing while it records.
RECORD = "record"
_MODES = {
    **dict.fromkeys(("1", "on", "true", "yes"), RECORD),
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
    #: Path of the working copy of generated source; empty for the usual place, beside
    #: the run directories; ``None`` for none.
    codegen: str | None = ""
    #: Whether that was asked for, and does not only follow from the mode.
    codegen_asked: bool = field(default=False, compare=False)
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
        codegen=_codegen(environ.get(CODEGEN_VARIABLE, "").strip(), mode),
        codegen_asked=bool(environ.get(CODEGEN_VARIABLE, "").strip()),
        unknown_mode=unknown_mode,
        fsync=is_on(environ.get(FSYNC_VARIABLE, "")),
        redact=is_on(environ.get(REDACT_VARIABLE, "")),
        verify=is_on(environ.get(VERIFY_VARIABLE, "")),
    )


def parsed_mode(value: object) -> str | None:
    """The mode that a program asks for by ``value``; ``None`` for off.

    Raises ``ValueError``, naming the accepted ones, for what is none.
    """
    mode = "off" if value is None else str(value).strip().lower()
    if mode in OFF:
        return None
    if mode == RECORD or mode in _MODES:
        return _MODES.get(mode, RECORD)
    raise ValueError(
        f"mode={value!r} is none of record, terminal, html, both, None, or what "
        f"{MODE_VARIABLE} accepts: {accepted_modes()}."
    )


def with_mode(settings: Settings, mode: str) -> Settings:
    """``settings`` in another mode; files of generated source follow it unless asked for."""
    codegen = settings.codegen if settings.codegen_asked else _codegen("", mode)
    return replace(settings, mode=mode, codegen=codegen, unknown_mode=None)


def from_environ_codegen(environ: Mapping[str, str] = os.environ) -> str | None:
    """What ``TL_LOWER_TRACE_CODEGEN`` says: see :attr:`Settings.codegen`."""
    return _codegen(environ.get(CODEGEN_VARIABLE, "").strip(), "record")


def _codegen(value: str, mode: str) -> str | None:
    if not value:
        # As in the guide: who reads along in a terminal gets no files unasked.
        return None if mode == "terminal" else ""
    return None if value.lower() in (*OFF, "none") else absolute(value)


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
