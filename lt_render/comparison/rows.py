"""The passes of two lowerings beside each other, and what each has to do with a difference."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .. import condition
from ..diff import LineDiff
from ..model import STATUS_UNFINISHED, Pass
from .alignment import Place, Step, align
from .kernels import Kernel
from .texts import Texts


class State(enum.Enum):
    """What comparing two passes, or finding one without a partner, has come to."""

    #: The outputs are the same, and the inputs were.
    SAME = "same"
    #: The inputs were the same, and the outputs are not.
    DIVERGES = "diverges"
    #: The inputs differed already.
    FOLLOWS = "follows"
    #: The inputs differed, and the outputs are the same again.
    CONVERGES = "converges"
    #: A pass of one side only that makes no difference to the IR.
    HARMLESS = "harmless"
    #: A pass of one side only, where the other side had failed or died.
    UNREACHED = "unreached"
    #: A text is missing, or the other side's may be lost.
    UNKNOWN = "unknown"


#: Passes of one side times those of the other up to which renamed ones are looked for.
_MOST_PAIRS = 2500
#: What TVM calls a pass without a name: that there is another one says nothing.
_UNNAMED = "pass_fn"


@dataclass(eq=False)
class Row:
    """Two passes that are the same one, or one that has no partner."""

    a: Pass | None
    b: Pass | None
    state: State = State.UNKNOWN
    #: The partner has another name, and did the same.
    renamed: bool = False
    #: Of a pass without a partner: the one of its name that ran in another place.
    moved: Pass | None = None

    @property
    def one(self) -> Pass:
        """The pass, or the newer one of two."""
        one = self.b or self.a
        assert one is not None
        return one

    @property
    def changed_in(self) -> str:
        """``A`` or ``B`` where a pass that both have changed the IR on that side only."""
        if self.a is None or self.b is None or self.a.changed == self.b.changed:
            return ""
        return "A" if self.a.changed else "B"

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to it but that one side alone ran it."""
        return self.state is State.HARMLESS and not self.one.changed

    @property
    def is_pair(self) -> bool:
        """Whether both sides have it."""
        return self.a is not None and self.b is not None


def rows_of(a: Kernel, b: Kernel, texts: Texts) -> list[Row]:
    """Align two lowerings and judge each row."""
    places = align([_step(one, texts) for one in a.passes], [_step(one, texts) for one in b.passes])
    rows = []
    for gap in _gaps(places):
        rows += _renamed([_row(a.passes, b.passes, place) for place in gap], texts)
    _find_moved(rows)
    for row in rows:
        if row.a is not None and row.b is not None:
            row.state = _judge(row.a, row.b, texts)
    for block in blocks(rows):
        state = _judge_block(rows, block, texts)
        for row in rows[block.start : block.stop]:
            row.state = state if row.one.changed or row.one.failed else State.HARMLESS
            if (b if row.b is None else a).is_damaged:
                row.state = State.UNKNOWN
    _find_unreached(rows, a, b)
    return rows


def blocks(rows: Sequence[Row]) -> Iterator[range]:
    """Yield the stretches of rows in which no pass has a partner."""
    start = 0
    for at, row in enumerate(rows):
        if row.is_pair:
            if at > start:
                yield range(start, at)
            start = at + 1
    if len(rows) > start:
        yield range(start, len(rows))


def _step(one: Pass, texts: Texts) -> Step:
    return Step(
        one.full_name, one.name, one.depth, _id(_input(one), texts), _id(_output(one), texts)
    )


def _row(a: Sequence[Pass], b: Sequence[Pass], place: Place) -> Row:
    i, j = place
    return Row(None if i is None else a[i], None if j is None else b[j])


