"""The report in a real Chromium: the run, its state, themes, and a walk through all of it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import Recording
from report_helpers import (
    Open,
    assert_aligned,
    assert_shows_diff,
    first,
    new_lines,
    numbers,
    of_kind,
    old_lines,
    pass_at,
    to_align,
)

from lt_render.condition import State
from lt_render.load import load

if TYPE_CHECKING:
    from browser import Report

pytest_plugins = ["browser"]

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


# ---- The run


def test_run_facts(several: Report) -> None:
    page, process = several.page, several.trace.process
    panel = page.locator("#facts-panel")
    assert panel.is_hidden()
    title = page.locator("#pass-title")
    page.click("#facts-toggle")
    assert panel.is_visible()
    facts_box, title_box = page.locator("#facts").bounding_box(), title.bounding_box()
    assert facts_box["y"] + facts_box["height"] <= title_box["y"]  # it covers nothing
    assert facts_box["height"] <= 0.4 * 800
    labels, values = (panel.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    facts = dict(zip(labels, values, strict=True))
    assert facts["TileLang"] == process["tilelang"] and re.match(r"\d+\.\d+", facts["TileLang"])
    assert facts["TVM"] == process["tvm"] and facts["Python"] == process["python"]
    assert facts["Recorder"] == process["recorder"]
    assert facts["Process"] == str(process["pid"])
    assert facts["Journal"] == "closed cleanly"
    (target,) = {unit.target for unit in several.trace.units}
    assert facts["Target"] == f"{target} (all 3 kernels)" and "cuda" in facts["Target"]
    page.click("#title")
    assert panel.is_visible()
    page.keyboard.press("Escape")
    assert panel.is_hidden()
    assert page.evaluate("document.activeElement.id") == "facts-toggle"
    for close in ("#facts-close", "#facts-toggle"):
        page.click("#facts-toggle")
        assert page.get_attribute("#facts-toggle", "aria-expanded") == "true"
        page.click(close)
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
    assert banner.is_visible()
    assert "ended early" in banner.inner_text()
    assert f"the process ended inside {one.label}" in banner.inner_text()
    assert report.current == one.index
    assert report.page.locator("#error").is_visible()
    assert "did not finish" in report.page.inner_text("#error")
    assert report.lines("a") == one.before_text.split("\n")
    report.show_noops()
    assert sorted(report.listed()) == [one.index for one in report.trace.passes]
    assert report.status("failed").locator("b").inner_text() == "1"


def test_a_damaged_journal(open_report: Open, gemm_journal: Path, tmp_path: Path) -> None:
    data = bytearray(gemm_journal.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
    damaged = tmp_path / "journal.lt.zst"
    damaged.write_bytes(data)
    report = open_report(damaged)
    banner = report.page.locator("#banner.damaged")
    assert banner.is_visible()
    assert "damaged" in banner.inner_text() and "missing" in banner.inner_text()
    assert report.trace.state_message in banner.inner_text()
    assert report.trace.passes
    report.show_noops()
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
            for element in found.all()[:12]:
                contrast = element.evaluate(CONTRAST)
                assert contrast >= 4.5, f"{selector}: {contrast:.2f}: {element.inner_text()!r}"
                seen[selector] += 1
            assert seen[selector], selector

    check("#error h3", "#error pre", ".row .num", ".row .code", "#phases [role=tab]")
    check(".pass .dot", ".pass .index", ".pass .label", ".group .label", ".meta b", "#title")
    check(".fold .label", ".fold .index", "#list-head select", "#list-foot")
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
    report.page.keyboard.press("c")
    report.page.click("#compare-from-first")
    check("#compare p", "#compare kbd", ".end .tag", ".end .link", ".ends .button", ".ends select")
    report.goto("#gone/3.Gone")
    report.page.click("#facts-toggle")
    check("#address-said", "#facts dt", "#facts dd")
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
    page.click("#facts-toggle")
    assert str(trace.process["tilelang"]) in page.inner_text("#facts-panel")
    page.keyboard.press("Escape")
    page.click("#sidebar-toggle")
    page.keyboard.press("t")
    assert theme_of(report) != theme
    page.keyboard.press("b")
    report.phase(None).click()
    report.show_noops()
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
