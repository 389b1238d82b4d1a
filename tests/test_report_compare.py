"""The report in a real Chromium: any two passes compared, addresses, a pass's head, run facts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import pytest
from conftest import Recording
from report_helpers import Open, of_kind

from lt_render.diff import diff_lines
from lt_render.load import load
from lt_render.model import Pass, Trace
from lt_render.outputs import html_report

if TYPE_CHECKING:
    from browser import Report

pytest_plugins = ["browser"]


def joined(*traces: Trace) -> Trace:
    """The passes of several processes, as if one process had compiled all of it."""
    whole = Trace(process=traces[0].process, condition=traces[0].condition, end=traces[0].end)
    for trace in traces:
        numbers = {old: len(whole.texts) + at for at, old in enumerate(sorted(trace.texts))}
        whole.texts |= {numbers[old]: text for old, text in trace.texts.items()}
        units = {unit: replace(unit, number=len(whole.units) + unit.number) for unit in trace.units}
        whole.units += units.values()
        index = len(whole.passes)
        passes: dict[Pass | None, Pass | None] = {None: None}
        for one in trace.passes:
            passes[one] = replace(
                one,
                trace=whole,
                index=index + one.index,
                unit=units[one.unit],
                parent=passes[one.parent],
                before=None if one.before is None else numbers[one.before],
                after=None if one.after is None else numbers[one.after],
            )
        whole.passes += [one for one in passes.values() if one is not None]
    return whole


@pytest.fixture(scope="module")
def often(recordings: dict[str, Recording]) -> Trace:
    """A GEMM of five shapes, as far as the report can tell, and two other kernels."""
    several, gemm = (load(recordings[name].ours.journal) for name in ("several_kernels", "gemm"))
    return joined(several, gemm, gemm, gemm, gemm)


def named(trace: Trace, kernel: int, name: str, occurrence: int = 0) -> Pass:
    found = [one for one in trace.passes if one.unit.number == kernel and one.full_name == name]
    return found[occurrence]


def path(one: Pass, label: str = "") -> str:
    return f"{quote(label or one.unit.title, safe='()')}/{one.index}.{one.name}"


def fragment(report: Report) -> str:
    return str(report.page.url.partition("#")[2])


def follow(report: Report, address: str) -> None:
    """Change the address of the page that is open, as a link does."""
    report.page.evaluate(
        """(hash) => new Promise((done) => {
          addEventListener("hashchange", done, { once: true });
          location.hash = hash;
        })""",
        address,
    )


def note(report: Report) -> str:
    """What is said of an address that could not be followed as it is."""
    shown = report.page.locator("#address-note")
    return str(report.page.inner_text("#address-said")) if shown.is_visible() else ""


def assert_compares(report: Report, old: str, new: str) -> None:
    """Both texts are there, to the last line; what is not marked is the same on both sides."""
    report.expand_all()
    both = report.pairs()
    assert [a.text for a, _ in both if a.line] == old.split("\n")
    assert [b.text for _, b in both if b.line] == new.split("\n")
    assert [a.text for a, _ in both if a.line and not a.mark] == [
        b.text for _, b in both if b.line and not b.mark
    ]
    added, removed = (sum(mark in (a.mark, b.mark) for a, b in both) for mark in ("add", "del"))
    counts = report.page.inner_text("#pass-title .counts")
    assert re.findall(r"\d+", counts) == [str(added), str(removed)]
    git = diff_lines(old, new)
    assert (
        added + removed <= 1.1 * (git.insertions + git.deletions) + 4
    )  # what is the same is found


# ---- Comparing


def test_any_two_passes_compare(gemm: Report) -> None:
    """From a pass to another chosen in the list, by keys, swapped, shared, and back."""
    page, trace = gemm.page, gemm.trace
    one, other = named(trace, 0, "tl.LayoutInference"), named(trace, 0, "tl.FlattenBuffer")
    gemm.select(one)
    page.keyboard.press("c")
    assert page.locator("#compare").get_attribute("role") == "region"
    assert page.inner_text(".nochange") == "no difference"  # until another is chosen
    assert page.inner_text(".col h3") == f"gemm / {one.index} {one.name} after"
    gemm.click(other)
    assert page.locator(".col h3").all_inner_texts() == [
        f"gemm / {one.index} {one.name} after",
        f"gemm / {other.index} {other.name} after",
    ]
    assert_compares(gemm, one.after_text, other.after_text)
    address = fragment(gemm)
    assert address == f"compare/{path(one)}:out/{path(other)}:out"
    page.keyboard.press("j")
    assert page.locator("#pass-list .pass[aria-current]").get_attribute("data-index") != str(
        other.index
    )
    page.go_back()
    page.wait_for_url(f"**#{address}")
    assert_compares(gemm, one.after_text, other.after_text)
    page.select_option("#compare-from-text", label="before")
    assert_compares(gemm, one.before_text, other.after_text)
    page.click("#compare-swap")
    assert_compares(gemm, other.after_text, one.before_text)
    assert page.evaluate("document.activeElement.id") == "compare-swap"
    page.click("#ignore-space")
    assert page.locator("#compare").is_visible()
    page.click("#unified")
    assert page.locator(".pane.unified").count() == 1
    page.click("#unified")
    page.keyboard.press("Escape")
    assert gemm.current == one.index and page.locator("#compare").count() == 0
    gemm.goto(f"#{address}/R40")  # as one would share it
    assert page.locator(".row.chosen").get_attribute("data-line") == "40"
    assert_compares(gemm, one.after_text, other.after_text)
    page.click("#compare-close")
    assert gemm.current == other.index


def test_first_text_against_last_and_lines_of_both(gemm: Report) -> None:
    """The whole lowering at once; a line's history is that of the pass its text is from."""
    page, trace = gemm.page, gemm.trace
    one = named(trace, 0, "tl.LayoutInference")
    gemm.select(one)
    page.click("#compare-open")
    page.click("#compare-from-first")
    page.click("#compare-to-last")
    for button in ("#compare-from-first", "#compare-to-last"):
        assert page.get_attribute(button, "aria-disabled") == "true"
    opened = next(one for one in trace.passes if one.before is not None)
    closed = [one for one in trace.passes if not one.is_codegen and one.after is not None][-1]
    assert_compares(gemm, opened.before_text, closed.after_text)
    history = page.locator("#history")
    source = opened.before_text.split("\n")
    gemm.line("a", len(source)).locator(".num").click()
    assert history.locator("[aria-current] code").inner_text() == source[-1].strip()
    line = next(
        at for at, text in enumerate(closed.after_text.split("\n"), 1) if "tma_load" in text
    )
    gemm.line("b", line).locator(".num").click()
    assert f"History of line {line} of gemm / {closed.index} {closed.name} after" in (
        history.inner_text()
    )
    assert fragment(gemm).endswith(f"/R{line}")
    link = history.locator(".link").first
    target = int(re.findall(r"^\d+", link.inner_text())[0])
    link.click()  # leads out of the comparison
    assert gemm.current == target


