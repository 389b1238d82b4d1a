"""Passes of one kernel, and passes in the order of their numbers while a journal is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from .errors import NotFound
from .model import Pass

T = TypeVar("T")


def of_kernel(passes: Sequence[Pass], kernel: str | None) -> list[Pass]:
    """Return those of ``passes`` that ran for ``kernel``, every compile of that name; all for None.

    Raises :class:`~lt_render.errors.NotFound` where there is no such kernel.
    """
    return list(while_reading(passes, kernel))


def while_reading(passes: Iterable[Pass], kernel: str | None) -> Iterator[Pass]:
    """Yield what :func:`of_kernel` returns; that there is no such kernel is known at the end."""
    titles: dict[str, None] = {}
    found = False
    for one in passes:
        titles.setdefault(one.unit.title)
        if kernel is None or one.unit.is_called(kernel):
            found = True
            yield one
    if kernel is not None and not found:
        raise NotFound(f"there is no kernel {kernel!r}; there are: {', '.join(titles) or 'none'}.")


def in_order(found: Iterable[tuple[Pass, T | None]]) -> Iterator[T]:
    """Yield what was found at the passes, ``None`` left out, in order of their numbers.

    A pass that runs inside another one ends before it, so it waits for it;
    ``found`` is in the order in which passes end, and tells of each.
    """
    waiting: dict[Pass, list[tuple[int, int, T]]] = {}
    for one, value in found:
        outermost = one
        while outermost.parent is not None:
            outermost = outermost.parent
        if value is not None:
            waiting.setdefault(outermost, []).append((one.index, one.number, value))
        if one is outermost:
            yield from _sorted(waiting.pop(one, []))
    for left in waiting.values():
        yield from _sorted(left)


def _sorted(found: list[tuple[int, int, T]]) -> Iterator[T]:
    for _, _, value in sorted(found, key=lambda item: item[:2]):
        yield value
