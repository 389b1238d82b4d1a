"""The kernels of two journals, and which of one is which of the other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from ..condition import State
from ..model import STATUS_UNFINISHED, Pass, Trace, Unit
from .texts import Texts

_FUNCTION = re.compile(r"^ *def (\w+)\(", re.MULTILINE)
_KIND = re.compile(r'"kind"\s*:\s*"([^"]*)"')
_ARCH = re.compile(r'"(?:arch|mcpu)"\s*:\s*"([^"]*)"')

Pair = tuple["Kernel | None", "Kernel | None"]


@dataclass(eq=False)
class Kernel:
    """One compile; of passes outside of any compile those that lower one kernel."""

    trace: Trace
    unit: Unit
    #: In order of their index.
    passes: list[Pass]
    name: str

    @property
    def first_text(self) -> str:
        """What the first pass was given; empty where that is missing."""
        return next((one.before_text for one in self.passes if one.before is not None), "")

    @property
    def target(self) -> str:
        """What it is lowered for, in short: ``cuda sm_90a``."""
        told = self.unit.target or ""
        kind, arch = _KIND.search(told), _ARCH.search(told)
        if kind is None:
            return told
        return f"{kind[1]} {arch[1]}" if arch else kind[1]

    @property
    def died_in(self) -> Pass | None:
        """The innermost pass inside which the process ended."""
        if self.trace.condition.ended:
            return None
        unfinished = [one for one in self.passes if one.status == STATUS_UNFINISHED]
        return max(unfinished, key=lambda one: (one.start, one.depth), default=None)

    @property
    def is_cut_short(self) -> bool:
        """Whether the process ended, for all that is known, before the lowering did."""
        if self.trace.condition.ended or self.unit.status != STATUS_UNFINISHED:
            return False
        # Nobody tells of passes outside of any compile that they are over.
        return self.unit.name is not None or self.trace.passes[-1:] == self.passes[-1:]

    @property
    def stops(self) -> bool:
        """Whether it is known to have come to no end: it failed, or is cut short."""
        if self.is_damaged:
            return False
        last = next((one for one in reversed(self.passes) if one.depth == 0), None)
        return self.is_cut_short or (last is not None and last.failed)

    @property
    def is_damaged(self) -> bool:
        """Whether some of it may be lost with a part of the journal."""
        return self.trace.condition.state is State.DAMAGED


def kernels_of(trace: Trace) -> list[Kernel]:
    """Return the kernels of ``trace`` in the order in which they were compiled."""
    passes: dict[int, list[Pass]] = defaultdict(list)
    for one in trace.passes:
        passes[id(one.unit)].append(one)
    kernels = []
    for unit in trace.units:
        of_unit = passes[id(unit)]
        if unit.name is not None:
            kernels.append(Kernel(trace, unit, of_unit, unit.title))
            continue
        for part in _lowerings(of_unit):
            kernels.append(Kernel(trace, unit, part, _name_of(part, unit)))
    return sorted(kernels, key=lambda kernel: kernel.passes[0].index if kernel.passes else -1)


def _lowerings(passes: Sequence[Pass]) -> Iterator[list[Pass]]:
    """Cut passes outside of any compile where, behind a codegen, an IR comes up that is new.

    Releases of TileLang without compile sessions lower all kernels of a script that way.
    """
    part: list[Pass] = []
    texts: set[int] = set()
    has_code = False
    for one in passes:
        if has_code and one.depth == 0 and one.before is not None and one.before not in texts:
            yield part
            part, has_code = [], False
        part.append(one)
        texts |= {text for text in (one.before, one.after) if text is not None}
        has_code = has_code or one.is_codegen
    if part:
        yield part


def _name_of(passes: Sequence[Pass], unit: Unit) -> str:
    first = next((one.before_text for one in passes if one.before is not None), "")
    return ", ".join(dict.fromkeys(_FUNCTION.findall(first))) or unit.title


def match_kernels(
    a: Sequence[Kernel], b: Sequence[Kernel], texts: Texts, *, by_name: bool = False
) -> list[Pair]:
    """Pair the kernels of two sides; what is left has nobody beside it.

    By name and target; of several those first that were given the same, and the
    others by order. Then, unless only names count (``by_name``): by name alone;
    those that differ in nothing but their name; and the only kernel of one side is
    that of the other.
    """
    partners: dict[Kernel, Kernel] = {}
    taken: set[Kernel] = set()
    given: dict[Kernel, int] = {one: texts.id(one.first_text) for one in (*a, *b)}

    def pair_by(key: Callable[[Kernel], Hashable]) -> None:
        waiting: dict[Hashable, list[Kernel]] = defaultdict(list)
        for one in reversed(b):
            if one not in taken:
                waiting[key(one)].append(one)
        for one in a:
            if one not in partners and waiting[key(one)]:
                partners[one] = waiting[key(one)].pop()
                taken.add(partners[one])

    pair_by(lambda one: (one.name, one.target, given[one]))
    pair_by(lambda one: (one.name, one.target))
    if not by_name:
        pair_by(lambda one: one.name)
        pair_by(lambda one: (one.target, texts.id(one.first_text.replace(one.name, ""))))
        if len(a) == len(b) == 1:
            pair_by(lambda one: None)
    pairs: list[Pair] = [(one, partners.get(one)) for one in a]
    return pairs + [(None, one) for one in b if one not in taken]


def labels(pairs: Sequence[Pair]) -> list[str]:
    """Return a name for each pair, none twice: the second of a kernel is ``kernel (2)``."""
    taken: set[str] = set()
    times: dict[str, int] = defaultdict(lambda: 1)
    found = []
    for a, b in pairs:
        kernel = a or b
        assert kernel is not None
        name = label = kernel.name
        while label in taken:
            times[name] += 1
            label = f"{name} ({times[name]})"
        taken.add(label)
        found.append(label)
    return found
