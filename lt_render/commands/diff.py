"""``lt-render diff``: from the text of one pass to that of another."""

from __future__ import annotations

import argparse

from ..model import Trace
from ..outputs.plain import write_patch
from ..patch import patch_of
from ..texts import NamedText, named_text, split_port
from .base import (
    Command,
    add_context_argument,
    add_journal_argument,
    add_pass_argument,
    add_query_arguments,
    open_trace,
    pass_of,
    print_json,
    state_code,
)


class DiffCommand(Command):
    """Compare the texts of two passes of a journal.

    Prints the unified diff from the output of the first to the output of the
    second, in colours at a terminal, as a patch into a pipe: what all passes
    after the first, up to the second, have done. PASS:in stands for a pass's
    input, PASS:out for its output.

    Exit code 0, with --exit-code 1 where they differ; 2: no such pass, or it has
    no such text; 3: the journal is damaged (with --strict, ended early as well).

    Examples:
      lt-render diff traces LayoutInference LowerTileOp
      lt-render diff traces 25:in 27:out -w -U 10
      lt-render diff traces Simplify@1 Simplify@last --exit-code > /dev/null
    """

    group = "The history of a kernel"
    paged = True

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_argument(parser)
        add_pass_argument(parser, "first", "the pass to start from")
        add_pass_argument(parser, "second", "the pass to end with")
        parser.add_argument(
            "-w",
            "--ignore-whitespace",
            action="store_true",
            help="lines that differ only in whitespace are equal",
        )
        add_context_argument(parser)
        parser.add_argument(
            "--exit-code", action="store_true", help="exit with 1 if the texts differ"
        )
        add_query_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        trace = open_trace(arguments.journal, arguments)
        old = _text_at(trace, arguments.first, arguments)
        new = _text_at(trace, arguments.second, arguments)
        options = {
            "context": arguments.context,
            "ignore_whitespace": arguments.ignore_whitespace,
        }
        patch = patch_of(old.text, new.text, old.name, new.name, **options)
        if arguments.json:
            print_json({"from": old.name, "to": new.name, "diff": patch.decode()})
        else:
            write_patch(old, new, **options)
        code = state_code(trace.condition, strict=arguments.strict)
        return max(code, int(arguments.exit_code and bool(patch)))


def _text_at(trace: Trace, wanted: str, arguments: argparse.Namespace) -> NamedText:
    """Return the text that PASS, PASS:in or PASS:out stands for."""
    name, which = split_port(wanted)
    return named_text(pass_of(trace, name, arguments), which)
