"""What is said of a comparison, in the same words wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lt_record.console import counted

from ..model import STATUS_UNFINISHED, Pass, Trace
from .rows import Row, State
from .verdict import Comparison, Culprit, KernelComparison

#: Passes that a sentence names; the rest is counted.
_NAMED = 6

_STATES = {
    State.SAME: "the same",
    State.DIVERGES: "same input, other output",
    State.FOLLOWS: "differed already",
    State.CONVERGES: "other input, same output",
    State.HARMLESS: "the same",
    State.UNREACHED: "not reached",
    State.UNKNOWN: "cannot be compared",
}


def verdict(kernel: KernelComparison) -> str:
    """What two kernels differ in, in one sentence without its full stop."""
    if kernel.only_in:
        return f"only in {kernel.only_in}"
    if not kernel.differs:
        return f"the same in all {counted(len(kernel.rows), 'pass')}"
    said = []
    if kernel.given_same is False:
        said.append("the kernel differs before the first pass")
    if kernel.culprit is not None:
        said.append(_blame(kernel.culprit))
    unreached = [row for row in kernel.rows if row.state is State.UNREACHED]
    if unreached:
        side = "B" if unreached[0].b is None else "A"
        said.append(f"{side} did not reach the last {counted(len(unreached), 'pass')} of the other")
    if not said:
        said.append(_rest(kernel))
    if kernel.same_again is not None:
        said.append(f"everything is the same again after {place(kernel.same_again)}")
    return "; ".join(said)


def remarks(kernel: KernelComparison) -> list[str]:
    """What else is to be known of two kernels, a sentence each without its full stop."""
    if kernel.a is None or kernel.b is None:
        return []
    said = [*_circumstances(kernel), *_passes(kernel)]
    if kernel.code_same is not None:
        said.append(_code(kernel))
    return said


def totals(comparison: Comparison) -> str:
    """How many kernels are the same, and how many are not."""
    kernels = comparison.kernels
    different = sum(comparison.counts(one) for one in kernels)
    if not kernels:
        return "there are no kernels"
    if not different:
        return f"{counted(len(kernels), 'kernel')}, all the same"
    return f"{counted(len(kernels), 'kernel')}, {different} different"


def source(trace: Trace) -> str:
    """What was recorded: the script, and the release that lowered it."""
    release = _release(trace)
    return f"{trace.script}, {release}" if release else trace.script


def pairing(a: Trace, b: Trace) -> str:
    """What is compared: ``gemm: TileLang 0.1.14 ↔ TileLang 0.1.15``."""
    if a.script != b.script:
        return f"{source(a)} ↔ {source(b)}"
    one, other = _release(a), _release(b)
    return a.script if one == other else f"{a.script}: {one or 'unknown'} ↔ {other or 'unknown'}"


def releases(kernels: Iterable[KernelComparison]) -> list[str]:
    """That the two sides were lowered by other releases, in a sentence, if they were."""
    a: set[str] = set()
    b: set[str] = set()
    for kernel in kernels:
        for side, one in ((a, kernel.a), (b, kernel.b)):
            if one is not None:
                side.add(_release(one.trace) or "an unknown release")
    return [f"{', '.join(sorted(a))} → {', '.join(sorted(b))}"] if a and b and a != b else []


def place(row: Row) -> str:
    """A row's pass with its numbers: ``LowerTileOp (18 → 25)``."""
    return f"{row.one.name} ({_indexes(row)})"


def row_words(row: Row) -> str:
    """What became of a row."""
    if row.a is None or row.b is None:
        return _alone(row)
    words = _STATES[row.state]
    if row.renamed:
        words += f", named {row.a.name} in A"
    if row.changed_in:
        words += f", changed only in {row.changed_in}"
    for side, one in (("A", row.a), ("B", row.b)):
        if one.failed:
            words += f", {_failure(one)} in {side}"
    return words


def _release(trace: Trace) -> str:
    for key, name in (("tilelang", "TileLang"), ("tvm", "TVM")):
        if trace.process.get(key):
            return f"{name} {trace.process[key]}"
    return ""


def _alone(row: Row) -> str:
    side, other = ("A", "B") if row.b is None else ("B", "A")
    made = "changed the IR" if row.one.changed else "changed nothing"
    if row.state is State.HARMLESS and row.one.changed:
        made = "changed the IR; with the passes beside it, to the same"
    if row.one.failed:
        made = _failure(row.one)
    if row.state is State.UNREACHED:
        return f"{made}; {other} did not reach it"
    if row.moved is not None:
        return f"{made}; in {other} it ran as {row.moved.index}"
    return f"only in {side}, {made}"