def test_the_same_pass_of_another_kernel(open_report: Open, often: Trace) -> None:
    """The second Simplify of a kernel is compared with the second one of another."""
    report = open_report(often)
    page = report.page
    one, twin = (named(often, kernel, "tl.Simplify", 1) for kernel in (0, 3))
    assert one.after_text != twin.after_text
    report.goto(f"#{one.index}")
    also = page.locator("#also-in")
    assert also.inner_text() == "also in: gemm (2), gemm (3), gemm (4) and 1 more"
    also.get_by_text("gemm (2)").click()
    assert page.locator(".col h3").all_inner_texts() == [
        f"gemm / {one.index:03} Simplify after",
        f"gemm (2) / {twin.index} Simplify after",
    ]
    assert_compares(report, one.after_text, twin.after_text)
    other = named(often, 1, "tl.Simplify", 1)
    page.select_option("#compare-kernel", label="rms_norm")
    assert page.evaluate("document.activeElement.id") == "compare-kernel"
    assert fragment(report) == f"compare/{path(one)}:out/{path(other)}:out"
    assert_compares(report, one.after_text, other.after_text)
    page.keyboard.press("Escape")  # out of the list of kernels
    page.keyboard.press("Escape")
    assert report.current == one.index
    page.click("#also-more")
    assert page.evaluate("document.activeElement.id") == "compare-kernel"
    assert page.locator("#compare-kernel option:enabled").all_inner_texts() == [
        "rms_norm", "sum_and_difference", "gemm (2)", "gemm (3)", "gemm (4)", "gemm (5)",
    ]  # fmt: skip


def test_generated_sources_compare(open_report: Open, often: Trace) -> None:
    report = open_report(often)
    page = report.page
    one, twin = (
        next(one for one in often.passes if one.is_codegen and one.unit.number == kernel)
        for kernel in (0, 3)
    )
    report.goto(f"#{one.index}")
    lines = len(one.after_text.split("\n"))
    assert f"{lines} lines generated" in page.inner_text(".meta")
    assert page.locator(".meta .counts").count() == 0
    page.click("#also-in .link")
    assert page.locator(".col h3").all_inner_texts() == [
        f"gemm / {one.index:03} codegen source",
        f"gemm (2) / {twin.index} codegen source",
    ]
    assert_compares(report, one.after_text, twin.after_text)
    assert page.locator(".t-keyword", has_text=re.compile("^(extern|void)$")).count()  # C's colours
    page.select_option("#compare-from-text", label="IR")
    assert page.locator(".pane").count() == 2 and page.locator(".row.add, .row.del").count() == 0
    assert report.lines("a") == one.before_text.split("\n")
    assert report.lines("b") == twin.after_text.split("\n")


# ---- Addresses


