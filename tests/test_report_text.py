"""The report in a real Chromium: the panes of text, wrapped, under their function, on paper."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from report_helpers import Open, assert_shows_diff, first, hidden_lines

from lt_render.load import load
from lt_render.model import Pass, Trace

if TYPE_CHECKING:
    from browser import Report

pytest_plugins = ["browser"]

#: How many lines of the screen each row in the document has, and how many its text needs; rows that
#: do not begin where the one above ends; rows wider than their side.
HEIGHTS = """() => {
  const found = { rows: 0, wrapped: 0, wrong: [] };
  for (const side of document.querySelectorAll(".side")) {
    const rows = [...side.querySelectorAll(".row")]
      .sort((one, other) => one.dataset.row - other.dataset.row);
    rows.forEach((row, i) => {
      const box = row.getBoundingClientRect();
      const text = document.createRange();
      text.selectNodeContents(row.querySelector(".code") ?? row);
      const needed = Math.max(box.top + 20, ...[...text.getClientRects()].map((r) => r.bottom));
      const right = Math.max(0, ...[...text.getClientRects()].map((r) => r.right));
      found.rows += 1;
      found.wrapped += box.height > 20;
      const next = rows[i + 1];
      const follows = !next || Number(next.dataset.row) !== Number(row.dataset.row) + 1
        || Math.abs(next.getBoundingClientRect().top - box.bottom) < 1;
      if (needed > box.bottom + 4 || right > box.right + 1 || !follows) {
        found.wrong.push(row.textContent.slice(0, 80));
      }
    });
  }
  return found;
}"""

#: The line that a column has at its top, below the one that says which function it is in.
AT_TOP = """(side) => {
  const scroller = side.closest(".scroll");
  const header = scroller.querySelector(".sticky").hidden ? 0 : 20;
  const top = scroller.getBoundingClientRect().top + header;
  const rows = [...side.querySelectorAll(".row[data-line]")];
  const at = rows.filter((row) => row.getBoundingClientRect().bottom > top + 1)
    .sort((one, other) => one.dataset.row - other.dataset.row)[0];
  return Number(at.dataset.line);
}"""

SCROLL = """async (scroller, top) => {
  scroller.scrollTop = top;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def scroll_to(report: Report, top: int, side: str = "a") -> None:
    pane = report.page.locator(f'.pane:has(.side[data-side="{side}"]) .scroll')
    pane.evaluate(SCROLL, top)


def function_lines(text: str) -> list[int]:
    """Numbers, from 1, of the lines where functions begin, in TVMScript or C."""
    begins = re.compile(r"\s*def |extern \"C\" [^;]*\{$")
    return [i for i, line in enumerate(text.split("\n"), 1) if begins.match(line)]


def assert_rows_fit(report: Report, scrolls: list[int]) -> int:
    """Return how many rows of those seen are wrapped."""
    wrapped = 0
    for top in scrolls:
        for scroller in report.page.locator(".scroll").all():
            scroller.evaluate(SCROLL, top)
        found = report.page.evaluate(HEIGHTS)
        assert found["wrong"] == [] and found["rows"] > 20
        wrapped += found["wrapped"]
    return wrapped


# ---- Wrapping


def test_wrapped_lines_are_whole(gemm: Report) -> None:
    page, one = gemm.page, gemm.pass_named("MakePackedAPI")
    page.set_viewport_size({"width": 1000, "height": 800})
    gemm.select(one)
    gemm.expand_all()
    assert page.locator(".hbar").is_visible()
    page.click("#wrap")
    assert page.locator("#wrap").get_attribute("aria-pressed") == "true"
    assert page.locator(".hbar").is_hidden()
    assert assert_rows_fit(gemm, [0, 1500, 10**6]) > 50
    assert_shows_diff(gemm, one)
    page.keyboard.press("u")
    assert assert_rows_fit(gemm, [0, 1500]) > 20
    page.keyboard.press("u")
    gemm.select(first(gemm, "codegen"))
    assert assert_rows_fit(gemm, [0, 700]) > 20
    page.reload()
    page.wait_for_selector("#pass-title")
    assert page.evaluate(HEIGHTS)["wrapped"] > 0
    page.keyboard.press("x")
    assert page.evaluate(HEIGHTS)["wrapped"] == 0


def test_wrapped_lines_of_any_characters_are_whole(open_report: Open, gemm_journal: Path) -> None:
    chance = random.Random(4)
    bits = [*"→é\t\x1b\u202e😀\u200bx,-/", "中文", "   ", "foo.bar(", "))", "한국", "e\u0301"]
    lines = [
        " " * chance.randrange(30) + "".join(chance.choices(bits, k=chance.randrange(1, 70)))
        for _ in range(60)
    ]
    lines += ["y" * 10_001, " " * 300, *("z" * n for n in range(40, 80))]
    trace, one = with_texts(gemm_journal, "\n".join(lines), "\n".join(lines[::2]))
    report = open_report(trace, f"#{one.index}")
    report.expand_all()
    report.page.keyboard.press("x")
    assert assert_rows_fit(report, [0, 800, 1600]) > 100


def test_the_line_at_the_top_stays(gemm: Report) -> None:
    page, one = gemm.page, gemm.pass_named("MakePackedAPI")
    gemm.select(one)
    gemm.expand_all()
    scroll_to(gemm, 60 * 20)
    side = page.locator('.side[data-side="b"]')
    line = side.evaluate(AT_TOP)
    assert line > 10

    def assert_stays() -> None:
        page.wait_for_timeout(60)
        assert abs(side.evaluate(AT_TOP) - line) <= 1
        assert page.evaluate(HEIGHTS)["wrong"] == []

    page.keyboard.press("x")
    assert_stays()
    page.set_viewport_size({"width": 1000, "height": 700})
    assert_stays()
    page.keyboard.press("b")
    assert_stays()
    page.keyboard.press("x")
    assert_stays()
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert_stays()


# ---- The function that the top is in


def test_the_function_stays_at_the_top(gemm: Report) -> None:
    page, one = gemm.page, gemm.pass_named("SplitHostDevice")
    gemm.select(one)
    gemm.expand_all()
    assert page.locator(".inside").filter(visible=True).count() == 0
    header = page.locator('.inside[data-column="b"]')
    lines = one.after_text.split("\n")
    functions = function_lines(one.after_text)
    assert len(functions) > 1

    def assert_says(function: int) -> None:
        assert header.locator(".num").inner_text() == str(function)
        assert header.locator(".code").inner_text().strip() == lines[function - 1].strip()
        name = header.get_attribute("aria-label")
        assert name.startswith(f"inside of line {function}: def ")

    for function in functions:
        gemm.line("b", function + 4)
        row = page.locator(f'.side[data-side="b"] .row[data-line="{function + 4}"]')
        scroll_to(gemm, round(float(row.evaluate("(row) => parseFloat(row.style.top)"))))
        assert_says(function)
    header.focus()
    page.keyboard.press("Enter")
    chosen = page.locator(".row.chosen")
    assert chosen.get_attribute("data-line") == str(functions[-1])
    assert_in_sight(gemm, chosen)
    page.keyboard.press("x")
    page.keyboard.press("u")
    page.locator(".scroll").evaluate(SCROLL, 10**6)
    header = page.locator('.inside[data-column="u"]')
    assert_says(functions[-1])

    code = first(gemm, "codegen")
    gemm.select(code)
    scroll_to(gemm, 10**6, "b")
    header = page.locator('.inside[data-column="b"]')
    (kernel,) = function_lines(code.after_text)
    assert header.locator(".num").inner_text() == str(kernel)
    assert "__global__" in header.inner_text() and header.locator(".t-keyword").count()


def assert_in_sight(report: Report, row: Any) -> None:
    """A row is below the line that stays, and above the end of what can be seen."""
    box = row.bounding_box()
    scroller = report.page.locator(".scroll", has=row)
    around, header = scroller.bounding_box(), scroller.locator(".inside").filter(visible=True)
    covered = max((one.bounding_box()["height"] for one in header.all()), default=0)
    assert box["y"] >= around["y"] + covered - 1
    assert box["y"] + 20 <= around["y"] + around["height"]


def test_what_is_gone_to_is_not_under_the_function(gemm: Report) -> None:
    page, one = gemm.page, gemm.pass_named("Simplify")
    gemm.select(one)
    gemm.expand_all()
    page.keyboard.press("x")
    seen = []
    for _ in one.diff.hunks:
        page.keyboard.press("n")
        seen.append(page.inner_text("#live"))
        hunk = one.diff.hunks[int(seen[-1].split()[1]) - 1]
        side, line = ("b", hunk.new_start) if hunk.new_count else ("a", hunk.old_start)
        changed = f'.side[data-side="{side}"] .row[data-line="{line + 1}"]'
        assert_in_sight(gemm, page.locator(changed))
    assert seen[-1] == f"Change {len(one.diff.hunks)} of {len(one.diff.hunks)}"
    page.keyboard.press("p")
    assert page.inner_text("#live") == f"Change {len(one.diff.hunks) - 1} of {len(one.diff.hunks)}"
    page.keyboard.press("/")
    page.keyboard.type("mbarrier")
    for _ in range(4):
        page.keyboard.press("Enter")
        assert_in_sight(gemm, page.locator(".row.here").first)


# ---- Going to a line


def test_go_to_line(gemm: Report) -> None:
    page, one = gemm.page, gemm.pass_named("StorageRewrite")
    gemm.select(one)
    folded = next(iter(hidden_lines(one).values()))[5]
    page.keyboard.press("g")
    form, trouble = page.locator("#goto"), page.locator("#goto-trouble")
    last = len(one.after_text.split("\n"))
    for typed, told in (
        ("", "Type the number"),
        ("ten", "“ten” is not"),
        ("0", "no line 0"),
        (f"R{last + 1}", f"After has {last} lines"),
    ):
        page.fill("#goto-line", typed)
        page.keyboard.press("Enter")
        assert told in trouble.inner_text() and form.is_visible()
    page.fill("#goto-line", f"L{folded}")
    page.keyboard.press("Enter")
    chosen = page.locator(".row.chosen")
    assert form.is_hidden() and chosen.get_attribute("data-line") == str(folded)
    assert_in_sight(gemm, chosen)
    assert page.url.endswith(f"L{folded}")
    page.keyboard.press("ArrowDown")  # the text has the focus
    assert page.locator(".row.chosen").get_attribute("data-line") == str(folded + 1)
    page.click("#goto-open")
    page.keyboard.type(str(last))
    page.keyboard.press("Enter")
    assert page.url.endswith(f"R{last}")
    page.locator("#goto-open").focus()
    page.keyboard.press("g")
    page.keyboard.press("Escape")
    assert form.is_hidden()
    assert page.evaluate("document.activeElement.id") == "goto-open"


# ---- Print


def printed(report: Report) -> list[dict[str, Any]]:
    """The rows on paper, in order: side, line and text of those that can be seen."""
    return list(
        report.page.evaluate(
            """() => [...document.querySelectorAll(".printed .row")]
              .filter((row) => row.checkVisibility() && row.getBoundingClientRect().height > 5)
              .map((row) => ({
                del: row.classList.contains("del"), add: row.classList.contains("add"),
                line: Number(row.dataset.line ?? 0),
                left: row === row.parentElement.firstChild,
                text: row.querySelector(".code")?.textContent ?? "",
              }))"""
        )
    )


def test_print_has_every_line(open_report: Open, gemm_journal: Path) -> None:
    report = open_report(gemm_journal, theme="dark")
    page, one = report.page, report.pass_named("MakePackedAPI")
    report.select(one)
    report.expand_all()
    assert page.pdf().startswith(b"%PDF")
    assert page.locator(".printed").count() == 0  # it is put back
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    rows = [row for row in printed(report) if row["line"]]
    for left, text in ((True, one.before_text), (False, one.after_text)):
        side = [row for row in rows if row["left"] == left]
        assert [row["text"] for row in side] == text.split("\n")
        assert [row["line"] for row in side] == list(range(1, len(side) + 1))
    assert sum(row["add"] for row in rows) == one.diff.insertions
    assert sum(row["del"] for row in rows) == one.diff.deletions
    assert one.full_name in page.inner_text("#pass-title")
    assert page.url in page.inner_text(".printed-top")
    for away in ("#frame", "#sidebar", ".actions", ".scroll"):
        assert page.locator(away).first.is_hidden()
    paper = page.locator(".printed .row").first.evaluate(
        "(row) => getComputedStyle(row.querySelector('.num')).backgroundColor"
    )
    assert min(map(int, re.findall(r"\d+", paper)[:3])) > 200
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".printed, .printed-top").count() == 0


