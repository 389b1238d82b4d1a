"""What differs between releases: one adapter a family, behind one small interface."""

from __future__ import annotations

import sys

from .base import Adapter

__all__ = ["Adapter", "choose"]


def choose() -> Adapter:
    """Return the adapter for what is imported by now."""
    if "tilelang" in sys.modules:
        from . import tilelang

        return tilelang.adapter()
    return Adapter()
