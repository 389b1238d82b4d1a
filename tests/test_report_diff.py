"""The report in a real Chromium: diffs, context, alignment, and passes that are no diff."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from conftest import Recording
from report_helpers import (
    Open,
    assert_aligned,
    assert_shows_diff,
    first,
    hidden_lines,
    new_lines,
    numbers,
    of_kind,
    old_lines,
    pass_at,
    rows_by_line,
    stretches,
    to_align,
)

from lt_render.model import Pass

if TYPE_CHECKING:
    from browser import Report

pytest_plugins = ["browser"]


# ---- The diff


@pytest.mark.parametrize(("name", "every"), [("gemm", 2), ("flash_attention", 8)])
def test_the_diff_is_the_models(
    name: str, every: int, open_report: Open, recordings: dict[str, Recording]
) -> None:
    """GIVEN a real kernel THEN on the passes that changed it both texts are there to the last
    line, side by side, with the lines marked that the model's diff has."""
    report = open_report(recordings[name].ours.journal)
    report.status("changed").click()
    passes = [one for one in report.trace.passes if report.kind(one) == "changed"]
    report.page.keyboard.press("Shift+E")
    for one in passes[::every]:
        report.select(one)
        assert_shows_diff(report, one)
        counts = report.page.locator(".meta .counts")
        assert counts.locator(".plus").inner_text() == f"+{one.diff.insertions}"
        assert counts.locator(".minus").inner_text() == f"−{one.diff.deletions}"


def test_changed_words_are_highlighted(gemm: Report) -> None:
    """What is left of two lines beside each other, without the highlighted words, is the same."""
    gemm.expand_all()
    highlighted = 0
    for index in of_kind(gemm, "changed")[1::3]:
        gemm.select(pass_at(gemm, index))
        for a, b in gemm.pairs():
            if (a.kept, b.kept) == (a.text, b.text):
                continue
            assert (a.mark, b.mark) == ("del", "add")
            assert re.sub(r"\s", "", a.kept) == re.sub(r"\s", "", b.kept) != ""
            highlighted += 1
    assert highlighted > 20


def test_one_changed_word(gemm: Report) -> None:
    one = gemm.pass_named("AnnotateReadOnlyParams")
    gemm.select(one)
    changed = [(a, b) for a, b in gemm.pairs() if a.mark and b.mark]
    assert len(changed) == len(old_lines(one)) == len(new_lines(one)) > 0
    for a, b in changed:
        assert a.kept == a.text and b.kept != b.text  # a word came in, none went
        assert a.kept == b.kept
    mark = gemm.page.locator(".row.add .w").first
    mark.scroll_into_view_if_needed()
    colours = [
        element.evaluate("(element) => getComputedStyle(element).backgroundColor")
        for element in (mark, gemm.page.locator(".row.add").first)
    ]
    assert len(set(colours)) == 2 and "rgba(0, 0, 0, 0)" not in colours


def test_unchanged_lines_are_folded(open_report: Open, recordings: dict[str, Recording]) -> None:
    """All is shown but what is more than three lines from a change; the row there says how much."""
    report = open_report(recordings["flash_attention"].ours.journal)
    changed = [one for one in report.trace.passes if report.kind(one) == "changed"]
    assert any(len(hidden_lines(one)) > 3 for one in changed)
    for one in changed[::3]:
        report.select(one)
        hidden = hidden_lines(one)
        every = set(range(1, len(one.before_text.split("\n")) + 1))
        both = report.pairs()
        left = [a for a, _ in both]
        assert set(numbers(left)) == every.difference(*hidden.values())
        assert {len(lines) for lines in hidden.values()} >= set(gaps(report))
        assert set(numbers([b for _, b in both], "add")) == new_lines(one)


def gaps(report: Report) -> list[int]:
    """How many lines each of the folded rows in sight says it hides."""
    labels = report.page.locator(".gap button.all").all_inner_texts()
    return [int(re.findall(r"↑↓ Expand (\d+) lines?$", label)[0]) for label in labels]


