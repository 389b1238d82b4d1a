"""Renders journals of lowering traces, on any machine, without TVM.

From Python, :func:`read` gives a journal as objects, :func:`iterate` its
records one by one:

>>> import lt_render
>>> trace = lt_render.read("journal.lt.zst")
>>> [record.name for record in trace.changed("gemm")][:2]
['BindTarget', 'MaterializeKernelLaunch']
"""

from __future__ import annotations

from .condition import State
from .errors import LimitExceeded, NewerFormat, NotAJournal, NotFound, RenderError
from .model import (
    STATUS_CODEGEN,
    STATUS_COMPLETED,
    STATUS_FAILED,
    STATUS_SKIPPED,
    STATUS_UNFINISHED,
)
from .reading import RecordIterator, iterate, read
from .records import Found, Kernel, LowerRecord, LowerTrace

__all__ = [
    "STATUS_CODEGEN",
    "STATUS_COMPLETED",
    "STATUS_FAILED",
    "STATUS_SKIPPED",
    "STATUS_UNFINISHED",
    "Found",
    "Kernel",
    "LimitExceeded",
    "LowerRecord",
    "LowerTrace",
    "NewerFormat",
    "NotAJournal",
    "NotFound",
    "RecordIterator",
    "RenderError",
    "State",
    "iterate",
    "read",
]
