"""The report in a real Chromium: no-ops folded, nested passes, kernels, orders and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING, Any

import pytest
from conftest import Recording
from report_helpers import Open, first, of_kind

from lt_render.load import load
from lt_render.model import Pass
from lt_render.outputs import html_report

if TYPE_CHECKING:
    from browser import Report

pytest_plugins = ["browser"]


def groups(report: Report) -> list[list[Pass]]:
    """The passes by compile and phase, as the list has them."""
    found: dict[tuple[int, str], list[Pass]] = {}
    for one in report.trace.passes:
        found.setdefault((one.unit.number, one.phase), []).append(one)
    return list(found.values())


def indices(passes: list[Pass]) -> list[int]:
    return [one.index for one in passes]


def inside(report: Report, one: Pass) -> list[Pass]:
    """The passes that ran directly inside a pass."""
    return [other for other in report.trace.passes if other.parent is one]


def runs(report: Report) -> list[list[Pass]]:
    """No-ops in a row, two or more, with what is inside them."""

    def busy(one: Pass) -> bool:
        return report.kind(one) != "noop" or any(map(busy, inside(report, one)))

    found: list[list[Pass]] = []
    for group in groups(report):
        run: list[Pass] = []
        for one in group:
            if busy(one):
                run = []
                continue
            near = run and one.index == run[-1].index + 1
            if not (near and (one.parent in run or one.parent is run[0].parent)):
                run = []
                found.append(run)
            run.append(one)
    return [run for run in found if len(run) > 1]


def own_time(report: Report, one: Pass) -> int:
    return (one.duration or 0) - sum(other.duration or 0 for other in inside(report, one))


def told(us: int) -> str:
    """A time as the page writes it."""
    if us < 1000:
        return f"{us} µs"
    if us < 999_500:
        # Exact ties go up in JavaScript, and to the even digit in Python's formats.
        ms = Context(prec=3, rounding=ROUND_HALF_UP).create_decimal(us / 1e3)
        return f"{float(ms):#.3g}".rstrip(".") + " ms"
    return f"{Decimal(us / 1e6).quantize(Decimal('0.01'), ROUND_HALF_UP)} s"


def shown(report: Report) -> tuple[list[int], list[tuple[str, str]]]:
    """Indices of the passes listed, and what the folds among them say."""
    entries = report.entries()
    folds = [entry["parts"] for entry in entries if "fold" in entry["classes"]]
    return (
        [int(entry["data"]["index"]) for entry in entries if "pass" in entry["classes"]],
        [(parts[".label"], parts[".index"]) for parts in folds],
    )


def entry(report: Report, one: Pass) -> Any:
    return report.page.locator(f'#pass-list .pass[data-index="{one.index}"]')


def walked(report: Report, key: str, times: int) -> list[int]:
    seen = []
    for _ in range(times):
        report.page.keyboard.press(key)
        seen.append(report.current)
    return seen


# ---- No-ops


def test_no_ops_are_folded_on_opening_and_counted(gemm: Report) -> None:
    expected = runs(gemm)
    hidden = {index for run in expected for index in indices(run)}
    assert any(one.depth for run in expected for one in run) and len(expected) > 5
    listed = [one.index for group in groups(gemm) for one in group if one.index not in hidden]
    assert first(gemm, "changed").index not in hidden and set(of_kind(gemm, "noop")) > hidden
    width = gemm.trace.index_width
    folded = [
        (f"{len(run)} no-ops", f"{run[0].index:0{width}}–{run[-1].index:0{width}}")
        for run in expected
    ]
    assert shown(gemm) == (listed, folded)
    assert gemm.page.inner_text("#noops") == f"Show {len(hidden)} no-ops"
    rest = [index for index in sorted(listed) if index > gemm.current][:12]
    assert walked(gemm, "j", len(rest)) == rest  # past what is folded
    chosen = gemm.page.locator("#pass-list [aria-current]")
    height = chosen.bounding_box()["y"]
    gemm.page.keyboard.press("o")
    assert chosen.bounding_box()["y"] == pytest.approx(height, abs=1)  # it stays where it was
    assert sorted(gemm.listed()) == indices(gemm.trace.passes)
    assert gemm.page.inner_text("#noops") == "Fold no-ops"
    assert walked(gemm, "k", 3) == [rest[-1] - 1, rest[-1] - 2, rest[-1] - 3]
    walked(gemm, "j", 3)
    gemm.page.click("#noops")
    assert shown(gemm) == (listed, folded)
    # Where the no-ops are asked for they are all there, and nothing can be folded.
    gemm.status("noop").click()
    assert sorted(shown(gemm)[0]) == of_kind(gemm, "noop")
    assert gemm.page.is_disabled("#noops")
    gemm.status("noop").click()
    gemm.page.keyboard.press("/")
    gemm.page.keyboard.insert_text("reducer")
    gemm.page.locator("#found-count").wait_for()
    found, folded = shown(gemm)
    assert folded == [] and set(found) & hidden


def test_a_fold_opens_by_click_key_and_address(gemm: Report) -> None:
    run, other = sorted(runs(gemm), key=len)[-2:]
    page, closed = gemm.page, gemm.listed()
    fold = page.locator("#pass-list .fold", has_text=f"{run[0].index:02}–")
    assert fold.get_attribute("role") == "treeitem"
    fold.click()
    assert set(gemm.listed()) - set(closed) == set(indices(run))
    assert fold.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowRight")  # to the first of them
    focused = page.locator("#pass-list :focus")
    assert focused.get_attribute("data-index") == str(run[0].index)
    assert focused.get_attribute("aria-level") == "3"
    page.keyboard.press("ArrowLeft")  # back out, and closed
    page.keyboard.press("ArrowLeft")
    assert gemm.listed() == closed
    assert page.locator("#pass-list .fold:focus").get_attribute("aria-expanded") == "false"
    page.keyboard.press("ArrowRight")
    assert set(gemm.listed()) - set(closed) == set(indices(run))
    gemm.goto(f"#{other[1].index}")
    assert gemm.current == other[1].index
    assert set(gemm.listed()) - set(closed) == set(indices(other))
    assert walked(gemm, "j", 1) == [other[1].index + 1]
    page.keyboard.press("o")
    page.keyboard.press("o")  # the chosen one stays in the list
    assert set(gemm.listed()) - set(closed) == set(indices(other))


def test_compiles_that_take_turns_are_folded_each_by_itself(gemm: Report) -> None:
    """Two threads compile; one of them has a codegen, which comes after the pass inside it."""
    folded = gemm.page.evaluate(
        """() => {
          const pass = (unit, phase, parent = null) => ({ unit, phase, parent, us: 5 });
          const passes = [pass(0, "p"), pass(1, "p"), pass(0, "p"), pass(1, "q"), pass(0, "p"),
            pass(1, "p"), pass(1, "codegen", 8), pass(1, "codegen", 8), pass(1, "codegen")];
          const kinds = passes.map((_, i) => (i === 8 ? "codegen" : "noop"));
          const { folds, walk, groups } = new Outline({ passes }, kinds);
          return [
            folds.map(({ group, place, size }) => group.passes.slice(place, place + size)),
            walk,
            groups.at(-1).passes,
          ];
        }"""
    )
    # Pass 5 of the second does not go on from 1: pass 3, of another phase, ran in between.
    assert folded == [[[0, 2, 4], [6, 7]], [0, 2, 4, 1, 3, 5, 6, 7, 8], [8, 6, 7]]


# ---- Nested passes


def test_a_pass_opens_and_closes_with_the_passes_inside(gemm: Report) -> None:
    outer = gemm.pass_named("LowerTileOp")
    within = inside(gemm, outer)
    assert len(within) > 1 and all(one.changed for one in within)
    page, everything = gemm.page, gemm.listed()
    gemm.select(within[0])
    button = entry(gemm, outer)
    levels = [int(entry(gemm, one).get_attribute("aria-level")) for one in (outer, *within)]
    assert levels == [levels[0], *(levels[0] + 1 for _ in within)]
    assert entry(gemm, within[0]).get_attribute("aria-setsize") == str(len(within))
    indents = [entry(gemm, one).locator(".dot").bounding_box()["x"] for one in (outer, within[0])]
    assert indents[0] < indents[1]
    button.locator(".chevron").click()
    assert gemm.current == within[0].index  # closing is not choosing
    assert button.get_attribute("aria-expanded") == "false"
    assert gemm.listed() == [index for index in everything if index not in indices(within)]
    assert f"{len(within)} passes inside" in button.inner_text()
    assert "changed something" in button.inner_text()
    assert walked(gemm, "k", 2)[1] == sorted(everything)[sorted(everything).index(outer.index) - 1]
    gemm.page.evaluate("index => { location.hash = `#${index}`; }", within[1].index)
    page.locator("#pass-title .name").filter(has_text=within[1].full_name).wait_for()
    assert gemm.current == within[1].index and gemm.listed() == everything
    button.focus()
    page.keyboard.press("ArrowLeft")
    assert not set(gemm.listed()) & set(indices(within))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("#pass-list :focus").get_attribute("data-index") == str(within[0].index)


def test_a_nested_pass_is_listed_where_the_outer_one_does_not_match(gemm: Report) -> None:
    nested = next(
        one
        for one in gemm.trace.passes
        if one.parent and gemm.kind(one) == "noop" and gemm.kind(one.parent) == "changed"
    )
    gemm.status("noop").click()
    assert nested.index in gemm.listed() and nested.parent.index not in gemm.listed()
    gemm.select(nested)
    assert entry(gemm, nested).locator(".guides").bounding_box()["width"] > 0
    gemm.status("changed").click()
    gemm.status("noop").click()
    assert nested.parent.index in gemm.listed() and nested.index not in gemm.listed()
    gemm.select(nested.parent)
    assert entry(gemm, nested.parent).get_attribute("aria-expanded") is None  # nothing to open


# ---- Kernels


def test_a_kernel_is_chosen_and_all_counts_follow(several: Report) -> None:
    page, trace = several.page, several.trace
    members = [[one for one in trace.passes if one.unit is unit] for unit in trace.units]
    options = page.locator("#kernel option").all_inner_texts()
    assert options == [
        f"All kernels ({len(trace.units)})",
        *(
            f"{unit.title} · {len(ran)} passes"
            for unit, ran in zip(trace.units, members, strict=True)
        ),
    ]
    several.show_noops()
    several.phase(trace.passes[5].phase).click()
    page.select_option("#kernel", index=2)
    # The phase was the first kernel's: nothing would be left.
    assert several.phase(None).get_attribute("aria-selected") == "true"
    ran = members[1]
    assert sorted(several.listed()) == indices(ran)
    kinds, phases = Counter(map(several.kind, ran)), Counter(one.phase for one in ran)
    for kind in ("changed", "noop", "failed", "codegen"):
        assert several.status(kind).locator("b").inner_text() == str(kinds[kind])
    for phase in {one.phase for one in trace.passes}:
        assert several.phase(phase).is_visible() == (phase in phases)
        if phase in phases:
            assert several.phase(phase).locator(".count").inner_text() == str(phases[phase])
    several.status("changed").click()
    several.phase(ran[20].phase).click()
    expected = [one for one in ran if one.phase == ran[20].phase and one.changed]
    assert several.listed() == indices(expected)
    everywhere = [one for one in trace.passes if one.phase == ran[20].phase and one.changed]
    counted = [f"{len([one for one in everywhere if one.unit is unit])}" for unit in trace.units]
    told_ = page.locator("#kernel option").all_inner_texts()[1:]
    assert [text.split(" · ")[1].split()[0] for text in told_] == counted
    several.status("changed").click()
    several.status("failed").click()
    page.click("#filter-clear")
    assert page.input_value("#kernel") == ""
    assert sorted(several.listed()) == indices(trace.passes)


@pytest.fixture
def joined(
    open_report: Open, recordings: dict[str, Recording], tmp_path_factory: pytest.TempPathFactory
) -> Report:
    """The passes of two runs, of which the second failed, as if of one."""
    report = open_report(recordings["gemm"].ours.journal)
    trace, other = (load(recordings[name].ours.journal) for name in ("gemm", "failing_pass"))
    away = len(trace.passes), 1 + max(trace.texts), len(trace.units)
    for one in other.passes:
        one.trace, one.index = trace, one.index + away[0]
        one.before, one.after = (
            None if n is None else n + away[1] for n in (one.before, one.after)
        )
    for unit in other.units:
        unit.number += away[2]
    trace.texts |= {number + away[1]: text for number, text in other.texts.items()}
    trace.passes += other.passes
    trace.units += other.units
    report.trace = trace
    report.path = tmp_path_factory.mktemp("joined") / "report.html"
    html_report.write(trace, report.path)
    report.goto()
    return report


def test_a_kernel_that_failed_is_marked(joined: Report) -> None:
    texts = joined.page.locator("#kernel option").all_inner_texts()
    assert ["✕ failed" in text for text in texts] == [False, False, True]
    assert joined.current == first(joined, "failed").index
    joined.page.select_option("#kernel", index=1)
    assert joined.status("failed").locator("b").inner_text() == "0"
    assert not set(joined.listed()) & {one.index for one in joined.trace.passes if one.unit.number}


# ---- Time


def order(report: Report, how: str, weight: Callable[[Pass], int]) -> list[int]:
    """Choose an order, and say what it is to be."""
    report.page.select_option("#order", how)
    report.page.evaluate("document.activeElement.blur()")
    return indices(sorted(report.trace.passes, key=weight, reverse=True))


def changed_lines(one: Pass) -> int:
    return 0 if one.is_codegen else one.diff.insertions + one.diff.deletions


def test_orders_by_time_and_by_lines(gemm: Report) -> None:
    page, trace = gemm.page, gemm.trace
    opened = gemm.current
    expected = order(gemm, "time", lambda one: own_time(gemm, one))
    entries = gemm.entries()
    assert [int(found["data"]["index"]) for found in entries] == expected  # flat: nothing else
    assert gemm.current == opened
    assert page.locator("#kernel").is_hidden()  # of the one kernel there is no choice
    by_index = {one.index: one for one in trace.passes}
    for found in entries:
        assert found["text"].endswith(told(own_time(gemm, by_index[int(found["data"]["index"])])))
    assert expected != indices(sorted(trace.passes, key=lambda one: -(one.duration or 0)))
    longest, second = (entry(gemm, by_index[index]) for index in expected[:2])
    full, part = (one.locator(".bar").bounding_box()["width"] for one in (longest, second))
    share = own_time(gemm, by_index[expected[1]]) / own_time(gemm, by_index[expected[0]])
    assert part / full == pytest.approx(share, abs=0.01)
    longest.click()
    assert walked(gemm, "j", 3) == expected[1:4]
    assert walked(gemm, "k", 4) == [*expected[2::-1], expected[0]]

    page.keyboard.press("/")
    page.keyboard.insert_text("tma_load")
    page.locator("#found-count").wait_for()
    having = [one.index for one in trace.passes if "tma_load" in one.before_text + one.after_text]
    assert gemm.listed() == [index for index in expected if index in having]
    for button, index in (("#found-last", having[-1]), ("#found-first", having[0])):
        page.click(button)  # of the run, whatever the order
        assert gemm.current == index
    page.locator("#search").fill("")
    page.locator("#found-count").wait_for(state="hidden")

    by_lines = order(gemm, "lines", changed_lines)
    assert gemm.listed() == by_lines != expected
    assert page.locator(".group, .fold").count() == 0
    page.select_option("#order", "run")
    assert page.locator(".group, .fold").count() > 0


def test_the_recorders_own_time_is_apart(gemm: Report) -> None:
    trace = gemm.trace
    outer = gemm.pass_named("LowerTileOp")
    gemm.select(outer)
    title = str(entry(gemm, outer).get_attribute("title"))
    assert outer.full_name in title and outer.cost > 0
    own = own_time(gemm, outer)
    assert f"lowering {told(own)} by itself, {told(outer.duration or 0)} with" in title
    assert f"recorder {told(outer.cost)}" in title
    assert told(own) in entry(gemm, outer).inner_text()  # for who hears the list

    def assert_summed(passes: list[Pass]) -> None:
        lowering = sum(own_time(gemm, one) for one in passes)
        cost = sum(one.cost for one in passes)
        assert gemm.page.inner_text("#list-foot") == (
            f"{len(passes)} passes, {told(lowering)} in passes, {told(cost)} recorder"
        )

    assert_summed(trace.passes)
    gemm.status("changed").click()
    assert_summed([one for one in trace.passes if gemm.kind(one) == "changed"])