def test_context_expands(open_report: Open, recordings: dict[str, Recording]) -> None:
    """GIVEN lines hidden between two changes THEN ↓ and ↑ show more of them from either end, the
    button between shows the rest, and other hidden lines stay so."""
    report = open_report(recordings["flash_attention"].ours.journal)

    def longest(one: Pass) -> range:
        between = [
            hidden_lines(one).get(start, range(0))
            for start, _, at_top, at_bottom in stretches(one)
            if not at_top and not at_bottom
        ]
        return max(between, key=len, default=range(0))

    one = max(
        (one for one in report.trace.passes if report.kind(one) == "changed"),
        key=lambda one: len(longest(one)),
    )
    lines = longest(one)
    assert len(lines) > 50
    report.select(one)
    base = set(numbers(report.rows("a")))

    def press(button: str) -> list[int]:
        """Press a button of the fold; return the lines that it brought."""
        shown = set(numbers(report.rows("a")))
        hidden = len([line for line in lines if line not in shown])
        report.line("a", lines.start - 1)
        gap = report.page.locator(".gap", has_text=re.compile(rf"Expand {hidden} lines"))
        gap.locator(f"button.{button}").click()
        now = set(numbers(report.rows("a")))
        assert now >= shown
        return sorted(now - shown)

    assert press("down") == list(lines[:20])
    assert press("up") == list(lines[-20:])
    assert press("all") == list(lines[20:-20])
    assert set(numbers(report.rows("a"))) == base | set(lines)
    for a, b in report.pairs():
        assert a.mark or b.mark or a.text == b.text


def test_shift_e_expands_everything(gemm: Report) -> None:
    one = gemm.pass_named("StorageRewrite")
    gemm.select(one)
    folded = gemm.rows("a")
    assert gaps(gemm) and len(numbers(folded)) < len(one.before_text.split("\n"))
    gemm.page.keyboard.press("Shift+E")
    assert gaps(gemm) == []
    assert_shows_diff(gemm, one)
    gemm.page.keyboard.press("Shift+E")
    assert gemm.rows("a") == folded
    gemm.page.click("#expand-all")
    assert gaps(gemm) == []
    gemm.page.keyboard.press("j")  # the next passes are shown in full, too
    while gemm.kind(pass_at(gemm, gemm.current)) != "changed":
        gemm.page.keyboard.press("j")
    assert_shows_diff(gemm, pass_at(gemm, gemm.current))


def test_the_wheel_scrolls_both_sides(gemm: Report) -> None:
    one = gemm.pass_named("MakePackedAPI")
    gemm.select(one)
    gemm.expand_all()
    last = len(one.after_text.split("\n"))
    end = gemm.page.locator(f'.side[data-side="b"] .row[data-line="{last}"]')
    assert end.count() == 0  # only what is in sight is in the document
    gemm.page.locator('.side[data-side="a"]').hover(position={"x": 200, "y": 200})
    for _ in range(60):
        gemm.page.mouse.wheel(0, 400)
        gemm.page.wait_for_timeout(20)
        if end.count():
            break
    row = end.get_attribute("data-row")
    assert gemm.page.locator(f'.side[data-side="a"] .row[data-row="{row}"]').count() == 1


# ---- Aligning by hand


def test_f7_puts_two_lines_side_by_side(gemm: Report) -> None:
    page = gemm.page
    one, left, right = to_align(gemm)
    gemm.select(one)
    gemm.expand_all()
    computed = (gemm.rows("a"), gemm.rows("b"))
    assert rows_by_line(computed[0])[left] != rows_by_line(computed[1])[right]
    assert page.locator("#unalign").is_hidden() and page.locator(".hint").is_hidden()
    page.keyboard.press("F7")
    assert page.locator(".hint").is_visible()
    gemm.line("a", left).click(position={"x": 90, "y": 10})
    assert "right" in page.inner_text(".hint") and str(left) in page.inner_text(".hint")
    gemm.line("b", right).click(position={"x": 90, "y": 10})
    assert page.locator(".hint").is_hidden()
    assert_aligned(gemm, one, left, right)
    page.keyboard.press("j")
    page.keyboard.press("k")  # it is still so after a look elsewhere
    assert_aligned(gemm, one, left, right)
    page.click("#unalign")
    assert (gemm.rows("a"), gemm.rows("b")) == computed
    assert page.locator("#unalign").is_hidden()


