"""A comparison as Markdown, for a pull request or the summary of a workflow.

Names and texts come out of journals: none of them may turn into markup, a link
or a mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lt_record.console import counted

from ..comparison.rows import Row
from ..comparison.texts import TextDiff
from ..comparison.timing import timing
from ..comparison.verdict import Comparison, KernelComparison
from ..comparison.words import remarks, verdict
from ..terminal import printable
from ..unified import sections
from .terminal_diff import duration

#: Kernels that are told of at length, their diffs, and lines of a diff: a summary has limits.
_MOST_KERNELS = 30
_MOST_SHOWN = 3
_MOST_LINES = 80
_LONGEST_LINE = 500

#: What Markdown leaves alone between backticks, in a table and in HTML too.
_PLAIN_CODE = re.compile(r"[^`|<>&\\\s](?:[^`|<>&\\]*[^`|<>&\\\s])?", re.ASCII)
#: Characters by which Markdown, or what GitHub makes of it, is told from text.
_MARKUP = re.compile(r"[^\w\s.,;:()→−+'≠=%-]|:(?=\S)|(?<=www)\.|(?<!\w)_|_(?!\w)|^[-+=]|^\d+\.")
_WORD_JOINER = "&#8288;"


@dataclass(frozen=True)
class Part:
    """Kernels that belong together, and what they are of; empty for all there is."""

    script: str
    comparison: Comparison


def lines(
    parts: Sequence[Part],
    notes: Sequence[str],
    *,
    context: int = 3,
    with_times: bool = False,
) -> Iterator[str]:
    """Yield the whole lines of the summary; ``notes``: what to know of the journals."""
    every = [kernel for part in parts for kernel in part.comparison.kernels]
    different = sum(
        part.comparison.counts(one) for part in parts for one in part.comparison.kernels
    )
    yield f"### Lowering: {_heading(len(every), different)}\n\n"
    for note in notes:
        yield f"- {prose(note)}\n"
    if notes:
        yield "\n"
    if every:
        yield "| | kernel | script | target | result |\n|---|---|---|---|---|\n"
    for part in parts:
        for kernel in part.comparison.kernels:
            yield _table_row(part, kernel)
    yield from _details(parts, context)
    if with_times:
        for part in parts:
            yield from _times(part)


def code(text: str) -> str:
    """``text`` as code on one line, in a table too."""
    shown = printable(text)
    if _PLAIN_CODE.fullmatch(shown):
        return f"`{shown}`"
    return f"<code>{_entities(shown)}</code>"


def prose(text: str) -> str:
    """``text`` as nothing but text, on one line."""
    return _MARKUP.sub(lambda found: _entities(found[0]), printable(text))


def _entities(text: str) -> str:
    # A mention needs the name right behind its @.
    return "".join(
        one if one.isalnum() or one == " " else f"&#{ord(one)};" + _WORD_JOINER * (one == "@")
        for one in text
    )


def _heading(kernels: int, different: int) -> str:
    if not kernels:
        return "no kernels to compare"
    if not different:
        return f"{counted(kernels, 'kernel')}, all the same"
    return f"{different} of {kernels} kernels differ"


def _table_row(part: Part, kernel: KernelComparison) -> str:
    of = kernel.b or kernel.a
    assert of is not None
    counts = part.comparison.counts(kernel)
    mark = "❌" if counts else "⚠️" if kernel.differs else "✅"
    said = verdict(kernel)
    if kernel.only_in:
        said = "no baseline" if kernel.only_in == "B" else "in the baseline only"
    cells = (
        mark,
        code(kernel.label),
        code(part.script) if part.script else "",
        code(of.target) if of.target else "",
        prose(said),
    )
    return f"| {' | '.join(cells)} |\n"


def _details(parts: Sequence[Part], context: int) -> Iterator[str]:
    differing = [
        (part, kernel)
        for part in parts
        for kernel in part.comparison.kernels
        if kernel.differs and not kernel.only_in
    ]
    told: dict[str, str] = {}
    for part, kernel in differing[:_MOST_KERNELS]:
        name = code(f"{part.script}: {kernel.label}" if part.script else kernel.label)
        yield f"\n<details><summary>{_as_html(name)}</summary>\n\n"
        for remark in remarks(kernel):
            yield f"- {prose(remark)}\n"
        for row, diff in _differences(part.comparison, kernel):
            yield from _diff(row, diff, context, told, name)
        yield "\n</details>\n"
    if len(differing) > _MOST_KERNELS:
        yield f"\nand {counted(len(differing) - _MOST_KERNELS, 'kernel')} more that differ.\n"


def _as_html(name: str) -> str:
    """Markdown's code as HTML's: in a summary element there is no Markdown."""
    return f"<code>{name[1:-1]}</code>" if name.startswith("`") else name


def _differences(
    comparison: Comparison, kernel: KernelComparison
) -> Iterator[tuple[Row | None, TextDiff]]:
    start = comparison.start(kernel)
    if start is not None:
        yield None, start
    for row in kernel.culprit.rows[:_MOST_SHOWN] if kernel.culprit is not None else ():
        diff = comparison.difference(row)
        if diff is not None:
            yield row, diff


def _diff(
    row: Row | None, diff: TextDiff, context: int, told: dict[str, str], name: str
) -> Iterator[str]:
    shown = [
        line
        for section in sections(diff.old, diff.new, diff.diff, context=context, words=False)
        for line in (section.header, *(f"{one.kind}{one.text}" for one in section.lines))
    ]
    what = "before the first pass" if row is None else f"at {row.one.name} ({row.one.index})"
    counts = f"+{diff.diff.insertions} −{diff.diff.deletions}"
    yield f"\n{prose(f'{what}: {counts}')}"
    text = "\n".join(printable(line.expandtabs(4))[:_LONGEST_LINE] for line in shown[:_MOST_LINES])
    known = told.setdefault(text, name)
    if known is not name:
        yield f", the same difference as in {known}\n"
        return
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"\n\n{fence}diff\n{text}\n{fence}\n"
    if len(shown) > _MOST_LINES:
        yield f"\n{counted(len(shown) - _MOST_LINES, 'line')} more\n"


def _times(part: Part) -> Iterator[str]:
    times = timing(part.comparison)
    if times.ratio is None or times.usual_ratio is None:
        return
    of = f" of {code(part.script)}" if part.script else ""
    yield (
        f"\nTime in passes{of}: {duration(times.a)} → {duration(times.b)}, {times.ratio:.2f}×; "
        f"the median of a pass {times.usual_ratio:.2f}×\n"
    )
    if times.outstanding:
        yield "\n| pass | runs | before | after |\n|---|--:|--:|--:|\n"
    for one in times.outstanding:
        cells = (code(one.name), str(one.runs), duration(one.a), duration(one.b))
        yield f"| {' | '.join(cells)} |\n"
