"""``lt-render follow``: a journal shown while it is being written."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from lt_record import format

from ..condition import Condition, State
from ..fresh_report import FreshReport
from ..growing import GrowingFile
from ..layout import RunPlace, place_for
from ..load import Builder, explain_missing_texts, load
from ..model import Pass, Trace, Unit
from ..outputs import html_report
from ..outputs.terminal_diff import TerminalDiff
from ..paint import Painter
from ..reader import JournalReader
from ..recorder_link import RecorderLink
from ..terminal import complain, printable, tell
from ..writer import Writer
from .base import Command, add_reading_arguments, state_code
from .render import add_editing_arguments, render_run, sync_run

#: Seconds between two looks at the file.
_LOOK_EVERY = 0.05
#: Seconds without a new record before it is worth a word that the recording
#: process cannot be seen, and after which such a journal counts as ended.
_PATIENCE = 2.0
#: Seconds for which a journal whose process is dead may still grow: it may be a
#: copy that is on its way.
_GRACE = 0.5
_STALE = 3600.0
#: Characters that are printed at a time: a slow terminal is progress, too.
_CHUNK = 1 << 14


class FollowCommand(Command):
    """Show what a journal holds, and what comes, until its process ends.

    JOURNAL may not exist yet, and may have ended long ago; a directory stands for
    the journal in it. TL_LOWER_TRACE=terminal, html and both run this command
    beside the script.

      terminal  a coloured diff for each pass as it ends; writes no files
      html      keeps the report fresh meanwhile, writes all that lt-render writes
                at the end, and prints the report's path
      both      both

    Colours are for terminals; NO_COLOR and FORCE_COLOR are respected. Ctrl-C ends
    the following, not the process.

    Exit code 0; 2: no journal; 3: damaged inside (with --strict, ended early as
    well); 130: interrupted before there was a journal.

    Examples:
      lt-render follow traces/gemm
      lt-render follow journal.lt.zst --mode html -o out
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("journal", type=Path, metavar="JOURNAL", help="the journal")
        parser.add_argument(
            "--mode",
            choices=("terminal", "html", "both"),
            default="terminal",
            help="where to show it (default: terminal)",
        )
        parser.add_argument(
            "--context",
            type=int,
            default=3,
            metavar="N",
            help="lines around each change (default: 3)",
        )
        parser.add_argument(
            "-o", "--output", type=Path, metavar="DIR", help="write below DIR instead"
        )
        add_reading_arguments(parser)
        add_editing_arguments(parser)
        # Of the recorder that runs this command: its process, and the socket to it.
        parser.add_argument("--recorder", metavar="PID:FD", help=argparse.SUPPRESS)

    def run(self, arguments: argparse.Namespace) -> int:
        link = RecorderLink.of(arguments.recorder)
        code = _Follower(arguments, link).run()
        if link is not None:
            link.is_done()
        return code


class _Live(Builder):
    """Builds a trace, and tells what each record has brought to an end."""

    def ended_pass(self, record: format.Record) -> Pass | None:
        """Return the pass or codegen that ended with ``record``."""
        if record["k"] not in (format.PASS_END, format.CODEGEN_END):
            return None
        one = self._passes.get(_number(record.get("pass")))
        if one is not None:
            explain_missing_texts(one)
        return one

    def ended_unit(self, record: format.Record) -> Unit | None:
        """Return the compile that ended with ``record``."""
        if record["k"] != format.UNIT_END:
            return None
        return self._units.get(_number(record.get("unit")))


class _Screen:
    """Standard output; once nobody reads it any more, nothing is printed."""

    def __init__(self, link: RecorderLink | None) -> None:
        self._link = link
        self.gone = False
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="backslashreplace")

    def print(self, lines: Iterable[str]) -> None:
        """Print whole lines."""
        text = "".join(lines)
        for start in range(0, len(text), _CHUNK):
            if self.gone:
                return
            try:
                sys.stdout.write(text[start : start + _CHUNK])
                sys.stdout.flush()
            except BrokenPipeError:
                self.gone = True
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if self._link is not None:
                self._link.is_busy()


