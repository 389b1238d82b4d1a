"""Journals against a stored baseline: which kernels lower to something else than they did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lt_record import format

from ..condition import Condition
from ..errors import RenderError
from ..load import load
from ..model import Trace
from ..reader import JournalReader
from .kernels import Kernel, kernels_of, match_kernels
from .texts import Texts
from .verdict import Comparison, compare


@dataclass(eq=False)
class ScriptComparison:
    """All that one script compiled, against what it did for the baseline."""

    script: str
    comparison: Comparison


@dataclass(eq=False)
class Gate:
    """All scripts, in order of their names."""

    scripts: list[ScriptComparison] = field(default_factory=list)
    #: Journals that could not be read, and why.
    unreadable: list[tuple[Path, str]] = field(default_factory=list)
    #: In what condition those were that could.
    conditions: list[tuple[Path, Condition, str]] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        """Whether any kernel is not what it was."""
        return any(script.comparison.differs for script in self.scripts)


def compare_to_baseline(
    baseline: Sequence[Path],
    current: Sequence[Path],
    new_texts: Callable[[], Texts],
    *,
    only_code: bool,
    kernel: str | None,
    memory_limit: int,
) -> Gate:
    """Compare journals script by script, so that never all of them are in memory.

    Kernels are matched by script, name and target. Of several runs of a script,
    with the same arguments, the last counts; processes at the same time all do.
    """
    gate = Gate()
    sides = [_by_script(journals, gate) for journals in (baseline, current)]
    for script in sorted(sides[0].keys() | sides[1].keys()):
        a, b = (_kernels(side.get(script, []), gate, memory_limit=memory_limit) for side in sides)
        texts = new_texts()
        pairs = match_kernels(a, b, texts, by_name=True)
        compared = Comparison(compare(pairs, texts, kernel=kernel), texts, only_code)
        if compared.kernels:
            gate.scripts.append(ScriptComparison(script, compared))
    return gate


def _by_script(journals: Iterable[Path], gate: Gate) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = defaultdict(list)
    for journal in journals:
        try:
            first = next(JournalReader(journal).records(), {})
        except RenderError as error:
            gate.unreadable.append((journal, str(error)))
            continue
        process = first if first.get("k") == format.PROCESS else {}
        found[Trace(process=process).script].append(journal)
    return found


def _kernels(journals: Iterable[Path], gate: Gate, *, memory_limit: int) -> list[Kernel]:
    traces: list[Trace] = []
    for journal in journals:
        try:
            trace = load(journal, memory_limit=memory_limit)
        except RenderError as error:
            gate.unreadable.append((journal, str(error)))
            continue
        gate.conditions.append((journal, trace.condition, trace.state_message))
        traces = [one for one in traces if not _replaces(trace, one)]
        if not any(_replaces(one, trace) for one in traces):
            traces.append(trace)
    traces.sort(key=lambda trace: trace.started)
    return [kernel for trace in traces for kernel in kernels_of(trace)]


def _replaces(newer: Trace, older: Trace) -> bool:
    """Whether the same was run again after ``older`` had ended."""
    arguments, others = (trace.process.get("argv") for trace in (newer, older))
    if isinstance(arguments, list) and isinstance(others, list) and arguments[1:] != others[1:]:
        return False
    return newer.started >= _ended(older)


def _ended(trace: Trace) -> int:
    """When the last pass ended, in nanoseconds since 1970."""
    last = max((one.start + (one.duration or 0) for one in trace.passes), default=0)
    return trace.started + 1000 * last
