"""From a journal's records to the model of a trace."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from lt_record import format

from .model import (
    STATUS_CODEGEN,
    STATUS_COMPLETED,
    STATUS_FAILED,
    STATUS_UNFINISHED,
    Pass,
    SourceEdit,
    Trace,
    Unit,
)
from .reader import MEMORY_LIMIT, JournalReader


def load(path: str | os.PathLike[str], *, memory_limit: int = MEMORY_LIMIT) -> Trace:
    """Read the journal at ``path`` whole.

    Raises :class:`~lt_render.errors.RenderError` where it is no journal or asks
    for too much memory. A damaged journal gives what is left of it; see
    ``Trace.condition``.
    """
    reader = JournalReader(path, memory_limit=memory_limit)
    builder = Builder()
    for record in reader.records():
        builder.add(record)
    builder.trace.condition = reader.condition
    return builder.finish()


class Builder:
    """Takes records in any order of kinds; fields that are missing or odd are left out."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._units: dict[int, Unit] = {}
        self._passes: dict[int, Pass] = {}
        self._last_index = -1
        self._kinds: dict[str, Callable[[_Fields], None]] = {
            format.PROCESS: self._process,
            format.UNIT: self._unit,
            format.TEXT: self._text,
            format.PASS: self._pass,
            format.PASS_END: self._pass_end,
            format.CODEGEN: self._codegen,
            format.CODEGEN_END: self._codegen_end,
            format.UNIT_END: self._unit_end,
            format.END_RECORD: self._end,
        }

    def add(self, record: format.Record) -> None:
        """Take one record; kinds from a later minor version are passed over."""
        take = self._kinds.get(record["k"])
        if take is not None:
            take(_Fields(record))

    def finish(self) -> Trace:
        """Return the trace, with passes in order."""
        trace = self.trace
        for one in self._passes.values():
            if one.index < 0:  # a codegen that never ended
                self._number(one, self._last_index + 1)
            explain_missing_texts(one)
        trace.passes = sorted(self._passes.values(), key=lambda one: (one.index, one.number))
        trace.units = [self._units[number] for number in sorted(self._units)]
        return trace

    def _process(self, fields: _Fields) -> None:
        self.trace.process = {
            key: value for key, value in fields.record.items() if key not in ("n", "k", "crc")
        }

    def _end(self, fields: _Fields) -> None:
        for one in self._passes.values():
            if one.status == STATUS_UNFINISHED:
                one.error_msg = "the journal was closed while this pass was running"
        self.trace.end = {
            key: value for key, value in fields.record.items() if key not in ("n", "k", "crc")
        }

    def _text(self, fields: _Fields) -> None:
        number, text = fields.number("text"), fields.record.get("s")
        if number is not None and isinstance(text, str):
            self.trace.texts[number] = text

    def _unit(self, fields: _Fields) -> None:
        unit = self._unit_of(fields)
        unit.name = fields.string("name") or None
        kernels = fields.record.get("kernels")
        if isinstance(kernels, list):
            unit.kernels = tuple(str(kernel) for kernel in kernels)
        unit.target = fields.string("target") or None
        configs = fields.record.get("configs")
        if isinstance(configs, dict):
            unit.configs = {str(key): value for key, value in configs.items()}
        unit.thread_name = fields.string("thread_name")

    def _unit_end(self, fields: _Fields) -> None:
        unit = self._unit_of(fields)
        unit.status = STATUS_FAILED if fields.string("status") == "failed" else STATUS_COMPLETED
        unit.error_msg = fields.string("error")

    def _unit_of(self, fields: _Fields) -> Unit:
        number = fields.number("unit")
        number = -1 if number is None else number
        return self._units.setdefault(number, Unit(number))

    def _pass(self, fields: _Fields) -> None:
        self._begin(fields, is_codegen=False)

    def _codegen(self, fields: _Fields) -> None:
        one = self._begin(fields, is_codegen=True)
        if one is not None:
            one.role = fields.string("role")
            one.target = fields.string("target")

    def _begin(self, fields: _Fields, *, is_codegen: bool) -> Pass | None:
        number = fields.number("pass")
        if number is None:
            return None
        index = fields.number("index")
        parent = fields.number("parent")
        one = self._passes[number] = Pass(
            trace=self.trace,
            number=number,
            index=-1 if index is None else index,
            full_name=fields.string("name"),
            phase="codegen" if is_codegen else fields.string("phase") or "unscoped",
            unit=self._unit_of(fields),
            parent=None if parent is None else self._passes.get(parent),
            depth=fields.number("depth") or 0,
            is_codegen=is_codegen,
            before=fields.number("before"),
            start=fields.number("t") or 0,
            thread=fields.number("thread") or 0,
        )
        self._number(one, one.index)
        _note_missing_text(one, fields, "input")
        return one

    def _number(self, one: Pass, index: int) -> None:
        one.index = index
        self._last_index = max(self._last_index, index)

    def _pass_end(self, fields: _Fields) -> None:
        one = self._ended(fields)
        if one is not None and one.status == STATUS_COMPLETED:
            after = fields.number("after")
            known = not fields.record.keys() & {"print_error", "text_lost"}
            one.after = one.before if after is None and known else after

    def _codegen_end(self, fields: _Fields) -> None:
        one = self._ended(fields)
        if one is None:
            return
        index = fields.number("index")
        if index is not None:
            self._number(one, index)
        if one.status == STATUS_COMPLETED:
            one.status = STATUS_CODEGEN
            one.after = one.generated = fields.number("source")
            one.edit = _edit(fields)
            if one.edit is not None and one.edit.compiled:
                one.after = one.edit.text
            missing = fields.string("source_error")
            if missing:
                one.note = f"the generated code has no source: {missing}"

    def _ended(self, fields: _Fields) -> Pass | None:
        number = fields.number("pass")
        one = None if number is None else self._passes.get(number)
        if one is None:
            return None  # its beginning was lost
        failed = fields.string("status") == "failed"
        one.status = STATUS_FAILED if failed else STATUS_COMPLETED
        one.error_msg = fields.string("error")
        one.error_type = fields.string("error_type")
        one.duration = fields.number("duration")
        one.cost = fields.number("cost") or 0
        _note_missing_text(one, fields, "output")
        return one


class _Fields:
    """A record's fields, by type: journals may come from anywhere."""

    def __init__(self, record: format.Record) -> None:
        self.record: dict[str, Any] = record

    def number(self, key: str) -> int | None:
        value = self.record.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def string(self, key: str) -> str:
        value = self.record.get(key)
        return value if isinstance(value, str) else ""


def _edit(fields: _Fields) -> SourceEdit | None:
    if not isinstance(fields.record.get("tag"), str):
        return None
    text = fields.number("edit")
    compiled = text is not None and fields.record.get("injected") is True
    return SourceEdit(fields.string("tag"), fields.string("file"), text, compiled)


def _note_missing_text(one: Pass, fields: _Fields, what: str) -> None:
    error = fields.string("print_error")
    if error:
        one.note = f"the {what} could not be printed: {error}"
    elif fields.record.get("text_lost"):
        one.note = f"the {what} could not be written at the time"


def explain_missing_texts(one: Pass) -> None:
    """Let a pass that has ended say which of its texts are not there, and why."""
    texts = one.trace.texts
    if one.before is not None and one.before not in texts:
        one.before, one.note = None, one.note or "the input was lost with a part of the journal"
    if one.after is not None and one.after not in texts:
        one.after, one.note = None, one.note or "the output was lost with a part of the journal"
    if one.generated is not None and one.generated not in texts:
        one.generated = None
    if one.before is None and not one.note:
        one.note = "the input was not recorded"