class _Follower:
    """Follows one journal, once."""

    def __init__(self, arguments: argparse.Namespace, link: RecorderLink | None) -> None:
        self._arguments = arguments
        self._link = link
        self._builder = _Live()
        self._screen = _Screen(link)
        self._terminal = (
            TerminalDiff(Painter(sys.stdout), max(0, arguments.context))
            if arguments.mode != "html"
            else None
        )
        self._fresh = FreshReport(self._render_now) if arguments.mode != "terminal" else None
        self._writer = Writer(None if link is None else link.pid)
        self._journal: Path = arguments.journal
        self._file: GrowingFile | None = None
        self._condition = Condition()
        #: Passes that have been shown, and compiles whose failure has.
        self._shown: set[int] = set()
        self._failed: set[int] = set()
        self._stopped = False
        self._size = 0
        self._grown = time.monotonic()
        self._has_said = False

    def run(self) -> int:
        """Follow to the end; return the exit code."""
        try:
            self._wait_for_journal()
            self._file = GrowingFile(str(self._journal), self._wait)
            self._read(self._file)
        except KeyboardInterrupt:
            self._stopped = True
        if self._file is None:
            return 130
        return self._end()

    # --- while it grows --------------------------------------------------------------

    def _wait_for_journal(self) -> None:
        """Wait until there is a journal, with its header whole."""
        said = False
        while not self._has_begun():
            if not said and self._link is None:
                said = True
                tell(f"waiting for {self._journal}")
            if not self._writer.alive:
                break
            time.sleep(_LOOK_EVERY)

    def _has_begun(self) -> bool:
        path: Path = self._arguments.journal
        self._journal = path / format.JOURNAL_NAME if path.is_dir() else path
        try:
            # The link to the newest run may come to stand for another one.
            self._journal = self._journal.resolve(strict=True)
            with self._journal.open("rb") as file:
                head = file.read(format.HEADER_SIZE)
        except FileNotFoundError:
            return False
        ours = format.encode_header(bytes(8))[: len(head)]
        return len(head) == format.HEADER_SIZE or head[:8] != ours[:8]

    def _read(self, file: GrowingFile) -> None:
        reader = JournalReader(
            self._journal, memory_limit=self._arguments.memory_limit, growing=file
        )
        self._condition = reader.condition
        try:
            for record in reader.records():
                self._take(record)
        finally:
            reader.condition.torn_at = reader.condition.torn_at or len(file)
            file.close()

    def _take(self, record: format.Record) -> None:
        self._builder.add(record)
        if record["k"] == format.PROCESS and self._link is None:
            self._writer = Writer.of(self._builder.trace.process)
        one, unit = self._builder.ended_pass(record), self._builder.ended_unit(record)
        if one is not None:
            self._show(one)
        if unit is not None and self._terminal is not None:
            told = unit.number in self._failed
            self._screen.print(self._terminal.unit_ends(unit, told=told))
        if self._fresh is not None and record["k"] != format.TEXT:
            self._fresh.has_changed(compile_ended=unit is not None)

    def _show(self, one: Pass) -> None:
        self._shown.add(one.number)
        if one.failed:
            self._failed.add(one.unit.number)
        if self._terminal is not None:
            self._screen.print(self._terminal.of_pass(one))
        elif not one.is_codegen:
            # Worked out here once, and not in each process that renders.
            _ = one.diff

    def _wait(self) -> bool:
        """Do what is to be done when there is nothing new; return whether there may be more."""
        size = 0 if self._file is None else len(self._file)
        if size != self._size:
            self._size, self._grown = size, time.monotonic()
        if self._link is not None:
            self._link.has_shown(size)
        if self._screen.gone and self._fresh is None:
            return False
        quiet = time.monotonic() - self._grown
        if not self._writer.alive and (self._link is not None or quiet > _GRACE):
            return False
        if self._fresh is not None:
            self._fresh.step()
        if self._link is not None:
            self._link.wait(_LOOK_EVERY)
        else:
            time.sleep(_LOOK_EVERY)
        return self._writer.known or not self._is_stale(quiet)

    def _is_stale(self, quiet: float) -> bool:
        """Whether a journal whose process cannot be seen is an old one."""
        try:
            if time.time() - self._journal.stat().st_mtime > _STALE:
                return True
        except OSError:
            pass
        if not self._has_said and quiet > _PATIENCE:
            self._has_said = True
            host = self._builder.trace.process.get("host") or "an unknown machine"
            tell(f"waiting for more of a journal recorded on {host}; Ctrl-C ends it")
        return False

    def _render_now(self) -> None:
        """Render the report as far as it goes, in a process of its own."""
        if self._link is not None:
            self._link.close()
        trace = self._builder.finish()
        trace.condition = self._condition
        trace.condition.growing = True
        place = self._place(trace)
        place.make()
        html_report.write(trace, place.report)
        place.link_report()

    def _place(self, trace: Trace) -> RunPlace:
        return place_for(self._journal, trace, self._arguments.output)

    # --- at the end -------------------------------------------------------------------

    def _end(self) -> int:
        if self._fresh is not None:
            place = self._place(self._builder.trace)
            self._fresh.stop(place.run_dir, place.script_dir)
        trace = self._whole_trace()
        if self._terminal is not None:
            for one in trace.passes:
                # What runs on when only the following ends has nothing to show yet.
                if one.number not in self._shown and not trace.condition.growing:
                    self._screen.print(self._terminal.of_pass(one))
            self._screen.print(self._terminal.totals(trace))
        elif trace.condition.state is not State.CLEAN:
            complain(f"{self._journal}: {trace.state_message}.")
        self._write(trace)
        return state_code(trace.condition, strict=self._arguments.strict)

    def _whole_trace(self) -> Trace:
        if self._fresh is None and not self._condition.damages and not self._condition.missing:
            trace = self._builder.finish()
            trace.condition = self._condition
        else:
            # What seemed to be damaged may have been what its writer took back.
            trace = load(self._journal, memory_limit=self._arguments.memory_limit)
        trace.condition.growing = self._stopped and self._writer.alive
        return trace

    def _write(self, trace: Trace) -> None:
        """Write what is asked for, and tell where the report is."""
        arguments = self._arguments
        place = self._place(trace)
        if self._fresh is not None:
            render_run(self._journal, trace, arguments.output, self._advance)
        asked = self._fresh is not None or arguments.codegen_output is not None
        if asked and not arguments.no_sync:
            sync_run(trace, place, arguments)
        if self._fresh is None:
            return
        if self._link is None:
            print(printable(str(place.report)))
        else:
            # The script's standard output is the script's.
            tell(f"report: {place.report}")

    def _advance(self) -> None:
        if self._link is not None:
            self._link.is_busy()


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1
