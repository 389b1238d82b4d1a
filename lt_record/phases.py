"""The phase that a pass belongs to: what the script calls it, or TileLang."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

#: The innermost pipeline: TileLang's name for its phase, where it has one, and ours.
pipeline: ContextVar[tuple[str | None, str] | None] = ContextVar("lt_record_pipeline", default=None)
#: The innermost label of the script's, and what TileLang's phase was around it.
_label: ContextVar[tuple[str, tuple[Any, Any]] | None] = ContextVar("lt_record_label", default=None)


@contextlib.contextmanager
def phase(name: str) -> Iterator[None]:
    """Call what runs inside phase ``name``, whether or not it is recorded.

    The innermost counts: a pipeline of TileLang's inside keeps its own phase, a
    pipeline around does not show. Holds for the calling thread, or task.
    """
    token = _label.set((str(name), _tilelangs()))
    try:
        yield
    finally:
        _label.reset(token)


def current() -> str | None:
    """The phase of what the caller runs now; ``None`` outside of any."""
    inner, label = _tilelangs(), _label.get()
    # Identity: a pipeline that begins is a new one whatever its name is.
    if label is not None and all(a is b for a, b in zip(inner, label[1], strict=True)):
        return label[0]
    name, named = inner
    if named is not None and name == named[0]:
        return named[1]
    return None if name is None else str(name)


def _tilelangs() -> tuple[Any, tuple[str | None, str] | None]:
    """TileLang's name for the current phase, and the pipeline that we have named."""
    # Asked here and not of an adapter: labels do not wait for one.
    api = sys.modules.get("tilelang.instrumentation")
    ask = getattr(api, "current_pass_phase", None)
    return None if ask is None else ask(), pipeline.get()
