"""TileLang's built-in tracer, which listens to the same variable: exactly one tracer runs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

_environment: Any = None


def silence_builtin(env_module: ModuleType) -> None:
    """Keep the built-in tracer from starting with the import of TileLang."""
    global _environment
    environment = getattr(env_module, "env", None)
    if hasattr(environment, "get_lower_trace_mode"):
        _environment = environment
        _environment.get_lower_trace_mode = lambda: None


def restore_builtin() -> None:
    """Undo :func:`silence_builtin`."""
    global _environment
    environment, _environment = _environment, None
    if environment is not None:
        del environment.get_lower_trace_mode
