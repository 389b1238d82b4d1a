"""``lt-render steps``: what ``lt_record.lower_trace`` prints, writes and returns."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from .. import files
from ..load import load
from ..model import Pass
from ..outputs import html_report, terminal_diff
from ..terminal import printable
from ..unified import sections
from .base import Command


class StepsCommand(Command):
    """Show the passes of a journal as one chain of steps.

    Writes one JSON object a step to FILE: its unified diff (diff_lines), insertions,
    deletions, changed. Made for lt_record.lower_trace().
    """

    hidden = True

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("journal", type=Path, metavar="JOURNAL", help="a journal")
        parser.add_argument("--json", type=Path, metavar="FILE", required=True, help="the steps")
        parser.add_argument("--context", type=int, default=3, metavar="N", help="lines (default 3)")
        parser.add_argument("--terminal", action="store_true", help="print the diffs")
        parser.add_argument("--html", type=Path, metavar="FILE", help="write the report to FILE")

    def run(self, arguments: argparse.Namespace) -> int:
        trace = load(arguments.journal)
        steps = [_step(one, arguments.context) for one in trace.passes]
        files.write(arguments.json, json.dumps(steps).encode())
        if arguments.html is not None:
            arguments.html.parent.mkdir(parents=True, exist_ok=True)
            html_report.write(trace, arguments.html)
        if arguments.terminal:
            terminal_diff.write(trace, sys.stdout, context=arguments.context)
        if arguments.html is not None:
            print(f"HTML report written to: {printable(str(arguments.html))}")
        return 0


def _step(one: Pass, context: int) -> dict[str, Any]:
    found = sections(one.before_text, one.after_text, one.diff, context=context, words=False)
    lines = [
        line
        for section in found
        for line in (section.header, *(f"{line.kind}{line.text}" for line in section.lines))
    ]
    if lines:
        lines = [f"--- {one.name} before", f"+++ {one.name} after", *lines]
    return {
        "diff_lines": lines,
        "insertions": one.diff.insertions,
        "deletions": one.diff.deletions,
        "changed": one.changed,
    }
