"""The report in a real Chromium: where it opens, its list, filters and keys."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from conftest import Recording
from report_helpers import (
    Open,
    assert_shows_diff,
    first,
    of_kind,
)

from lt_render.model import Pass

if TYPE_CHECKING:
    from browser import Report

pytest_plugins = ["browser"]

DOTS = {"changed": "●", "noop": "○", "failed": "✕", "codegen": "◆"}


# ---- Where the page opens


def test_opens_on_the_first_changed_pass(gemm: Report) -> None:
    one = first(gemm, "changed")
    assert one.index > 0  # or any page that opens on its first pass would do
    assert gemm.current == one.index
    assert one.full_name in gemm.page.inner_text("#pass-title")
    assert gemm.page.title() == gemm.page.inner_text("#title") == "gemm"
    assert gemm.page.locator("#loading, #banner, #error").filter(visible=True).count() == 0
    gemm.expand_all()
    assert_shows_diff(gemm, one)


def test_a_failed_trace_opens_on_the_failed_pass(failing: Report) -> None:
    one = first(failing, "failed")
    assert failing.current == one.index and one.name == "LayoutInference"
    assert failing.page.inner_text("#error pre").strip() == one.error_msg.strip() != ""
    assert "Layout infer conflict" in failing.page.inner_text("#error")
    error = failing.page.locator("#error").bounding_box()
    code = failing.page.locator(".side .row").first.bounding_box()
    assert 0 < error["y"] < code["y"] < 800  # both in sight at once
    assert failing.page.locator(".side").count() == 1
    assert failing.lines("a") == one.before_text.split("\n")


def test_an_address_opens_its_pass(gemm: Report) -> None:
    for one in (gemm.pass_named("LowerTileOp"), first(gemm, "noop"), first(gemm, "codegen")):
        gemm.goto(f"#{one.index}")
        assert gemm.current == one.index


def test_a_copied_address_opens_the_same_pass(gemm: Report) -> None:
    one = gemm.pass_named("FlattenBuffer")
    gemm.select(one)
    address = gemm.page.url
    gemm.page.goto("about:blank")
    gemm.page.goto(address)
    gemm.page.wait_for_selector("#pass-title")
    assert gemm.current == one.index


@pytest.mark.parametrize("address", ["#99999", "#", "#-1", "#no-such-thing", "#%F0%28"])
def test_an_address_of_nothing_opens_as_without(gemm: Report, address: str) -> None:
    gemm.goto(address)
    assert gemm.current == of_kind(gemm, "changed")[0]


def test_back_and_forward(gemm: Report) -> None:
    opened = gemm.current
    visited = [gemm.pass_named("LetInline"), first(gemm, "codegen"), first(gemm, "noop")]
    for one in visited:
        gemm.select(one)
    for index in (visited[1].index, visited[0].index, opened):
        gemm.page.go_back()
        gemm.page.wait_for_function(
            "index => Number(document.querySelector('#pass-title .index').textContent) === index",
            arg=index,
        )
        assert gemm.current == index
    gemm.page.go_forward()
    gemm.page.locator("#pass-title .name").filter(has_text=visited[0].full_name).wait_for()
    assert gemm.current == visited[0].index


# ---- The list of passes


def expected_groups(report: Report) -> dict[tuple[int, str], list[Pass]]:
    groups: dict[tuple[int, str], list[Pass]] = {}
    for one in report.trace.passes:
        groups.setdefault((one.unit.number, one.phase), []).append(one)
    return groups


@pytest.mark.parametrize("name", ["gemm", "several_kernels", "failing_pass"])
def test_the_list_is_the_trace(
    name: str, open_report: Open, recordings: dict[str, Recording]
) -> None:
    """Each pass is there once, below its phase, with its dot, number, name and counts."""
    report = open_report(recordings[name].ours.journal)
    report.show_noops()
    entries = report.entries()
    width = report.trace.index_width
    shown = []
    for entry in entries:
        if "group" in entry["classes"]:
            shown.append(entry["parts"][".label"])
        if "pass" not in entry["classes"]:
            continue
        parts = entry["parts"]
        assert DOTS[entry["classes"][1]] == parts[".dot"]
        shown.append(tuple(parts[p] for p in (".dot", ".index", ".label", ".plus", ".minus")))
    expected: list[object] = []
    for (_, phase), members in expected_groups(report).items():
        expected.append(phase)
        for one in members:
            # A codegen's two texts are of different languages.
            counts = (0, 0) if one.is_codegen else (one.diff.insertions, one.diff.deletions)
            told = (f"+{counts[0]}", f"−{counts[1]}") if any(counts) else (None, None)
            expected.append((DOTS[report.kind(one)], f"{one.index:0{width}}", one.name, *told))
    assert shown == expected


def test_the_chosen_pass_is_marked_and_in_sight(gemm: Report) -> None:
    for one in (gemm.trace.passes[-1], gemm.trace.passes[0]):
        gemm.goto(f"#{one.index}")
        current = gemm.page.locator("#pass-list [aria-current=true]")
        assert current.get_attribute("data-index") == str(one.index)
        box, around = current.bounding_box(), gemm.page.locator("#pass-scroll").bounding_box()
        assert around["y"] <= box["y"]
        assert box["y"] + box["height"] <= around["y"] + around["height"]


def test_groups_collapse(several: Report) -> None:
    """WHEN a group is closed THEN its passes, and no others, leave the list, until it is opened."""
    everything = several.listed()
    (_, phase), members = list(expected_groups(several).items())[1]
    gone = {one.index for one in members}
    group = several.page.locator("#pass-list button.group", has_text=phase).first
    group.scroll_into_view_if_needed()
    assert group.get_attribute("aria-expanded") == "true"
    group.click()
    assert group.get_attribute("aria-expanded") == "false"
    assert several.listed() == [index for index in everything if index not in gone]
    group.click()
    assert several.listed() == everything
    assert len(gone) > 50


def test_going_to_a_pass_opens_its_group(gemm: Report) -> None:
    gemm.select(gemm.trace.passes[0])
    group = gemm.page.locator("#pass-list button.group", has_text="pipeline_cuda")
    gemm.page.locator("#pass-scroll").evaluate("(scroller) => { scroller.scrollTop = 0; }")
    group.click()
    hidden = next(one for one in gemm.trace.passes if one.phase == "pipeline_cuda")
    assert hidden.index not in gemm.listed()
    gemm.page.keyboard.press("j")  # goes on to what is listed
    gemm.page.evaluate("index => { location.hash = `#${index}`; }", hidden.index)
    gemm.page.locator("#pass-title .name").filter(has_text=hidden.full_name).wait_for()
    assert gemm.current == hidden.index
    assert hidden.index in gemm.listed()


def test_each_kernel_is_named(several: Report) -> None:
    kernels = [unit.title for unit in several.trace.units]
    assert kernels == ["gemm", "rms_norm", "sum_and_difference"]
    groups = [entry["text"] for entry in several.entries() if "group" in entry["classes"]]
    for (number, phase), members in expected_groups(several).items():
        kernel = several.trace.units[number].title
        assert [text for text in groups if phase in text and kernel in text]
        several.goto(f"#{members[-1].index}")
        assert kernel in several.page.inner_text(".meta")
        assert phase in several.page.inner_text(".meta")
    assert all(kernel in several.page.inner_text("#title") for kernel in kernels)


def test_the_list_goes_away_and_comes_back(gemm: Report) -> None:
    page = gemm.page
    narrow = page.locator("#pass").bounding_box()["width"]
    for press in (lambda: page.click("#sidebar-toggle"), lambda: page.keyboard.press("b")):
        press()
        assert page.locator("#sidebar").is_hidden()
        assert page.locator("#sidebar-toggle").get_attribute("aria-expanded") == "false"
        assert page.locator("#pass").bounding_box()["width"] == 1280 > narrow
        press()
        assert page.locator("#sidebar").is_visible()
        assert page.locator("#sidebar-toggle").get_attribute("aria-expanded") == "true"
        assert page.locator("#pass").bounding_box()["width"] == narrow


def test_the_width_of_the_list_follows_a_drag(gemm: Report) -> None:
    page = gemm.page

    def width() -> float:
        return float(page.locator("#sidebar").bounding_box()["width"])

    def drag_to(x: float) -> None:
        handle = page.locator("#resizer").bounding_box()
        page.mouse.move(handle["x"] + handle["width"] / 2, 400)
        page.mouse.down()
        page.mouse.move(x - 30, 420)
        assert abs(width() - (x - 30)) <= 1 or x < 300  # it follows while the button is down
        page.mouse.move(x, 420)
        page.mouse.up()

    for x in (460, 350):
        drag_to(x)
        assert abs(width() - x) <= 1
    page.mouse.move(600, 400)  # after the button is released it no longer follows
    assert abs(width() - 350) <= 1
    page.reload()
    page.wait_for_selector("#pass-title")
    assert abs(width() - 350) <= 1
    drag_to(5)
    assert width() >= 150  # never lost
    narrow = width()
    page.locator("#resizer").press("ArrowRight")
    assert width() > narrow


# ---- Filters


def test_badges_count_and_filter(gemm: Report) -> None:
    everything = gemm.listed()
    kinds = Counter(gemm.kind(one) for one in gemm.trace.passes)
    for kind in DOTS:
        badge = gemm.status(kind)
        assert DOTS[kind] in badge.inner_text()
        assert badge.locator("b").inner_text() == str(kinds[kind])
        assert badge.get_attribute("aria-pressed") == "false"
        badge.click()
        assert badge.get_attribute("aria-pressed") == "true"
        assert sorted(gemm.listed()) == of_kind(gemm, kind)
        badge.click()
        assert gemm.listed() == everything
    gemm.status("changed").click()
    gemm.status("codegen").click()  # either of the two
    assert sorted(gemm.listed()) == of_kind(gemm, "changed", "codegen")


def test_a_filter_that_nothing_passes(gemm: Report) -> None:
    assert of_kind(gemm, "failed") == []
    everything = gemm.listed()
    shown = gemm.current
    gemm.status("failed").click()
    assert gemm.listed() == [] and gemm.page.locator("#no-match").is_visible()
    gemm.page.keyboard.press("j")
    assert gemm.current == shown
    gemm.page.click("#filter-clear")
    assert gemm.listed() == everything and gemm.page.locator("#no-match").is_hidden()


def test_phases_filter(several: Report) -> None:
    several.show_noops()
    everything = several.listed()
    phases = Counter(one.phase for one in several.trace.passes)
    tabs = several.page.locator("#phases [role=tab]")
    assert tabs.count() == len(phases) + 1
    for phase, count in phases.items():
        tab = several.phase(phase)
        assert re.sub(r"\s", "", tab.inner_text()) == f"{phase}{count}"
        tab.click()
        assert tab.get_attribute("aria-selected") == "true"
        assert several.page.locator("#phases [aria-selected=true]").count() == 1
        expected = [one.index for one in several.trace.passes if one.phase == phase]
        assert sorted(several.listed()) == expected
    several.phase(None).click()
    assert several.listed() == everything
    several.phase(None).press("ArrowRight")
    assert tabs.nth(1).get_attribute("aria-selected") == "true"
    assert sorted(several.listed()) == [
        one.index for one in several.trace.passes if one.phase == several.trace.passes[0].phase
    ]


def test_filters_combine(several: Report) -> None:
    phase = several.trace.passes[-10].phase
    several.phase(phase).click()
    several.status("changed").click()
    expected = [
        one.index
        for one in several.trace.passes
        if one.phase == phase and several.kind(one) == "changed"
    ]
    assert several.listed() == expected
    assert 0 < len(expected) < min(len(of_kind(several, "changed")), len(several.trace.passes))


# ---- Keys


def test_j_and_k_walk_in_the_order_of_the_run(gemm: Report) -> None:
    """The list groups by phase; the keys go by when the passes ran."""
    gemm.show_noops()
    assert gemm.listed() != sorted(gemm.listed())
    gemm.select(gemm.trace.passes[0])
    title = gemm.page.locator("#pass-title .index")
    walked = [gemm.current]
    for _ in gemm.trace.passes:
        gemm.page.keyboard.press("j")
        walked.append(int(title.inner_text()))
    expected = [one.index for one in gemm.trace.passes]
    assert walked == [*expected, expected[-1]]  # and stay at the end
    gemm.page.keyboard.press("k")
    assert gemm.current == expected[-2]


def test_j_and_k_keep_to_the_filter(several: Report) -> None:
    phase = several.trace.passes[-10].phase
    several.phase(phase).click()
    several.status("changed").click()
    expected = sorted(several.listed())
    assert several.current < expected[0]  # the pass shown is none of them
    walked = []
    for _ in expected:
        several.page.keyboard.press("j")
        walked.append(several.current)
    assert walked == expected
    for _ in expected:
        several.page.keyboard.press("k")
        walked.append(several.current)
    assert walked[len(expected) :] == [*expected[-2::-1], expected[0]]


def test_help_opens_and_closes(gemm: Report) -> None:
    page, shown = gemm.page, gemm.current
    help_ = page.locator("#help")
    assert help_.is_hidden()
    page.keyboard.press("?")
    assert help_.is_visible()
    for key in ("j", "k", "Shift", "E", "F7", "?"):
        assert help_.locator("kbd", has_text=re.compile(f"^{re.escape(key)}$")).count()
    page.keyboard.press("j")
    assert gemm.current == shown  # the page behind stays as it is
    page.keyboard.press("Escape")
    assert help_.is_hidden()
    page.click("#help-open")
    assert help_.is_visible()
    page.click("#help-close")
    assert help_.is_hidden()
    page.keyboard.press("j")
    assert gemm.current == shown + 1