def test_print_says_what_it_leaves_out(open_report: Open, gemm_journal: Path) -> None:
    lines = [f"line {n}" for n in range(5400)]
    trace, one = with_texts(gemm_journal, "\n".join(lines), "\n".join(lines[1:]))
    report = open_report(trace, f"#{one.index}")
    report.page.emulate_media(media="print")
    report.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    hidden = len(next(iter(hidden_lines(one).values())))
    assert f"{hidden:,} unchanged lines" in report.page.inner_text(".printed-gap")
    assert report.page.locator(".printed-rest").count() == 0
    report.page.evaluate("dispatchEvent(new Event('afterprint'))")
    report.expand_all()
    report.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    count = report.page.locator(".printed-row").count()
    assert 0 < count < 5400
    assert f"{5400 - count:,} more rows" in report.page.inner_text(".printed-rest")


# ---- Colours


def test_comments_over_lines_and_hip_names_have_colours(
    open_report: Open, gemm_journal: Path
) -> None:
    source = """\
/* One
   two __global__
   three */ float16_t half_of(bfloat16 x) { // not /* here
const char* s = "/*";
__shared__ float y;
}"""
    trace, one = with_texts(gemm_journal, None, source, codegen=True)
    report = open_report(trace, f"#{one.index}")

    def coloured(line: int, kind: str) -> list[str]:
        row = f'.side[data-side="b"] .row[data-line="{line}"] .t-{kind}'
        return list(report.page.locator(row).all_inner_texts())

    assert coloured(2, "comment") == ["   two __global__"]
    assert coloured(3, "comment") == ["   three */", "// not /* here"]
    assert coloured(3, "keyword") == ["float16_t", "bfloat16"]
    assert coloured(4, "comment") == [] and coloured(4, "string") == ['"/*"']
    assert coloured(5, "keyword") == ["__shared__", "float"]
    assert report.page.locator(".head .counts").count() == 0  # lines of two languages


def with_texts(
    journal: Path, before: str | None, after: str, codegen: bool = False
) -> tuple[Trace, Pass]:
    """A recorded trace, with other texts for one of its passes."""
    trace = load(journal)
    one = next(
        one for one in trace.passes if (one.is_codegen if codegen else one.changed) and one.after
    )
    if before is not None and one.before is not None:
        trace.texts[one.before] = before
    assert one.after is not None
    trace.texts[one.after] = after
    return trace, one
