"""The report in a real Chromium: search, the history of a line, and views that hide differences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from report_helpers import Open, pass_at

from lt_render.diff import diff_lines
from lt_render.model import Pass

if TYPE_CHECKING:
    from browser import Report

pytest_plugins = ["browser"]


def holding(report: Report, text: str) -> list[int]:
    """Indices of the passes whose input or output holds ``text``, in any case."""
    return [
        one.index
        for one in report.trace.passes
        if text in one.before_text.lower() or text in one.after_text.lower()
    ]


def search(report: Report, text: str) -> None:
    report.page.keyboard.press("/")
    report.page.keyboard.type(text)
    report.page.locator("#found-count").wait_for()


@pytest.mark.parametrize("text", ["tma_load", "mbarrier_wait_parity", "__launch_bounds__"])
def test_searching_texts_lists_the_passes_that_hold_it(gemm: Report, text: str) -> None:
    expected = holding(gemm, text)
    assert 0 < len(expected) < len(gemm.trace.passes)
    gemm.page.select_option("#search-in", "text")
    search(gemm, text)
    gemm.page.wait_for_function(
        "count => document.querySelectorAll('#pass-list .pass').length <= count", arg=len(expected)
    )
    assert sorted(gemm.listed()) == expected
    gemm.page.click("#found-first")
    assert gemm.current == expected[0]
    assert gemm.page.locator(".hit").first.inner_text().lower() == text
    gemm.page.click("#found-last")
    assert gemm.current == expected[-1]


def test_searching_names(gemm: Report) -> None:
    gemm.page.select_option("#search-in", "name")
    search(gemm, "simplify")
    expected = [one.index for one in gemm.trace.passes if "simplify" in one.full_name.lower()]
    gemm.page.wait_for_function(
        "count => document.querySelectorAll('#pass-list .pass').length <= count", arg=len(expected)
    )
    assert sorted(gemm.listed()) == expected


def test_where_a_text_was_introduced(gemm: Report) -> None:
    gemm.page.select_option("#search-in", "text")
    search(gemm, "tma_load")
    told = gemm.page.inner_text("#found-where")
    introduced = next(
        one
        for one in gemm.trace.passes
        if "tma_load" in one.after_text and "tma_load" not in one.before_text
    )
    assert "introduced by" in told and introduced.name in told


def test_the_history_of_a_line_names_the_pass_that_brought_it(
    open_report: Open, gemm_journal: Path
) -> None:
    """GIVEN a line of the generated source's IR THEN its history begins where the model says."""
    report = open_report(gemm_journal)
    last = report.trace.passes[-2]
    line = next(
        number for number, text in enumerate(last.before_text.split("\n"), 1) if "tma_load" in text
    )
    text = last.before_text.split("\n")[line - 1].strip()
    report.select(last)
    report.expand_all()
    report.line("a", line).locator(".num").click()
    panel = report.page.locator("#history")
    panel.wait_for()
    brought = next(
        one
        for one in report.trace.passes
        if one.changed and text in one.after_text and text not in one.before_text
    )
    events = panel.locator("ol.events > li")
    assert events.count() >= 2
    assert f"{brought.index} {brought.name}" in panel.inner_text()
    # It leads there: to the pass, and to a line in it.
    panel.locator(".link", has_text=f"{brought.index} {brought.name}").first.click()
    assert report.current == brought.index
    assert report.page.locator(".row.chosen").count() >= 1


def test_an_address_names_a_line(gemm: Report) -> None:
    gemm.goto("#25R40")
    assert gemm.current == 25
    chosen = gemm.page.locator(".row.chosen")
    assert chosen.get_attribute("data-line") == "40"
    gemm.page.keyboard.press("j")
    gemm.page.go_back()
    gemm.page.locator(".row.chosen").wait_for()
    assert gemm.page.url.endswith("#25R40")


def test_ignoring_whitespace_says_what_it_hides(gemm: Report) -> None:
    """GIVEN a pass that only moves lines sideways WHEN whitespace is ignored THEN it is told."""

    def insertions_but_for_space(one: Pass) -> int:
        texts = (one.before_text, one.after_text)
        bare = ["\n".join(line.strip() for line in text.split("\n")) for text in texts]
        return diff_lines(*bare).insertions

    sideways = next(
        one
        for one in gemm.trace.passes
        if not one.is_codegen and insertions_but_for_space(one) < one.diff.insertions
    )
    gemm.select(sideways)
    marked = len([row for row in gemm.rows("b") if row.mark == "add"])
    gemm.page.click("#ignore-space")
    told = gemm.page.inner_text("#hidden-differences")
    assert re.match(r"\d+ differences? hidden", told) and "whitespace" in told
    assert len([row for row in gemm.rows("b") if row.mark == "add"]) < marked
    gemm.page.click("#ignore-space")
    assert not gemm.page.locator("#hidden-differences").is_visible() or (
        gemm.page.inner_text("#hidden-differences") == ""
    )


def test_unified_shows_both_sides_in_one(gemm: Report) -> None:
    shown = pass_at(gemm, gemm.current)
    gemm.page.click("#unified")
    assert gemm.page.locator(".pane.unified .side").count() == 1
    added = gemm.page.locator(".row.add").count()
    removed = gemm.page.locator(".row.del").count()
    assert (added, removed) == (shown.diff.insertions, shown.diff.deletions)
