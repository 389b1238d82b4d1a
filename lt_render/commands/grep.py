"""``lt-render grep``: which passes hold a text, and which brought it in or took it away."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from ..model import Pass
from ..occurrences import Change, Match, Pattern, Pickaxe, Search
from ..outputs.plain import text_line
from ..paint import Painter, Piece
from ..selection import in_order, while_reading
from ..terminal import printable
from .base import (
    Command,
    Reading,
    add_journal_argument,
    add_query_arguments,
    facts_of,
    print_json,
)

NOT_FOUND = 1

T = TypeVar("T")


class GrepCommand(Command):
    """Find a text in the passes of a journal.

    Prints the lines that hold PATTERN, a regular expression of Python's, as
    NUMBER PHASE/NAME:LINE:TEXT, each once for a kernel: with the pass in whose
    output it is first to be seen (as NUMBER PHASE/NAME:in:LINE:TEXT in its input,
    where no pass before left it). --all prints them for every pass that holds
    them, -l and -c tell of every such pass.

    -S finds the passes that changed how often PATTERN occurs, as git log -S does,
    and prints the lines that went and came.

    Exit code 0: found; 1: not found; 2: no journal, no such kernel, or a bad
    pattern; 3: the journal is damaged, what is left was searched (with --strict,
    ended early as well).

    Examples:
      lt-render grep traces 'tma_(load|store)'
      lt-render grep traces -S -F 'T.gemm('
      lt-render grep traces mbarrier -l
    """

    group = "The history of a kernel"
    paged = True

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_argument(parser)
        parser.add_argument("pattern", metavar="PATTERN", help="what to look for, line by line")
        parser.add_argument(
            "-F", "--fixed-strings", action="store_true", help="take PATTERN letter by letter"
        )
        parser.add_argument(
            "-i", "--ignore-case", action="store_true", help="upper case is lower case"
        )
        parser.add_argument(
            "-S", "--pickaxe", action="store_true", help="passes that changed how often it occurs"
        )
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "-c",
            "--count",
            action="store_true",
            help="how many lines of a pass hold it; with -S how often it occurred and occurs",
        )
        what.add_argument("-l", "--names", action="store_true", help="which passes, nothing else")
        parser.add_argument(
            "-a", "--all", action="store_true", help="lines that were there before, too"
        )
        add_query_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        pattern = Pattern(
            arguments.pattern, fixed=arguments.fixed_strings, ignore_case=arguments.ignore_case
        )
        reading = Reading(arguments.journal, arguments)
        passes = while_reading(reading.passes(), arguments.kernel)
        printer = _Printer(pattern, arguments)
        any_found = False
        if arguments.pickaxe:
            for place, change in _found(passes, Pickaxe(pattern).change):
                any_found = True
                printer.change(place, change)
        else:
            everywhere = arguments.all or arguments.names or arguments.count
            search = Search(pattern, everywhere=everywhere)
            for place, matches in _found(passes, search.matches):
                any_found = True
                printer.matches(place, matches)
        return reading.code or (0 if any_found else NOT_FOUND)


@dataclass(frozen=True)
class _Place:
    """What is said of a pass in which something was found: its texts are not kept."""

    index: int
    label: str
    facts: dict[str, Any]


def _found(passes: Iterable[Pass], look: Callable[[Pass], T | None]) -> Iterator[tuple[_Place, T]]:
    """Yield what there is of what ``look`` finds, in order of the passes."""

    def looked() -> Iterator[tuple[Pass, tuple[_Place, T] | None]]:
        for one in passes:
            result = look(one)
            place = _Place(one.index, printable(one.label), facts_of(one))
            yield one, (place, result) if result else None

    return in_order(looked())


class _Printer:
    """Prints what was found in one pass after another."""

    def __init__(self, pattern: Pattern, arguments: argparse.Namespace) -> None:
        self._pattern = pattern
        self._arguments = arguments
        self._painter = Painter(sys.stdout)

    def matches(self, place: _Place, matches: list[Match]) -> None:
        """Print the lines of a pass that hold the pattern, or how many do."""
        if self._arguments.json:
            print_json({**place.facts, "matches": [asdict(match) for match in matches]})
        elif self._arguments.names or self._arguments.count:
            self._brief(place, str(len(matches)))
        else:
            for match in matches:
                side = "in:" if match.side == "in" else ""
                self._line([*_name(place), ("dim", f":{side}{match.number}:")], match.text)

    def change(self, place: _Place, change: Change) -> None:
        """Print what a pass did to the occurrences."""
        counts = f"{change.before} → {change.after}"
        if self._arguments.json:
            print_json({**place.facts, "occurrences": asdict(change)})
        elif self._arguments.names or self._arguments.count:
            self._brief(place, counts)
        else:
            self._print(*_name(place), ("", f": {counts}"))
            for line in change.removed:
                self._line([("removed", "-")], line)
            for line in change.added:
                self._line([("added", "+")], line)

    def _brief(self, place: _Place, counts: str) -> None:
        self._print(*_name(place), *([("", f":{counts}")] if self._arguments.count else []))

    def _line(self, head: list[Piece], text: str) -> None:
        body: list[Piece] = []
        at = 0
        for start, end in self._pattern.places(text):
            body += [("", text[at:start]), ("failed", text[start:end])]
            at = end
        sys.stdout.write(text_line(self._painter, head, *body, ("", text[at:])))

    def _print(self, *pieces: Piece) -> None:
        sys.stdout.write(self._painter.line(*pieces))


def _name(place: _Place) -> list[Piece]:
    return [("place", str(place.index)), ("", f" {place.label}")]
