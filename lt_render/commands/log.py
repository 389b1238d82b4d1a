"""``lt-render log``: one line a pass."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from ..model import STATUS_UNFINISHED, Pass, Unit
from ..outputs.terminal_diff import duration
from ..paint import Painter, Piece, columns
from ..selection import while_reading
from ..terminal import printable
from .base import (
    Command,
    Reading,
    add_journal_argument,
    add_query_arguments,
    facts_of,
    print_json,
)

#: Columns of a bar of --stat where lines have no end, and at least.
_BAR, _SHORTEST_BAR = 40, 10


class LogCommand(Command):
    """List the passes of a journal, one line each, kernel by kernel.

    A line has the pass's mark and number, its phase and name (two columns further
    in for each pass around it), the lines that it added and removed, and its time:

      ●  it changed the IR        ✕  it failed, or the process ended inside it
      ○  it changed nothing       ◆  codegen

    Passes that changed nothing are left out without --all. With --stat a bar of
    + and − shows how much changed, as in git; bars of one kernel have one scale.
    Kernels come in the order in which their compiles ended.

    Exit code 0; 2: no journal, or no such kernel; 3: damaged inside, what is left
    is listed (with --strict, ended early as well).

    Examples:
      lt-render log traces --stat
      lt-render log journal.lt.zst --all --kernel gemm
      lt-render log traces --json | jq -r 'select(.duration > 10000).name'
    """

    group = "The history of a kernel"
    paged = True

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_argument(parser)
        parser.add_argument(
            "-a", "--all", action="store_true", help="passes that changed nothing, too"
        )
        parser.add_argument("--stat", action="store_true", help="show bars in the place of times")
        add_query_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        reading = Reading(arguments.journal, arguments)
        lines = _Lines(Painter(sys.stdout), stat=arguments.stat)
        for unit, rows in _by_compile(while_reading(reading.passes(), arguments.kernel)):
            shown = [row for row in rows if arguments.all or row.kind != "no-op"]
            if arguments.json:
                for row in shown:
                    print_json(row.facts)
            elif shown:
                sys.stdout.writelines(lines.of_compile(unit, shown))
                sys.stdout.flush()
        return reading.code


@dataclass(frozen=True)
class _Row:
    """What the list says of a pass: its texts are not kept."""

    order: tuple[int, int]
    #: ``changed``, ``no-op``, ``failed`` or ``codegen``.
    kind: str
    facts: dict[str, object]
    #: Phase and name, two columns further in for each pass around it.
    shown_label: str
    added: int
    removed: int
    time: str
    #: First line of what a failed pass raised.
    error: str

    @classmethod
    def of(cls, one: Pass) -> _Row:
        """What is to be kept of a pass that has ended, or never will."""
        # A codegen's two texts are of different languages.
        added, removed = (0, 0) if one.is_codegen else (one.diff.insertions, one.diff.deletions)
        return cls(
            order=(one.index, one.number),
            kind=_kind(one),
            facts={**facts_of(one), "added": added, "removed": removed},
            shown_label=printable("  " * one.depth + one.label),
            added=added,
            removed=removed,
            time="" if one.duration is None else duration(one.duration),
            error=one.error_msg.strip().partition("\n")[0],
        )


def _kind(one: Pass) -> str:
    if one.failed:
        return "failed"
    if one.is_codegen:
        return "codegen"
    return "changed" if one.changed else "no-op"


def _by_compile(passes: Iterator[Pass]) -> Iterator[tuple[Unit, list[_Row]]]:
    """Yield each compile, when it has ended, with its passes in order; compiles may overlap."""
    open_units: dict[Unit, list[_Row]] = {}
    for one in passes:
        for unit in [
            unit for unit in open_units if unit is not one.unit and unit.status != STATUS_UNFINISHED
        ]:
            yield unit, _sorted(open_units.pop(unit))
        open_units.setdefault(one.unit, []).append(_Row.of(one))
    for unit, rows in open_units.items():
        yield unit, _sorted(rows)


def _sorted(rows: list[_Row]) -> list[_Row]:
    return sorted(rows, key=lambda row: row.order)


_MARKS: dict[str, Piece] = {
    "changed": ("title", "●"),
    "no-op": ("dim", "○"),
    "failed": ("failed", "✕"),
    "codegen": ("codegen", "◆"),
}


class _Lines:
    """The lines of the list."""

    def __init__(self, painter: Painter, *, stat: bool) -> None:
        self._painter = painter
        self._stat = stat

    def of_compile(self, unit: Unit, rows: list[_Row]) -> Iterator[str]:
        """Yield a heading, and the lines of passes that ran for one compile."""
        state: list[Piece] = [("failed", " failed")] if unit.error_msg else []
        yield self._painter.rule(("title", unit.title), *state)
        number_width = max(3, len(str(rows[-1].order[0])))
        label_width = max(columns(row.shown_label) for row in rows)
        tails = self._bars(rows, number_width + label_width) if self._stat else _counts(rows)
        for row, tail in zip(rows, tails, strict=True):
            look, mark = _MARKS[row.kind]
            pieces: list[Piece] = [
                (look, mark),
                ("", f" {row.order[0]:{number_width}}  "),
                ("" if row.kind == "changed" else look, row.shown_label),
                ("", " " * (label_width - columns(row.shown_label))),
                *tail,
            ]
            if row.error:
                pieces.append(("failed", f"  {row.error}"))
            while not pieces[-1][1].strip():
                pieces.pop()
            yield self._painter.line(*pieces)

    def _bars(self, rows: list[_Row], used: int) -> Iterator[list[Piece]]:
        most = max(row.added + row.removed for row in rows)
        digits = len(str(most))
        width = self._painter.width
        room = _BAR if width is None else max(_SHORTEST_BAR, width - used - digits - 8)
        for row in rows:
            added, removed = _scaled(row.added, row.removed, most, room)
            total = f"{row.added + row.removed:{digits}}" if row.kind == "changed" else ""
            yield [
                ("dim", " | "),
                ("", f"{total} "),
                ("added", "+" * added),
                ("removed", "−" * removed),
            ]


def _counts(rows: list[_Row]) -> Iterator[list[Piece]]:
    added = 1 + max(len(str(row.added)) for row in rows)
    removed = 1 + max(len(str(row.removed)) for row in rows)
    time = max(len(row.time) for row in rows)
    for row in rows:
        counted = row.kind == "changed"
        yield [
            ("added", f"  {f'+{row.added}' if counted else '':>{added}}"),
            ("removed", f" {f'−{row.removed}' if counted else '':>{removed}}"),
            ("dim", f"  {row.time:>{time}}"),
        ]


def _scaled(added: int, removed: int, most: int, room: int) -> tuple[int, int]:
    """Shorten two parts of a bar where the longest is too long; what is there is to be seen."""
    if most <= room:
        return added, removed
    share = room / most
    return (
        max(1, round(added * share)) if added else 0,
        max(1, round(removed * share)) if removed else 0,
    )
