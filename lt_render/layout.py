"""Where a rendered run goes: the directory layout of the built-in tracer's guide.

``<base>/<script>/report.html`` links to the newest run's report in
``<base>/<script>/.run_records/run_<time>_<pid>/report.html``; beside that lies
one directory a phase.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from . import files, names
from .model import Trace

RUN_RECORDS = ".run_records"
REPORT = "report.html"

_RUN = re.compile(r"run_\d{8}_\d{6}_\d{6}_\d+")


@dataclass(frozen=True)
class RunPlace:
    """Directories of one rendered run."""

    #: Nothing is written outside of it.
    base: Path
    script_dir: Path
    run_dir: Path

    @property
    def report(self) -> Path:
        """The run's report."""
        return self.run_dir / REPORT

    def make(self) -> None:
        """Create the directories, and clear what a killed render left in the run's."""
        files.make_dirs(self.base, self.run_dir)
        files.sweep(self.run_dir)

    def link_report(self) -> Path:
        """Point the script's report at its newest run; return the link's path."""
        runs = [
            run.name
            for run in (self.script_dir / RUN_RECORDS).iterdir()
            if (run / REPORT).is_file() and not run.name.startswith(".")
        ]
        link = self.script_dir / REPORT
        files.link(link, f"{RUN_RECORDS}/{max(runs)}/{REPORT}")
        return link


def place_for(journal: Path, trace: Trace, output: Path | None) -> RunPlace:
    """Choose the place for a run: around its journal, or below ``output``.

    A journal outside of the recorder's layout (a downloaded artifact) is
    rendered as if ``output`` were its own directory.
    """
    journal = journal.resolve()
    run_dir = journal.parent
    in_layout = _RUN.fullmatch(run_dir.name) and run_dir.parent.name == RUN_RECORDS
    if output is None and in_layout:
        script_dir = run_dir.parent.parent
        return RunPlace(script_dir.parent, script_dir, run_dir)
    base = (output or run_dir).resolve()
    script_dir = base / names.safe(trace.script)
    run_name = run_dir.name if in_layout else _run_name(trace)
    return RunPlace(base, script_dir, script_dir / RUN_RECORDS / run_name)


def _run_name(trace: Trace) -> str:
    pid = trace.process.get("pid")
    pid = pid if isinstance(pid, int) and pid >= 0 else 0
    moment = datetime.fromtimestamp(trace.started / 1e9)
    return f"run_{moment:%Y%m%d_%H%M%S_%f}_{pid}"