def test_f7_by_keys_alone(gemm: Report) -> None:
    """The cursor begins at the top of what is shown: three lines down there, then six opposite."""
    page = gemm.page
    gemm.goto(f"#{to_align(gemm)[0].index}")
    one = pass_at(gemm, gemm.current)
    gemm.expand_all()
    page.keyboard.press("F7")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    left = int(re.findall(r"beside line (\d+)", page.inner_text(".hint"))[0])
    assert left == 4
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    right = int(page.locator('.side[data-side="b"] .row.cursor').get_attribute("data-line"))
    assert right > left
    page.keyboard.press("Enter")
    assert page.locator(".hint").is_hidden()
    assert_aligned(gemm, one, left, right)


@pytest.mark.parametrize("way", ["Escape", "F7", "button"])
def test_aligning_can_be_called_off(gemm: Report, way: str) -> None:
    one, left, right = to_align(gemm)
    gemm.select(one)
    gemm.expand_all()
    computed = (gemm.rows("a"), gemm.rows("b"))
    gemm.page.click("#align")
    gemm.line("a", left).click(position={"x": 90, "y": 10})
    if way == "button":
        gemm.page.click(".hint button")
    else:
        gemm.page.keyboard.press(way)
    assert gemm.page.locator(".hint").is_hidden()
    gemm.line("b", right).click(position={"x": 90, "y": 10})  # chooses nothing any more
    assert (gemm.rows("a"), gemm.rows("b")) == computed


# ---- Passes that are no diff


def test_codegen_shows_ir_and_source(gemm: Report) -> None:
    one = first(gemm, "codegen")
    gemm.select(one)
    assert gemm.page.locator(".col h3").all_inner_texts() == ["IR", "Generated source"]
    assert gemm.lines("a") == one.before_text.split("\n")
    assert gemm.lines("b") == one.after_text.split("\n")
    assert any("__global__" in line for line in gemm.lines("b"))
    assert gemm.page.locator(".row.add, .row.del, .gap").count() == 0
    assert gemm.page.locator("#align, #expand-all").filter(visible=True).count() == 0
    boxes = [gemm.page.locator(f'.side[data-side="{side}"]').bounding_box() for side in "ab"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 1


def test_a_no_op_says_so(gemm: Report) -> None:
    one = first(gemm, "noop")
    gemm.select(one)
    assert gemm.page.inner_text(".nochange") == "no change"
    assert "no-op" in gemm.page.inner_text(".meta")
    assert gemm.page.locator(".side").count() == 1
    assert gemm.lines("a") == one.before_text.split("\n")
    assert gemm.page.locator(".row.add, .row.del, .gap").count() == 0
    gemm.select(gemm.pass_named("LowerTileOp"))
    assert gemm.page.locator(".nochange").count() == 0


@pytest.mark.parametrize("kind", ["changed", "codegen"])
def test_copying_both_texts(gemm: Report, kind: str) -> None:
    for index in of_kind(gemm, kind)[-2:]:
        one = pass_at(gemm, index)
        gemm.select(one)
        assert one.before_text != one.after_text
        assert gemm.copied("#copy-before") == one.before_text
        assert gemm.copied("#copy-after") == one.after_text


def test_copying_what_there_is(gemm: Report, failing: Report) -> None:
    noop = pass_at(gemm, of_kind(gemm, "noop")[-1])
    gemm.select(noop)
    assert gemm.copied("#copy-before") == noop.before_text != ""
    failing.page.bring_to_front()
    assert failing.copied("#copy-before") == first(failing, "failed").before_text != ""
    assert failing.page.locator("#copy-after").count() == 0
