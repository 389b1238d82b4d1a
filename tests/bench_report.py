"""What the report weighs and how fast it is, beside the built-in tracer's.

Both are opened by turns in one headless Chromium, each time in a profile of its
own. A tuning run is lowered with other tiles, stages and sizes each time, so
that its texts differ (``bench_tuning.py``); the built-in writes it a report a
kernel. The longest texts are those of a kernel made for it, one loop with
thousands of statements, which really lowers.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench_recording import environ_of
from playwright.sync_api import sync_playwright

from lt_render.load import load

HERE = Path(__file__).parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

#: Seconds that the built-in tracer is given for one process.
PATIENCE = 900

#: Says when, in ms from the navigation's start, a row of a diff is on screen: the frame after
#: the first in which there is one. The built-in opens on its first pass, which has no diff: as
#: soon as it lists one that has, that one is clicked.
FIRST_DIFF = """
  const changed = '.pass-link[data-status="changed"]';
  let target = null;
  let done;
  window.firstDiff = new Promise((resolve) => { done = resolve; });
  const look = () => {
    const active = document.querySelector(".pass-link.active");
    if (active && !target) {
      const link = document.querySelector(changed);
      link.click();
      target = document.getElementById(link.dataset.target);
    }
    const row = target?.querySelector("td.ln-add, td.ln-del") ?? document.querySelector(".row");
    if (row?.checkVisibility()) requestAnimationFrame(() => done(performance.now()));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
"""

PRESSES_TAKEN = 30
#: Presses a key a number of times; after each, waits until the frame is painted that shows it.
PRESSES = """async (presses) => {
  const title = () => document.querySelector("#pass-title, .pass-link.active").textContent;
  const scripts = [];
  const frames = [];
  let key = "j";
  while (frames.length < presses) {
    const before = title();
    const begun = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    scripts.push(performance.now() - begun);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    frames.push(performance.now() - begun);
    if (title() !== before) continue;
    scripts.pop();
    frames.pop();
    key = key === "j" ? "k" : "j"; // the last pass, or the first
  }
  return { scripts, frames };
}"""


@dataclass
class Case:
    """A traced process, and what is measured of the reports of it."""

    what: str
    title: str
    scratch: Path
    #: Size of all reports that the built-in left, and the first of them.
    builtin_bytes: int = 0
    builtin_report: Path | None = None
    ours_bytes: int = 0
    passes: int = 0
    text_bytes: int = 0
    #: Lines of the longest text.
    longest: int = 0
    renders: list[float] = field(default_factory=list)
    opens: dict[str, list[float]] = field(default_factory=dict)

    @property
    def report(self) -> Path:
        return self.scratch / "report" / "report.html"

    def record(self, builtin: bool) -> None:
        self._run("ours", None)
        trace = load(self._journal)
        self.passes = len(trace.passes)
        texts = [text for one in trace.passes for text in (one.before_text, one.after_text)]
        self.text_bytes = sum(map(len, texts))
        self.longest = max(text.count("\n") + 1 for text in texts)
        if builtin:
            try:
                self._run("built-in", PATIENCE)
            except subprocess.TimeoutExpired:
                print(f"  the built-in tracer was given up after {PATIENCE} s")
                return
            reports = _files(self.scratch / "built-in", "report.html")
            self.builtin_bytes = sum(path.stat().st_size for path in reports)
            self.builtin_report = reports[0]

    def _run(self, tracer: str, timeout: float | None) -> None:
        command = [sys.executable, HERE / "bench_tuning.py", self.what]
        environ = environ_of(tracer, self.scratch / tracer)
        subprocess.run(command, env=environ, check=True, capture_output=True, timeout=timeout)

    @property
    def _journal(self) -> Path:
        (journal,) = _files(self.scratch / "ours", "journal.lt.zst")
        return journal

    def render(self) -> None:
        """Render from the shell, and take the time."""
        output = self.scratch / "rendered"
        shutil.rmtree(output, ignore_errors=True)
        begun = time.perf_counter()
        command = [sys.executable, "-m", "lt_render", self._journal, "-o", output]
        subprocess.run(command, check=True, capture_output=True)
        self.renders.append(time.perf_counter() - begun)
        self.report.parent.mkdir(exist_ok=True)
        shutil.copyfile(_files(output, "report.html")[0], self.report)
        self.ours_bytes = self.report.stat().st_size


def _files(directory: Path, name: str) -> list[Path]:
    return sorted(path for path in directory.rglob(name) if not path.is_symlink())


def main(rounds: int, kernels: int, builtin_kernels: int) -> None:
    with tempfile.TemporaryDirectory() as scratch, _chromium() as chromium:
        gemm, attention, few, many, big = cases = [
            Case(what, title, Path(scratch) / title.replace(" ", "-"))
            for what, title in (
                ("gemm", "GEMM"),
                ("flash_attention", "flash attention"),
                (str(builtin_kernels), f"{builtin_kernels} kernels"),
                (str(kernels), f"{kernels} kernels"),
                ("big", "big kernel"),
            )
        ]
        for case in cases:
            print(f"recording: {case.title}", flush=True)
            case.record(builtin=case is not many)
        for _ in range(rounds):
            for case in cases:
                case.render()
        for _ in range(rounds):
            for case in (gemm, attention, few, many):
                _open(chromium, case)
        _print_sizes((gemm, 10), (attention, 30), (few, 30), (many, None))
        _print_renders(cases)
        _print_opens((gemm, 0.5), (attention, 0.5), (few, None), (many, 2))
        _print_presses(chromium, big)


def _open(chromium: Any, case: Case) -> None:
    """Open both reports as a reader does for the first time, and note when a diff is there."""
    for tracer, path in (("ours", case.report), ("built-in", case.builtin_report)):
        if path is not None:
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(FIRST_DIFF)
            page.goto(path.as_uri(), wait_until="commit")
            seconds = page.evaluate("window.firstDiff") / 1000
            case.opens.setdefault(tracer, []).append(seconds)
            page.close()


def _print_sizes(*cases: tuple[Case, int | None]) -> None:
    print("\nSize of the report (to reach: a share of the built-in's reports)")
    for case, share in cases:
        line = f"  {case.title:16} {case.passes:6} passes   ours {case.ours_bytes / 1e3:8.0f} kB"
        if case.builtin_bytes:
            line += f"   built-in {case.builtin_bytes / 1e3:9.0f} kB"
            line += f"   1/{case.builtin_bytes / case.ours_bytes:.0f} (to reach: 1/{share})"
        print(line)


def _print_renders(cases: list[Case]) -> None:
    print("\nlt-render from the shell (to reach: under 1 s for a kernel, then linear in the texts)")
    for case in cases:
        seconds = statistics.median(case.renders)
        print(
            f"  {case.title:16} {seconds:6.2f} s   {case.text_bytes / 1e6:7.1f} MB before and after"
            f"   {seconds / case.passes * 1e3:6.2f} ms a pass"
        )


def _print_opens(*cases: tuple[Case, float | None]) -> None:
    print("\nFrom opening to the first diff on screen (the built-in's shows one kernel only)")
    for case, goal in cases:
        line = f"  {case.title:16}"
        for tracer, seconds in case.opens.items():
            line += f" {tracer:>9} {statistics.median(seconds):6.2f} s"
        print(line + (f"   (to reach: {goal} s)" if goal else ""))


def _print_presses(chromium: Any, big: Case) -> None:
    print(
        f"\nFrom pass to pass with j, texts of up to {big.longest} lines, {PRESSES_TAKEN} presses"
    )
    for tracer, path in (("ours", big.report), ("built-in", big.builtin_report)):
        if path is not None:
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.goto(path.as_uri())
            page.wait_for_selector("#pass-title, .pass-link.active")
            taken = page.evaluate(PRESSES, PRESSES_TAKEN)
            page.close()
            goal = "   (to reach: 50 ms)" if tracer == "ours" else ""
            print(
                f"  {tracer:9} until it is painted {statistics.median(taken['frames']):6.1f} ms"
                f"   of it in scripts {statistics.median(taken['scripts']):6.1f} ms{goal}"
            )


@contextmanager
def _chromium() -> Iterator[Any]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()