def _failure(one: Pass) -> str:
    return "never ended" if one.status == STATUS_UNFINISHED else "failed"


def _blame(culprit: Culprit) -> str:
    first = culprit.rows[0]
    if culprit.between:
        return f"no pass made the difference that is there before {place(first)}"
    if first.a is None or first.b is None:
        names = _listed(
            f"{_numbered(row.one)} in {'A' if row.b is None else 'B'}" for row in culprit.rows
        )
        return f"the first difference is made by what only one side ran: {names}"
    for side, one, other in (("A", first.a, first.b), ("B", first.b, first.a)):
        if one.failed and not other.failed:
            return f"{place(first)} {_failure(one)} in {side} only, although its input was the same"
    return f"{place(first)} is the first pass whose output differs although its input was the same"


def _code(kernel: KernelComparison) -> str:
    rows = [row for row in kernel.rows if row.one.is_codegen]
    if kernel.code_same:
        return "the generated code is the same"
    if all(row.b is None for row in rows) or all(row.a is None for row in rows):
        return f"code was generated only in {'A' if rows[0].b is None else 'B'}"
    return "the generated code differs"


def _circumstances(kernel: KernelComparison) -> Iterator[str]:
    a, b = kernel.a, kernel.b
    assert a is not None and b is not None
    if a.name != b.name:
        yield f"named {a.name} in A, {b.name} in B"
    if a.target != b.target:
        yield f"target: {a.target or 'none'} → {b.target or 'none'}"
    ours, theirs = a.unit.configs, b.unit.configs
    for name in sorted(ours.keys() | theirs.keys()):
        one, other = ours.get(name, "not set"), theirs.get(name, "not set")
        if one != other:
            yield f"pass config {name}: {one} → {other}"
    for side, of_side in (("A", a), ("B", b)):
        if of_side.died_in is not None:
            yield f"the process of {side} ended inside {_numbered(of_side.died_in)}"
        elif of_side.is_cut_short and of_side.passes:
            yield f"the process of {side} ended after {_numbered(of_side.passes[-1])}"
        if of_side.is_damaged:
            yield f"the journal of {side} is damaged: passes may be lost"
    lost = [row for row in kernel.rows if row.state is State.UNKNOWN and row.is_pair]
    if lost:
        yield f"{counted(len(lost), 'pass')} cannot be compared: something is missing"


def _passes(kernel: KernelComparison) -> Iterator[str]:
    """Which passes were added, left out, moved or renamed."""
    alone = [row for row in kernel.rows if not row.is_pair]
    for side in ("A", "B"):
        of_side = [row for row in alone if (row.b is None) == (side == "A") and row.moved is None]
        of_side = [row for row in of_side if row.state is not State.UNREACHED]
        if of_side:
            yield f"only in {side}: {_listed(_numbered(row.one) for row in of_side)}"
    moved = [
        f"{row.a.name} ({row.a.index} → {row.moved.index})"
        for row in alone
        if row.a is not None and row.moved is not None
    ]
    if moved:
        yield f"in another place: {_listed(moved)}"
    renamed = [
        f"{row.a.name} as {place(row)}" for row in kernel.rows if row.renamed and row.a is not None
    ]
    if renamed:
        yield f"under another name: {_listed(renamed)}"


def _rest(kernel: KernelComparison) -> str:
    """What to say where no pass, and nothing before them, made a difference."""
    states = {row.state for row in kernel.rows}
    if states <= {State.SAME} and all(row.is_pair for row in kernel.rows):
        return "the same under other names"
    if states <= {State.SAME, State.HARMLESS}:
        return "the same texts from other passes"
    if states <= {State.SAME, State.HARMLESS, State.UNKNOWN}:
        return "what can be compared is the same"
    return "other passes ran"


def _numbered(one: Pass) -> str:
    """A pass with its number: ``LowerTileOp (25)``."""
    return f"{one.name} ({one.index})"


def _indexes(row: Row) -> str:
    if row.a is None or row.b is None or row.a.index == row.b.index:
        return str(row.one.index)
    return f"{row.a.index} → {row.b.index}"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    rest = len(every) - _NAMED
    return ", ".join(every[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
