"""A timeline for ui.perfetto.dev and chrome://tracing: the Trace Event Format's JSON.

A process for each journal, a track for each of its threads. On it a slice for each
compile, in it its passes, in them those that they ran. What the recorder cost is no
slice: a counter tells what it adds up to, and each pass its own share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..model import STATUS_UNFINISHED, Pass, Trace

Event = dict[str, Any]


@dataclass
class _Span:
    """A pass on the clock: microseconds from the trace's start."""

    one: Pass
    start: int
    end: int
    #: The pass around it, on its thread, and what came next inside the same one.
    around: _Span | None = None
    following: _Span | None = None
    #: What recording took inside of it: its duration leaves that out.
    recorded: int = 0


def events(trace: Trace, *, process: int, offset: int = 0) -> Iterator[Event]:
    """Yield the events of ``trace`` as those of process ``process``.

    ``offset``, in microseconds, is added to all times.
    """
    pid = trace.process.get("pid")
    name = f"{trace.script} ({pid})" if isinstance(pid, int) else trace.script
    yield _about(process, None, "process_name", name=name)
    yield _about(process, None, "process_sort_index", sort_index=process)
    threads: dict[int, list[_Span]] = {}
    for span in _spans(trace):
        threads.setdefault(span.one.thread, []).append(span)
    for thread, spans in sorted(threads.items()):
        names = (span.one.unit.thread_name for span in spans)
        yield _about(process, thread, "thread_name", name=next(filter(None, names), str(thread)))
        for group in _compiles([span for span in spans if span.around is None]):
            yield from _compile(group, process, offset)
        for span in spans:
            yield _pass(span, process, offset)
    total = 0
    for one in sorted(trace.passes, key=lambda one: (_begin(one), one.number)):
        total += one.cost
        yield {
            "ph": "C",
            "pid": process,
            "ts": _begin(one) + offset,
            "name": "time of the recorder (ms)",
            "args": {"ms": total / 1000},
        }


def _begin(one: Pass) -> int:
    # A hostile journal may hold any number; the viewers' clock is signed, of 64 bits.
    return min(max(0, one.start), 1 << 52)


def _spans(trace: Trace) -> list[_Span]:
    """The spans of all passes in order of their start: each within the one around it."""
    spans = {id(one): _Span(one, _begin(one), _begin(one)) for one in trace.passes}
    last = max((span.start for span in spans.values()), default=0)
    ordered = sorted(spans.values(), key=lambda span: (span.start, span.one.depth, span.one.number))
    newest: dict[tuple[int, int], _Span] = {}
    for span in ordered:
        around = spans.get(id(span.one.parent))
        if around is not None and around.one.thread == span.one.thread:
            span.around = around if around.start <= span.start else None
        place = (span.one.thread, id(span.around))
        if place in newest:
            newest[place].following = span
        newest[place] = span
    for span in reversed(ordered):  # what is inside begins after what is around it
        duration = min(max(0, span.one.duration or 0), 1 << 52)
        unfinished = span.one.status == STATUS_UNFINISHED
        span.end = max(span.end, span.start + duration + span.recorded, last if unfinished else 0)
        if span.around is not None:
            span.around.end = max(span.around.end, span.end)
            span.around.recorded += max(0, span.one.cost) + span.recorded
    for span in ordered:
        # Microseconds are rounded, a journal may be odd, and no slice may cross another.
        limits = [] if span.around is None else [span.around.end]
        limits += [] if span.following is None else [span.following.start]
        span.end = max(span.start, min([span.end, *limits]))
    return ordered


def _compiles(spans: Sequence[_Span]) -> Iterator[list[_Span]]:
    """Passes that follow each other and belong to one compile."""
    group: list[_Span] = []
    for span in spans:
        if group and group[0].one.unit is not span.one.unit:
            yield group
            group = []
        group.append(span)
    if group:
        yield group


def _compile(group: Sequence[_Span], process: int, offset: int) -> Iterator[Event]:
    unit = group[0].one.unit
    if unit.name is not None:
        facts = {"target": unit.target, "configs": unit.configs, "error": unit.error_msg}
        whole = _Span(group[0].one, group[0].start, group[-1].end)
        yield {
            **_slice(whole, process, offset),
            "cat": "compile",
            "name": unit.title,
            "args": {"status": unit.status, **{key: one for key, one in facts.items() if one}},
        }


def _pass(span: _Span, process: int, offset: int) -> Event:
    one = span.one
    facts = {
        "status": one.status,
        "phase": one.phase,
        "index": one.index,
        "full_name": one.full_name,
        "changed": one.changed,
        "+": 0 if one.is_codegen else one.diff.insertions,
        "−": 0 if one.is_codegen else one.diff.deletions,
        "recorder_us": one.cost,
        **{key: text for key, text in (("error", one.error_msg), ("note", one.note)) if text},
    }
    mark = " ✕" if one.failed else " ●" if one.changed and not one.is_codegen else ""
    return {
        **_slice(span, process, offset),
        "cat": one.phase,
        "name": f"{one.name}{mark}",
        "args": facts,
    }


def _slice(span: _Span, process: int, offset: int) -> Event:
    return {
        "ph": "X",
        "pid": process,
        "tid": span.one.thread,
        "ts": span.start + offset,
        "dur": span.end - span.start,
    }


def _about(process: int, thread: int | None, what: str, **values: object) -> Event:
    where = {} if thread is None else {"tid": thread}
    return {"ph": "M", "pid": process, **where, "name": what, "args": values}
