"""Exceptions that a signal raises in the middle of the recorder's work.

A signal's Python handler runs at the next bytecode of the main thread. While
TVM is at work that is, more often than not, a bytecode of the recorder's, inside
a callback of TVM's; an exception that leaves it there comes out of TVM as a
RuntimeError. So what a signal raises is caught where it can be, recognised
where it cannot, and raised as itself where Python code has called the compiler.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, TypeVar

_T = TypeVar("_T")


def is_a_signals(error: BaseException) -> bool:
    """Whether a signal raised ``error`` in the middle of the recorder's work."""
    if not isinstance(error, Exception):
        return True
    codes = {_code(handler) for _, handler in _handlers()} - {None}
    return any(code in codes for code in _codes(error))


def reraise_a_signals(error: Exception) -> None:
    """In a handler that lets faults pass: raise ``error`` again if a signal brought it."""
    if is_a_signals(error):
        raise error


def lost_signal(error: BaseException, callbacks: frozenset[CodeType]) -> BaseException | None:
    """Return what a signal raised if ``error`` is what TVM has made of it.

    ``callbacks`` are those of the recorder's that TVM calls. Their bodies raise
    nothing, so what passed through one was raised by a signal before its first
    instruction. TVM keeps the places only, so a handler is asked once more for
    its exception; one that is not Python's own is Ctrl-C's.
    """
    if not hasattr(error, "__tvm_ffi_error__"):
        return None
    places = [_place(code) for code in _codes(error)]
    if not {_place(code) for code in callbacks} & set(places):
        return None
    for number, handler in _handlers():
        code = _code(handler)
        if code is not None and _place(code) in places:
            try:
                handler(number, sys._getframe())
            except BaseException as raised:
                return raised
    return KeyboardInterrupt()


def _handlers() -> Iterator[tuple[int, Any]]:
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if callable(handler):
            yield number, handler


def _code(handler: Any) -> CodeType | None:
    code = getattr(getattr(handler, "__func__", handler), "__code__", None)
    return code if isinstance(code, CodeType) else None


def _codes(error: BaseException) -> Iterator[CodeType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def _place(code: CodeType) -> tuple[str, str]:
    # TVM rebuilds frames from their file and function names.
    return code.co_filename, code.co_name


def tried(call: Callable[[], _T], default: _T) -> _T:
    """What ``call`` returns, or ``default`` where it raises; what a signal raised goes on."""
    try:
        return call()
    except Exception as error:
        reraise_a_signals(error)
        return default
