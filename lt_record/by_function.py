"""The text of a module with many functions, of which only those that changed are printed.

A function's text depends on the function, on the module's attributes and on which
GlobalVars the module has, and on no other function's body. So the changed ones are
printed in a module that has a stub in the place of each other one, and the texts of
those are taken from the module printed before. The imports at the top tell which
dialects occur; as Relax functions are printed always and a stub is a PrimFunc like
what it stands for, these are the same.

Not so where the text has metadata (numbered over the whole module), nor if
anything is not where it is expected: then the whole module is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

#: Below this many functions all of them are printed.
MANY = 4

_NAME = re.compile(r"^    def ([^\s(]+)\(", re.MULTILINE)
_BEGIN = re.compile(r"^    @", re.MULTILINE)

_stubs: dict[type, Any] = {}


class FunctionTexts:
    """A module's text in pieces: what comes first, and each function's, in their order."""

    __slots__ = ("first", "functions")

    def __init__(self, first: str, functions: dict[str, str]) -> None:
        self.first = first
        #: By name, without what separates one from the next.
        self.functions = functions

    def __str__(self) -> str:
        return self.first + _SEPARATOR.join(self.functions.values())


_SEPARATOR = "\n\n"


def cut(text: str, names: Collection[str]) -> FunctionTexts | None:
    """Cut a module's text; ``None`` unless it consists of these functions and nothing else."""
    starts = [match.start() for match in _BEGIN.finditer(text)]
    if len(starts) != len(names) or "metadata" in text:
        return None
    ends = [*(start - len(_SEPARATOR) for start in starts[1:]), len(text)]
    functions: dict[str, str] = {}
    for start, end in zip(starts, ends, strict=True):
        name = _NAME.search(text, start, end)
        if name is None:
            return None
        functions[name[1]] = text[start:end]
    cut_text = FunctionTexts(text[: starts[0]], functions)
    if functions.keys() != set(names) or str(cut_text) != text:
        return None
    return cut_text


def print_changed(
    mod: Any, unchanged: Collection[str], before: FunctionTexts, printer: Callable[[Any], str]
) -> FunctionTexts | None:
    """Print ``mod``, whose PrimFuncs ``unchanged`` have the texts that they have in ``before``.

    ``None`` where that cannot be done. Raises what ``printer`` does.
    """
    functions = {
        var: _stub(func) if var.name_hint in unchanged else func
        for var, func in mod.functions_items()
    }
    partial = type(mod)(functions, attrs=mod.attrs, global_infos=mod.global_infos)
    names = [str(var.name_hint) for var in functions]
    printed = cut(printer(partial), names)
    if printed is None:
        return None
    for name in unchanged:
        printed.functions[name] = before.functions[name]
    return printed


def _stub(func: Any) -> Any:
    cls = type(func)
    if cls not in _stubs:
        # The smallest body that there is, out of the same package: its name has changed.
        package = __import__(cls.__module__.rpartition(".")[0], fromlist=["Evaluate"])
        _stubs[cls] = cls([], package.Evaluate(0))
    return _stubs[cls]
