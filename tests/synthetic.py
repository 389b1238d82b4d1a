"""Journals of passes that never ran, modules that are only text, and what is told of a record."""

from __future__ import annotations

from pathlib import Path

import lt_render
from lt_record.journal import JournalWriter
from lt_render import LowerRecord

#: Everything that is told of a record, but for its parent.
FIELDS = [
    name
    for name, value in vars(LowerRecord).items()
    if isinstance(value, property) and name != "parent"
]


class Writer(JournalWriter):
    """A recorder of passes that never ran."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.append("process", {"script": "synthetic", "started": 0, "pid": 1})
        self.texts = self.passes = self.characters = 0

    def text(self, text: str) -> int:
        self.append("text", {"text": self.texts, "s": text})
        self.texts += 1
        self.characters += len(text)
        return self.texts - 1

    def begin(self, name: str, before: int | None, parent: int | None = None) -> int:
        fields = {"parent": parent, "depth": int(parent is not None), "name": name}
        number = self.passes
        self.append("pass", {"pass": number, "index": number, "before": before, **fields})
        self.passes += 1
        return number

    def end(self, number: int, after: int | None) -> None:
        self.append("pass_end", {"pass": number, "status": "ok", "after": after, "duration": 7})


def told(record: LowerRecord) -> dict[str, object]:
    return {name: getattr(record, name) for name in FIELDS}


def assert_iterates(path: Path) -> None:
    """Iterating gives what reading gives, in the order in which the passes ended."""
    trace, records = lt_render.read(path), lt_render.iterate(path)
    one_by_one = list(records)
    # Sorted as the trace is: only a damaged journal has an index twice.
    assert [told(record) for record in sorted(one_by_one, key=lambda record: record.index)] == [
        told(record) for record in trace.records
    ]
    parents = {record.index: record.parent for record in trace.records}
    for record in one_by_one:
        parent = parents[record.index]
        assert (record.parent and told(record.parent)) == (parent and told(parent))
    assert (records.state, records.state_message) == (trace.state, trace.state_message)
    assert records.process == trace.process and records.ended_cleanly == trace.ended_cleanly


class TextModule:
    """Stands in for an IRModule: only its text counts."""

    def __init__(self, text: str) -> None:
        self._text = text

    def script(self) -> str:
        return self._text

    def get_global_vars(self) -> list[object]:
        return []
