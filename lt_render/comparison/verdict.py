"""What two journals, and two kernels of them, differ in, and what began it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..model import Pass
from .kernels import Kernel, Pair, labels
from .rows import Row, State, blocks, rows_of
from .texts import TextDiff, Texts

_RUN = re.compile(r"run\d+_")


@dataclass(frozen=True)
class Culprit:
    """Where two lowerings of the same thing part."""

    #: One pair, or passes that only one side has.
    rows: tuple[Row, ...]
    #: The difference is there before that pass, and no pass made it.
    between: bool = False


@dataclass(eq=False)
class KernelComparison:
    """Two kernels beside each other; one of them may be missing."""

    label: str
    a: Kernel | None
    b: Kernel | None
    rows: list[Row] = field(default_factory=list)
    #: Whether both were given the same; ``None`` where that cannot be told.
    given_same: bool | None = None
    culprit: Culprit | None = None

    @property
    def only_in(self) -> str:
        """The side that alone has it: ``A``, ``B`` or neither."""
        return "B" if self.a is None else "A" if self.b is None else ""

    @property
    def differs(self) -> bool:
        """Whether anything is not the same, names and places of passes included."""
        return bool(self.only_in) or any(
            row.state not in (State.SAME, State.UNKNOWN) or row.renamed or not row.is_pair
            for row in self.rows
        )

    @property
    def code_same(self) -> bool | None:
        """Whether all generated code is the same; ``None`` where neither side has any."""
        rows = [row for row in self.rows if row.one.is_codegen]
        if not rows:
            return None
        return all(row.is_pair and row.state in (State.SAME, State.CONVERGES) for row in rows)

    @property
    def same_again(self) -> Row | None:
        """The pass whose output is the first from which on everything is the same."""
        for row in reversed(self.rows):
            if row.state is State.CONVERGES:
                return row
            if row.state not in (State.SAME, State.HARMLESS):
                break
        return None


@dataclass(eq=False)
class Comparison:
    """The kernels of two sides beside each other."""

    kernels: list[KernelComparison]
    texts: Texts
    #: Count only generated code.
    only_code: bool = False

    @property
    def differs(self) -> bool:
        """Whether anything that counts is not the same."""
        return any(self.counts(kernel) for kernel in self.kernels)

    def counts(self, kernel: KernelComparison) -> bool:
        """Whether a kernel counts as different."""
        if self.only_code and kernel.code_same is not None:
            return not kernel.code_same
        return kernel.differs

    def start(self, kernel: KernelComparison) -> TextDiff | None:
        """Where what two kernels were given differs; ``None`` where it does not."""
        if kernel.a is None or kernel.b is None or kernel.given_same is not False:
            return None
        return self.texts.diff(kernel.a.first_text, kernel.b.first_text)

    def difference(self, row: Row) -> TextDiff | None:
        """Where the outputs of a row differ; of a pass of one side only: what it did.

        ``None`` where nothing does, and where a text is missing.
        """
        one, other = (row.a, row.b) if row.is_pair else (row.one, row.one)
        assert one is not None and other is not None
        old, old_text = (
            (one.after, one.after_text) if row.is_pair else (one.before, one.before_text)
        )
        if old is None or other.after is None:
            return None
        if self.texts.id(old_text) == self.texts.id(other.after_text):
            return None
        return self.texts.diff(old_text, other.after_text)

    @property
    def phases(self) -> list[tuple[str, str, int]]:
        """Phases that are called otherwise on the other side, and how many passes are in them."""
        renamed = Counter(
            (_RUN.sub("", row.a.phase), _RUN.sub("", row.b.phase))
            for kernel in self.kernels
            for row in kernel.rows
            if row.a is not None and row.b is not None
        )
        return [(a, b, passes) for (a, b), passes in renamed.items() if a != b]


def compare(
    pairs: Sequence[Pair], texts: Texts, *, kernel: str | None = None
) -> list[KernelComparison]:
    """Compare kernels that are paired; ``kernel``: only those of that name, or label."""
    return [
        compare_kernels(label, pair, texts)
        for label, pair in zip(labels(pairs), pairs, strict=True)
        if kernel in (None, label, *(one.name for one in pair if one is not None))
    ]


def compare_kernels(label: str, pair: Pair, texts: Texts) -> KernelComparison:
    """Compare two lowerings."""
    a, b = pair
    found = KernelComparison(label, a, b)
    if a is None or b is None:
        return found
    found.rows = rows_of(a, b, texts)
    if a.passes and b.passes and None not in (a.passes[0].before, b.passes[0].before):
        found.given_same = texts.id(a.first_text) == texts.id(b.first_text)
    found.culprit = _culprit(found)
    return found


def _culprit(found: KernelComparison) -> Culprit | None:
    culprit: tuple[Row, ...] = ()
    for rows in _divergences(found.rows):
        # What ran inside of a pass came to its end before that did, and is next in order.
        if culprit and not _is_inside(rows[0], culprit[0]):
            break
        culprit = rows
    return Culprit(culprit) if culprit else _between(found)


def _divergences(rows: Sequence[Row]) -> Iterator[tuple[Row, ...]]:
    """Yield what makes a difference, in order: pairs, and passes that only one side has."""
    ends = {block.start: block.stop for block in blocks(rows)}
    for at, row in enumerate(rows):
        if row.is_pair and row.state is State.DIVERGES:
            yield (row,)
        made = tuple(one for one in rows[at : ends.get(at, at)] if one.state is State.DIVERGES)
        if made:
            yield made


def _between(found: KernelComparison) -> Culprit | None:
    """Where no pass made a difference that is there all the same."""
    if found.given_same is not True:
        return None
    for row in found.rows:
        if row.is_pair and row.state in (State.FOLLOWS, State.CONVERGES):
            return Culprit((row,), between=True)
    return None


def _is_inside(row: Row, outer: Row) -> bool:
    return _has_ancestor(row.a, outer.a) or _has_ancestor(row.b, outer.b)


def _has_ancestor(one: Pass | None, other: Pass | None) -> bool:
    while one is not None and one.parent is not other:
        one = one.parent
    return one is not None and other is not None
