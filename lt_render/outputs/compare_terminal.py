"""A comparison of two journals for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lt_record.console import counted

from ..comparison.rows import Row, State
from ..comparison.texts import TextDiff
from ..comparison.timing import Timing, timing
from ..comparison.verdict import Comparison, KernelComparison
from ..comparison.words import remarks, row_words, source, totals, verdict
from ..model import Trace
from ..paint import Painter
from .terminal_diff import duration, painted_diff

#: Of passes that together made the first difference, those whose diffs are shown.
_MOST_SHOWN = 3
#: Passes whose times stand out, that are listed.
_SLOWEST = 8
#: For each state, how it is marked and looks.
_MARKS = {
    State.SAME: ("=", "dim"),
    State.DIVERGES: ("≠", "failed"),
    State.FOLLOWS: ("~", "noted"),
    State.CONVERGES: ("≈", "added"),
    State.HARMLESS: ("=", "dim"),
    State.UNREACHED: ("…", "dim"),
    State.UNKNOWN: ("?", "noted"),
}
#: What stands for many passes of one state next to each other.
_FOLDED = {
    State.SAME: "the same",
    State.FOLLOWS: "differed already",
    State.UNREACHED: "that the other side did not reach",
    State.UNKNOWN: "cannot be compared",
}


class TerminalComparison:
    """The lines of a comparison; each method yields whole lines."""

    def __init__(
        self, comparison: Comparison, painter: Painter, *, context: int = 3, each: bool = False
    ) -> None:
        self._comparison = comparison
        self._painter = painter
        self._context = context
        #: Whether each kernel and pass is listed, the same ones too.
        self._each = each
        #: Differences that have been shown, and of which kernel.
        self._shown: dict[tuple[str, ...], str] = {}

    def lines(self, a: tuple[Trace, str], b: tuple[Trace, str]) -> Iterator[str]:
        """Yield all there is to say of two journals and their names."""
        comparison, line = self._comparison, self._painter.line
        for side, (trace, name) in (("A", a), ("B", b)):
            yield line(("title", f"{side}  {source(trace)}"), ("dim", f"  {name}"))
        for one, other, passes in comparison.phases:
            yield line(("dim", f"   phase {one} is {other} in B ({counted(passes, 'pass')})"))
        same = [one for one in comparison.kernels if not one.differs]
        for kernel in comparison.kernels:
            if kernel.differs or self._each:
                yield from self._kernel(kernel)
        if same and not self._each:
            names = ", ".join(one.label for one in same)
            yield self._painter.rule(("title", f"{counted(len(same), 'kernel')} the same"))
            yield line(("", names))
        yield self._painter.rule(("title", "in all"))
        yield line(("failed" if comparison.differs else "title", f"{totals(comparison)}."))
        yield from self._timing(timing(comparison))

    # --- a kernel --------------------------------------------------------------------

    def _kernel(self, kernel: KernelComparison) -> Iterator[str]:
        line = self._painter.line
        of = kernel.b or kernel.a
        target = f" for {of.target}" if of is not None and of.target else ""
        yield self._painter.rule(("title", kernel.label), ("dim", target))
        yield line(("failed" if kernel.differs else "title", f"{verdict(kernel)}."))
        for remark in remarks(kernel):
            yield line(("noted", f"   {remark}"))
        start = self._comparison.start(kernel)
        if start is not None:
            yield from self._diff(kernel, start)
        culprits = kernel.culprit.rows[:_MOST_SHOWN] if kernel.culprit is not None else ()
        for rows in self._runs(kernel):
            if len(rows) > 1 and not self._each:
                yield self._fold(rows)
                continue
            for row in rows:
                yield self._row(row)
                if row in culprits:
                    yield from self._made(kernel, row)

    def _runs(self, kernel: KernelComparison) -> Iterator[list[Row]]:
        """Yield the passes that are told together: in a row, and of the same state."""
        run: list[Row] = []
        for row in kernel.rows:
            if run and not self._goes_on(run, row, kernel):
                yield run
                run = []
            run.append(row)
        if run:
            yield run

    @staticmethod
    def _goes_on(run: Sequence[Row], row: Row, kernel: KernelComparison) -> bool:
        states = {one.state for one in (*run, row) if not one.is_quiet}
        if len(states) > 1 or not states <= _FOLDED.keys():
            return False
        if State.FOLLOWS in states and not all(one.is_pair or one.is_quiet for one in (*run, row)):
            return False
        # Where all differs from the start, what only one side changed is all there is to go by.
        return kernel.culprit is not None or not (run[-1].changed_in or row.changed_in)

    def _fold(self, rows: list[Row]) -> str:
        state = next((row.state for row in rows if not row.is_quiet), State.SAME)
        mark, look = _MARKS[state]
        told = sum(not row.is_quiet for row in rows)
        words = [f"{counted(told, 'pass')} {_FOLDED.get(state, '')}"] if told else []
        for side in ("A", "B"):
            alone = sum(row.is_quiet and (row.b is None) == (side == "A") for row in rows)
            if alone:
                words.append(f"{alone} only in {side} that changed nothing")
        return self._painter.line((look, f"{mark} {_spans(rows)}  {', '.join(words)}"))

    def _row(self, row: Row) -> str:
        mark, look = _MARKS[row.state]
        if not row.is_pair and row.state not in (State.DIVERGES, State.UNREACHED):
            mark = "−" if row.b is None else "+"
        diff = self._comparison.difference(row)
        counts = "" if diff is None else f"  +{diff.diff.insertions} −{diff.diff.deletions}"
        return self._painter.line(
            (look, f"{mark} {_spans([row])}  {'  ' * row.one.depth}{row.one.label}"),
            ("dim", f"  {row_words(row)}{counts}"),
        )

    # --- differences -----------------------------------------------------------------

    def _made(self, kernel: KernelComparison, row: Row) -> Iterator[str]:
        for side, one in (("A", row.a), ("B", row.b)):
            if one is not None and one.error_msg:
                error = one.error_msg.strip().split("\n")[-1]
                yield self._painter.line(("failed", f"  {side}: {error}"))
        diff = self._comparison.difference(row)
        if diff is not None:
            yield from self._diff(kernel, diff)

    def _diff(self, kernel: KernelComparison, diff: TextDiff) -> Iterator[str]:
        """Yield a diff; one that many kernels have is shown once."""
        lines = tuple(
            painted_diff(self._painter, diff.old, diff.new, diff.diff, context=self._context)
        )
        known = self._shown.setdefault(lines, kernel.label)
        if known == kernel.label:
            yield from lines
        else:
            yield self._painter.line(("dim", f"  the same difference as in {known}"))

    # --- times -----------------------------------------------------------------------

    def _timing(self, times: Timing) -> Iterator[str]:
        if times.ratio is None or times.usual_ratio is None:
            return
        line = self._painter.line
        yield line(
            ("dim", f"time in these passes: {duration(times.a)} → {duration(times.b)}, "),
            ("dim", f"{times.ratio:.2f}×; the median of a pass: {times.usual_ratio:.2f}×"),
        )
        for one in times.outstanding[:_SLOWEST]:
            runs = f" ({counted(one.runs, 'run')})" if one.runs > 1 else ""
            yield line(("dim", f"  {one.name}{runs}: {duration(one.a)} → {duration(one.b)}"))


def _spans(rows: Sequence[Row]) -> str:
    """The numbers of the passes on both sides: ``3–17   4–18``."""
    sides = ([row.a for row in rows], [row.b for row in rows])
    return " ".join(f"{_span([one.index for one in side if one is not None]):>9}" for side in sides)


def _span(indexes: list[int]) -> str:
    if len(indexes) < 2:
        return str(indexes[0]) if indexes else ""
    return f"{indexes[0]}–{indexes[-1]}"
