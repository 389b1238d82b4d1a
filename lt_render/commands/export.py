"""``lt-render export``: journals for other programs."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from .. import files
from ..condition import State
from ..errors import RenderError
from ..journals import began, find_journals
from ..load import load
from ..outputs import json_lines, perfetto
from ..outputs.parquet import Tables
from ..outputs.rows import Row, Rows
from ..parallel import add_jobs_argument, in_order
from ..redact import redact
from ..sources import shown
from ..terminal import complain, printable
from .base import Command, add_journal_arguments, state_code

PERFETTO, JSON, PARQUET = "perfetto", "json", "parquet"


class ExportCommand(Command):
    """Export journals: a timeline, JSON, or tables for DuckDB and Spark.

      perfetto  a timeline that ui.perfetto.dev and chrome://tracing open: a process
                for each journal, a track for each thread, a slice for each compile,
                and its passes inside it
      json      JSON Lines: an object for each journal, text and pass, a text once
      parquet   two tables, passes.parquet and texts.parquet, in the directory FILE;
                wants pyarrow

    Texts go by their SHA-256, so that tables of many journals can be put together.
    Times are in microseconds. Without -o, perfetto and json go to standard output.

    A journal whose process died is exported as far as it goes; one bad journal does
    not stop the others. Exit code 0; 2: no journal; 3: one is damaged.

    Examples:
      lt-render export traces --latest -o timeline.json
      lt-render export traces --format json | jq 'select(.changed).name'
      lt-render export 'ci/**' --format parquet -o tables
    """

    group = "Traces as artifacts"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_journal_arguments(parser)
        parser.add_argument(
            "--format",
            choices=(PERFETTO, JSON, PARQUET),
            default=PERFETTO,
            help="what to write (default: perfetto)",
        )
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            metavar="FILE",
            help="the file, or of parquet the directory",
        )
        parser.add_argument("--no-texts", action="store_true", help="leave out the texts")
        parser.add_argument(
            "--json", dest="format", action="store_const", const=JSON, help="as --format json"
        )
        parser.add_argument(
            "--redact",
            action="store_true",
            help="leave out host, user, paths, argv and environment",
        )
        add_jobs_argument(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        if arguments.format == PARQUET and arguments.output is None:
            raise RenderError("Parquet goes into a directory: name it with -o DIR.")
        journals = find_journals(arguments.journals, latest=arguments.latest)
        begun = [began(journal) for journal in journals]
        first = min((moment for moment in begun if moment > 0), default=0)
        jobs = [
            _Job(journal, at + 1, max(0, moment - first) // 1000 if first else 0)
            for at, (journal, moment) in enumerate(zip(journals, begun, strict=True))
        ]
        whole = _Whole(in_order(_Reader(arguments), jobs, arguments.jobs))
        {PERFETTO: _perfetto, JSON: _json, PARQUET: _parquet}[arguments.format](whole, arguments)
        return whole.code


@dataclass(frozen=True)
class _Job:
    """A journal, its number, and when it began: microseconds after the first of all."""

    journal: Path
    number: int
    offset: int

    def __str__(self) -> str:
        return shown(self.journal)


@dataclass
class _Read:
    """What a journal gives to the export."""

    complaint: str
    code: int
    journal: Row = field(default_factory=dict)
    passes: list[Row] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    #: Events of the timeline, each as JSON.
    events: list[str] = field(default_factory=list)


class _Reader:
    """Reads a journal for an export; in a process of its own, where there are several."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments

    def __call__(self, job: _Job) -> _Read:
        arguments = self._arguments
        trace = load(job.journal, memory_limit=arguments.memory_limit)
        if arguments.redact:
            redact(trace)
        clean = trace.condition.state is State.CLEAN
        read = _Read(
            "" if clean else f"{job}: {trace.state_message}.",
            state_code(trace.condition, strict=arguments.strict),
        )
        if arguments.format == PERFETTO:
            found = perfetto.events(trace, process=job.number, offset=job.offset)
            read.events = [json.dumps(event) for event in found]
            return read
        rows = Rows(trace, job.journal)
        read.journal, read.passes = rows.journal(), list(rows.passes())
        if not arguments.no_texts:
            read.texts = list(rows.texts())
        return read


class _Whole:
    """The journals one after another; what is wrong with one is said, and stops no other."""

    def __init__(self, found: Iterator[_Read | RenderError]) -> None:
        self._found = found
        #: The exit code, so far.
        self.code = 0

    def __iter__(self) -> Iterator[_Read]:
        for one in self._found:
            if isinstance(one, RenderError):
                complain(str(one))
                self.code = max(self.code, one.exit_code)
                continue
            if one.complaint:
                complain(one.complaint)
            self.code = max(self.code, one.code)
            yield one


def _perfetto(whole: _Whole, arguments: argparse.Namespace) -> None:
    with _output(arguments.output) as file:
        file.write('{"displayTimeUnit":"ms","traceEvents":[')
        separator = "\n"
        for one in whole:
            for event in one.events:
                file.write(f"{separator}{event}")
                separator = ",\n"
        file.write("\n]}\n")


def _json(whole: _Whole, arguments: argparse.Namespace) -> None:
    given: set[str] = set()
    with _output(arguments.output) as file:
        for one in whole:
            file.writelines(json_lines.lines(one.journal, one.passes, one.texts, given))


def _parquet(whole: _Whole, arguments: argparse.Namespace) -> None:
    with Tables(arguments.output) as tables:
        for one in whole:
            tables.add(one.journal, one.passes, one.texts)
    for path in tables.paths:
        print(printable(str(path)))


@contextlib.contextmanager
def _output(path: Path | None) -> Iterator[TextIO]:
    if path is None:
        yield sys.stdout
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.replaced_file(path) as file:
        yield file
    print(printable(str(path)))
