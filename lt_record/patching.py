"""Puts a function of ours in the place of one of theirs, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: Calls that take patches out again, the newest last.
Undo = list[Callable[[], None]]


def patch(undo: Undo, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Replace ``owner.name`` by what ``make`` gives for the original; ``undo`` gets its return."""
    original = owner.__dict__[name]
    setattr(owner, name, make(original))
    undo.append(lambda: setattr(owner, name, original))


def patch_functions(
    undo: Undo, wanted: Mapping[tuple[str, str], Callable[[Any], Any]]
) -> list[tuple[str, str]]:
    """Replace functions, by module and name, wherever a module holds them, the user's included.

    A function that was imported by name is looked up in the module that imported it.
    Returns those that are not there; they are passed over.
    """
    missing, replacements = [], []
    for (module, name), make in wanted.items():
        original = getattr(sys.modules.get(module), name, None)
        if callable(original):
            replacements.append((original, make(original)))
        else:
            missing.append((module, name))
    _replace_everywhere(replacements)
    undo.append(lambda: _replace_everywhere([(new, old) for old, new in replacements]))
    return missing


def _replace_everywhere(replacements: Sequence[tuple[Any, Any]]) -> None:
    by_identity = {id(old): new for old, new in replacements}
    if not by_identity:
        return
    for module in list(sys.modules.values()):
        # Its dictionary, and not its attributes: to ask for those may import, or compute.
        names = getattr(module, "__dict__", None)
        if type(names) is dict:
            for name, value in list(names.items()):
                if id(value) in by_identity:
                    names[name] = by_identity[id(value)]
