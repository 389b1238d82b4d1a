"""What differs between releases: one adapter a family, behind one small interface."""

from __future__ import annotations

import importlib.util

from .base import Adapter
from .tvm import TVM


def for_tvm() -> Adapter:
    """Return the adapter for the TVM that is imported."""
    return TVM()


def for_tilelang() -> Adapter:
    """Return the adapter for the TileLang that is imported: of the nearest release."""
    if importlib.util.find_spec("tilelang.instrumentation") is not None:
        from tilelang import instrumentation

        from .tilelang_sessions import TileLangSessions

        return TileLangSessions(instrumentation)
    from .tilelang_entry_points import TileLangEntryPoints

    return TileLangEntryPoints()
