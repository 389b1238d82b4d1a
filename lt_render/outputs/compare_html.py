"""A comparison as one self-contained HTML file, in the report's clothes.

Scripts and styles of its own lie in ``templates/comparison/``; what shows two
texts side by side is the report's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import files
from ..comparison.rows import Row
from ..comparison.texts import Ignored, TextDiff, Texts
from ..comparison.verdict import Comparison, KernelComparison
from ..comparison.words import remarks, row_words, totals, verdict
from ..model import Pass
from . import page

_STYLES = (
    *(f"css/{name}.css" for name in ("theme", "frame", "list", "pass", "print")),
    "comparison/comparison.css",
)
#: Of the report: what shows texts, and what is around them.
_SHARED = (
    "text",
    "dom",
    "trace",
    "hunks",
    "words",
    "syntax",
    "code",
    "layout",
    "windowed",
    "wrap",
    "sticky",
    "gap",
    "rows",
    "pane",
    "print",
    "kinds",
    "frame",
)
_SCRIPTS = (
    *(f"js/{name}.js" for name in _SHARED),
    *(f"comparison/{name}.js" for name in ("list", "texts", "start")),
)

Facts = list[tuple[str, str]]


def write(comparison: Comparison, path: Path, *, title: str, facts: Facts) -> None:
    """Write the page to ``path``; ``facts``: what is to be known of the journals."""
    files.write(path, render(comparison, title=title, facts=facts).encode())


def render(comparison: Comparison, *, title: str, facts: Facts) -> str:
    """Return the page: the same, byte for byte, for the same journals."""
    data = payload(comparison, title=title, facts=facts)
    return page.render("comparison/comparison.html.j2", title, _STYLES, _SCRIPTS, data)


def payload(comparison: Comparison, *, title: str, facts: Facts) -> dict[str, Any]:
    """Return what the page's scripts are given; described in ``comparison/list.js``."""
    texts = _Texts(comparison.texts)
    kernels = [_kernel(comparison, kernel, texts) for kernel in comparison.kernels]
    return {
        "title": title,
        "totals": totals(comparison),
        "differs": comparison.differs,
        "facts": facts,
        "kernels": kernels,
        "lines": "\n".join(texts.pool),
        "texts": texts.texts,
    }


class _Texts(page.Lines):
    """Texts as they are compared; the same text of both sides is there once."""

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._shown = texts.shown

    def of(self, text: str) -> int | None:
        """Return the page's number of ``text``."""
        shown = self._shown(text)
        return self.text(shown, shown)


def _kernel(comparison: Comparison, kernel: KernelComparison, texts: _Texts) -> dict[str, Any]:
    of = kernel.b or kernel.a
    rows = [_row(comparison, row, texts) for row in kernel.rows]
    first = kernel.rows.index(kernel.culprit.rows[0]) if kernel.culprit is not None else -1
    start = comparison.start(kernel)
    if start is not None:
        rows.insert(0, _given(comparison, kernel, start, texts))
        first += 1
    return {
        "label": kernel.label,
        "target": of.target if of is not None else "",
        "differs": kernel.differs,
        "verdict": verdict(kernel),
        "remarks": remarks(kernel),
        "first": first,
        "rows": rows,
    }


def _row(comparison: Comparison, row: Row, texts: _Texts) -> dict[str, Any]:
    diff = comparison.difference(row)
    return {
        "state": row.state.value,
        "words": row_words(row),
        "a": _pass(row.a, texts),
        "b": _pass(row.b, texts),
        **_differences(comparison, diff),
    }


def _given(
    comparison: Comparison, kernel: KernelComparison, diff: TextDiff, texts: _Texts
) -> dict[str, Any]:
    """What the first passes were given, as if a pass had made it."""
    assert kernel.a is not None and kernel.b is not None
    label = "before the first pass"
    common = {"index": None, "name": label, "label": label, "depth": 0, "before": None}
    common |= {"codegen": False, "error": ""}
    return {
        "state": "follows",
        "words": "the kernel itself differs",
        "a": {**common, "after": texts.of(kernel.a.first_text)},
        "b": {**common, "after": texts.of(kernel.b.first_text)},
        **_differences(comparison, diff),
    }


def _differences(comparison: Comparison, diff: TextDiff | None) -> dict[str, Any]:
    if diff is None:
        return {"add": 0, "del": 0, "hunks": None}
    # The page compares lines as they are.
    is_told = comparison.texts.ignored != Ignored()
    return {
        "add": diff.diff.insertions,
        "del": diff.diff.deletions,
        "hunks": page.flat(diff.diff) if is_told else None,
    }


def _pass(one: Pass | None, texts: _Texts) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "index": one.index,
        "name": one.name,
        "label": one.label,
        "depth": one.depth,
        "before": None if one.before is None else texts.of(one.before_text),
        "after": None if one.after is None else texts.of(one.after_text),
        "codegen": one.is_codegen,
        "error": one.error_msg,
    }
