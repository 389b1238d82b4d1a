"""One self-contained HTML file.

The page's parts are files of their own under ``templates/``; the trace travels
as one compressed block of JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .. import files
from ..diff import LineDiff, diff_lines
from ..model import Pass, Trace, Unit
from . import page

#: Each an element of its own, in this order.
_STYLES = ("theme.css", "frame.css", "list.css", "pass.css", "compare.css", "print.css")
#: One script when the page unpacks them, in this order; only the last does something by itself.
_SCRIPTS = (
    "text.js",
    "dom.js",
    "trace.js",
    "address.js",
    "hunks.js",
    "alike.js",
    "words.js",
    "search.js",
    "syntax.js",
    "code.js",
    "lineage.js",
    "history.js",
    "layout.js",
    "windowed.js",
    "wrap.js",
    "sticky.js",
    "gap.js",
    "rows.js",
    "pane.js",
    "print.js",
    "goto.js",
    "align.js",
    "kinds.js",
    "filter.js",
    "filterbar.js",
    "outline.js",
    "listing.js",
    "entry.js",
    "sidebar.js",
    "compare.js",
    "head.js",
    "view.js",
    "finder.js",
    "page.js",
    "frame.js",
    "start.js",
)

#: Compiles that a fact names; the rest of those it holds for are counted.
_NAMED = 3


def write(trace: Trace, path: Path, advance: Callable[[], None] = lambda: None) -> None:
    """Write the report of ``trace`` to ``path``; ``advance`` is called after each pass."""
    files.write(path, render(trace, advance).encode())


def render(trace: Trace, advance: Callable[[], None] = lambda: None) -> str:
    """Return the report: the same, byte for byte, for the same journal."""
    return page.render(
        "report.html.j2",
        _title(trace),
        [f"css/{name}" for name in _STYLES],
        [f"js/{name}" for name in _SCRIPTS],
        payload(trace, advance),
    )


def payload(trace: Trace, advance: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Return what the page's scripts are given; described in ``js/trace.js``."""
    lines = page.Lines()
    positions = {id(one): at for at, one in enumerate(trace.passes)}
    units = {id(unit): at for at, unit in enumerate(trace.units)}
    passes = []
    for one in trace.passes:
        before = lines.text(one.before, one.before_text)
        edit = _edit(one, lines)
        after = lines.text(one.after, one.after_text, base=one.before, diff=_known_diff(one))
        passes.append(
            {
                "index": one.index,
                "name": one.name,
                "full_name": one.full_name,
                "phase": one.phase,
                "unit": units[id(one.unit)],
                "parent": None if one.parent is None else positions[id(one.parent)],
                "depth": one.depth,
                "status": one.status,
                "changed": one.changed,
                "add": 0 if one.is_codegen else one.diff.insertions,
                "del": 0 if one.is_codegen else one.diff.deletions,
                "us": one.duration,
                "cost": one.cost,
                "error": one.error_msg,
                "note": one.note,
                "before": before,
                "after": after,
                "edit": edit,
                "hunks": [] if one.is_codegen else page.flat(one.diff),
            }
        )
        advance()
    return {
        "title": _title(trace),
        "width": trace.index_width,
        "state": {"kind": trace.condition.state.value, "message": trace.state_message},
        "facts": facts(trace),
        "units": [
            _unit(unit, label) for unit, label in zip(trace.units, _labels(trace), strict=True)
        ],
        "passes": passes,
        "lines": "\n".join(lines.pool),
        "texts": lines.texts,
    }


def facts(trace: Trace) -> list[tuple[str, str]]:
    """Return what is to be known about the run, label by label."""
    process = trace.process
    started = process.get("started")
    if isinstance(started, int) and 0 <= started < 1 << 62:
        moment = datetime.fromtimestamp(started / 1e9, timezone.utc)
        started = f"{moment:%Y-%m-%d %H:%M:%S} UTC"
    else:
        started = None
    cost = sum(one.cost for one in trace.passes)
    lowering = sum(one.duration or 0 for one in trace.passes)
    listed: list[tuple[str, Any]] = [
        ("Journal", trace.state_message),
        ("Started", started),
        ("Command", " ".join(map(str, _list(process.get("argv"))))),
        ("Working directory", process.get("cwd")),
        ("Host", process.get("host")),
        ("User", process.get("user")),
        ("Process", process.get("pid")),
        ("Python", process.get("python")),
        ("TileLang", process.get("tilelang")),
        ("TVM", process.get("tvm")),
        ("Recorder", process.get("recorder")),
        ("Platform", process.get("platform")),
        *_shared("Target", trace, lambda unit: unit.target),
        *_shared(
            "Pass configs",
            trace,
            lambda unit: json.dumps(unit.configs, sort_keys=True) if unit.configs else None,
        ),
        ("Time in passes", f"{lowering / 1000:.1f} ms"),
        ("Time of the recorder", f"{cost / 1000:.1f} ms"),
        *((name, value) for name, value in sorted(_dict(process.get("env")).items())),
    ]
    return [(label, str(value)) for label, value in listed if value not in (None, "")]


def _known_diff(one: Pass) -> LineDiff | None:
    return one.diff if one.before is not None and one.changed and not one.is_codegen else None


def _edit(one: Pass, lines: page.Lines) -> dict[str, Any] | None:
    """What the page shows of edited source."""
    edit, text = one.edit, one.edited_text
    if edit is None or (text is None and not edit.tag):
        return None
    if text is None or one.generated is None:
        return {"tag": edit.tag, "file": edit.file}
    diff = diff_lines(one.generated_text, text)
    source = lines.text(one.generated, one.generated_text)
    return {
        "tag": edit.tag,
        "file": edit.file,
        "compiled": edit.compiled,
        "source": source,
        "text": lines.text(edit.text, text, base=one.generated, diff=diff),
        "hunks": page.flat(diff),
    }


def _unit(unit: Unit, label: str) -> dict[str, Any]:
    return {
        "title": unit.title,
        "label": label,
        "compile": unit.name is not None,
        "status": unit.status,
        "error": unit.error_msg,
    }


def _labels(trace: Trace) -> list[str]:
    """Return a name for each compile, none twice: the second of a kernel is "kernel (2)"."""
    taken: set[str] = set()
    times: Counter[str] = Counter()
    labels = []
    for unit in trace.units:
        label = unit.title
        while label in taken:
            times[unit.title] += 1
            label = f"{unit.title} ({times[unit.title] + 1})"
        taken.add(label)
        labels.append(label)
    return labels


def _shared(
    what: str, trace: Trace, value_of: Callable[[Unit], str | None]
) -> Iterator[tuple[str, str]]:
    """Yield one fact for each distinct value, with the compiles that have it."""
    having: dict[str, list[str]] = {}
    for unit, label in zip(trace.units, _labels(trace), strict=True):
        value = value_of(unit)
        if value is not None:
            having.setdefault(value, []).append(label)
    for value, labels in having.items():
        if len(labels) == trace.kernel_count:
            yield what, value if len(labels) == 1 else f"{value} (all {len(labels)} kernels)"
            continue
        named = ", ".join(labels[:_NAMED])
        rest = len(labels) - _NAMED
        yield f"{what} of {named}" + (f" and {rest} more" if rest > 0 else ""), value


def _title(trace: Trace) -> str:
    kernels = [kernel for unit in trace.units if unit.name is not None for kernel in unit.kernels]
    shown = ", ".join(kernels[:3]) + (f" and {len(kernels) - 3} more" if len(kernels) > 3 else "")
    return f"{trace.script}: {shown}" if kernels and shown != trace.script else trace.script


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
