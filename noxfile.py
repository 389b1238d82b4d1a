"""Tasks of the project. ``python3 noxfile.py SESSION`` needs nothing but Python: it fetches nox.

Every virtual environment lies below ``.nox/``.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: A CPU build: nothing here runs on a GPU, and the CUDA build is several GB.
TORCH = "torch==2.13.0"
TILELANG = "tilelang==0.1.15"
TEST_TOOLS = (
    "pytest>=8",
    "pytest-xdist>=3.6",
    "filelock>=3.12",
    "hypothesis>=6.100",
    # Drives Debian's Chromium; it needs no browser of its own.
    "playwright>=1.45",
    # A real notebook is run.
    "ipykernel",
    "nbclient",
    "nbformat",
    # TileLang's cython backend.
    "cython",
)


def _bootstrap() -> int:
    """Make an environment with nox in it, and run the named sessions there."""
    environment = HERE / ".nox" / "bootstrap"
    binaries = environment / ("Scripts" if sys.platform == "win32" else "bin")
    try:
        if not (binaries / "nox").exists():
            venv.create(environment, with_pip=True, clear=True)
            pip = [str(binaries / "python"), "-m", "pip", "install", "--quiet"]
            subprocess.run([*pip, "--disable-pip-version-check", "nox>=2024.4.15"], check=True)
    except subprocess.CalledProcessError as error:
        hint = " (on Debian: apt-get install python3-venv)" if "ensurepip" in str(error) else ""
        print(f"noxfile.py: no environment for nox could be made{hint}: {error}", file=sys.stderr)
        return 1
    command = [str(binaries / "nox"), "-f", __file__]
    sessions = sys.argv[1:]
    if sessions and not sessions[0].startswith("-"):
        command += ["-s", *sessions]
    else:
        command += sessions
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(_bootstrap())

import nox  # noqa: E402

nox.options.sessions = ["lint", "tests"]
nox.options.reuse_existing_virtualenvs = True


def _install(session: nox.Session, *extra: str) -> None:
    """Install TileLang and this project as a user would: from a wheel, with its start-up hook."""
    # First, so that TileLang finds a torch and does not fetch one of its own.
    session.install(TORCH)
    session.install(TILELANG, *extra)
    session.install("--force-reinstall", "--no-deps", ".")
    session.install(".")


@nox.session
def demo(session: nox.Session) -> None:
    """Record a real kernel, render the journal, tell where the report is."""
    _install(session)
    traces = HERE / "tmp" / "lower_trace_dir"
    session.run(
        "python", "examples/gemm.py", env={"TL_LOWER_TRACE": "1", "TL_LOWER_TRACE_DIR": str(traces)}
    )
    session.run("lt-render", str(traces / "gemm" / "journal.lt.zst"))
    session.log(f"open {traces / 'gemm' / 'report.html'}")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, on kernels compiled for the purpose."""
    _install(session, *TEST_TOOLS)
    # Nearly all of the time goes into starting processes that import TileLang.
    session.run("python", "-m", "pytest", "-n", "2", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure what recording costs beside the built-in tracer, in one interleaved run."""
    _install(session)
    session.run("python", "tests/bench.py", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types."""
    session.install("ruff>=0.8", "mypy>=1.13", ".", "nox")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
