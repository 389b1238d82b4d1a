"""The progress bar is for a person at a terminal, and for nobody else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from conftest import Recording


def rendered_on(stderr: int | None, journal: Path, out: Path) -> subprocess.CompletedProcess:
    code = (
        "import sys; from lt_render import progress; progress._PATIENCE = 0; "
        "from lt_render.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, str(journal), "-o", str(out)]
    environ = {**os.environ, "TERM": "xterm"}
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=stderr, env=environ, check=True, text=True
    )


def test_a_bar_on_a_terminal(recordings: dict[str, Recording], tmp_path: Path) -> None:
    journal = recordings["several_kernels"].ours.journal
    ours, theirs = pty.openpty()
    done = rendered_on(theirs, journal, tmp_path)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "%" in shown and journal.parent.name[:10] in shown
    assert done.stdout.strip().endswith("report.html")


def test_no_bar_in_a_pipe(recordings: dict[str, Recording], tmp_path: Path) -> None:
    journal = recordings["several_kernels"].ours.journal
    said = rendered_on(subprocess.PIPE, journal, tmp_path).stderr.splitlines()
    assert said and all("_codegen: INIT" in line for line in said)
