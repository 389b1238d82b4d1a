"""``lt-render JOURNAL…``: phase directories and the report."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lt_record.settings import CODEGEN_VARIABLE, from_environ_codegen

from ..condition import State
from ..errors import RenderError
from ..journals import find_journals
from ..layout import RunPlace, place_for
from ..load import load
from ..model import Trace
from ..outputs import html_report, phase_dirs
from ..parallel import add_jobs_argument, in_order
from ..progress import progress
from ..redact import redact
from ..sources import shown, url_of
from ..sync import codegens_only, plain_path, sync
from ..terminal import complain, printable, tell
from .base import Command, add_journal_arguments, state_code


class RenderCommand(Command):
    """Rebuild the phase directories and the HTML report of journals.

    Around each journal, or below DIR, as in the built-in tracer's guide:

      <script>/report.html                      the newest run's report
      <script>/.run_records/run_…/report.html   each run's own
      <script>/.run_records/run_…/<phase>/      NN_Name_before.tir, NN_Name_after.tir,
                                                NN_Name.diff where a pass changed the IR
      <script>/codegen.cpp                      generated source, yours to edit
      <script>/codegen.cpp.original, .latest    its baseline, and what was generated last

    Prints the path of each report, and on stderr what became of edited source:
    REGENERATED, PATCHED, SYNCED, CONFLICT, MERGED, INIT, INIT-BACKUP. Of several
    runs of a script the newest counts.

    A journal whose process died is rendered as far as it goes (exit code 0 and a
    warning); from a damaged one everything outside the damage is kept (exit
    code 3). One bad journal does not stop the others.

    Examples:
      lt-render traces
      lt-render traces -o out --no-sync --redact
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
        parser.add_argument("--no-diffs", action="store_true", help="write no NN_Name.diff")
        add_jobs_argument(parser)
        add_editing_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        journals = find_journals(arguments.journals, latest=arguments.latest)
        remote = next((journal for journal in journals if url_of(journal) is not None), None)
        if remote is not None and arguments.output is None:
            raise RenderError(f"the report of {shown(remote)} needs a place: name it with -o DIR.")
        several = len(journals) > 1
        newest = _Newest()
        code = 0
        rendered = in_order(_Rendering(arguments, alone=not several), journals, arguments.jobs)
        with progress("journals", len(journals) if several else 0) as advance:
            for one in rendered:
                advance()
                if isinstance(one, RenderError):
                    # One bad journal does not stop the others.
                    complain(str(one))
                    code = max(code, one.exit_code)
                    continue
                if one.complaint:
                    complain(one.complaint)
                code = max(code, one.code)
                # Each process links the newest that it has seen: now it is the newest of all.
                one.place.link_report()
                newest.take(one)
                print(printable(str(one.place.report)))
        for trace, place in newest:
            sync_run(trace, place, arguments)
        return code


@dataclass(frozen=True)
class _Rendered:
    """What became of one journal."""

    place: RunPlace
    complaint: str
    code: int
    #: What edited source is compared with, if it is: not the whole trace.
    codegens: Trace | None


class _Rendering:
    """Renders a journal; in a process of its own, where there are several."""

    def __init__(self, arguments: argparse.Namespace, *, alone: bool) -> None:
        self._arguments = arguments
        self._alone = alone

    def __call__(self, journal: Path) -> _Rendered:
        arguments = self._arguments
        trace = load(journal, memory_limit=arguments.memory_limit)
        if arguments.redact:
            redact(trace)
        clean = trace.condition.state is State.CLEAN
        steps = 2 * len(trace.passes) if self._alone else 0
        with progress(journal.parent.name, steps) as advance:
            place = render_run(
                journal, trace, arguments.output, advance, diffs=not arguments.no_diffs
            )
        return _Rendered(
            place,
            "" if clean else f"{shown(journal)}: {trace.state_message}.",
            state_code(trace.condition, strict=arguments.strict),
            None if arguments.no_sync else codegens_only(trace),
        )


def add_editing_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what :func:`sync_run` goes by."""
    editing = parser.add_argument_group(
        "edited source", "codegen.cpp and its like, beside the run directories"
    )
    editing.add_argument("--no-sync", action="store_true", help="leave these files alone")
    editing.add_argument(
        "--merge",
        action="store_true",
        help="merge an edit into newly generated source, where both have changed",
    )
    editing.add_argument(
        "--codegen-output",
        type=Path,
        metavar="FILE",
        help="the working copy, if it is to lie elsewhere: the recorder's "
        f"{CODEGEN_VARIABLE} (default: that variable, or codegen.cpp beside the runs)",
    )


class _Newest:
    """Of several runs of a script, the newest: its code is what an edit is made to."""

    def __init__(self) -> None:
        self._runs: dict[Path, tuple[Trace, RunPlace]] = {}

    def take(self, one: _Rendered) -> None:
        known = self._runs.get(one.place.script_dir)
        trace = one.codegens
        if trace is not None and (known is None or known[0].started <= trace.started):
            self._runs[one.place.script_dir] = trace, one.place

    def __iter__(self) -> Iterator[tuple[Trace, RunPlace]]:
        return iter(self._runs.values())


def sync_run(trace: Trace, place: RunPlace, arguments: argparse.Namespace) -> None:
    """Bring the files of edited source up to date, and say on stderr what became of each."""
    asked = arguments.codegen_output
    if asked is None and os.environ.get(CODEGEN_VARIABLE, "").strip():
        named = from_environ_codegen()
        if named is None:
            return
        asked = Path(named)
    plain = plain_path(trace, place.script_dir, asked)
    if plain is None:
        return
    for synced in sync(trace, plain, merging=arguments.merge):
        if synced.tag or synced.remark:
            tell(str(synced))


def render_run(
    journal: Path,
    trace: Trace,
    output: Path | None,
    advance: Callable[[], None],
    *,
    diffs: bool = True,
) -> RunPlace:
    """Write all that belongs to one run; return where it is."""
    place = place_for(journal, trace, output)
    place.make()
    phase_dirs.write(trace, place.run_dir, advance, diffs=diffs)
    html_report.write(trace, place.report, advance)
    place.link_report()
    return place
