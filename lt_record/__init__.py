"""Records what each pass of a TVM or TileLang compile did, into a crash-safe journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import Tracing, disable, enable, instrument, reset, trace
    from .one_shot import lower_trace
    from .phases import phase

__version__ = "0.1.0"

__all__ = [
    "Tracing",
    "__version__",
    "disable",
    "enable",
    "instrument",
    "lower_trace",
    "phase",
    "reset",
    "trace",
]

#: Loaded when asked for: the start-up hook imports this package in every traced process.
_MODULES = {
    **dict.fromkeys(("Tracing", "disable", "enable", "instrument", "reset", "trace"), "api"),
    "lower_trace": "one_shot",
    "phase": "phases",
}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return __all__
