"""``lt-render JOURNAL…``: phase directories and the report."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from ..condition import State
from ..errors import RenderError
from ..layout import place_for
from ..load import load
from ..model import Trace
from ..outputs import html_report, phase_dirs
from ..progress import progress
from ..redact import redact
from ..terminal import complain, printable
from .base import Command, add_journal_arguments, find_journals, state_code


class RenderCommand(Command):
    """Rebuild the phase directories and the HTML report of journals.

    Around each journal, or below DIR, as in the built-in tracer's guide:

      <script>/report.html                      the newest run's report
      <script>/.run_records/run_…/report.html   each run's own
      <script>/.run_records/run_…/<phase>/      NN_Name_before.tir, NN_Name_after.tir

    Prints the path of each report. A journal whose process died is rendered as
    far as it goes (exit code 0 and a warning); from a damaged one everything
    outside the damage is kept (exit code 3). One bad journal does not stop the
    others.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_arguments(parser)
        parser.add_argument(
            "-o", "--output", type=Path, metavar="DIR", help="write below DIR instead"
        )
        parser.add_argument(
            "--redact",
            action="store_true",
            help="leave out host, user, paths, argv and environment",
        )

    def run(self, arguments: argparse.Namespace) -> int:
        journals = find_journals(arguments.journals)
        code = 0
        for journal in journals:
            try:
                trace = load(journal, memory_limit=arguments.memory_limit)
                if arguments.redact:
                    redact(trace)
                if trace.condition.state is not State.CLEAN:
                    complain(f"{journal}: {trace.state_message}.")
                code = max(code, state_code(trace.condition, strict=arguments.strict))
                with progress(journal.parent.name, 2 * len(trace.passes)) as advance:
                    report = _render(journal, trace, arguments.output, advance)
            except RenderError as error:
                # One bad journal does not stop the others.
                if len(journals) == 1:
                    raise
                complain(str(error))
                code = max(code, error.exit_code)
                continue
            print(printable(str(report)))
        return code


def _render(journal: Path, trace: Trace, output: Path | None, advance: Callable[[], None]) -> Path:
    place = place_for(journal, trace, output)
    place.make()
    phase_dirs.write(trace, place.run_dir, advance)
    html_report.write(trace, place.report, advance)
    place.link_report()
    return place.report
