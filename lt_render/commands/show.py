"""``lt-render show``: what one pass did, or one of its texts."""

from __future__ import annotations

import argparse
import sys

from ..journals import newest_journal
from ..model import Pass
from ..outputs.plain import write_patch, write_text
from ..outputs.terminal_diff import duration
from ..paint import Painter, Piece
from ..patch import patch_of
from ..stream import PassStream
from ..terminal import complain
from ..texts import AFTER, BEFORE, GENERATED, named_text, text_of, text_or_none
from .base import (
    DAMAGED,
    Command,
    add_context_argument,
    add_journal_argument,
    add_pass_argument,
    add_query_arguments,
    facts_of,
    open_trace,
    pass_of,
    print_json,
    state_code,
)

DIFF = "diff"


class ShowCommand(Command):
    """Show what a pass did, or print one of its texts.

    Prints a few lines about the pass, and its diff: in colours at a terminal, as a
    patch into a pipe. Of a pass that failed it prints the error and the input, of a
    codegen the source that was compiled (into a pipe nothing but that source).

    --before, --after and --generated print that text and nothing else, into a pipe
    byte for byte; at a terminal control characters are escaped. --diff of a codegen
    is from the generated source to the edited one that was compiled.

    A pass asked for by its number is looked for no further than where it is.

    Exit code 0; 2: no such pass, or it has no such text; 3: the journal is damaged
    in the part that was read (with --strict the whole is read).

    Examples:
      lt-render show traces LowerTileOp
      lt-render show traces LowerTileOp@2 --after | grep tma_load
      lt-render show journal.lt.zst @last > kernel.cu
    """

    group = "The history of a kernel"
    paged = True

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_argument(parser)
        add_pass_argument(parser, "wanted", "the pass")
        which = parser.add_mutually_exclusive_group()
        for name, meaning in (
            (BEFORE, "its input"),
            (AFTER, "its output; of a codegen the source that was compiled"),
            (GENERATED, "of a codegen: what was generated, edited or not"),
            (DIFF, "nothing but the diff"),
        ):
            which.add_argument(
                f"--{name}", dest="which", action="store_const", const=name, help=meaning
            )
        add_context_argument(parser)
        add_query_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        one, code = _find(arguments)
        if arguments.json:
            print_json(_all_of(one, arguments.context))
        elif arguments.which == DIFF:
            _write_diff(one, arguments.context)
        elif arguments.which is not None:
            write_text(text_of(one, arguments.which))
        else:
            _write_page(one, arguments.context)
        return code


def _find(arguments: argparse.Namespace) -> tuple[Pass, int]:
    """Return the pass that is meant, and the exit code for the journal's state."""
    number = arguments.wanted
    if number.isdecimal() and arguments.kernel is None and not arguments.strict:
        path = newest_journal(arguments.journal)
        stream = PassStream(path, memory_limit=arguments.memory_limit)
        for one in stream.passes():
            if one.index == int(number):
                condition = stream.trace.condition
                if condition.damages:
                    complain(f"{path}: {condition.describe()}.")
                return one, DAMAGED if condition.damages else 0
    trace = open_trace(arguments.journal, arguments)
    one = pass_of(trace, arguments.wanted, arguments)
    return one, state_code(trace.condition, strict=arguments.strict)


def _first_of(one: Pass) -> str:
    """Which text the diff of a pass begins with: IR and source have no diff."""
    return GENERATED if one.is_codegen else BEFORE


def _all_of(one: Pass, context: int) -> dict[str, object]:
    texts = {which: text_or_none(one, which) for which in (BEFORE, AFTER)}
    if one.is_codegen:
        texts |= {GENERATED: text_or_none(one, GENERATED), "edited": one.edited_text}
    old, new = texts[_first_of(one)], texts[AFTER]
    patch = None
    if old is not None and new is not None:
        names = [named_text(one, which).name for which in (_first_of(one), AFTER)]
        patch = patch_of(old, new, *names, context=context).decode()
    return {**facts_of(one), **texts, DIFF: patch}


def _write_diff(one: Pass, context: int) -> None:
    write_patch(named_text(one, _first_of(one)), named_text(one, AFTER), context=context)


def _write_page(one: Pass, context: int) -> None:
    painter = Painter(sys.stdout)
    source = text_or_none(one, AFTER) if one.is_codegen else None
    if source is not None and not painter.on_terminal:
        write_text(source)
        return
    for pieces in _heading(one):
        sys.stdout.write(painter.line(*pieces))
    sys.stdout.write("\n")
    if one.failed:
        for line in one.error_msg.rstrip("\n").split("\n"):
            sys.stdout.write(painter.line(("failed", f"    {line}")))
        sys.stdout.write("\n")
        source = text_or_none(one, BEFORE)
    if source is not None:
        write_text(source)
    elif one.changed and one.before is not None:
        _write_diff(one, context)


def _heading(one: Pass) -> list[list[Piece]]:
    facts = [
        ("Kernel:", one.unit.title),
        ("Inside:", "" if one.parent is None else f"{one.parent.index} {one.parent.label}"),
        ("Status:", one.status if one.failed or one.is_codegen or one.changed else "no change"),
        ("Time:", "" if one.duration is None else duration(one.duration)),
        ("Error:", one.error_type),
        ("Note:", one.note),
    ]
    lines: list[list[Piece]] = [[("noted", f"pass {one.index} {one.label}")]]
    lines += [[("", f"{name:8}{value}")] for name, value in facts if value]
    return lines
