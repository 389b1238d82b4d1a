"""Pictures of the report and of the other pages, light and dark, on real kernels.

``python tests/screenshots.py`` makes them.

They go to ``tmp/screenshots/`` (or the directory that is named), whose paths are
printed; they are for looking at, and are compared with nothing.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from browser import CHROMIUM, Report
from conftest import EXAMPLES, TESTS, run_python
from playwright.sync_api import sync_playwright

from lt_render.cli import main as lt_render
from lt_render.load import load
from lt_render.outputs import html_report

SHOTS = TESTS.parent / "tmp" / "screenshots"
THEMES = ("light", "dark")
SIZE = {"width": 1280, "height": 800}
NARROW = {"width": 900, "height": 700}


def a_diff(report: Report) -> None:
    report.select(report.pass_named("LayoutInference"))


def unified(report: Report) -> None:
    a_diff(report)
    report.page.keyboard.press("u")


def search(report: Report) -> None:
    report.page.keyboard.press("/")
    report.page.keyboard.type("mbarrier")
    report.page.keyboard.press("Enter")
    report.page.click("#found-first")


def line_history(report: Report) -> None:
    one = report.pass_named("LowerTileOp")
    report.select(one)
    lines = one.after_text.split("\n")
    # A changed line with much of a history.
    line = next(at for at, line in enumerate(lines, 1) if line.strip().startswith("A_tile ="))
    report.line("b", line).locator(".num").click()


def compare(report: Report) -> None:
    a_diff(report)
    report.page.keyboard.press("c")
    report.click(report.pass_named("LowerOpaqueBlock"))


def show_help(report: Report) -> None:
    report.page.keyboard.press("?")


def codegen(report: Report) -> None:
    report.select(next(one for one in report.trace.passes if one.is_codegen))


def as_it_opens(report: Report) -> None:
    pass


#: By name: the example, what the reader does, and the size of the window.
STATES: dict[str, tuple[str, Callable[[Report], None], dict[str, int]]] = {
    "opening": ("gemm", as_it_opens, SIZE),
    "diff": ("gemm", a_diff, SIZE),
    "unified": ("gemm", unified, SIZE),
    "search": ("gemm", search, SIZE),
    "line-history": ("gemm", line_history, SIZE),
    "compare": ("gemm", compare, SIZE),
    "help": ("gemm", show_help, SIZE),
    "codegen": ("gemm", codegen, SIZE),
    "failed-pass": ("failing_pass", as_it_opens, SIZE),
    "several-kernels": ("several_kernels", as_it_opens, SIZE),
    "narrow": ("gemm", a_diff, NARROW),
}


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        examples = sorted({example for example, _, _ in STATES.values()})
        reports = {example: report_of(example, Path(scratch)) for example in examples}
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, (example, act, size) in STATES.items():
            for theme in THEMES:
                # A profile of its own: the report remembers how it was last looked at.
                page = chromium.new_page(viewport=size, color_scheme=theme)
                report = Report(page, *reports[example])
                report.goto()
                act(report)
                page.wait_for_timeout(300)  # the last rows and transitions
                print(shot(page, directory / f"{name}-{theme}.png"))
                page.close()
        for name, path in other_pages(Path(scratch)).items():
            for theme in THEMES:
                page = chromium.new_page(viewport=SIZE, color_scheme=theme)
                page.goto(path.as_uri())
                page.wait_for_selector("#app:visible")
                page.wait_for_timeout(300)
                print(shot(page, directory / f"{name}-{theme}.png"))
                page.close()
        chromium.close()


def other_pages(scratch: Path) -> dict[str, Path]:
    """The page of a comparison, of a GEMM with that among several kernels, and an index."""
    compared, index = scratch / "compared.html", scratch / "index.html"
    runs = [str(scratch / example) for example in ("gemm", "several_kernels")]
    lt_render(["compare", *runs, "--html", str(compared)])
    lt_render(["index", str(scratch), "-o", str(index)])
    return {"compared": compared, "index": index}


def report_of(example: str, scratch: Path) -> tuple[Any, Path]:
    """Record an example and render it: the model and the report."""
    base = scratch / example
    base.mkdir()
    # One of them fails, as it should.
    run = run_python([EXAMPLES / f"{example}.py"], base / "traces", check=False)
    trace = load(run.journal)
    html_report.write(trace, base / "report.html")
    return trace, base / "report.html"


def shot(page: Any, path: Path) -> Path:
    page.screenshot(path=path)
    return path


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else SHOTS)
