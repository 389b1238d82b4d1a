"""Texts of IRModules: printed only where they may differ, stored once.

Printing is nearly the whole cost of a trace, and a pass's input is almost
always the output of the pass before it.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

from .by_function import MANY, FunctionTexts, cut, print_changed
from .sameness import Handles, Parts, changed_functions, parts_of
from .signals import reraise_a_signals


def _print(mod: Any) -> str:
    """Return what ``str(mod)`` gives.

    But ``str`` falls back to another form, without a word, when the printer
    fails or a signal interrupts it; this raises :class:`Unprintable`, or what the
    signal raised.
    """
    global _printer
    try:
        if _printer is None:
            try:
                from tvm.runtime.script_printer import _script
            except ImportError:
                return str(mod.script())
            _printer = _script
        return str(_printer(mod, None))
    except Exception as error:
        reraise_a_signals(error)
        raise Unprintable(f"{type(error).__name__}: {error}") from None


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
        #: The newest first: two, as a pass over a large module may look at a small one.
        self._printed: deque[_Printed] = deque(maxlen=2)

    def text_id(self, mod: Any, texts: Texts) -> int | None:
        """Return the number of ``mod``'s text, printing and storing it if need be.

        ``None`` when the text could not be written. Raises :class:`Unprintable`.
        """
        parts = parts_of(mod)
        known = self._look_up(parts, texts)
        if known is not None:
            return known
        printed = self._without_printing_all(mod, parts)
        return self._store(printed or _Printed(parts, _print(mod)), texts)

    def verified_text_id(self, mod: Any, texts: Texts) -> tuple[int | None, bool | None]:
        """Like :meth:`text_id`, but print always, and all of it.

        Also returns whether that gave the text that would have been taken without it, or
        by printing a part; ``None`` when all would have been printed.
        """
        parts = parts_of(mod)
        known = self._look_up(parts, texts)
        would_be = self._without_printing_all(mod, parts) if known is None else None
        text = _print(mod)
        number = self._store(_Printed(parts, text), texts)
        if known is not None:
            return number, known == number
        return number, None if would_be is None else would_be.text == text

    def clear(self) -> None:
        """Let go of all modules."""
        self._known.clear()
        self._printed.clear()

    def _look_up(self, parts: Parts | None, texts: Texts) -> int | None:
        if self._epoch != texts.epoch():
            # Their numbers mean nothing in a new frame of the journal.
            self._known.clear()
            self._epoch = texts.epoch()
        known = None if parts is None else self._known.get(parts.handles)
        if parts is None or known is None:
            return None
        self._known.move_to_end(parts.handles)
        return known[0]

    def _without_printing_all(self, mod: Any, parts: Parts | None) -> _Printed | None:
        """Return ``mod``'s text, by what was printed before; ``None`` where that cannot be."""
        if parts is None:
            return None
        many = len(parts.functions) >= MANY
        for printed in itertools.islice(self._printed, 2 if many else 1):
            changed = None if printed.parts is None else changed_functions(printed.parts, parts)
            if changed == []:
                return _Printed(parts, printed.text, printed.cut)
            if not many or changed is None or len(changed) == len(parts.functions):
                continue
            before = printed.functions()
            if before is None:
                continue
            try:
                functions = print_changed(
                    mod, parts.functions.keys() - set(changed), before, _print
                )
            except Exception as error:
                reraise_a_signals(error)
                return None  # printing all may do
            return None if functions is None else _Printed(parts, str(functions), functions)
        return None

    def _store(self, printed: _Printed, texts: Texts) -> int | None:
        number = texts.store(printed.text)
        parts = printed.parts
        if number is not None and parts is not None and self._epoch == texts.epoch():
            self._known[parts.handles] = number, parts
            self._known.move_to_end(parts.handles)
            if len(self._known) > self.SIZE:
                self._known.popitem(last=False)
        self._printed.appendleft(printed)
        return number


class _Printed:
    """A module's text, and what it was printed from."""

    __slots__ = ("cut", "parts", "text")

    def __init__(
        self, parts: Parts | None, text: str, functions: FunctionTexts | None = None
    ) -> None:
        self.parts = parts
        self.text = text
        #: The text by function, once that was asked for.
        self.cut = functions

    def functions(self) -> FunctionTexts | None:
        """The text by function; ``None`` where it cannot be told."""
        if self.cut is None and self.parts is not None:
            self.cut = cut(self.text, self.parts.functions)
        return self.cut
