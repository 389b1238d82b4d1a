"""Diffs for a person at a terminal, one pass after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lt_record.console import counted
from lt_record.three_way import CONFLICT

from ..diff import LineDiff, diff_lines
from ..model import STATUS_UNFINISHED, Pass, Trace, Unit
from ..paint import Painter, Piece
from ..unified import ADDED, CONTEXT, REMOVED, sections

#: Lines of a failed pass's input, and of its message, that are shown.
_TAIL = 12
_MESSAGE = 40

_LOOK = {CONTEXT: "", ADDED: "added", REMOVED: "removed"}
_LANGUAGES = {"cuda": "CUDA", "hip": "HIP", "c": "C", "metal": "Metal", "webgpu": "WGSL"}


def write(trace: Trace, stream: TextIO, *, context: int = 3) -> None:
    """Write the diffs of ``trace`` to ``stream``, in order of the passes, and the totals."""
    lines = TerminalDiff(Painter(stream), context)
    for one in trace.passes:
        stream.writelines(lines.of_pass(one))
    stream.writelines(lines.totals(trace))


class TerminalDiff:
    """The lines for each pass; each method yields whole lines."""

    def __init__(self, painter: Painter, context: int = 3) -> None:
        self._painter = painter
        self._context = context
        self._unit: Unit | None = None

    def of_pass(self, one: Pass) -> Iterator[str]:
        """Yield what there is to show of a pass that has ended, or never will."""
        if one.unit is not self._unit:
            self._unit = one.unit
            yield from self._unit_begins(one.unit)
        if one.failed:
            yield from self._failed(one)
        elif one.is_codegen:
            yield from self._codegen(one)
        elif one.changed:
            counts: list[Piece] = [
                ("added", f"+{one.diff.insertions}"),
                ("", " "),
                ("removed", f"−{one.diff.deletions}"),
            ]
            yield self._header(one, "●", "title", counts)
            yield from self._note(one)
            yield from self._diff(one.before_text, one.after_text, one)
            yield "\n"
        else:
            words = "" if one.note else "no change"
            yield self._header(one, "○", "dim", [("dim", words)])
            yield from self._note(one)

    def unit_ends(self, unit: Unit, *, told: bool) -> Iterator[str]:
        """Yield what there is to show of a compile that has ended; ``told``: of its failure."""
        if unit.error_msg and not told:
            yield self._painter.line(("failed", f"✕ {unit.title} failed"))
            yield from self._box(unit.error_msg)

    def totals(self, trace: Trace) -> Iterator[str]:
        """Yield the last line: totals and the journal's state."""
        passes = [one for one in trace.passes if not one.is_codegen]
        over = [one for one in trace.passes if one.status != STATUS_UNFINISHED]
        failed = sum(one.failed for one in (over if trace.condition.growing else trace.passes))
        parts = [
            counted(trace.pass_count, "pass"),
            counted(trace.kernel_count, "kernel"),
            f"{sum(one.changed for one in passes)} changed the IR",
            f"+{sum(one.diff.insertions for one in passes)} "
            f"−{sum(one.diff.deletions for one in passes)}",
        ]
        pieces: list[Piece] = [("title", ", ".join(parts))]
        if failed:
            pieces.append(("failed", f", {failed} failed"))
        look = "" if trace.condition.ended and not trace.condition.damages else "failed"
        yield self._painter.line(*pieces, ("", "; journal "), (look, f"{trace.state_message}."))

    # --- a pass --------------------------------------------------------------------

    def _header(self, one: Pass, dot: str, look: str, words: list[Piece]) -> str:
        number = f"{one.index:{max(3, one.trace.index_width)}d}" if one.index >= 0 else "  –"
        pieces: list[Piece] = [(look, f"{dot} {number} {one.label}"), ("", "  "), *words]
        if one.duration is not None:
            pieces.append(("dim", f"  {duration(one.duration)}"))
        if one.parent is not None:
            pieces.append(("dim", f"  inside {one.parent.name}"))
        return self._painter.line(*pieces)

    def _unit_begins(self, unit: Unit) -> Iterator[str]:
        pieces: list[Piece] = [("title", unit.title)]
        if unit.target and unit.name is not None:
            pieces.append(("dim", f" for {_kind(unit.target)}"))
        yield self._painter.rule(*pieces)

    def _note(self, one: Pass) -> Iterator[str]:
        if one.note:
            yield self._painter.line(("noted", f"      {one.note}."))

    def _diff(self, old: str, new: str, one: Pass) -> Iterator[str]:
        diff = one.diff if not one.is_codegen else diff_lines(old, new)
        yield from painted_diff(self._painter, old, new, diff, context=self._context)

    # --- codegens and failures --------------------------------------------------------

    def _codegen(self, one: Pass) -> Iterator[str]:
        language = _LANGUAGES.get(_kind(one.target), "code")
        if one.generated is None:
            words = "generated"
        else:
            lines = len(one.generated_text.splitlines())
            words = f"{counted(lines, 'line')} of {language} generated"
        yield self._header(one, "◆", "codegen", [("", words)])
        yield from self._note(one)
        edit, edited = one.edit, one.edited_text
        # Other tags are news of files, not of what was compiled.
        if edit is not None and (edited is not None or edit.tag == CONFLICT):
            how = "compiled from" if edit.compiled else "not compiled from"
            yield self._painter.line(("noted", f"      {edit.tag}: {how} the edit in {edit.file}"))
        if edited is not None:
            yield from self._diff(one.generated_text, edited, one)
        yield "\n"

    def _failed(self, one: Pass) -> Iterator[str]:
        unfinished = one.status == STATUS_UNFINISHED
        words = "unfinished" if unfinished else "failed"
        yield self._header(one, "✕", "failed", [("failed", words)])
        yield from self._note(one)
        if unfinished and one is not one.trace.in_flight:
            return  # it is around the one that tells all
        if one.before is not None:
            lines = one.before_text.rstrip("\n").split("\n")
            left_out = len(lines) - _TAIL
            if left_out > 0:
                yield self._painter.line(("dim", f"  … {counted(left_out, 'line')} of its input"))
            for line in lines[-_TAIL:]:
                yield self._painter.line(("", line), gutter=[("dim", "  ")])
        yield from self._box(
            one.error_msg or f"the process ended inside {one.label}", one.error_type
        )
        yield "\n"

    def _box(self, message: str, title: str = "") -> Iterator[str]:
        lines = message.strip("\n").split("\n")
        if len(lines) > _MESSAGE:
            # Both ends tell: what went wrong, and where.
            head, rest = lines[: _MESSAGE // 4], lines[-_MESSAGE + _MESSAGE // 4 :]
            lines = [*head, f"… {len(lines) - _MESSAGE} more lines …", *rest]
        top = f"┌─ {title} " if title else "┌─"
        yield self._painter.line(("failed", top + "─" * max(0, 40 - len(top))))
        for line in lines:
            yield self._painter.line(("", line), gutter=[("failed", "│ ")])
        yield self._painter.line(("failed", "└" + "─" * 39))


def painted_diff(
    painter: Painter, old: str, new: str, diff: LineDiff, *, context: int = 3
) -> Iterator[str]:
    """Yield the lines of a diff, with what changed in a line marked; ``diff`` is of the texts."""
    for section in sections(old, new, diff, context=context):
        yield painter.line(("place", section.header))
        for line in section.lines:
            look = _LOOK[line.kind]
            pieces: list[Piece] = []
            at = 0
            for start, end in line.changes:
                pieces.append((look, line.text[at:start]))
                pieces.append((f"{look}-word", line.text[start:end]))
                at = end
            pieces.append((look, line.text[at:]))
            yield painter.line(*pieces, gutter=[(look, line.kind)])


def duration(microseconds: int) -> str:
    """A duration for a person: ``0.3 ms``."""
    if microseconds < 1_000_000:
        return f"{microseconds / 1000:.1f} ms"
    return f"{microseconds / 1_000_000:.2f} s"


def _kind(target: str) -> str:
    """The kind in a target's text, which is JSON or a command line."""
    found = target.partition('"kind"')[2].partition('"')[2].partition('"')[0]
    return found or target.split(" ", 1)[0]
