"""Start-up hook: waits for ``tvm`` and ``tilelang`` to be imported, then installs the recorder.

The wheel's ``.pth`` file calls :func:`start` in every Python process in whose
environment ``TL_LOWER_TRACE`` is set. Until TVM is there, this module costs one
entry in ``sys.meta_path`` and nothing else of the package is imported.
"""

from __future__ import annotations

import atexit
import importlib.machinery
import sys
import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from . import settings

#: Modules after whose import something is to be done, in the order in which
#: they are imported.
WATCHED = ("tilelang.env", "tvm", "tilelang")


class _AfterImport:
    """A finder that finds nothing itself, and calls back once a watched module is executed."""

    def __init__(self, callback: Callable[[str, ModuleType], None]) -> None:
        self._callback = callback
        self._finding: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in WATCHED or name in self._finding:
            return None
        self._finding.add(name)  # the search below comes back here
        try:
            for finder in list(sys.meta_path):
                if finder is self or not hasattr(finder, "find_spec"):
                    continue
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    break
            else:
                return None
        finally:
            self._finding.discard(name)
        self._arm(name, spec.loader)
        return spec

    def _arm(self, name: str, loader: Any) -> None:
        # The loader stays the one that was found: others look at its type.
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module: ModuleType) -> None:
            try:
                del loader.exec_module
            except AttributeError:
                pass
            execute(module)
            self._callback(name, module)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            pass  # a loader that takes no attributes; lt_record.enable() remains


def _imported(name: str, module: ModuleType) -> None:
    with lock:
        if not layers:
            return
        try:
            from . import recording

            recording.module_imported(name, module)
        except Exception as error:
            from . import console

            console.say_once("install", f"not recording: {type(error).__name__}: {error}")


def _at_exit() -> None:
    recording = sys.modules.get(f"{__package__}.recording")
    if recording is not None:
        recording.finish()


class Layer:
    """A recording that is on: the process's own, or that of a ``with lt_record.trace()`` block."""

    def __init__(
        self, wanted: settings.Settings, *, everywhere: bool = True, of_block: bool = False
    ) -> None:
        self.settings = wanted
        self.of_block = of_block
        #: Whether all passes are recorded, and not only those of the contexts that
        #: were given ``lt_record.instrument()``.
        self.everywhere = everywhere
        #: Its recorder, once TVM is there.
        self.recorder: Any = None
        #: Stands for the time since which every kernel is to be lowered afresh.
        self.since = object()


#: Whether the environment has been asked, or the program has said what it wants.
decided = False
#: The recordings that are on, the newest last; it records what no other claims.
layers: list[Layer] = []
#: Held while that changes. Reentrant: a pass, or a signal handler, may switch as well.
lock = threading.RLock()
_finder = _AfterImport(_imported)
_at_exit_registered = False


def start(asked: settings.Settings | None = None) -> None:
    """Record as ``asked``, or as the environment asks, once TVM has been imported.

    Safe to call twice. It must be: several ``site`` directories may each hold
    the ``.pth`` file.
    """
    global decided
    decided = True
    wanted = asked or settings.from_environ()
    if wanted is None or (asked is None and layers):
        return
    with lock:
        if layers:
            top = layers[-1]
            top.settings, top.everywhere = wanted, True
        else:
            layers.append(Layer(wanted))
        apply()


def push(layer: Layer) -> None:
    """Record into a journal of its own from now on: beneath all blocks, if it is none's."""
    with lock:
        layers.insert(len(layers) if layer.of_block else 0, layer)
        apply()


def pop(layer: Layer) -> None:
    """Close a layer's journal, and go on with what was on before."""
    with lock:
        if layer not in layers:
            return  # disable() was called meanwhile
        layers.remove(layer)
        if not layers:
            stop(layer)
            return
        apply()
        recording = sys.modules.get(f"{__package__}.recording")
        if recording is not None and layer.recorder is not None:
            recording.end(layer.recorder)


def current() -> settings.Settings | None:
    """The settings of the recording that is on for all passes; ``None`` where none is."""
    return layers[-1].settings if layers and layers[-1].everywhere else None


def apply() -> None:
    """Bring the hooks and recorders into the state that :data:`layers` ask for."""
    global _at_exit_registered
    if not _at_exit_registered:
        _at_exit_registered = True
        # Registered before everything of the user's, so it runs after all of it.
        atexit.register(_at_exit)
    everywhere = layers[-1].everywhere
    if everywhere and _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    elif not everywhere and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in WATCHED:
        module = sys.modules.get(name)
        # One that another thread is importing gets here when that is done; to wait
        # for it with the lock held would be for ever.
        if module is not None and not getattr(module.__spec__, "_initializing", False):
            _imported(name, module)


def stop(*left: Layer) -> None:
    """Record nothing more, of what is imported later either; ``left`` are to be closed, too."""
    global decided
    decided = True
    with lock:
        ended = [*layers, *left]
        layers.clear()
        if _finder in sys.meta_path:
            sys.meta_path.remove(_finder)
        recording = sys.modules.get(f"{__package__}.recording")
        if recording is not None:
            recording.disable([layer.recorder for layer in ended if layer.recorder is not None])


def after_fork() -> None:
    """Let a forked child have a lock that no other thread holds."""
    global lock
    lock = threading.RLock()
