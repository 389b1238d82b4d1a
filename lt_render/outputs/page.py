"""What self-contained pages are made of: texts in which each line stands once, packed scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ..diff import LineDiff, diff_lines
from ..version import GENERATOR

_TEMPLATES = Path(__file__).parent / "templates"
#: The only script that stands in a page as it is: it unpacks the others.
_UNPACK = "js/unpack.js"


def render(
    template: str, title: str, styles: Sequence[str], scripts: Sequence[str], data: Any
) -> str:
    """Return a page; ``styles`` and ``scripts`` are paths below the templates, in order.

    The scripts become one when the page unpacks them; only the last does
    something by itself.
    """
    loaded = [_part(style) for style in styles]
    unpack = _part(_UNPACK)
    script = "".join(_part(one) for one in scripts)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, keep_trailing_newline=True
    )
    return environment.get_template(template).render(
        title=title,
        generator=GENERATOR,
        csp=_content_security_policy(loaded, [unpack, script]),
        styles=loaded,
        unpack=unpack,
        scripts=_packed(script),
        data=_packed(json.dumps(data, ensure_ascii=False, separators=(",", ":"))),
    )


class Lines:
    """The pool of distinct lines, and the texts as runs of it or as changes to others."""

    def __init__(self) -> None:
        self.pool: list[str] = []
        self.texts: list[list[int]] = []
        self._ids: dict[str, int] = {}
        self._numbers: dict[Hashable, int] = {}
        self._newest: tuple[Hashable, str] | None = None

    def text(
        self,
        key: Hashable | None,
        text: str,
        *,
        base: Hashable | None = None,
        diff: LineDiff | None = None,
    ) -> int | None:
        """Return the page's number of the text that is known as ``key``, adding it if it is new.

        ``diff`` is the one from text ``base``, if there is one.
        """
        if key is None:
            return None
        if key in self._numbers:
            return self._numbers[key]
        ids = [self._id(line) for line in text.split("\n")]
        if diff is None and self._newest is not None:
            base, newest = self._newest
            diff = diff_lines(newest, text)
        encoded = [-1, *ids]
        if diff is not None and base is not None:
            change = [self._numbers[base]]
            for hunk in diff.hunks:
                change += (hunk.old_start, hunk.old_count, hunk.new_count)
                change += ids[hunk.new_start : hunk.new_start + hunk.new_count]
            encoded = min(encoded, change, key=len)
        self._numbers[key] = len(self.texts)
        self._newest = (key, text)
        self.texts.append(encoded)
        return self._numbers[key]

    def _id(self, line: str) -> int:
        number = self._ids.setdefault(line, len(self.pool))
        if number == len(self.pool):
            self.pool.append(line)
        return number


def flat(diff: LineDiff) -> list[int]:
    """A diff as the pages' scripts take it: four numbers a hunk."""
    return [
        number
        for hunk in diff.hunks
        for number in (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count)
    ]


def _part(path: str) -> Markup:
    return Markup((_TEMPLATES / path).read_text("utf-8"))


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _content_security_policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    def hashes(contents: Sequence[str]) -> str:
        digests = [hashlib.sha256(content.encode()).digest() for content in contents]
        return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)

    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {hashes(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
