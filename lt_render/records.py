"""A trace as Python objects, for notebooks and tests: read-only, with the API page's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lt_record.console import counted

from .condition import State
from .errors import NotFound
from .model import Pass, Trace, Unit
from .pass_names import find_pass


class LowerRecord:
    """What one pass, or one codegen, did. Nothing in it can be set.

    Texts and counts are worked out when they are asked for. Records are equal
    if they are the same pass of the same reading.

    >>> record = lt_render.read("journal.lt.zst").record("LowerTileOp")
    >>> record.name, record.phase, record.status, record.changed
    ('LowerTileOp', 'pipeline_cuda', 'completed', True)
    >>> record.add_lines, record.del_lines
    (42, 12)
    >>> "T.fill(" in record.before_text, "T.fill(" in record.after_text
    (True, False)
    """

    __slots__ = ("_one",)

    def __init__(self, one: Pass) -> None:
        self._one = one

    @property
    def phase(self) -> str:
        """``pipeline_<name>``, ``unscoped`` or ``codegen``; ``run2_…`` from the second compile."""
        return self._one.phase

    @property
    def name(self) -> str:
        """Short name, as in file names; ``codegen`` for every codegen."""
        return self._one.name

    @property
    def full_name(self) -> str:
        """As TVM has it, with its prefix; for a codegen the name of the function called."""
        return self._one.full_name

    @property
    def index(self) -> int:
        """Position in the process, from 0; a codegen comes after the passes inside it."""
        return self._one.index

    @property
    def depth(self) -> int:
        """How many passes and codegens run around it."""
        return self._one.depth

    @property
    def parent(self) -> LowerRecord | None:
        """The pass or codegen that it ran inside of."""
        return None if self._one.parent is None else LowerRecord(self._one.parent)

    @property
    def kernel(self) -> str:
        """Name of what was compiled; empty outside of a compile."""
        return self._one.unit.kernel or ""

    @property
    def before_text(self) -> str:
        """The input, byte for byte; empty where it is missing, see :attr:`note`."""
        return self._one.before_text

    @property
    def after_text(self) -> str:
        """The output, after a codegen the source that was compiled; empty where it is missing."""
        return self._one.after_text

    @property
    def changed(self) -> bool:
        """Whether the output differs from the input, newlines at the end included."""
        return self._one.changed

    @property
    def add_lines(self) -> int:
        """Lines that only the output has; 0 unless input and output are there."""
        return self._one.diff.insertions

    @property
    def del_lines(self) -> int:
        """Lines that only the input has; 0 unless input and output are there."""
        return self._one.diff.deletions

    @property
    def status(self) -> str:
        """One of the ``STATUS_`` constants."""
        return self._one.status

    @property
    def error_msg(self) -> str:
        """What a failed pass raised; empty otherwise."""
        return self._one.error_msg

    @property
    def error_type(self) -> str:
        """The type of that, as in ``ValueError``."""
        return self._one.error_type

    @property
    def note(self) -> str:
        """Why a text is missing, in words; empty where none is."""
        return self._one.note

    @property
    def duration(self) -> int | None:
        """Microseconds, without the recorder's own; ``None`` for a pass that never ended."""
        return self._one.duration

    @property
    def cost(self) -> int:
        """Microseconds that the recorder spent on it."""
        return self._one.cost

    @property
    def is_codegen(self) -> bool:
        """Whether it made source out of IR, well or not."""
        return self._one.is_codegen

    @property
    def role(self) -> str:
        """Of a codegen: ``host`` or ``device``."""
        return self._one.role

    @property
    def target(self) -> str:
        """Of a codegen: the target."""
        return self._one.target

    @property
    def generated_text(self) -> str:
        """Of a codegen: what was generated, whether that or an edit was compiled."""
        return self._one.generated_text

    @property
    def edited_text(self) -> str | None:
        """Of a codegen: the edited source, compiled or not; ``None`` without an edit."""
        return self._one.edited_text

    @property
    def edit_tag(self) -> str:
        """Of a codegen: ``PATCHED``, ``CONFLICT`` and so on, as in the README; mostly empty."""
        return "" if self._one.edit is None else self._one.edit.tag

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LowerRecord) and self._one is other._one

    def __hash__(self) -> int:
        return hash(self._one)

    def __repr__(self) -> str:
        what = "changed" if self.changed and not self.is_codegen else self.status
        return f"<{self.index} {self._one.label}: {what}>"


@dataclass(frozen=True, eq=False, repr=False)
class Kernel:
    """One compile, and the passes that ran for it."""

    #: Of the functions that were compiled.
    name: str
    target: str | None
    #: ``STATUS_COMPLETED``, ``STATUS_FAILED`` or ``STATUS_UNFINISHED``.
    status: str
    error_msg: str
    #: The pass configs that were set.
    configs: Mapping[str, Any]
    #: In order of their index.
    records: tuple[LowerRecord, ...]

    def record(self, wanted: int | str) -> LowerRecord:
        """Return one of its passes; see :meth:`LowerTrace.record`."""
        return _find(self.records, wanted)

    def __repr__(self) -> str:
        return f"<kernel {self.name}: {self.status}, {counted(len(self.records), 'record')}>"


@dataclass(frozen=True)
class Found:
    """Where a text stands, out of :meth:`LowerTrace.find`; false where it stands nowhere."""

    #: Those whose input or output holds it, in order.
    records: tuple[LowerRecord, ...]
    #: The innermost pass that brought it in; ``None`` where it was there from the start.
    introduced_by: LowerRecord | None
    #: The last pass that saw or made it.
    last_seen: LowerRecord | None

    def __iter__(self) -> Iterator[LowerRecord]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


