"""A real Chromium for the tests of the report, and a report opened in it, driven as a reader does.

A pytest plugin: a test module says ``pytest_plugins = ["browser"]``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lt_render.load import load
from lt_render.model import Pass, Trace
from lt_render.outputs import html_report

if TYPE_CHECKING:
    from conftest import Recording

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

#: Only rows in sight are in the document: scrolls from top to bottom, and takes each that it meets.
_COLLECT = """async (scroller, rows) => {
  const frames = () => new Promise(
    (done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const kept = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    return node.classList.contains("w") ? "" : [...node.childNodes].map(kept).join("");
  };
  const found = new Map();
  for (let top = 0; ; top += scroller.clientHeight) {
    if (scroller.scrollTop !== top) scroller.scrollTop = top;
    await frames();
    for (const row of scroller.querySelectorAll(rows)) {
      const y = Math.round(row.getBoundingClientRect().top + scroller.scrollTop);
      const side = row.closest(".side")?.dataset.side;
      const code = row.querySelector(".code");
      found.set(`${y} ${side}`, {
        y, side, classes: [...row.classList], data: { ...row.dataset }, text: row.textContent,
        parts: Object.fromEntries([".dot", ".index", ".label", ".plus", ".minus", ".num", ".code"]
          .map((part) => [part, row.querySelector(part)?.textContent ?? null])),
        kept: code && kept(code),
      });
    }
    if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) break;
  }
  return [...found.values()].sort((one, other) => one.y - other.y);
}"""


@dataclass(frozen=True)
class Row:
    """A row of one side: its place, its line (from 1; ``None`` where the side has none)."""

    row: int
    line: int | None
    #: ``add``, ``del``, ``void`` or nothing.
    mark: str
    text: str
    #: The text without its highlighted words.
    kept: str


def _row(found: dict[str, Any]) -> Row:
    (mark,) = [name for name in ("add", "del", "void") if name in found["classes"]] or [""]
    line = found["data"].get("line")
    if line is not None:
        assert found["parts"][".num"].strip() == line
    return Row(
        int(found["data"]["row"]),
        None if line is None else int(line),
        mark,
        found["parts"][".code"] or "",
        found["kept"] or "",
    )


@dataclass
class Report:
    """A report open in a page, beside the model that it must agree with."""

    page: Any
    trace: Trace
    path: Path
    troubles: list[str] = field(default_factory=list)

    def goto(self, fragment: str = "") -> None:
        """Open the report anew, at an address of its own."""
        self.page.goto("about:blank")
        self.page.goto(self.path.as_uri() + fragment)
        self.page.wait_for_selector("#pass-title")

    @property
    def current(self) -> int:
        """Index of the pass that is shown; the list must say the same."""
        index = int(self.page.inner_text("#pass-title .index"))
        current = self.page.locator("#pass-list .pass[aria-current]")
        if current.count():
            assert current.get_attribute("data-index") == str(index)
        return index

    @staticmethod
    def kind(one: Pass) -> str:
        """What the report calls what became of a pass."""
        if one.status == "codegen":
            return "codegen"
        if one.status != "completed":
            return "failed"
        return "changed" if one.changed else "noop"

    def pass_named(self, name: str) -> Pass:
        """The first pass of that short name that changed something."""
        return next(one for one in self.trace.passes if one.name == name and one.changed)

    def select(self, one: Pass) -> None:
        """Click a pass in the list, and see it shown."""
        self.click(one)
        assert self.current == one.index

    def click(self, one: Pass) -> None:
        """Click a pass in the list."""
        if self.kind(one) == "noop":
            self.show_noops()
        entry = f'#pass-list .pass[data-index="{one.index}"]'
        self._bring("#pass-scroll", entry)
        self.page.click(entry)

    def show_noops(self) -> None:
        """Press the button that unfolds the no-ops, unless none is folded."""
        if self.page.inner_text("#noops").startswith("Show"):
            self.page.click("#noops")

    def entries(self) -> list[dict[str, Any]]:
        """All entries of the list, from top to bottom; the list goes back to where it was."""
        scroller = self.page.locator("#pass-scroll")
        if scroller.is_hidden():
            return []
        top = scroller.evaluate("(scroller) => scroller.scrollTop")
        found = scroller.evaluate(_COLLECT, "button.group, button.fold, button.pass")
        scroller.evaluate("(scroller, top) => { scroller.scrollTop = top; }", top)
        return list(found)

    def listed(self) -> list[int]:
        """Indices of the passes in the list, from top to bottom."""
        return [
            int(entry["data"]["index"]) for entry in self.entries() if "pass" in entry["classes"]
        ]

    def rows(self, side: str) -> list[Row]:
        """All rows of one side, from top to bottom."""
        scroller = self.page.locator(self._scroller(side))
        found = scroller.evaluate(_COLLECT, f'.side[data-side="{side}"] .row')
        return [_row(row) for row in found]

    def pairs(self) -> list[tuple[Row, Row]]:
        """The rows of both sides of a diff, beside each other."""
        found = self.page.locator(".scroll").evaluate(_COLLECT, ".side .row")
        left = [_row(row) for row in found if row["side"] == "a"]
        right = [_row(row) for row in found if row["side"] == "b"]
        assert [row.row for row in left] == [row.row for row in right]
        return list(zip(left, right, strict=True))

    def lines(self, side: str) -> list[str]:
        """The lines of one side, which must be numbered without a hole."""
        rows = [row for row in self.rows(side) if row.line is not None]
        assert [row.line for row in rows] == list(range(1, len(rows) + 1))
        return [row.text for row in rows]

    def line(self, side: str, line: int) -> Any:
        """The element of a line, scrolled into sight."""
        row = f'.side[data-side="{side}"] .row[data-line="{line}"]'
        self._bring(self._scroller(side), row)
        return self.page.locator(row)

    def expand_all(self) -> None:
        """Press Shift+E, unless everything is expanded already."""
        if self.page.locator("#expand-all").inner_text() == "Expand all":
            self.page.keyboard.press("Shift+E")

    def status(self, kind: str) -> Any:
        """The badge of a status."""
        return self.page.locator(f'#summary [data-kind="{kind}"]')

    def phase(self, phase: str | None) -> Any:
        """The tab of a phase; ``None`` for all of them."""
        if phase is None:
            return self.page.locator("#phases [role=tab]").first
        return self.page.locator(f'#phases [role=tab][data-phase="{phase}"]')

    def copied(self, button: str) -> str:
        """Press a button that copies, and read the clipboard."""
        self.page.evaluate("navigator.clipboard.writeText('nothing was copied')")
        self.page.click(button)
        self.page.locator(button).filter(has_text="Copied").wait_for()
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def _scroller(self, side: str) -> str:
        return f'.pane:has(.side[data-side="{side}"]) .scroll'

    def _bring(self, scroller: str, element: str) -> None:
        """Scroll until an element that is drawn only in sight is drawn."""
        self.page.locator(scroller).evaluate(
            """async (scroller, element) => {
              const frames = () => new Promise((done) =>
                requestAnimationFrame(() => requestAnimationFrame(done)));
              await frames();
              for (let top = 0; !scroller.querySelector(element); top += scroller.clientHeight) {
                if (top > scroller.scrollHeight) throw new Error(`there is no ${element}`);
                scroller.scrollTop = top;
                await frames();
              }
              scroller.querySelector(element).scrollIntoView({ block: "center", inline: "start" });
              await frames();
            }""",
            element,
        )


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def rendered(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Path | Trace], tuple[Path, Trace]]:
    """Renders a journal, or a model of one's own, once however many tests look at it; gives the
    report and the model."""
    done: dict[Path | Trace, tuple[Path, Trace]] = {}

    def render(journal: Path | Trace) -> tuple[Path, Trace]:
        if journal not in done:
            path = tmp_path_factory.mktemp("report") / "report.html"
            trace = journal if isinstance(journal, Trace) else load(journal)
            html_report.write(trace, path)
            done[journal] = path, trace
        return done[journal]

    return render


@pytest.fixture
def open_report(
    browser: Any, rendered: Callable[[Path | Trace], tuple[Path, Trace]]
) -> Iterator[Callable[..., Report]]:
    """Opens reports, each with a profile of its own. Whatever a test does there: the console stays
    silent, nothing is thrown, and nothing but the file is fetched."""
    opened: list[Report] = []

    def open_(journal: Path | Trace, fragment: str = "", theme: str = "light") -> Report:
        path, trace = rendered(journal)
        context = browser.new_context(
            viewport={"width": 1280, "height": 800},
            color_scheme=theme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(10_000)
        report = Report(context.new_page(), trace, path)
        watch(report)
        opened.append(report)
        report.goto(fragment)
        return report

    yield open_
    for report in opened:
        report.page.context.close()
        assert report.troubles == []


def watch(report: Report) -> None:
    """Write down what no report may do."""

    def request(request: Any) -> None:
        if request.url.split("#")[0] != report.path.as_uri():
            report.troubles.append(f"requested {request.url}")

    context = report.page.context
    context.on("request", request)
    context.on("console", lambda message: report.troubles.append(f"console: {message.text}"))
    context.on("weberror", lambda error: report.troubles.append(f"thrown: {error.error}"))
    context.on("dialog", lambda dialog: report.troubles.append(f"dialog: {dialog.message}"))


@pytest.fixture
def gemm(open_report: Callable[..., Report], gemm_journal: Path) -> Report:
    return open_report(gemm_journal)


@pytest.fixture
def failing(open_report: Callable[..., Report], recordings: dict[str, Recording]) -> Report:
    return open_report(recordings["failing_pass"].ours.journal)


@pytest.fixture
def several(open_report: Callable[..., Report], recordings: dict[str, Recording]) -> Report:
    return open_report(recordings["several_kernels"].ours.journal)
