"""Proofs, cheaper than printing, that two IRModules have the same text.

First by handles: a module's text depends on its functions' names and fields and
on its own attributes, and an IR node is immutable behind its handle as long as
somebody else holds a reference, because TVM then copies on write. The identity
of the module or of a function proves nothing: some passes change them in place.

Then, for passes that rebuild nodes without changing them, by TVM's recursive
comparison and a walk over what it passes over. (Structural comparison would not
do: it ignores names.) The printer tells a buffer ``B`` from a second one with the
same content (``B_1``), goes by the order of maps, and tells 0.0 from -0.0; the
recursive comparison does none of it. A failed proof only costs a print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .signals import reraise_a_signals

#: Fields that do not show in the text (of a PrimFunc, the last one).
_UNPRINTED = frozenset({"span", "struct_info_"})
#: Function types whose fields TVM never changes in place. Relax updates struct
#: info within live expressions, so its functions are always printed.
_COMPARABLE = frozenset({"PrimFunc"})
#: Nodes that the printer names by identity, not by content.
_NAMED = frozenset({"Var", "SizeVar", "Buffer", "IterVar", "GlobalVar"})
#: Type keys of nodes whose text is made of their reflected fields alone.
_TRANSPARENT = ("tirx.", "tir.", "ir.", "s_tir.")
#: Field types on which the recursive comparison is exact.
_EXACT = ('{"type":"int"}', '{"type":"bool"}', '{"type":"ffi.String"}', '{"type":"DataType"}')

#: Pairs of nodes that a walk of one function may compare; beyond, printing is as cheap.
BUDGET = 1000

Handles = tuple[Any, ...]


class Parts:
    """What a module's text is made of, kept alive while its handles are compared."""

    __slots__ = ("functions", "handles", "objects")

    def __init__(self, handles: Handles, objects: list[Any], functions: dict[str, slice]) -> None:
        #: Hashable: GlobalVars and fields by their handles. What only printing can tell
        #: apart equals nothing.
        self.handles = handles
        #: The objects behind them, in the same places.
        self.objects = objects
        #: Where each function's are, by its name, in the module's order.
        self.functions = functions


#: In the place of a function's fields, where they prove nothing.
_INCOMPARABLE = object()


def parts_of(mod: Any) -> Parts | None:
    """Take ``mod`` apart; ``None`` where that cannot be done."""
    try:
        objects: list[Any] = []
        handles: list[Any] = []
        functions: dict[str, slice] = {}
        for part in (mod.attrs, mod.global_infos):
            # Two modules rarely share one empty map; all of them print alike.
            part = part if part is not None and len(part) else None
            objects.append(part)
            handles.append(_handle(part))
        for var, func in mod.functions_items():
            begin = len(objects)
            # By its identity: a call of one that is not in the module prints differently.
            objects.append(var)
            handles.append(var.__chandle__())
            cls = type(func)
            if cls.__name__ in _COMPARABLE:
                for field in _fields(cls):
                    part = getattr(func, field)
                    objects.append(part)
                    handles.append(_handle(part))
            else:
                objects.append(_INCOMPARABLE)
                handles.append(object())
            functions[str(var.name_hint)] = slice(begin, len(objects))
        return Parts(tuple(handles), objects, functions)
    except Exception as error:
        reraise_a_signals(error)
        return None


def changed_functions(old: Parts, new: Parts) -> list[str] | None:
    """Names of the functions of ``new`` whose text may differ from that in ``old``.

    ``None``: anything may.
    """
    if len(old.handles) != len(new.handles) or old.functions != new.functions:
        return None
    if not _alike(old, new, slice(0, 2)):
        return None
    changed = []
    for name, place in new.functions.items():
        if old.handles[place.start] != new.handles[place.start]:
            return None
        if not _alike(old, new, place):
            changed.append(name)
    return changed


def _alike(old: Parts, new: Parts, place: slice) -> bool:
    """Whether handles, or else a walk, prove that what is at ``place`` prints alike."""
    if old.handles[place] == new.handles[place]:
        return True
    quick = _recursive_equality()
    if quick is None or new.objects[place.stop - 1] is _INCOMPARABLE:
        return False
    pairs = [
        (old.objects[at], new.objects[at])
        for at in range(place.start, place.stop)
        if old.handles[at] != new.handles[at]
    ]
    try:
        # C++, and finds nearly every real change at once.
        return all(quick(a, b) for a, b in pairs) and _walk(pairs)
    except Exception as error:
        reraise_a_signals(error)
        return False


def _walk(pairs: list[tuple[Any, Any]]) -> bool:
    """Compare what the recursive comparison, already passed, does not look at."""
    left = BUDGET
    while pairs:
        left -= 1
        if left < 0:
            return False
        a, b = pairs.pop()
        cls = type(a)
        if cls is not type(b):
            return False
        if not hasattr(a, "__chandle__"):
            if a != b or (cls is float and repr(a) != repr(b)):
                return False
            continue
        if a.__chandle__() == b.__chandle__():
            continue
        name = cls.__name__
        if name == "Array":
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif name == "Map":
            if len(a) != len(b):
                return False
            for (key_a, value_a), (key_b, value_b) in zip(a.items(), b.items(), strict=True):
                pairs.append((key_a, key_b))
                pairs.append((value_a, value_b))
        else:
            fields = _walkable_fields(cls)
            if fields is None:
                return False
            for field in fields:
                pairs.append((getattr(a, field), getattr(b, field)))
    return True


def _handle(part: Any) -> Any:
    # Empty tuples and strings come back as plain Python values.
    return part.__chandle__() if hasattr(part, "__chandle__") else part


_fields_of: dict[type, tuple[str, ...]] = {}
_walkable: dict[type, tuple[str, ...] | None] = {}
_quick: list[Callable[[Any, Any], bool] | None] = []


def _fields(cls: type) -> tuple[str, ...]:
    names = _fields_of.get(cls)
    if names is None:
        found: list[str] = []
        info: Any = cls.__dict__["__tvm_ffi_type_info__"]
        while info is not None:
            found += [field.name for field in info.fields]
            info = info.parent_type_info
        names = _fields_of[cls] = tuple(name for name in found if name not in _UNPRINTED)
    return names


def _walkable_fields(cls: type) -> tuple[str, ...] | None:
    if cls not in _walkable:
        key = str(cls.__dict__["__tvm_ffi_type_info__"].type_key)
        transparent = key.startswith(_TRANSPARENT) and cls.__name__ not in _NAMED
        _walkable[cls] = tuple(_inexact_fields(cls)) if transparent else None
    return _walkable[cls]


def _inexact_fields(cls: type) -> Iterator[str]:
    info: Any = cls.__dict__["__tvm_ffi_type_info__"]
    while info is not None:
        for field in info.fields:
            schema = (field.metadata or {}).get("type_schema")
            if field.name not in _UNPRINTED and schema not in _EXACT:
                yield field.name
        info = info.parent_type_info


def _recursive_equality() -> Callable[[Any, Any], bool] | None:
    if not _quick:
        from tvm_ffi import get_global_func

        _quick.append(get_global_func("ffi.RecursiveEq", allow_missing=True))
    return _quick[0]
