"""``--redact``: a trace without what tells of a person or a machine."""

from __future__ import annotations

from lt_record.redaction import redact_paths, redact_process

from .model import Trace


def redact(trace: Trace) -> None:
    """Take host, user, paths, argv and environment out of ``trace``; IR is left as it is."""
    trace.process = redact_process(trace.process)
    for unit in trace.units:
        unit.error_msg = redact_paths(unit.error_msg)
    for one in trace.passes:
        one.error_msg = redact_paths(one.error_msg)
        one.note = redact_paths(one.note)
