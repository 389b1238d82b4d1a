"""What is going on: compiles, and by thread the passes that have begun and not ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import phases
from .codegen_files import Owner
from .outcome import Compiled
from .signals import tried
from .snapshot import Snapshots

if TYPE_CHECKING:
    from .recorder import Recorder


class Unit:
    """One compile: what a person calls compiling a kernel."""

    def __init__(self, name: str | None) -> None:
        #: What the compiler calls it; ``None`` for passes outside any compile.
        self.name = name
        #: Names of the functions it was given.
        self.kernels: list[str] = []
        #: What it was called for, where that is known before the first pass.
        self.target: str | None = None
        #: What its phases' names begin with, ``run2_`` for one; ``None`` before the first.
        self.run_prefix: str | None = None
        #: Its number in each journal that it was recorded in, by what stands for the
        #: journal: where another one begins in the middle of a compile, as in a
        #: forked child, the compile is recorded there, too.
        self.recorded: dict[object, tuple[Recorder, int]] = {}


@dataclass(eq=False)
class Frame:
    """A pass or codegen that has begun and not ended."""

    #: Whose journal it began in; its end goes there, too.
    recorder: Recorder
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

    def owner(self, role: str) -> Owner:
        """Whose the code is that a codegen of this frame generates."""
        return Owner((self.unit.kernels or ["kernel"])[0], role)


@dataclass
class ThreadState(threading.local):
    """What a thread is in the middle of; all recorders share it."""

    stack: list[Frame] = field(default_factory=list)
    #: How many codegens this thread is inside of.
    codegens: int = 0
    #: Whether the thread's default PassContext carries the instrument.
    armed: bool = False
    #: The codegens that have ended, where somebody watches a compile.
    compiled: list[Compiled] | None = None
    #: What a signal raised in the middle of the recorder's work.
    interruption: BaseException | None = None


@dataclass
class ThreadMemory(threading.local):
    """What one recorder remembers of a thread; it means nothing in another's journal."""

    snapshots: Snapshots = field(default_factory=Snapshots)
    #: Unit for passes outside any compile.
    loose: Unit | None = None


class Surroundings:
    """What the hooks and the adapter tell of the compile; all recorders share it.

    ``phase``, ``unit`` and ``configs`` tell the current phase, compile unit and
    pass configs of the calling thread; ``target`` the target.
    """

    def __init__(self) -> None:
        self.thread = ThreadState()
        self.phase: Callable[[], str | None] = phases.current
        self.unit: Callable[[], Unit | None] = lambda: None
        self.target: Callable[[], str | None] = lambda: None
        self.configs: Callable[[], dict[str, Any]] = dict


def function_names(mod: Any) -> list[str]:
    """Names of a module's functions; none where it will not tell."""
    names: list[str] = tried(lambda: [str(var.name_hint) for var in mod.get_global_vars()], [])
    return names
