"""Start-up hook: waits for ``tvm`` and ``tilelang`` to be imported, then installs the recorder.

The wheel's ``.pth`` file calls :func:`start` in every Python process in whose
environment ``TL_LOWER_TRACE`` is set. Until TVM is there, this module costs one
entry in ``sys.meta_path`` and nothing else of the package is imported.
"""

from __future__ import annotations

import atexit
import importlib.machinery
import sys
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
    if _settings is None:
        return
    try:
        from . import recording

        recording.module_imported(name, module, _settings)
    except Exception as error:
        from . import console

        console.say_once("install", f"not recording: {type(error).__name__}: {error}")


def _at_exit() -> None:
    recording = sys.modules.get(f"{__package__}.recording")
    if recording is not None:
        recording.finish()


_settings: settings.Settings | None = None
_finder = _AfterImport(_imported)
_at_exit_registered = False


def start(asked: settings.Settings | None = None) -> None:
    """Record as ``asked``, or as the environment asks, once TVM has been imported.

    Safe to call twice. It must be: several ``site`` directories may each hold
    the ``.pth`` file.
    """
    global _settings, _at_exit_registered
    wanted = asked or settings.from_environ()
    if wanted is None:
        return
    _settings = wanted
    if not _at_exit_registered:
        _at_exit_registered = True
        # Registered before everything of the user's, so it runs after all of it.
        atexit.register(_at_exit)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    for name in WATCHED:
        if name in sys.modules:
            _imported(name, sys.modules[name])


def stop() -> None:
    """Record nothing more, of what is imported later either."""
    global _settings
    _settings = None
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    recording = sys.modules.get(f"{__package__}.recording")
    if recording is not None:
        recording.disable()
