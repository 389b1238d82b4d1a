"""The page of ``lt-render compare --html`` in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Recording
from synthetic import Writer

from lt_render.cli import main
from lt_render.load import load

pytest_plugins = ["browser"]

TEXTS = """() => [...document.querySelectorAll(".side")].map((side) =>
  [...side.querySelectorAll(".row[data-line] .code")].map((code) => code.textContent))"""

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def journals(recordings: dict[str, Recording]) -> tuple[Path, Path]:
    """Two kernels of one script: the first of them differs, in its size and all that follows."""
    return recordings["several_kernels"].ours.journal, recordings["gemm"].ours.journal


@pytest.fixture(scope="module")
def open_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Makes the page of two journals and opens it; nothing may go wrong in it."""
    problems: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)

    def opened(a: Path, b: Path, *options: str, theme: str = "light") -> Any:
        path = tmp_path_factory.mktemp("page") / "page.html"
        assert main(["compare", str(a), str(b), "--html", str(path), *options]) in (0, 1)
        page = context.new_page()
        page.emulate_media(color_scheme=theme)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else 0)
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(path.as_uri())
        page.locator("#app:not([hidden]) .of-kernel").wait_for()
        return page

    yield opened
    context.close()
    assert problems == []


def made_up(path: Path, *passes: tuple[str, str]) -> Path:
    writer = Writer(path)
    before = writer.text("given")
    for name, made in passes:
        after = writer.text(made)
        writer.end(writer.begin(name, before), after)
        before = after
    writer.close({})
    return path


def shown(page: Any) -> list[list[str]]:
    return list(page.evaluate(TEXTS))


def test_it_opens_at_what_began_the_difference(open_page: Open, tmp_path: Path) -> None:
    a = made_up(tmp_path / "a", ("P", "1"), ("Q", "same\nwas"), ("R", "3"))
    b = made_up(tmp_path / "b", ("P", "1"), ("Q", "same\nis"), ("R", "4"))
    page = open_page(a, b)
    assert "Q" in page.locator("#pass-title").inner_text()
    assert page.locator(".of-kernel p").inner_text().startswith("Q (1) is the first pass")
    assert shown(page) == [["same", "was"], ["same", "is"]]
    assert page.locator(".row.del .code").all_inner_texts() == ["was"]
    # Listed are those that differ, until all are asked for.
    assert page.locator(".pass .label").all_inner_texts() == ["Q", "R"]
    page.keyboard.press("o")
    assert page.locator(".pass .label").all_inner_texts() == ["P", "Q", "R"]


def test_any_row_shows_its_texts(open_page: Open, tmp_path: Path) -> None:
    a = made_up(tmp_path / "a", ("P", "1"), ("Q", "2"), ("Last", "3"))
    b = made_up(tmp_path / "b", ("P", "1"), ("Extra", "5"), ("Q", "4"), ("Last", "6"))
    page = open_page(a, b)
    assert shown(page) == [["1"], ["5"]]  # what only one side ran: before and after
    page.locator(".pass", has_text="Last").click()
    assert shown(page) == [["3"], ["6"]]
    page.locator("#which").select_option("inputs")
    assert shown(page) == [["2"], ["4"]]
    page.locator("#which").select_option("A")
    assert shown(page) == [["2"], ["3"]]
    page.locator("#pass").focus()
    page.keyboard.press("f")
    assert "Extra" in page.locator("#pass-title").inner_text()


def test_real_kernels(open_page: Open, journals: tuple[Path, Path]) -> None:
    """GIVEN three kernels on one side THEN each is listed; keys lead from one to the next."""
    page = open_page(*journals, theme="dark")
    names = ["gemm", "rms_norm", "sum_and_difference"]
    assert page.locator(".kernel b").all_inner_texts() == names
    a, b = ([one for one in load(path).passes if one.unit.title == "gemm"] for path in journals)
    assert page.locator("#pass-title").inner_text().startswith("before the first pass")
    page.keyboard.press("Shift+E")
    assert shown(page) == [a[0].before_text.split("\n"), b[0].before_text.split("\n")]
    page.keyboard.press("u")
    assert page.locator(".pane.unified").count() == 1
    page.keyboard.press("u")
    # The last: C, whose outputs are longer than what is in sight.
    page.evaluate("location.hash = '#0.86'")
    page.locator("#pass-title", has_text="codegen").wait_for()
    assert page.locator(".row.add").count() and page.locator(".t-keyword").count()
    page.keyboard.press("]")
    assert page.locator(".of-kernel h2").inner_text().startswith("rms_norm")
    assert page.locator(".of-kernel p").inner_text() == "only in A."


def test_the_same_is_said_to_be_the_same(open_page: Open, journals: tuple[Path, Path]) -> None:
    page = open_page(journals[1], journals[1])
    assert page.locator("#totals").inner_text() == "1 kernel, all the same"
    assert page.locator(".nochange").inner_text() == "no difference"
    assert page.locator(".pass").count() > 10  # with nothing to choose, all are listed


def test_strangers_have_no_say_in_the_page(open_page: Open, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>\u2028<b>"
    a = made_up(tmp_path / "a", (evil, evil), ("Q", "1"))
    b = made_up(tmp_path / "b", (evil, f"{evil}\n{evil}"), ("Q", "2"))
    page = open_page(a, b)
    assert page.locator("main img, main b, nav img").count() == 0
    assert "</script><img" in page.locator("#pass-title").inner_text()
    assert "onerror" in page.locator(".row .code").first.inner_text()


def test_what_is_ignored_is_no_difference_on_the_page(open_page: Open, tmp_path: Path) -> None:
    a = made_up(tmp_path / "a", ("P", "a  = 1\nb = 2"))
    b = made_up(tmp_path / "b", ("P", "a = 1\nb = 3"))
    page = open_page(a, b, "-w")
    assert page.locator(".row.del .code").all_inner_texts() == ["b = 2"]
    assert page.locator(".row.alike .code").all_inner_texts() == ["a  = 1", "a = 1"]


def test_directives_that_are_ignored_are_not_there(open_page: Open, tmp_path: Path) -> None:
    a = made_up(tmp_path / "a", ("P", "one\ntwo"), ("Q", "three"))
    b = made_up(tmp_path / "b", ("P", '#line 7 "x"\none\ntwo'), ("Q", '#line 8 "x"\nfour'))
    page = open_page(a, b, "--ignore-line-directives")
    assert shown(page) == [["three"], ["four"]]
    page.keyboard.press("o")
    page.keyboard.press("k")
    assert shown(page) == [["one", "two"], ["one", "two"]]


def test_the_page_is_the_same_each_time(journals: tuple[Path, Path], tmp_path: Path) -> None:
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    for page in pages:
        main(["compare", *map(str, journals), "--html", str(page)])
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_it_prints_what_is_shown(open_page: Open, tmp_path: Path) -> None:
    a = made_up(tmp_path / "a", ("P", "was"))
    b = made_up(tmp_path / "b", ("P", "is"))
    page = open_page(a, b)
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".printed-row .code").all_inner_texts() == ["was", "is"]
    assert page.locator("#sidebar").is_hidden() and page.locator(".of-kernel").is_visible()
