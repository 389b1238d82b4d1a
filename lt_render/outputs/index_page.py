"""All runs below a directory as one self-contained HTML file.

Styles and scripts of its own lie in ``templates/index/``; the rest is the report's.
"""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import files
from ..overview import Overview
from . import page

_STYLES = ("css/theme.css", "css/frame.css", "index/index.css")
_SCRIPTS = ("js/text.js", "js/dom.js", "js/frame.js", "index/table.js", "index/start.js")


def write(runs: Sequence[Overview], path: Path, *, title: str) -> None:
    """Write the page of ``runs`` to ``path``."""
    files.write(path, render(runs, path, title=title).encode())


def render(runs: Sequence[Overview], path: Path, *, title: str) -> str:
    """Return the page that is to lie at ``path``: the same for the same journals and reports."""
    data = {"title": title, "runs": [_row(run, path.parent) for run in runs]}
    return page.render("index/index.html.j2", title, _STYLES, _SCRIPTS, data)


def _row(run: Overview, base: Path) -> dict[str, Any]:
    row = run.as_json()
    journal = Path(os.path.abspath(run.journal))
    if journal.is_relative_to(base.absolute()):
        # Where the page lies is nobody's business, and it may be moved.
        row["journal"] = str(journal.relative_to(base.absolute()))
    row["report"] = None if run.report is None else _link(run.report, base)
    return row


def _link(report: str, base: Path) -> str:
    """The address of a report from the page's directory: relative, so that both can be moved."""
    return urllib.parse.quote(os.path.relpath(report, base).replace(os.sep, "/"))
