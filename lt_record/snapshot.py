"""Texts of IRModules: printed only where they may differ, stored once.

Printing is nearly the whole cost of a trace, and a pass's input is almost
always the output of the pass before it.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .sameness import Handles, Parts, parts_of, same_text
from .signals import reraise_a_signals


def _print(mod: Any) -> str:
    """Return what ``str(mod)`` gives.

    But ``str`` falls back to another form, without a word, when the printer
    fails or a signal interrupts it; this raises.
    """
    global _printer
    if _printer is None:
        try:
            from tvm.runtime.script_printer import _script
        except ImportError:
            return str(mod.script())
        _printer = _script
    return str(_printer(mod, None))


_printer: Callable[[Any, None], str] | None = None


class Unprintable(Exception):
    """The printer failed on a module; the message is the printer's."""


class Texts:
    """The texts of the journal's current frame by their digest, so that each is stored once.

    ``write`` stores a text under a number and says whether it could;
    ``epoch`` changes when the texts written before are to be stored again.
    """

    def __init__(self, write: Callable[[int, str], bool], epoch: Callable[[], int]) -> None:
        self._write = write
        self.epoch = epoch
        self._numbers: dict[bytes, int] = {}
        self._known_epoch = -1
        self._count = itertools.count()

    def store(self, text: str) -> int | None:
        """Store ``text`` unless it is there; return its number, or ``None`` on failure."""
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if self._known_epoch != self.epoch():
            self._numbers.clear()
            self._known_epoch = self.epoch()
        number = self._numbers.get(digest)
        if number is None:
            number = next(self._count)
            if not self._write(number, text):
                return None
            if self._known_epoch == self.epoch():
                self._numbers[digest] = number
        return number


class Snapshots:
    """The last few modules a thread has seen, by their parts, with their text's number."""

    #: A pipeline goes on with its last output; splitting host from device looks
    #: back at one more. Each entry keeps a module's parts alive.
    SIZE = 4

    def __init__(self) -> None:
        self._known: OrderedDict[Handles, tuple[int, Parts]] = OrderedDict()
        self._epoch = -1

    def text_id(self, mod: Any, texts: Texts) -> int | None:
        """Return the number of ``mod``'s text, printing and storing it if need be.

        ``None`` when the text could not be written. Raises :class:`Unprintable`.
        """
        parts = parts_of(mod)
        known = self._look_up(parts, texts)
        return known if known is not None else self._print(mod, parts, texts)

    def verified_text_id(self, mod: Any, texts: Texts) -> tuple[int | None, bool | None]:
        """Like :meth:`text_id`, but print always.

        Also returns whether a skipped print would have given the same text;
        ``None`` when it would not have been skipped.
        """
        parts = parts_of(mod)
        known = self._look_up(parts, texts)
        number = self._print(mod, parts, texts)
        return number, None if known is None else known == number

    def clear(self) -> None:
        """Let go of all modules."""
        self._known.clear()

    def _look_up(self, parts: Parts | None, texts: Texts) -> int | None:
        if self._epoch != texts.epoch():
            self._known.clear()
            self._epoch = texts.epoch()
        if parts is None or not self._known:
            return None
        found = self._known.get(parts.handles)
        if found is not None:
            self._known.move_to_end(parts.handles)
            return found[0]
        number, newest = next(reversed(self._known.values()))
        if same_text(newest, parts):
            self._remember(number, parts)
            return number
        return None

    def _print(self, mod: Any, parts: Parts | None, texts: Texts) -> int | None:
        try:
            text = _print(mod)
        except Exception as error:
            reraise_a_signals(error)
            raise Unprintable(f"{type(error).__name__}: {error}") from None
        number = texts.store(text)
        if parts is not None and number is not None and self._epoch == texts.epoch():
            self._remember(number, parts)
        return number

    def _remember(self, number: int, parts: Parts) -> None:
        self._known[parts.handles] = (number, parts)
        self._known.move_to_end(parts.handles)
        if len(self._known) > self.SIZE:
            self._known.popitem(last=False)