def _gaps(places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield each pair alone, and what is between pairs together."""
    gap: list[Place] = []
    for place in places:
        if None in place:
            gap.append(place)
            continue
        if gap:
            yield gap
            gap = []
        yield [place]
    if gap:
        yield gap


def _renamed(rows: list[Row], texts: Texts) -> list[Row]:
    """Pair the passes between two pairs that did the same under different names."""
    left = [row.a for row in rows if row.b is None and row.a is not None]
    right = [row.b for row in rows if row.a is None and row.b is not None]
    if not 0 < len(left) * len(right) <= _MOST_PAIRS:
        return rows
    found: list[Row] = []
    at = 0
    for one in left:
        partner = next((j for j in range(at, len(right)) if _same_work(one, right[j], texts)), None)
        if partner is None:
            found.append(Row(one, None))
            continue
        found += (Row(None, other) for other in right[at:partner])
        found.append(Row(one, right[partner], renamed=True))
        at = partner + 1
    return found + [Row(None, other) for other in right[at:]]


def _same_work(one: Pass, other: Pass, texts: Texts) -> bool:
    """Whether two passes made the same of the same, or the same change to something else."""
    if not (one.changed and other.changed) or one.depth != other.depth:
        return False
    if one.before is None or other.before is None or one.is_codegen or other.is_codegen:
        return False
    if texts.id(one.before_text) == texts.id(other.before_text):
        return texts.id(one.after_text) == texts.id(other.after_text)
    return _edits(one.before_text, one.after_text, one.diff) == _edits(
        other.before_text, other.after_text, other.diff
    )


def _edits(before: str, after: str, diff: LineDiff) -> list[tuple[list[str], list[str]]]:
    old, new = before.split("\n"), after.split("\n")
    return [
        (
            old[hunk.old_start : hunk.old_start + hunk.old_count],
            new[hunk.new_start : hunk.new_start + hunk.new_count],
        )
        for hunk in diff.hunks
    ]


def _find_moved(rows: Sequence[Row]) -> None:
    """Let passes without a partner know each other that have one name on different sides."""
    waiting: dict[str, list[Row]] = defaultdict(list)
    for row in reversed(rows):
        if row.a is None and row.b is not None and row.b.name != _UNNAMED:
            waiting[row.b.full_name].append(row)
    for row in rows:
        if row.b is None and row.a is not None and waiting[row.a.full_name]:
            other = waiting[row.a.full_name].pop()
            row.moved, other.moved = other.b, row.a


def _find_unreached(rows: Sequence[Row], a: Kernel, b: Kernel) -> None:
    """Tell passes that only one side has from those that the other never came to."""
    for row in reversed(rows):
        missing_in = b if row.b is None else a
        if row.is_pair or not missing_in.stops or (row.b is None) != (rows[-1].b is None):
            return
        row.state = State.UNREACHED


def _judge(a: Pass, b: Pass, texts: Texts) -> State:
    given = _same(_input(a), _input(b), texts)
    if any(one.status == STATUS_UNFINISHED and _is_damaged(one) for one in (a, b)):
        made: bool | None = None
    elif a.status != b.status or a.error_type != b.error_type:
        made = False
    elif a.failed:
        made = True
    else:
        made = _same(_output(a), _output(b), texts)
    if given is None or made is None:
        return State.UNKNOWN
    if given:
        return State.SAME if made else State.DIVERGES
    # Two failures have no output: nothing is the same again after them.
    return State.CONVERGES if made and not a.failed else State.FOLLOWS


def _is_damaged(one: Pass) -> bool:
    return one.trace.condition.state is condition.State.DAMAGED


def _same(a: str | None, b: str | None, texts: Texts) -> bool | None:
    return None if a is None or b is None else texts.id(a) == texts.id(b)


def _input(one: Pass) -> str | None:
    return None if one.before is None else one.before_text


def _output(one: Pass) -> str | None:
    return None if one.after is None else one.after_text


def _id(text: str | None, texts: Texts) -> int | None:
    return None if text is None else texts.id(text)


def _judge_block(rows: Sequence[Row], block: range, texts: Texts) -> State:
    """Compare what the passes of a block, all together, were given and made of it."""
    inside = rows[block.start : block.stop]
    a = _ends([row.a for row in inside if row.a is not None])
    b = _ends([row.b for row in inside if row.b is not None])
    depth = min(row.one.depth for row in inside)
    around = _text_around(rows, block, depth, ours=a is None)
    a, b = a or (around, around), b or (around, around)
    given, made = ([_id(text, texts) for text in ends] for ends in zip(a, b, strict=True))
    if None in (*given, *made):
        return State.UNKNOWN
    if given[0] != given[1]:
        return State.FOLLOWS
    return State.HARMLESS if made[0] == made[1] else State.DIVERGES


def _ends(passes: list[Pass]) -> tuple[str | None, str | None] | None:
    """What the first pass was given, and what the last that is inside no other made."""
    if not passes:
        return None
    depth = min(one.depth for one in passes)
    last = [one for one in passes if one.depth == depth][-1]
    return _input(passes[0]), _output(last)


def _text_around(rows: Sequence[Row], block: range, depth: int, *, ours: bool) -> str | None:
    """The text that the side without passes in a block has there; ``ours``: that is the first."""
    for at in range(block.start - 1, -1, -1):
        one = rows[at].a if ours else rows[at].b
        # What ran inside of another pass may have worked on a text of its own.
        if one is not None and one.depth == depth and one.after is not None:
            return _output(one)
        if one is not None and one.depth <= depth:
            break
    if block.stop < len(rows):
        one = rows[block.stop].a if ours else rows[block.stop].b
        return None if one is None else _input(one)
    return None
