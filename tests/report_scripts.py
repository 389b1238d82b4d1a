"""The report's scripts in a blank page of a real Chromium, to be called function by function.

A pytest plugin: a test module says ``pytest_plugins = ["browser", "report_scripts"]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from lt_render.outputs import html_report

TEMPLATES = Path(html_report.__file__).parent / "templates"
Call = Callable[[str, list[Any]], list[Any]]

#: A call into the browser takes long, a case there does not: many cases travel together.
CASES = 12
batched = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module")
def call(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """Calls a function written in JavaScript with each of some cases, among the scripts."""
    page = tmp_path_factory.mktemp("scripts") / "page.html"
    *scripts, last = html_report._SCRIPTS
    assert last == "start.js"
    texts = [(TEMPLATES / "js" / name).read_text() for name in scripts]
    page.write_text("".join(f"<!doctype html><script>{text}</script>" for text in texts))
    tab = browser.new_page()
    thrown: list[str] = []
    tab.on("pageerror", lambda error: thrown.append(str(error)))
    tab.goto(page.as_uri())

    def call_(function: str, cases: list[Any]) -> Any:
        return tab.evaluate(f"(cases) => cases.map({function})", cases)

    yield call_
    tab.close()
    assert thrown == []


def units(text: str) -> int:
    """Length as JavaScript counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
