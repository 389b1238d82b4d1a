"""In what condition a journal is: closed, cut off, or damaged, and where."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from lt_record.console import counted


class State(enum.Enum):
    """How a journal ended, and whether all of it is there."""

    CLEAN = "clean"
    #: The process died: what it had recorded is there, the end is not.
    ENDED_EARLY = "ended early"
    #: Bytes inside are wrong or missing.
    DAMAGED = "damaged"


@dataclass(frozen=True)
class Damage:
    """A stretch of the file that could not be used, in bytes."""

    offset: int
    length: int
    why: str


@dataclass
class Condition:
    """What reading a journal has found out about it; final after the last record."""

    size: int = 0
    ended: bool = False
    #: Byte offset at which a journal that ended early stops making sense.
    torn_at: int = 0
    damages: list[Damage] = field(default_factory=list)
    #: Different records given out, and how many there must have been.
    records: int = 0
    expected: int = 0
    #: Records that the writer could not write, by its own account.
    lost: int = 0
    #: It was still being written when it was read.
    growing: bool = False

    @property
    def missing(self) -> int:
        """Records that are neither there nor accounted for by the writer."""
        return max(0, self.expected - self.records - self.lost)

    @property
    def state(self) -> State:
        """The journal's state."""
        if self.damages or self.missing:
            return State.DAMAGED
        return State.CLEAN if self.ended else State.ENDED_EARLY

    def describe(self) -> str:
        """Say in one sentence what state the journal is in."""
        lost = (
            f"; {counted(self.lost, 'record')} could not be written at the time"
            if self.lost
            else ""
        )
        if self.state is State.CLEAN:
            return f"closed cleanly{lost}"
        if self.state is State.ENDED_EARLY and self.growing:
            return f"still being recorded{lost}"
        if self.state is State.ENDED_EARLY:
            return f"ended early at byte {self.torn_at}: the process did not close it{lost}"
        found = [f"{d.why} at byte {d.offset} ({d.length} bytes)" for d in self.damages[:3]]
        if len(self.damages) > 3:
            found.append(f"{len(self.damages) - 3} more places")
        found.append(f"{counted(self.missing, 'record')} missing")
        return f"damaged inside: {', '.join(found)}{lost}"
