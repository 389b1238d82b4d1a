"""The process's recordings: their recorders, the hooks and the adapter, from import to exit."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from . import adapters, console, settings, startup
from .adapters.base import Adapter
from .adapters.builtin import restore_builtin, silence_builtin
from .current import Current
from .hooks import Hooks
from .recorder import Recorder
from .state import Surroundings, ThreadState

_current: Current | None = None
_hooks: Hooks | None = None
_adapter: Adapter | None = None
_adapted_to_tilelang = False
#: Whether this process has named a journal on stderr since its hooks were put in.
_named = False


def module_imported(name: str, module: ModuleType) -> None:
    """Go one step on: called after each import of a watched module, and after each change."""
    global _adapted_to_tilelang
    everywhere = startup.layers[-1].everywhere
    if name == "tilelang.env" and everywhere:
        silence_builtin(module)
    elif name == "tvm":
        _record(module)
        _spread(everywhere)
    elif name == "tilelang" and everywhere and not _adapted_to_tilelang:
        # Not before: TileLang imports TVM in the middle of its own import.
        _adapted_to_tilelang = True
        _adapt(adapters.for_tilelang())
    elif name == "tilelang" and everywhere and _hooks is not None:
        _hooks.wrap_codegens()  # those that have come since


def _record(tvm: ModuleType) -> None:
    """Give each layer that lacks one its recorder, and have the newest one in charge."""
    global _current, _hooks
    layers = startup.layers
    around = Surroundings() if _current is None else _current.around
    ended = []
    for layer in layers:
        if layer.recorder is not None and layer.recorder.settings == layer.settings:
            continue
        if layer.recorder is not None:
            ended.append(layer.recorder)
        layer.recorder = Recorder(layer.settings, str(getattr(tvm, "__version__", "")), around)
    if _current is None:
        _current = Current(layers[-1], around)
    # What begins now goes into the new journal, so nothing is lost in between.
    _current.newest = layers[-1]
    for recorder in ended:
        end(recorder)
    if _hooks is None:
        hooks = Hooks(_current)
        hooks.install()
        _hooks = hooks


def _spread(everywhere: bool) -> None:
    """Have all passes recorded, or only those of the user's own instrumented contexts."""
    global _adapter, _adapted_to_tilelang
    if _hooks is None or everywhere == _hooks.everywhere:
        return
    if not everywhere:
        if _adapter is not None:
            _adapter.remove()
        _adapter = None
        _hooks.withdraw()
        restore_builtin()
        return
    wanted = startup.layers[-1].settings
    if wanted.unknown_mode is not None:
        console.say_once(
            "mode",
            f"{settings.MODE_VARIABLE}={wanted.unknown_mode!r} is none of "
            f"{settings.accepted_modes()}; recording.",
        )
    _hooks.spread()
    _adapted_to_tilelang = False
    _adapt(adapters.for_tvm())


def _adapt(adapter: Adapter) -> None:
    """Go by ``adapter`` from now on, and wrap the codegens that came with it."""
    global _adapter
    if _current is None or _hooks is None:
        return
    if _adapter is not None:
        _adapter.remove()
    try:
        adapter.install(_current)
    except Exception as error:  # the passes are recorded all the same
        adapter.remove()
        adapter = Adapter()
        detail = f"{type(error).__name__}: {error}"
        console.say_once("adapter", f"this release's compiles and phases are not known ({detail}).")
    _adapter = adapter
    _hooks.codegen_role = adapter.codegen_role
    _hooks.compiles_source = adapter.compiles_source
    _hooks.wrap_codegens()


def instrument() -> Any:
    """The PassInstrument that all contexts carry; TVM and a layer have to be there."""
    return None if _hooks is None else _hooks.instrument


def session_tool() -> Any:
    """A tool for one of TileLang's compile sessions; ``None`` where there are none."""
    return None if _adapter is None else _adapter.session_tool()


def reset(layer: startup.Layer) -> None:
    """Have what comes recorded in a fresh journal; a layer without a journal stays as it is."""
    old: Recorder | None = layer.recorder
    if old is not None and old.journal_path is not None:
        layer.recorder = Recorder(old.settings, old.tvm_version, old.around)
        end(old)


def _after_fork() -> None:
    console.forget()
    startup.after_fork()
    if _current is not None:
        _current.around.thread = ThreadState()
    for layer in startup.layers:
        if layer.recorder is not None and layer.recorder.active:
            layer.recorder.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def disable(recorders: Sequence[Recorder]) -> None:
    """Take out every hook and close the journals, saying what they hold."""
    global _current, _hooks, _adapter, _named
    hooks, adapter = _hooks, _adapter
    _current = _hooks = _adapter = None
    if adapter is not None:
        adapter.remove()
    if hooks is not None:
        hooks.remove()
    restore_builtin()
    _finish(recorders, adapter, "while tracing was on, nothing was compiled.")
    _named = False


def finish() -> None:
    """End the journals at the process's exit and say in a line each what they hold."""
    recorders = [layer.recorder for layer in startup.layers if layer.recorder is not None]
    _finish(recorders, _adapter, "this process compiled nothing.")


def _finish(recorders: Sequence[Recorder], adapter: Adapter | None, otherwise: str) -> None:
    active = [recorder for recorder in recorders if recorder.active]
    for recorder in reversed(active):
        end(recorder)
    if not active or adapter is None:
        return
    passed_over = adapter.passed_over()
    if passed_over:
        console.say(
            f"{console.counted(passed_over, 'kernel')} in TileLang's cache on disk lowered "
            "afresh to be traced; the cache is as it was."
        )
    if _named or any(recorder.unavailable for recorder in active):
        return
    console.say(f"nothing was lowered: {otherwise}")


def end(recorder: Recorder) -> None:
    """Close a journal and say in one line what it holds."""
    global _named
    if not recorder.active:
        return
    recorder.close()
    if recorder.journal_path is None:
        return
    _named = True
    console.say(
        f"{console.counted(recorder.passes, 'pass')}, "
        f"{console.counted(recorder.kernels, 'kernel')}: {recorder.journal_path} "
        f"({console.human_size(recorder.journal_size)})."
        + ("" if recorder.rendered else f" Render it: lt-render {recorder.journal_path}")
    )
    for path in recorder.edits.unused():
        console.say(
            f"the edit in {path} was not compiled: no code generated in this run is its own."
        )
    if recorder.edits.compiled:
        kept = ", and kept out of TileLang's kernel cache" if "tilelang" in sys.modules else ""
        compiled = console.counted(recorder.edits.compiled, "codegen")
        console.say(f"{compiled} compiled from edited source{kept}.")
