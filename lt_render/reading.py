"""``read`` and ``iterate``: from a journal to records, at once or one by one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from .condition import State
from .journals import newest_journal
from .load import load
from .reader import MEMORY_LIMIT
from .records import LowerRecord, LowerTrace
from .stream import PassStream


def read(path: str | os.PathLike[str], *, memory_limit: int = MEMORY_LIMIT) -> LowerTrace:
    """Read a journal whole; of a directory, the newest journal below it.

    What is left of a journal that ended early or is damaged is read as well:
    see :attr:`LowerTrace.state`. Raises :class:`lt_render.RenderError` where
    there is no journal, or where it needs more than ``memory_limit`` bytes.

    >>> trace = lt_render.read("journal.lt.zst")
    >>> trace
    <trace of gemm: 86 records, clean>
    >>> trace.record("LowerTileOp")
    <25 pipeline_cuda/LowerTileOp: changed>
    """
    return LowerTrace(load(newest_journal(path), memory_limit=memory_limit))


def iterate(path: str | os.PathLike[str], *, memory_limit: int = MEMORY_LIMIT) -> RecordIterator:
    """Read a journal record by record, in memory that does not grow with it.

    Takes and raises what :func:`read` does; ``memory_limit`` bytes are for what
    is held between two records.

    >>> records = lt_render.iterate("journal.lt.zst")
    >>> sum(record.changed for record in records)
    36
    >>> records.ended_cleanly
    True
    """
    return RecordIterator(PassStream(newest_journal(path), memory_limit=memory_limit))


class RecordIterator(Iterator[LowerRecord]):
    """The records of a journal, each as soon as its pass has ended; from :func:`iterate`.

    A pass around others therefore comes after them, and what it says as their
    ``parent`` is not final before. Records that never ended come last. A record
    that is kept keeps its texts.
    """

    def __init__(self, stream: PassStream) -> None:
        self._stream = stream
        self._passes = stream.passes()

    def __next__(self) -> LowerRecord:
        return LowerRecord(next(self._passes))

    @property
    def process(self) -> Mapping[str, Any]:
        """Facts about the process, from the first record on."""
        return MappingProxyType(self._stream.trace.process)

    @property
    def state(self) -> State:
        """As :attr:`LowerTrace.state`; known after the last record."""
        return self._stream.trace.condition.state

    @property
    def state_message(self) -> str:
        """As :attr:`LowerTrace.state_message`; known after the last record."""
        return self._stream.trace.state_message

    @property
    def ended_cleanly(self) -> bool:
        """As :attr:`LowerTrace.ended_cleanly`; known after the last record."""
        return self.state is State.CLEAN
