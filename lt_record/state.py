"""What is going on: compiles, and by thread the passes that have begun and not ended."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from .snapshot import Snapshots


class Unit:
    """One compile: what a person calls compiling a kernel."""

    def __init__(self, number: int, name: str | None) -> None:
        self.number = number
        #: What the compiler calls it; ``None`` for passes outside any compile.
        self.name = name
        #: The recorder's generation that has recorded it: a child forked in the
        #: middle of a compile records it again in its own journal.
        self.recorded_in: int | None = None


@dataclass(eq=False)
class Frame:
    """A pass or codegen that has begun and not ended."""

    number: int
    #: Position over the whole process; codegen gets its own when it ends.
    index: int | None
    name: str
    unit: Unit
    #: Nanoseconds on the trace's clock at which the compiler took over.
    begun: int = 0
    #: Nanoseconds spent by the recorder: on this one, and on those inside it.
    cost: int = 0
    inner_cost: int = 0
    before: int | None = None


@dataclass
class ThreadState(threading.local):
    stack: list[Frame] = field(default_factory=list)
    snapshots: Snapshots = field(default_factory=Snapshots)
    #: Unit for passes outside any compile.
    loose: Unit | None = None
    #: How many codegens this thread is inside of.
    codegens: int = 0
    #: Whether the thread's default PassContext carries the instrument.
    armed: bool = False
    #: What a signal raised in the middle of the recorder's work.
    interruption: BaseException | None = None
