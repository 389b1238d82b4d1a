"""Recording asked for by a program: on, off, for a block, or for contexts of its own."""

from __future__ import annotations

import contextlib
import enum
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from . import settings, startup


class _Unset(enum.Enum):
    """The default of arguments for which ``None`` means something."""

    UNSET = enum.auto()


_Path = str | os.PathLike[str]


def enable(
    *,
    mode: str | _Unset | None = _Unset.UNSET,
    trace_dir: _Path | _Unset | None = _Unset.UNSET,
    codegen_output: _Path | _Unset | None = _Unset.UNSET,
) -> None:
    """Record from now on, as ``TL_LOWER_TRACE=1`` does.

    ``mode`` is ``"record"``, ``"terminal"``, ``"html"``, ``"both"``, or what else
    ``TL_LOWER_TRACE`` accepts; ``None`` is :func:`disable`. ``trace_dir`` is the base
    directory, ``None`` for the usual one; ``codegen_output`` the working copy of
    generated source, ``None`` for none. What is left out is as it was asked for
    before, or else as the variables say.

    Where recording is on already nothing happens, unless one of these is to
    change: then the journal is closed, and what comes goes into a new one. Where
    TVM has not been imported yet, recording begins with its import. Raises
    ``ValueError`` for an unknown mode.
    """
    wanted = _wanted(mode, trace_dir, codegen_output)
    if wanted is None:
        disable()
    else:
        startup.start(wanted)


def disable() -> None:
    """Stop recording: take out every hook, close the journals and say what they hold.

    A compile that is under way goes on untouched; it is recorded up to here. Blocks
    of :func:`trace` that are open end as well.
    """
    startup.stop()


def reset() -> None:
    """Close the journal and say what it holds; what comes goes into a fresh one.

    A compile that is under way goes on in the fresh journal. Nothing happens where
    nothing has been recorded yet, or recording is off. Inside a :func:`trace` block
    this is about the block's journal.
    """
    with startup.lock:
        if startup.layers:
            from . import current, recording

            block = current.block.get()
            recording.reset(block if block in startup.layers else startup.layers[-1])


class Tracing:
    """What ``with lt_record.trace() as t:`` gives."""

    def __init__(self, layer: startup.Layer | None) -> None:
        self._layer = layer

    @property
    def journal(self) -> str | None:
        """Path of the block's journal, the newest one after a :func:`reset`.

        ``None`` as long as nothing was lowered. Complete once the block has ended.
        """
        recorder = None if self._layer is None else self._layer.recorder
        return None if recorder is None else recorder.journal_path


@contextlib.contextmanager
def trace(
    *,
    mode: str | _Unset | None = _Unset.UNSET,
    trace_dir: _Path | _Unset | None = _Unset.UNSET,
    codegen_output: _Path | _Unset | None = _Unset.UNSET,
) -> Iterator[Tracing]:
    """Record what runs inside the block into a journal of its own.

    The arguments are those of :func:`enable`; ``mode=None`` records nothing more
    than without the block. Afterwards all is as before: off, or the former journal
    goes on. The inner one of two blocks records; each kernel is lowered anew in each
    block that asks for it. Other threads are recorded, too; those inside a block of
    their own into that one's journal.
    """
    wanted = _wanted(mode, trace_dir, codegen_output)
    if wanted is None:
        yield Tracing(None)
        return
    from . import current

    layer = startup.Layer(wanted, of_block=True)
    token = current.block.set(layer)
    try:
        startup.push(layer)
        yield Tracing(layer)
    finally:
        current.block.reset(token)
        startup.pop(layer)


def instrument() -> Any:
    """Return the PassInstrument, for a ``PassContext(instruments=[…])`` of your own.

    Such a context is recorded also where recording is off: its passes only, without
    codegens. Where recording is on, it makes no difference. After :func:`disable` it
    records nothing any more. Raises ``RuntimeError`` where TVM has not been imported.
    """
    if "tvm" not in sys.modules:
        raise RuntimeError("lt_record.instrument() needs TVM: import tilelang or tvm first.")
    from . import recording

    with startup.lock:
        if all(layer.of_block for layer in startup.layers):
            asked = settings.from_environ() or settings.default()
            startup.push(startup.Layer(asked, everywhere=False))
        return recording.instrument()


def _wanted(
    mode: str | _Unset | None,
    trace_dir: _Path | _Unset | None,
    codegen_output: _Path | _Unset | None,
) -> settings.Settings | None:
    """The settings that are asked for; ``None`` for off."""
    parsed = None if isinstance(mode, _Unset) else settings.parsed_mode(mode)
    if parsed is None and not isinstance(mode, _Unset):
        return None
    wanted = startup.current() or settings.from_environ() or settings.default()
    if parsed is not None:
        wanted = settings.with_mode(wanted, parsed)
    if trace_dir is None:
        wanted = replace(wanted, trace_dir=settings.default().trace_dir)
    elif not isinstance(trace_dir, _Unset):
        wanted = replace(wanted, trace_dir=settings.absolute(os.fspath(trace_dir)))
    if not isinstance(codegen_output, _Unset):
        path = None if codegen_output is None else settings.absolute(os.fspath(codegen_output))
        wanted = replace(wanted, codegen=path, codegen_asked=True)
    return wanted
