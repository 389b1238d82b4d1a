"""Puts a function of ours in the place of one of theirs, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Calls that take patches out again, the newest last.
Undo = list[Callable[[], None]]


def patch(undo: Undo, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Replace ``owner.name`` by what ``make`` gives for the original; ``undo`` gets its return."""
    original = owner.__dict__[name]
    setattr(owner, name, make(original))
    undo.append(lambda: setattr(owner, name, original))
