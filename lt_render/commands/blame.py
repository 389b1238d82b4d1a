"""``lt-render blame``: each line with the pass that brought it in."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ..blame import EDITED, Blame, Blamed
from ..errors import NotFound
from ..lineage import START
from ..model import Pass
from ..outputs.plain import text_line
from ..paint import Painter, Piece, columns
from ..selection import of_kernel
from ..terminal import printable
from ..texts import AFTER, split_port
from .base import (
    Command,
    add_journal_argument,
    add_pass_argument,
    add_query_arguments,
    open_trace,
    pass_of,
    print_json,
    state_code,
)


class BlameCommand(Command):
    """Print each line of a text with the pass that brought it in.

    PASS stands for its output, PASS:in for its input; without PASS the text is the
    source of the last codegen, of a device where there is one. A line begins with
    a mark, the number and the name of the pass that gave it its words; one that a
    pass has only indented anew is not that pass's, unless --exact is given.

      ^  it was there before the first pass
      ~  it came in between two passes; named is the first that was given it
      ?  it is generated, and the pass that brought in the statement of the IR that
         it most plausibly came from is a guess; <- begins that statement
      !  it was edited by hand

    A generated line of which nothing can be said, as #include, is the codegen's.

    Exit code 0; 2: no such pass, or it has no such text; 3: the journal is damaged
    (with --strict, ended early as well).

    Examples:
      lt-render blame traces
      lt-render blame traces LowerTileOp | grep tma_load
      lt-render blame traces --origin --short
    """

    group = "The history of a kernel"
    paged = True

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_argument(parser)
        add_pass_argument(parser, "wanted", "the pass whose text is meant", optional=True)
        parser.add_argument(
            "-s", "--short", action="store_true", help="leave out the statements of guesses"
        )
        parser.add_argument(
            "--origin",
            action="store_true",
            help="the pass that brought in what became the line, however often rewritten since",
        )
        parser.add_argument(
            "--exact",
            action="store_true",
            help="indentation counts, as in the report's history of a line",
        )
        add_query_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        trace = open_trace(arguments.journal, arguments)
        if arguments.wanted is None:
            one, which = _last(of_kernel(trace.passes, arguments.kernel)), AFTER
        else:
            name, which = split_port(arguments.wanted)
            one = pass_of(trace, name, arguments)
        passes = [other for other in trace.passes if other.unit is one.unit]
        blame = Blame(passes, exact=arguments.exact, first=arguments.origin)
        lines = list(blame.lines(one, which))
        if arguments.json:
            for line in lines:
                print_json(_facts(line))
        else:
            sys.stdout.writelines(_lines(lines, short=arguments.short))
        return state_code(trace.condition, strict=arguments.strict)


def _last(passes: Sequence[Pass]) -> Pass:
    """The pass whose output is the end of all: the last codegen, if there is one."""
    having = [one for one in passes if one.after is not None]
    codegens = [one for one in having if one.is_codegen]
    if codegens:
        having = [one for one in codegens if one.unit is codegens[-1].unit]
        having = [one for one in having if one.role == "device"] or having
    if not having:
        raise NotFound(
            "the journal holds no pass with an output; lt-render log lists what there is."
        )
    return having[-1]


def _facts(line: Blamed) -> dict[str, Any]:
    return {
        "line": line.number,
        "text": line.text,
        "how": line.how,
        "index": line.one.index,
        "phase": line.one.phase,
        "name": line.one.name,
        "between": line.between,
        "guess": None
        if line.guess is None
        else {"line": line.guess.number, "text": line.guess.text},
    }


def _lines(blamed: Sequence[Blamed], *, short: bool) -> Iterator[str]:
    painter = Painter(sys.stdout)
    names = [printable(f"{line.one.index:3} {line.one.name}") for line in blamed]
    width = max(map(columns, names))
    digits = len(str(len(blamed)))
    before: Blamed | None = None
    for line, name in zip(blamed, names, strict=True):
        goes_on = before is not None and (before.one, before.guess) == (line.one, line.guess)
        head: list[Piece] = [
            ("noted", f"{_mark(line)} "),
            ("dim" if goes_on else "place", name + " " * (width - columns(name))),
            ("dim", f" {line.number:{digits}}) "),
        ]
        yield text_line(painter, head, ("", line.text))
        if line.guess is not None and not goes_on and not short:
            yield text_line(
                painter,
                [("", " " * (width + digits + 2))],
                ("dim", "<- "),
                ("dim", line.guess.text),
            )
        before = line


def _mark(line: Blamed) -> str:
    if line.guess is not None:
        return "?"
    if line.between:
        return "~"
    return {START: "^", EDITED: "!"}.get(line.how, " ")
