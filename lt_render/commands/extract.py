"""``lt-render extract``: one pass to be run again under TVM, for a bug report."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..outputs import replay
from ..terminal import printable
from .base import (
    Command,
    add_journal_argument,
    add_json_argument,
    add_kernel_argument,
    add_pass_argument,
    add_reading_arguments,
    facts_of,
    open_trace,
    pass_of,
    print_json,
    state_code,
)


class ExtractCommand(Command):
    """Extract the input of a pass, and a script that runs just that pass on it.

    Writes into DIR:

      input.tir            the IR that the pass was given, as it was recorded
      expected.tir         the IR that came out, or expected_error.txt
      replay.py            reads the input, makes the pass by its name, runs it under
                           the target and pass configs of its compile, writes
                           output.tir and says whether that is what was recorded
      tir_text.py          used by it: reads what TVM's parser does not
      start.tir            where the input's text leaves out layouts: the input of the
                           pass that made them, from which the script begins

    DIR can be sent to somebody who has TileLang or TVM and nothing of lower-trace.
    A codegen is extracted in the same way. The script evaluates the text as
    TVMScript: of a journal from a stranger, read it before you run it.

    Exit code 0; 2: no such pass, or its input was not recorded; 3: the journal is
    damaged.

    Examples:
      lt-render extract traces LowerTileOp bug
      python bug/replay.py
    """

    group = "Traces as artifacts"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_argument(parser)
        add_pass_argument(parser, "wanted", "the pass")
        parser.add_argument("directory", type=Path, metavar="DIR", help="where to write it")
        add_kernel_argument(parser)
        add_json_argument(parser)
        add_reading_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        trace = open_trace(arguments.journal, arguments)
        one = pass_of(trace, arguments.wanted, arguments)
        written = replay.write(one, arguments.directory)
        if arguments.json:
            print_json({**facts_of(one), "files": [str(path) for path in written]})
        else:
            print(printable(str(arguments.directory / replay.SCRIPT)))
        return state_code(trace.condition, strict=arguments.strict)
