"""What is to be known of a run at a glance, read without keeping a single text."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lt_record import format

from .condition import State
from .layout import place_for
from .load import Builder
from .model import STATUS_COMPLETED, Trace
from .reader import JournalReader
from .sources import shown, url_of

#: How a run came out, the worst first: not to be read, damaged, died, a compile failed.
UNREADABLE, DAMAGED, DIED, FAILED, DONE = "unreadable", "damaged", "died", "failed", "done"


@dataclass(frozen=True)
class Overview:
    """One run. Times are in microseconds; ``started`` since 1970, 0 where it is not known."""

    #: Path or URL of the journal, and its size in bytes.
    journal: str
    size: int
    outcome: str
    #: What is wrong with it, in words; empty where nothing is.
    message: str = ""
    script: str = ""
    kernels: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    #: Codegens not counted.
    passes: int = 0
    changed: int = 0
    started: int = 0
    duration: int | None = None
    tilelang: str = ""
    tvm: str = ""
    host: str = ""
    #: Path of its report, if there is one.
    report: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)


def overview(journal: Path, *, reports: Path | None, memory_limit: int) -> Overview:
    """Read a journal; its report is looked for around it, or below ``reports``.

    Raises :class:`~lt_render.errors.RenderError` where it cannot be read.
    """
    reader = JournalReader(journal, memory_limit=memory_limit)
    builder = _Textless()
    for record in reader.records():
        builder.add(record)
    builder.trace.condition = reader.condition
    trace = builder.finish()
    outcome, message = _outcome(trace)
    units = [unit for unit in trace.units if unit.name is not None]
    process = trace.process
    return Overview(
        journal=shown(journal),
        size=reader.condition.size,
        outcome=outcome,
        message=message,
        script=trace.script,
        kernels=tuple(unit.title for unit in units),
        targets=tuple(sorted({unit.target for unit in units if unit.target})),
        passes=trace.pass_count,
        changed=sum(one.changed for one in trace.passes if not one.is_codegen),
        started=trace.started // 1000,
        duration=_duration(trace),
        tilelang=str(process.get("tilelang") or ""),
        tvm=str(process.get("tvm") or ""),
        host=str(process.get("host") or ""),
        report=_report(journal, trace, reports),
    )


class _Textless(Builder):
    """Keeps of each text what tells it from another, so that a change is seen."""

    def add(self, record: format.Record) -> None:
        text = record.get("s")
        if record["k"] == format.TEXT and isinstance(text, str):
            encoded = text.encode("utf-8", "surrogatepass")
            record = {**record, "s": hashlib.blake2b(encoded, digest_size=16).hexdigest()}
        super().add(record)


def _outcome(trace: Trace) -> tuple[str, str]:
    if trace.condition.state is State.DAMAGED:
        return DAMAGED, trace.state_message
    if trace.condition.state is State.ENDED_EARLY:
        return DIED, trace.state_message
    failed = [one for one in trace.passes if one.failed]
    if failed and any(unit.status != STATUS_COMPLETED for unit in trace.units):
        # The innermost comes last, but for those around it.
        one = max(failed, key=lambda one: (one.depth, one.index))
        return FAILED, f"failed inside {one.label}: {one.error_msg.strip().partition(chr(10))[0]}"
    return DONE, ""


def _duration(trace: Trace) -> int | None:
    """How long the process recorded, or as far as is known."""
    ended = trace.end.get("t")
    if isinstance(ended, int):
        return ended
    return max((one.start + (one.duration or 0) for one in trace.passes), default=None)


def _report(journal: Path, trace: Trace, reports: Path | None) -> str | None:
    if reports is None and url_of(journal) is not None:
        return None
    report = place_for(journal, trace, reports).report
    return str(report) if report.is_file() else None