def test_an_address_goes_on_to_another_render(gemm: Report) -> None:
    """What it names is found by number and name, else by name, else by number; else it is said."""
    page, trace = gemm.page, gemm.trace
    one = gemm.pass_named("LowerTileOp")
    assert [other.name for other in trace.passes].count(one.name) == 1
    gemm.select(one)
    gemm.expand_all()
    gemm.line("b", 40).locator(".num").click()
    assert fragment(gemm) == f"gemm/{one.index}.LowerTileOp/R40"
    assert gemm.copied("#copy-address") == page.url
    gemm.goto(f"#gemm/{one.index}.LowerTileOp/R40")
    assert gemm.current == one.index and note(gemm) == ""
    assert page.locator(".row.chosen").get_attribute("data-line") == "40"
    told = {
        f"gemm/{one.index + 7}.LowerTileOp/L12": (one.index, "nearest pass of that name"),
        f"gone/{one.index}.LowerTileOp": (one.index, "pass of that number"),
        f"gemm/{one.index}.Gone": (one.index, "pass of that number"),
        "gemm/99999.Gone": (of_kind(gemm, "changed")[0], "has no gemm / 99999 Gone"),
        "99999": (of_kind(gemm, "changed")[0], "has no pass 99999"),
        "no-such-thing": (of_kind(gemm, "changed")[0], "no-such-thing"),
        f"gemm/{one.index}.LowerTileOp/R99999": (one.index, "no line 99999 on the right"),
        f"compare/gemm/{one.index}.LowerTileOp:out/gemm/1.Gone:in": (None, "has no gemm / 01 Gone"),
    }
    for address, (index, words) in told.items():
        follow(gemm, address)
        assert words in note(gemm), address
        assert index is None or gemm.current == index, address
    simplify = [other for other in trace.passes if other.full_name.endswith(".Simplify")]
    between = simplify[1].index + 1
    gemm.goto(f"#gemm/{between}.Simplify")  # opened there, it is the same
    assert gemm.current == simplify[1].index
    assert page.locator("#address-said").get_attribute("role") == "status"
    page.click("#address-close")
    assert note(gemm) == ""
    follow(gemm, "gemm/99999.Gone")
    assert note(gemm) != ""
    page.keyboard.press("j")
    assert note(gemm) == ""  # it was said of what is no longer shown


def test_kernels_of_any_name_have_addresses(
    open_report: Open, recordings: dict[str, Recording]
) -> None:
    trace = load(recordings["gemm"].ours.journal)
    trace = joined(trace, trace, trace)
    names = ("a/b.c:out %41 (2)", "compare", "größe \u202e # 核")
    for unit, name in zip(trace.units, names, strict=True):
        unit.kernels = (name,)
    report = open_report(trace)
    for kernel, name in enumerate(names):
        one = named(trace, kernel, "tl.LowerTileOp")
        report.click(one)
        assert "/" not in fragment(report).split(f"/{one.index}.")[0]
        assert unquote(fragment(report)) == f"{name}/{one.index}.LowerTileOp"
        address = fragment(report)
        follow(report, "0")
        follow(report, address)
        assert report.current == one.index and note(report) == ""
    report.page.keyboard.press("c")
    report.page.select_option("#compare-kernel", label=names[0])
    address = fragment(report)
    report.goto(f"#{address}")
    assert note(report) == "" and fragment(report) == address
    assert report.page.locator("#compare").is_visible()
    heading = "".join(report.page.locator(".col h3").all_inner_texts())
    assert names[0] in heading and "größe" in heading


# ---- The head and the facts


def test_times_stand_apart(gemm: Report) -> None:
    """The recorder's own, and that of the passes inside."""
    one = gemm.pass_named("LowerTileOp")
    inside = [other for other in gemm.trace.passes if other.parent is one]
    assert inside and one.cost

    def milliseconds(words: str) -> float:
        number, unit = re.findall(rf"{words} ([\d.,]+) (µs|ms|s)", told)[0]
        return float(number) * {"µs": 0.001, "ms": 1, "s": 1000}[unit]

    gemm.select(one)
    told = gemm.page.inner_text(".meta")
    assert milliseconds("took") == pytest.approx((one.duration or 0) / 1000, rel=0.01)
    assert milliseconds("recorder") == pytest.approx(one.cost / 1000, rel=0.01)
    assert milliseconds("of it") == pytest.approx(
        sum(other.duration or 0 for other in inside) / 1000, rel=0.01
    )
    gemm.select(inside[0])
    assert "of it" not in gemm.page.inner_text(".meta")


def test_facts_of_many_kernels_are_grouped(often: Trace) -> None:
    trace = joined(often)
    (target,) = {unit.target for unit in trace.units}
    assert dict(html_report.facts(trace))["Target"] == f"{target} (all 7 kernels)"
    for unit in trace.units[3:]:
        unit.configs = {"tl.disable_tma_lower": True}
    trace.units[1].target = "hip"
    facts = html_report.facts(trace)
    assert len(dict(facts)) == len(facts)
    configs = json.dumps(trace.units[3].configs)
    assert dict(facts)["Pass configs of gemm (2), gemm (3), gemm (4) and 1 more"] == configs
    assert dict(facts)["Target of rms_norm"] == "hip"
    assert dict(facts)["Target of gemm, sum_and_difference, gemm (2) and 3 more"] == target