class LowerTrace:
    """All that one process recorded; from :func:`lt_render.read`.

    >>> trace = lt_render.read("journal.lt.zst")
    >>> trace.ended_cleanly, trace.state_message
    (True, 'closed cleanly')
    >>> [kernel.name for kernel in trace.kernels]
    ['gemm']
    >>> trace.in_flight is None
    True
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        #: In order of their index.
        self.records = tuple(map(LowerRecord, trace.passes))
        of_unit: dict[Unit, list[LowerRecord]] = {unit: [] for unit in trace.units}
        for record in self.records:
            of_unit[record._one.unit].append(record)
        #: The compiles, in the order in which they began.
        self.kernels = tuple(
            _kernel(unit, ran) for unit, ran in of_unit.items() if unit.name is not None
        )
        #: Facts about the process: ``script``, ``argv``, ``tvm`` …, as in ``FORMAT.md``.
        self.process: Mapping[str, Any] = MappingProxyType(trace.process)

    @property
    def state(self) -> State:
        """Whether the journal was closed, ended early, or is damaged."""
        return self._trace.condition.state

    @property
    def state_message(self) -> str:
        """The same in a sentence without its full stop; names a pass that was in flight."""
        return self._trace.state_message

    @property
    def ended_cleanly(self) -> bool:
        """Whether the process closed its journal and all of it is there.

        A compile that failed is told by its kernel's ``status``, not here.
        """
        return self.state is State.CLEAN

    @property
    def in_flight(self) -> LowerRecord | None:
        """The innermost pass inside which the process ended."""
        one = self._trace.in_flight
        return None if one is None else LowerRecord(one)

    def record(self, wanted: int | str) -> LowerRecord:
        """Return the pass that ``wanted`` names.

        That is a number, a name, ``phase/name``, ``name@2`` for the second of
        that name, ``name@last``, or ``@last`` for the last of all. Raises
        :class:`lt_render.NotFound`, a ``KeyError``, whose sentence says what
        may be meant.

        >>> trace = lt_render.read("journal.lt.zst")
        >>> trace.record("pipeline_cuda/LowerTileOp") == trace.record("tl.LowerTileOp")
        True
        >>> trace.record("Simplify@2").index < trace.record("Simplify@last").index
        True
        >>> print(trace.record("@last").name)
        codegen
        >>> trace.record("LowerTileop")
        Traceback (most recent call last):
            ...
        lt_render.errors.NotFound: there is no pass 'LowerTileop'; did you mean LowerTileOp?
        """
        return _find(self.records, wanted)

    def changed(self, kernel: Kernel | str | None = None) -> list[LowerRecord]:
        """Return the passes that changed the IR, in order; codegens are none.

        ``kernel`` leaves only those that ran for it; a name stands for every
        compile of that name.

        >>> trace = lt_render.read("journal.lt.zst")
        >>> len(trace.changed()) < len(trace.records)
        True
        >>> max(trace.changed("gemm"), key=lambda record: record.add_lines).name
        'MakePackedAPI'
        """
        return [one for one in self._of(kernel) if one.changed and not one.is_codegen]

    def find(self, text: str, kernel: Kernel | str | None = None) -> Found:
        """Return the passes whose input or output holds ``text``, letter by letter.

        >>> found = lt_render.read("journal.lt.zst").find("tma_load")
        >>> found.introduced_by.name, found.last_seen.name
        ('LowerTileOp', 'codegen')
        """
        holding = {number for number, held in self._trace.texts.items() if text in held}
        records = [
            record
            for record in self._of(kernel)
            if record._one.before in holding or record._one.after in holding
        ]
        last = records[-1] if records else None
        return Found(tuple(records), _brought_in_by(records, holding), last)

    def _of(self, kernel: Kernel | str | None) -> tuple[LowerRecord, ...]:
        if kernel is None:
            return self.records
        if isinstance(kernel, Kernel):
            return kernel.records
        of_name = [one for one in self.kernels if one.name == kernel]
        if not of_name:
            names = ", ".join(dict.fromkeys(one.name for one in self.kernels)) or "none"
            raise NotFound(f"there is no kernel {kernel!r}; there are: {names}.")
        return tuple(record for record in self.records if record.kernel == kernel)

    def __repr__(self) -> str:
        kernels = ", ".join(kernel.name for kernel in self.kernels)
        records = counted(len(self.records), "record")
        return f"<trace of {kernels or 'no kernel'}: {records}, {self.state.value}>"


def _kernel(unit: Unit, records: list[LowerRecord]) -> Kernel:
    return Kernel(
        name=unit.kernel or "",
        target=unit.target,
        status=unit.status,
        error_msg=unit.error_msg,
        configs=MappingProxyType(unit.configs),
        records=tuple(records),
    )


def _find(records: tuple[LowerRecord, ...], wanted: int | str) -> LowerRecord:
    return LowerRecord(find_pass([record._one for record in records], wanted))


def _brought_in_by(records: list[LowerRecord], holding: set[int]) -> LowerRecord | None:
    """Of the passes that hold a text, the innermost of the first that did not find it there."""
    found: Pass | None = None
    for record in records:
        one = record._one
        brings = one.before not in holding
        if found is None:
            if not brings:
                return None
            found = one
        elif brings and one.parent is found:
            found = one
    return None if found is None else LowerRecord(found)
