"""The process's one recording: its recorder, hooks and adapter, from import to exit."""

from __future__ import annotations

import os
from types import ModuleType

from . import console, settings
from .adapters import tilelang
from .adapters.base import Adapter
from .adapters.builtin import restore_builtin, silence_builtin
from .hooks import Hooks
from .recorder import Recorder

_recorder: Recorder | None = None
_hooks: Hooks | None = None
_adapter: Adapter | None = None


def module_imported(name: str, module: ModuleType, asked: settings.Settings) -> None:
    """Go one step on: called after each import of a watched module."""
    if name == "tilelang.env":
        silence_builtin(module)
    elif name == "tvm":
        _install(module, asked)
    elif name == "tilelang":
        # Not before: TileLang imports TVM in the middle of its own import.
        _adapt(tilelang.adapter())


def _install(tvm: ModuleType, asked: settings.Settings) -> None:
    global _recorder, _hooks
    if _recorder is not None:
        return
    if asked.unknown_mode is not None:
        console.say_once(
            "mode",
            f"{settings.MODE_VARIABLE}={asked.unknown_mode!r} is none of "
            f"{settings.accepted_modes()}; recording.",
        )
    _recorder = Recorder(asked, str(getattr(tvm, "__version__", "")))
    _hooks = Hooks(_recorder)
    _hooks.install()
    _adapt(Adapter())


def _adapt(adapter: Adapter) -> None:
    """Go by ``adapter`` from now on, and wrap the codegens that came with it."""
    global _adapter
    if _recorder is None or _hooks is None:
        return
    if _adapter is not None:
        _adapter.remove()
    _adapter = adapter
    adapter.install(_recorder)
    _hooks.codegen_role = adapter.codegen_role
    _hooks.wrap_codegens()


def _after_fork() -> None:
    console.forget()
    if _recorder is not None and _recorder.active:
        _recorder.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def disable() -> None:
    """Take out every hook and close the journal."""
    global _recorder, _hooks, _adapter
    recorder, hooks, adapter = _recorder, _hooks, _adapter
    _recorder = _hooks = _adapter = None
    if adapter is not None:
        adapter.remove()
    if hooks is not None:
        hooks.remove()
    if recorder is not None:
        recorder.close()
    restore_builtin()


def finish() -> None:
    """End the journal at the process's exit and say in one line what it holds."""
    recorder, adapter = _recorder, _adapter
    if recorder is None or adapter is None or not recorder.active:
        return
    recorder.close()
    if recorder.journal_path is not None:
        console.say(
            f"{console.counted(recorder.passes, 'pass')}, "
            f"{console.counted(recorder.kernels, 'kernel')}: {recorder.journal_path} "
            f"({console.human_size(recorder.journal_size)}). "
            f"Render it: lt-render {recorder.journal_path}"
        )
    elif not recorder.unavailable:
        cached = adapter.cached_kernels()
        if cached:
            console.say(
                f"nothing was lowered: {console.counted(cached, 'kernel')} came from "
                "TileLang's kernel cache, where no pass runs. Set TILELANG_DISABLE_CACHE=1 "
                "to lower afresh."
            )
        else:
            console.say("nothing was lowered: this process compiled nothing.")
