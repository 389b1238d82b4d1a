"""Journals as JSON Lines: one object a line, each with its ``kind``.

``journal``  first, one for each: its facts, and ``rows``, the version of what follows
``text``     ``id`` and ``content``: each text once, before the passes that refer to it
``pass``     a pass or codegen; the fields are those of :mod:`lt_render.outputs.rows`

Fields may come, and none changes its meaning, without a new version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from .rows import VERSION, Row


def lines(
    journal: Row, passes: list[Row], texts: list[tuple[str, str]], given: set[str]
) -> Iterator[str]:
    """Yield the lines of one journal; ``given`` are the ids of texts in the lines before."""
    yield _line({"kind": "journal", "rows": VERSION, **journal})
    for name, content in texts:
        if name not in given:
            given.add(name)
            yield _line({"kind": "text", "id": name, "content": content})
    for one in passes:
        yield _line({"kind": "pass", **one})


def _line(row: Row) -> str:
    return json.dumps(row, ensure_ascii=True) + "\n"
