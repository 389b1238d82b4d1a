"""Keeps the recorder's faults from the compile, and the user's signals from the recorder."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import TracebackType

from . import console


class Guard:
    """A context for the recorder's own work inside TVM's callbacks.

    An exception of ours ends here, with one line on stderr. An exception that a
    signal brought (Ctrl-C, a time-out's SIGALRM) is the user's: were it let out
    here, TVM would turn it into a RuntimeError, so ``keep`` is given it, to
    raise it again where Python code called the compiler.
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
        if not isinstance(error, Exception) or _out_of_a_signal_handler(trace):
            self._keep(error)
        else:
            detail = f"{type(error).__name__}: {error}"
            console.say_once("fault", f"recording failed, the compile goes on: {detail}")
        return True


def _out_of_a_signal_handler(trace: TracebackType | None) -> bool:
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = {getattr(handler, "__code__", None) for handler in handlers} - {None}
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False
