"""Which recorder is in charge: whatever begins now goes into its journal."""

from __future__ import annotations

from contextvars import ContextVar

from .recorder import Recorder
from .startup import Layer
from .state import Surroundings

#: The innermost ``with lt_record.trace()`` block that this thread, or task, is inside of.
block: ContextVar[Layer | None] = ContextVar("lt_record_block", default=None)


class Current:
    """What the hooks and the adapter know of recorders; it outlives any one of them."""

    def __init__(self, newest: Layer, around: Surroundings) -> None:
        #: The recording that was begun last.
        self.newest = newest
        self.around = around

    @property
    def layer(self) -> Layer:
        """The recording of the block that the caller is inside of, or else the newest."""
        mine = block.get()
        if mine is not None and mine.recorder is not None and mine.recorder.active:
            return mine
        return self.newest

    @property
    def recorder(self) -> Recorder:
        """The recorder in charge; an inactive one once recording is off."""
        recorder: Recorder = self.layer.recorder
        return recorder
