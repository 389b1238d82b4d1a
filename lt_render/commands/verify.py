"""``lt-render verify``: is all of it there?"""

from __future__ import annotations

import argparse

from lt_record.console import counted

from ..condition import State
from ..errors import RenderError
from ..journals import find_journals
from ..load import load
from ..sources import shown
from ..terminal import complain, printable
from .base import Command, add_journal_arguments, state_code


class VerifyCommand(Command):
    """Check journals from the first byte to the last, without rendering.

    Prints one line a journal: its state, passes and kernels. Exit code 0:
    closed cleanly, or ended early because its process died; 2: no journal;
    3: damaged inside (with --strict, ended early as well).

    Examples:
      lt-render verify traces
      lt-render verify --strict journal.lt.zst && lt-render journal.lt.zst
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        code = 0
        for journal in find_journals(arguments.journals, latest=arguments.latest):
            try:
                trace = load(journal, memory_limit=arguments.memory_limit)
            except RenderError as error:
                complain(str(error))
                code = max(code, error.exit_code)
                continue
            passes = counted(trace.pass_count, "pass")
            kernels = counted(trace.kernel_count, "kernel")
            mark = {State.CLEAN: "ok", State.ENDED_EARLY: "early", State.DAMAGED: "DAMAGED"}
            print(
                printable(
                    f"{mark[trace.condition.state]:8}{shown(journal)}: {trace.state_message} "
                    f"({passes}, {kernels})"
                )
            )
            code = max(code, state_code(trace.condition, strict=arguments.strict))
        return code
