"""The report in a real Chromium: what a reader sees and can do, on reports of real kernels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import Report, Row, kind_of
from conftest import Recording

from lt_render.condition import State
from lt_render.load import load
from lt_render.model import Pass

pytest_plugins = ["browser"]

Open = Callable[..., Report]

DOTS = {"changed": "●", "noop": "○", "failed": "✕", "codegen": "◆"}
CONTEXT = 3
THEMES = ("light", "dark")

#: Contrast of an element's text with what is behind it, as WCAG counts it.
CONTRAST = """(element) => {
  const parse = (colour) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const layers = [];
  for (let at = element; at; at = at.parentElement) {
    layers.push(parse(getComputedStyle(at).backgroundColor));
    if (layers[layers.length - 1][3] === 1) break;
  }
  const over = ([r, g, b, a], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
  const behind = layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  const light = (rgb) => rgb.map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const [low, high] = [light(over(parse(getComputedStyle(element).color), behind)), light(behind)]
    .sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.fixture
def gemm(open_report: Open, gemm_journal: Path) -> Report:
    return open_report(gemm_journal)


@pytest.fixture
def failing(open_report: Open, recordings: dict[str, Recording]) -> Report:
    return open_report(recordings["failing_pass"].ours.journal)


@pytest.fixture
def several(open_report: Open, recordings: dict[str, Recording]) -> Report:
    return open_report(recordings["several_kernels"].ours.journal)


def of_kind(report: Report, *kinds: str) -> list[int]:
    return [one.index for one in report.trace.passes if kind_of(one) in kinds]


def pass_at(report: Report, index: int) -> Pass:
    (one,) = [one for one in report.trace.passes if one.index == index]
    return one


def first(report: Report, kind: str) -> Pass:
    return pass_at(report, of_kind(report, kind)[0])


def old_lines(one: Pass) -> set[int]:
    """Numbers, from 1, of the lines that a pass removed."""
    return {
        hunk.old_start + 1 + offset for hunk in one.diff.hunks for offset in range(hunk.old_count)
    }


def new_lines(one: Pass) -> set[int]:
    """Numbers, from 1, of the lines that a pass added."""
    return {
        hunk.new_start + 1 + offset for hunk in one.diff.hunks for offset in range(hunk.new_count)
    }


def stretches(one: Pass) -> Iterator[tuple[int, int, bool, bool]]:
    """Unchanged stretches of the old text: first line from 1, length, whether at either end."""
    at = 1
    for hunk in one.diff.hunks:
        if hunk.old_start + 1 > at:
            yield at, hunk.old_start + 1 - at, at == 1 and hunk.new_start > 0, False
        at = hunk.old_start + 1 + hunk.old_count
    rest = len(one.before_text.split("\n")) + 1 - at
    if rest:
        yield at, rest, False, True


def hidden_lines(one: Pass) -> dict[int, range]:
    """Lines of the old text that are folded away at first, by the first line of their stretch."""
    hidden = {}
    for start, length, at_top, at_bottom in stretches(one):
        lines = range(
            start + (0 if at_top else CONTEXT), start + length - (0 if at_bottom else CONTEXT)
        )
        if len(lines) > 1:
            hidden[start] = lines
    return hidden


def numbers(rows: list[Row], *marks: str) -> list[int]:
    return [row.line for row in rows if row.line is not None and (row.mark in marks or not marks)]


def pairs(report: Report) -> list[tuple[Row, Row]]:
    """The rows of both sides, beside each other."""
    left, right = report.rows("a"), report.rows("b")
    assert [row.row for row in left] == [row.row for row in right]
    return list(zip(left, right, strict=True))


def assert_shows_diff(report: Report, one: Pass) -> None:
    """All of both texts is there, in order; what the model says changed is marked, nothing else."""
    both = pairs(report)
    left, right = [a for a, _ in both], [b for _, b in both]
    before, after = one.before_text.split("\n"), one.after_text.split("\n")
    assert numbers(left) == list(range(1, len(before) + 1))
    assert numbers(right) == list(range(1, len(after) + 1))
    assert [row.text for row in left if row.line] == before
    assert [row.text for row in right if row.line] == after
    assert set(numbers(left, "del")) == old_lines(one)
    assert set(numbers(right, "add")) == new_lines(one)
    assert not numbers(left, "add") and not numbers(right, "del")
    for a, b in both:
        assert a.line or b.line
        if not (a.mark or b.mark):
            assert a.text == b.text


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
    assert failing.lines("a") == one.before_text.split("\n")
    assert failing.page.locator(".side").count() == 1
    failing.page.locator("#error").scroll_into_view_if_needed()
    error = failing.page.locator("#error").bounding_box()
    code = failing.page.locator(".side .row").first.bounding_box()
    assert 0 < error["y"] < code["y"] < 800  # both in sight at once


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
    entries = report.entries()
    width = report.trace.index_width
    shown = []
    for entry in entries:
        if "group" in entry["classes"]:
            shown.append(entry["parts"][".label"])
            continue
        parts = entry["parts"]
        assert DOTS[entry["classes"][1]] == parts[".dot"]
        shown.append(tuple(parts[p] for p in (".dot", ".index", ".label", ".plus", ".minus")))
    expected: list[object] = []
    for (_, phase), members in expected_groups(report).items():
        expected.append(phase)
        for one in members:
            counts = (one.diff.insertions, one.diff.deletions)
            told = (f"+{counts[0]}", f"−{counts[1]}") if any(counts) else (None, None)
            expected.append((DOTS[kind_of(one)], f"{one.index:0{width}}", one.name, *told))
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
    while gemm.current < hidden.index:
        gemm.page.keyboard.press("j")
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
    kinds = Counter(kind_of(one) for one in gemm.trace.passes)
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
        if one.phase == phase and kind_of(one) == "changed"
    ]
    assert several.listed() == expected
    assert 0 < len(expected) < min(len(of_kind(several, "changed")), len(several.trace.passes))


# ---- Keys


def test_j_and_k_walk_in_the_order_of_the_run(gemm: Report) -> None:
    """The list groups by phase; the keys go by when the passes ran."""
    assert gemm.listed() != sorted(gemm.listed())
    gemm.select(gemm.trace.passes[0])
    walked = [gemm.current]
    for _ in gemm.trace.passes:
        gemm.page.keyboard.press("j")
        walked.append(gemm.current)
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


# ---- The diff


@pytest.mark.parametrize("name", ["gemm", "flash_attention", "cpu_scale"])
def test_the_diff_is_the_models(
    name: str, open_report: Open, recordings: dict[str, Recording]
) -> None:
    """GIVEN a real kernel THEN on each pass that changed it both texts are there to the last line,
    side by side, with the lines marked that the model's diff has."""
    report = open_report(recordings[name].ours.journal)
    report.status("changed").click()
    passes = [one for one in report.trace.passes if kind_of(one) == "changed"]
    assert report.current == passes[0].index
    report.page.keyboard.press("Shift+E")
    for one in passes:
        assert report.current == one.index
        assert_shows_diff(report, one)
        counts = report.page.locator(".meta .counts")
        assert counts.locator(".plus").inner_text() == f"+{one.diff.insertions}"
        assert counts.locator(".minus").inner_text() == f"−{one.diff.deletions}"
        report.page.keyboard.press("j")


def test_changed_words_are_highlighted(gemm: Report) -> None:
    """What is left of two lines beside each other, without the highlighted words, is the same."""
    gemm.status("changed").click()
    gemm.expand_all()
    highlighted = 0
    for index in of_kind(gemm, "changed"):
        gemm.goto(f"#{index}")
        gemm.expand_all()
        for a, b in pairs(gemm):
            if (a.kept, b.kept) == (a.text, b.text):
                continue
            assert (a.mark, b.mark) == ("del", "add")
            assert re.sub(r"\s", "", a.kept) == re.sub(r"\s", "", b.kept) != ""
            highlighted += 1
    assert highlighted > 50


def test_one_changed_word(gemm: Report) -> None:
    one = gemm.pass_named("AnnotateReadOnlyParams")
    gemm.select(one)
    changed = [(a, b) for a, b in pairs(gemm) if a.mark and b.mark]
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
    changed = [one for one in report.trace.passes if kind_of(one) == "changed"]
    assert any(len(hidden_lines(one)) > 3 for one in changed)
    for one in changed[::3]:
        report.goto(f"#{one.index}")
        hidden = hidden_lines(one)
        every = set(range(1, len(one.before_text.split("\n")) + 1))
        left = report.rows("a")
        assert set(numbers(left)) == every.difference(*hidden.values())
        assert {len(lines) for lines in hidden.values()} >= set(gaps(report))
        assert len(numbers(report.rows("b"), "add")) == one.diff.insertions


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
        (one for one in report.trace.passes if kind_of(one) == "changed"),
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
    for a, b in pairs(report):
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
    while kind_of(pass_at(gemm, gemm.current)) != "changed":
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


def rows_by_line(rows: list[Row]) -> dict[int, int]:
    return {row.line: row.row for row in rows if row.line is not None}


def to_align(report: Report) -> tuple[Pass, int, int]:
    """A pass with a big change, and a line of each side in it, far from each other."""
    one = report.pass_named("LowerOpaqueBlock")
    hunk = max(one.diff.hunks, key=lambda hunk: hunk.old_count)
    assert hunk.old_count > 20 and hunk.new_count > 20
    return one, hunk.old_start + 6, hunk.new_start + hunk.new_count - 8


def assert_aligned(report: Report, one: Pass, left: int, right: int) -> None:
    both = pairs(report)
    (at,) = [i for i, (a, b) in enumerate(both) if (a.line, b.line) == (left, right)]
    for a, b in both[:at]:
        assert (a.line or 0) < left and (b.line or 0) < right
    for a, b in both[at + 1 :]:
        assert (a.line or left + 1) > left and (b.line or right + 1) > right
    assert report.lines("a") == one.before_text.split("\n")
    assert report.lines("b") == one.after_text.split("\n")
    for a, b in both:
        assert a.text == b.text or ((a.line is None or a.mark) and (b.line is None or b.mark))


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


# ---- The run


def test_run_facts(several: Report) -> None:
    page, process = several.page, several.trace.process
    panel = page.locator("#facts-panel")
    assert panel.is_hidden()
    page.click("#facts summary")
    assert panel.is_visible()
    labels, values = (panel.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    facts = dict(zip(labels, values, strict=True))
    assert facts["TileLang"] == process["tilelang"] and re.match(r"\d+\.\d+", facts["TileLang"])
    assert facts["TVM"] == process["tvm"] and facts["Python"] == process["python"]
    assert facts["Recorder"] == process["recorder"]
    assert facts["Process"] == str(process["pid"])
    assert facts["Journal"] == "closed cleanly"
    for unit in several.trace.units:
        assert (
            facts[f"Target of {unit.title}"] == unit.target
            and "cuda" in facts[f"Target of {unit.title}"]
        )
    page.keyboard.press("Escape")
    assert panel.is_hidden()
    page.click("#facts summary")
    page.click("#pass-title")
    assert panel.is_hidden()


def test_a_cut_journal(open_report: Open, gemm_journal: Path, tmp_path: Path) -> None:
    """GIVEN a journal that ends inside a pass THEN the page says where, and opens there."""
    whole = gemm_journal.read_bytes()
    cut = tmp_path / "journal.lt.zst"
    for size in range(len(whole) * 2 // 3, len(whole), 16):
        cut.write_bytes(whole[:size])
        if load(cut).in_flight:
            break
    report = open_report(cut)
    one = report.trace.in_flight
    assert one is not None and report.trace.condition.state is State.ENDED_EARLY
    banner = report.page.locator("#banner.early")
    assert "ended early" in banner.inner_text()
    assert f"the process ended inside {one.label}" in banner.inner_text()
    assert report.current == one.index
    assert "did not finish" in report.page.inner_text("#error")
    assert report.lines("a") == one.before_text.split("\n")
    assert sorted(report.listed()) == [one.index for one in report.trace.passes]
    assert report.status("failed").locator("b").inner_text() == "1"


def test_a_damaged_journal(open_report: Open, gemm_journal: Path, tmp_path: Path) -> None:
    data = bytearray(gemm_journal.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
    damaged = tmp_path / "journal.lt.zst"
    damaged.write_bytes(data)
    report = open_report(damaged)
    banner = report.page.locator("#banner.damaged")
    assert "damaged" in banner.inner_text() and "missing" in banner.inner_text()
    assert report.trace.state_message in banner.inner_text()
    assert report.trace.passes
    assert sorted(report.listed()) == [one.index for one in report.trace.passes]


# ---- Themes


def theme_of(report: Report) -> str:
    """The theme, by its name, by what the page looks like, and by what the button offers."""
    name = str(report.page.locator("html").get_attribute("data-theme"))
    colour = report.page.evaluate("getComputedStyle(document.body).backgroundColor")
    bright = sum(map(int, re.findall(r"\d+", colour)[:3])) > 3 * 128
    assert bright == (name == "light")
    other = "Dark" if name == "light" else "Light"
    assert other in report.page.inner_text("#theme-toggle")
    return name


@pytest.mark.parametrize("theme", THEMES)
def test_theme_follows_the_system_until_it_is_chosen(
    open_report: Open, gemm_journal: Path, theme: str
) -> None:
    report = open_report(gemm_journal, theme=theme)
    (other,) = {*THEMES} - {theme}
    assert theme_of(report) == theme
    report.page.click("#theme-toggle")
    assert theme_of(report) == other
    report.page.reload()
    report.page.wait_for_selector("#pass-title")
    assert theme_of(report) == other
    assert other in report.page.evaluate("Object.values(localStorage)")
    report.page.keyboard.press("t")
    report.page.reload()
    report.page.wait_for_selector("#pass-title")
    assert theme_of(report) == theme


@pytest.mark.parametrize("theme", THEMES)
def test_text_stands_out(open_report: Open, recordings: dict[str, Recording], theme: str) -> None:
    """The contrast that WCAG asks of text at its level AA, in each theme."""
    report = open_report(recordings["failing_pass"].ours.journal, theme=theme)
    seen = Counter[str]()

    def check(*selectors: str) -> None:
        for selector in selectors:
            found = report.page.locator(selector).filter(visible=True)
            for element in found.all()[:40]:
                contrast = element.evaluate(CONTRAST)
                assert contrast >= 4.5, f"{selector}: {contrast:.2f}: {element.inner_text()!r}"
                seen[selector] += 1
            assert seen[selector], selector

    check("#error h3", "#error pre", ".row .num", ".row .code", "#phases [role=tab]")
    check(".pass .dot", ".pass .index", ".pass .label", ".group .label", ".meta b", "#title")
    report.select(report.pass_named("MaterializeKernelLaunch"))
    check(".plus", ".minus", ".add .code", ".add .num", ".add .w", ".del .code", ".del .num")
    check(".del .w", "#copy-before", "#summary [data-kind]", ".col h3")
    for span in (".add .code span", ".del .code span"):  # colours of the language, if there are any
        if report.page.locator(span).count():
            check(span)
    report.select(report.pass_named("BindTarget"))
    check(".gap button.all")
    report.select(first(report, "noop"))
    check(".nochange")
    report.page.keyboard.press("?")
    check("#help th", "#help td", "#help kbd")


# ---- All of it, in both themes


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", ["gemm", "several_kernels"])
def test_a_readers_walk(
    name: str, theme: str, open_report: Open, recordings: dict[str, Recording]
) -> None:
    """One sitting, everything in turn, without opening the page anew."""
    report = open_report(recordings[name].ours.journal, theme=theme)
    page, trace = report.page, report.trace
    assert theme_of(report) == theme
    assert report.current == of_kind(report, "changed")[0]

    report.status("changed").click()
    walked = [report.current]
    for _ in range(4):
        page.keyboard.press("j")
        walked.append(report.current)
    assert walked == of_kind(report, "changed")[:5]
    one = pass_at(report, report.current)
    assert set(numbers(report.rows("a"), "del")) == old_lines(one)
    assert set(numbers(report.rows("b"), "add")) == new_lines(one)
    page.keyboard.press("Shift+E")
    assert_shows_diff(report, one)
    assert report.copied("#copy-after") == one.after_text

    one, left, right = to_align(report)
    report.select(one)
    page.keyboard.press("F7")
    report.line("a", left).click(position={"x": 90, "y": 10})
    report.line("b", right).click(position={"x": 90, "y": 10})
    assert_aligned(report, one, left, right)

    report.status("changed").click()
    report.phase("codegen").click()
    assert report.listed() == of_kind(report, "codegen")
    page.keyboard.press("j")
    code = first(report, "codegen")
    assert report.current == code.index
    assert report.lines("b") == code.after_text.split("\n")
    page.go_back()
    page.locator("#pass-title .name").filter(has_text=one.full_name).wait_for()
    assert_aligned(report, one, left, right)

    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    page.click("#facts summary")
    assert str(trace.process["tilelang"]) in page.inner_text("#facts-panel")
    page.keyboard.press("Escape")
    page.click("#sidebar-toggle")
    page.keyboard.press("t")
    assert theme_of(report) != theme
    page.keyboard.press("b")
    report.phase(None).click()
    assert len(report.listed()) == len(trace.passes)


def test_what_no_report_may_do_is_noticed(gemm: Report) -> None:
    """The watch that all of these tests end with is awake."""
    gemm.page.evaluate("console.error('told'); setTimeout(() => { throw new Error('thrown'); })")
    gemm.page.evaluate("new Promise((done) => setTimeout(done, 50))")
    gemm.page.evaluate("document.body.append(Object.assign(new Image(), { src: 'other.png' }))")
    gemm.page.wait_for_timeout(100)
    told = "\n".join(gemm.troubles)
    assert "told" in told and "thrown" in told and "other.png" in told
    gemm.troubles.clear()
