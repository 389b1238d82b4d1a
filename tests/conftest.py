"""Shared ground of the tests: real processes that record, and what they leave behind."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from lt_render.load import load
from lt_render.model import Trace

# Helpers that assert, and are to say what they compared.
pytest.register_assert_rewrite("report_helpers", "report_scripts", "synthetic")

TESTS = Path(__file__).parent
EXAMPLES = TESTS.parent / "examples"
SCRIPTS = TESTS / "scripts"

#: Examples by name, and of the scripts the one of all backends; the last one fails, as it should.
KERNELS = (
    "backends",
    "gemm",
    "flash_attention",
    "rms_norm",
    "dequant_gemm",
    "elementwise_two_outputs",
    "cpu_scale",
    "several_kernels",
    "failing_pass",
)


def clean_environ(**changes: str) -> dict[str, str]:
    """The environment without anything of ours, and ``changes``."""
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TL_LOWER_TRACE", "LT_RECORD"))
    }
    environ["TILELANG_DISABLE_CACHE"] = "1"
    environ.update(changes)
    return environ


@dataclass
class Run:
    """A finished process and the directory that it traced into."""

    code: int
    stdout: str
    stderr: str
    trace_dir: Path

    @property
    def journals(self) -> list[Path]:
        """All journals, oldest first."""
        return sorted(
            path for path in self.trace_dir.rglob("journal.lt.zst") if not path.is_symlink()
        )

    @property
    def journal(self) -> Path:
        """The only journal."""
        (journal,) = self.journals
        return journal

    @property
    def trace(self) -> Trace:
        """The only journal's trace."""
        return load(self.journal)

    @property
    def ours(self) -> list[str]:
        """The recorder's lines on stderr."""
        return [line for line in self.stderr.splitlines() if line.startswith("[lower_trace]")]


def run_python(
    arguments: Sequence[str | Path],
    trace_dir: Path,
    *,
    cwd: Path | None = None,
    check: bool = True,
    stdin: str | None = None,
    timeout: float = 120,
    **environ: str,
) -> Run:
    """Run Python with tracing on (``TL_LOWER_TRACE=1`` unless ``environ`` says otherwise)."""
    environ = {"TL_LOWER_TRACE": "1", "TL_LOWER_TRACE_DIR": str(trace_dir), **environ}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=clean_environ(**environ),
        cwd=cwd or trace_dir.parent,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if check:
        assert done.returncode == 0, done.stderr
    return Run(done.returncode, done.stdout, done.stderr, trace_dir)


@dataclass
class Recording:
    """One example, once under our recorder and once under the built-in tracer."""

    ours: Run
    builtin: Run


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    """Every example, traced by both, each in a process of its own; shared by all workers."""
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    stored = base / "recordings.pickle"
    with FileLock(base / "recordings.lock"):
        if not stored.exists():
            stored.write_bytes(pickle.dumps(_record_all(base)))
        return dict(pickle.loads(stored.read_bytes()))


def _record_all(base: Path) -> dict[str, Recording]:
    def record(job: tuple[str, str]) -> Run:
        name, switch = job
        trace_dir = base / f"{name}-{switch}" / "traces"
        trace_dir.parent.mkdir()
        program = (SCRIPTS if name == "backends" else EXAMPLES) / f"{name}.py"
        return run_python([program], trace_dir, check=False, LT_RECORD=switch)

    jobs = [(name, switch) for name in KERNELS for switch in ("1", "0")]
    with ThreadPoolExecutor(2) as pool:
        runs = dict(zip(jobs, pool.map(record, jobs), strict=True))
    return {name: Recording(runs[name, "1"], runs[name, "0"]) for name in KERNELS}


@pytest.fixture(scope="session")
def gemm_journal(recordings: dict[str, Recording]) -> Path:
    """The journal of a real GEMM."""
    return recordings["gemm"].ours.journal


@pytest.fixture
def trace_dir(tmp_path: Path) -> Path:
    """A trace directory that does not exist yet."""
    return tmp_path / "traces"
