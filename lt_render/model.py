"""The model of a trace: what every output is a function of."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

from .condition import Condition
from .diff import LineDiff, diff_lines

#: Status of a pass. The first four are the built-in tracer's.
STATUS_COMPLETED = "completed"
STATUS_FAILED = "failed"
STATUS_SKIPPED = "skipped"
STATUS_CODEGEN = "codegen"
#: The process ended inside the pass.
STATUS_UNFINISHED = "unfinished"

#: Functions that a compile's title names; a model may have hundreds.
MOST_NAMED = 4


@dataclass(eq=False)
class Unit:
    """One compile, or the passes that a thread ran outside of any."""

    number: int
    #: The compiler's name for it; ``None`` outside of any compile.
    name: str | None = None
    #: Names of the functions it was given.
    kernels: tuple[str, ...] = ()
    target: str | None = None
    configs: dict[str, Any] = field(default_factory=dict)
    thread_name: str = ""
    #: ``completed``, ``failed`` or ``unfinished``.
    status: str = STATUS_UNFINISHED
    error_msg: str = ""

    @property
    def title(self) -> str:
        """What a person calls it."""
        if self.name is None:
            return "outside of a compile"
        named = ", ".join(self.kernels[:MOST_NAMED]) or self.name
        more = len(self.kernels) - MOST_NAMED
        return f"{named} and {more} more" if more > 0 else named

    @property
    def kernel(self) -> str | None:
        """What was compiled, as in :attr:`title`; ``None`` outside of a compile."""
        return None if self.name is None else self.title

    def is_called(self, name: str) -> bool:
        """Whether a person may mean this one by ``name``: its title, or one of its functions."""
        return name == self.title or name in self.kernels


@dataclass(frozen=True)
class SourceEdit:
    """What the recorder found in the files of edited source at a codegen."""

    #: One of ``lt_record.three_way``'s tags.
    tag: str
    #: Name of the working copy.
    file: str
    #: Number of the working copy's text, if it held an edit.
    text: int | None
    #: Whether that was compiled in the place of the generated source.
    compiled: bool


@dataclass(eq=False)
class Pass:
    """One run of a pass, or one codegen. Times are in microseconds."""

    trace: Trace
    number: int
    #: Position over the whole process; codegen comes after the passes inside it.
    index: int
    #: As TVM has it, with its prefix; for codegen the FFI's name.
    full_name: str
    phase: str
    unit: Unit
    parent: Pass | None = None
    depth: int = 0
    status: str = STATUS_UNFINISHED
    is_codegen: bool = False
    #: Numbers of texts in the trace. After a codegen: the source that was compiled.
    before: int | None = None
    after: int | None = None
    #: Of a codegen: number of the generated source, and what was edited in it.
    generated: int | None = None
    edit: SourceEdit | None = None
    error_msg: str = ""
    error_type: str = ""
    #: Why a text is missing, in words.
    note: str = ""
    start: int = 0
    duration: int | None = None
    #: What the recorder spent on this pass.
    cost: int = 0
    thread: int = 0
    #: ``host`` or ``device``, and the target, of a codegen.
    role: str = ""
    target: str = ""

    @property
    def name(self) -> str:
        """Short name, as in file names."""
        return "codegen" if self.is_codegen else self.full_name.rsplit(".", 1)[-1] or "pass"

    @property
    def label(self) -> str:
        """Phase and short name."""
        return f"{self.phase}/{self.name}"

    @property
    def before_text(self) -> str:
        """The input; empty where it is missing."""
        return self.trace.text(self.before)

    @property
    def after_text(self) -> str:
        """The output; empty where it is missing."""
        return self.trace.text(self.after)

    @property
    def generated_text(self) -> str:
        """The source that a codegen generated; empty where it is missing."""
        return self.trace.text(self.generated)

    @property
    def edited_text(self) -> str | None:
        """The edited source, compiled or not; ``None`` where there was no edit."""
        if self.edit is None or self.edit.text not in self.trace.texts:
            return None
        return self.trace.text(self.edit.text)

    @property
    def changed(self) -> bool:
        """Whether the text differs, newlines at its end included."""
        if self.after is None or self.before == self.after:
            return False
        # A text has another number behind a checkpoint.
        return self.before is None or self.before_text != self.after_text

    @functools.cached_property
    def diff(self) -> LineDiff:
        """The line diff from input to output; empty unless both are there."""
        if self.before is None or not self.changed:
            return LineDiff(())
        return diff_lines(self.before_text, self.after_text)

    @property
    def failed(self) -> bool:
        """Whether the pass raised, or the process ended inside it."""
        return self.status in (STATUS_FAILED, STATUS_UNFINISHED)


@dataclass(eq=False)
class Trace:
    """All that one process recorded."""

    #: The ``process`` record's fields; empty if the journal lost it.
    process: dict[str, Any] = field(default_factory=dict)
    units: list[Unit] = field(default_factory=list)
    #: In order of their index.
    passes: list[Pass] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    #: The ``end`` record's fields, if the journal was closed.
    end: dict[str, Any] = field(default_factory=dict)
    condition: Condition = field(default_factory=Condition)

    def text(self, number: int | None) -> str:
        """Text ``number``; empty for ``None`` or a text that was lost."""
        return "" if number is None else self.texts.get(number, "")

    @property
    def script(self) -> str:
        """Name of the program."""
        return str(self.process.get("script") or "kernel")

    @property
    def started(self) -> int:
        """When the process began, in nanoseconds since 1970; 0 where no sensible time is told."""
        started = self.process.get("started")
        return started if isinstance(started, int) and 0 <= started < 1 << 62 else 0

    @property
    def pass_count(self) -> int:
        """How many passes there are, codegens not counted."""
        return sum(not one.is_codegen for one in self.passes)

    @property
    def kernel_count(self) -> int:
        """How many compiles there are."""
        return sum(unit.name is not None for unit in self.units)

    @property
    def in_flight(self) -> Pass | None:
        """The innermost pass inside which the process ended."""
        unfinished = [one for one in self.passes if one.status == STATUS_UNFINISHED]
        return max(unfinished, key=lambda one: (one.start, one.depth), default=None)

    @property
    def index_width(self) -> int:
        """Digits that the largest index needs, two at least."""
        return max(2, len(str(self.passes[-1].index))) if self.passes else 2

    @property
    def state_message(self) -> str:
        """How the journal ended, in a sentence without its full stop."""
        message = self.condition.describe()
        if self.in_flight is not None and not self.condition.ended:
            where = "now" if self.condition.growing else "the process ended"
            message += f"; {where} inside {self.in_flight.label}"
        return message
