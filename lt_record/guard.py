"""Keeps the recorder's faults from the compile."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from . import console
from .signals import is_a_signals


class Guard:
    """A context for the recorder's own work inside TVM's callbacks.

    An exception of ours ends here, with one line on stderr. What a signal
    raised is given to ``keep``.
    """

    __slots__ = ("_keep",)

    def __init__(self, keep: Callable[[BaseException], None]) -> None:
        self._keep = keep

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is None:
            return False
        if is_a_signals(error):
            self._keep(error)
        else:
            detail = f"{type(error).__name__}: {error}"
            console.say_once("fault", f"recording failed, the compile goes on: {detail}")
        return True
