"""``lt-render index``: all runs below a directory on one page."""

from __future__ import annotations

import argparse
from pathlib import Path

from lt_record.console import counted

from ..errors import RenderError
from ..journals import find_journals
from ..outputs import index_page
from ..overview import DAMAGED as IS_DAMAGED
from ..overview import UNREADABLE, Overview, overview
from ..parallel import add_jobs_argument, in_order
from ..progress import progress
from ..sources import is_url, shown
from ..terminal import complain, printable
from .base import (
    DAMAGED,
    Command,
    add_journal_arguments,
    add_json_argument,
    print_json,
)

INDEX = "index.html"


class IndexCommand(Command):
    """List all runs below a directory on one HTML page.

    Tells of each run its script, kernels and targets, how it came out (and inside
    which pass it died), when and how long it ran, how many of its passes changed the
    IR, the versions, and links its report where there is one: around the journal, or
    below --reports DIR. The page is sorted and filtered in the browser, and asks
    nothing of the network. It lies at index.html below the directory, or at -o FILE.

    A journal that cannot be read is a row, too. Exit code 0; 2: no journal, or one
    cannot be read; 3: one is damaged (with --strict also: ended early).

    Examples:
      lt-render traces && lt-render index traces
      lt-render index 'ci/*/traces' -o runs.html
    """

    group = "Traces as artifacts"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_arguments(parser)
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it to FILE")
        parser.add_argument(
            "--reports", type=Path, metavar="DIR", help="where lt-render -o DIR wrote the reports"
        )
        add_json_argument(parser)
        add_jobs_argument(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        path = _place(arguments)
        journals = find_journals(arguments.journals, latest=arguments.latest)
        look = _Look(arguments.reports, arguments.memory_limit)
        runs: list[Overview] = []
        code = 0
        with progress("journals", len(journals)) as advance:
            for journal, found in zip(
                journals, in_order(look, journals, arguments.jobs), strict=True
            ):
                if isinstance(found, RenderError):
                    complain(str(found))
                    found = Overview(shown(journal), _size(journal), UNREADABLE, str(found))
                runs.append(found)
                code = max(code, _code(found, strict=arguments.strict))
                advance()
        runs.sort(key=lambda run: (-run.started, run.journal))
        if arguments.json:
            for run in runs:
                print_json(run.as_json())
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            places = arguments.journals
            # As it was given: a whole path tells more than the page should.
            below = f" below {places[0]}" if len(places) == 1 else ""
            index_page.write(runs, path, title=f"{counted(len(runs), 'run')}{below}")
        if path is not None and not arguments.json:
            print(printable(str(path)))
        return code


class _Look:
    """Looks at one journal; in a process of its own, where there are several."""

    def __init__(self, reports: Path | None, memory_limit: int) -> None:
        self._reports = reports
        self._memory_limit = memory_limit

    def __call__(self, journal: Path) -> Overview:
        return overview(journal, reports=self._reports, memory_limit=self._memory_limit)


def _place(arguments: argparse.Namespace) -> Path | None:
    """Where the page goes; with ``--json`` it is written only where it was asked for."""
    if arguments.output is not None or arguments.json:
        output: Path | None = arguments.output
        return output / INDEX if output is not None and output.is_dir() else output
    first = Path(arguments.journals[0])
    if len(arguments.journals) == 1 and not is_url(arguments.journals[0]) and first.is_dir():
        return first / INDEX
    raise RenderError("the page needs a place: name it with -o FILE.")


def _size(journal: Path) -> int:
    try:
        return journal.stat().st_size
    except OSError:
        return 0


def _code(run: Overview, *, strict: bool) -> int:
    if run.outcome == UNREADABLE:
        return RenderError.exit_code
    died = strict and run.outcome == "died"
    return DAMAGED if run.outcome == IS_DAMAGED or died else 0
