"""Passes and texts of many journals as two Parquet tables, in bounded memory."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from ..errors import RenderError
from ..version import GENERATOR
from .rows import VERSION, Row

STRING, INTEGER, FLAG, MOMENT = "string", "int64", "bool", "timestamp[us, tz=UTC]"

#: Columns of ``passes.parquet``: those of the journal, then those of the pass.
PASSES: Final = {
    "journal": STRING,
    "place": STRING,
    "script": STRING,
    "host": STRING,
    "started": MOMENT,
    "tilelang": STRING,
    "tvm": STRING,
    "python": STRING,
    "recorder": STRING,
    "platform": STRING,
    "state": STRING,
    "state_message": STRING,
    "died_in": STRING,
    "kernel": STRING,
    "unit": INTEGER,
    "target": STRING,
    "index": INTEGER,
    "phase": STRING,
    "name": STRING,
    "full_name": STRING,
    "is_codegen": FLAG,
    "role": STRING,
    "depth": INTEGER,
    "parent": INTEGER,
    "status": STRING,
    "changed": FLAG,
    "insertions": INTEGER,
    "deletions": INTEGER,
    "start_us": INTEGER,
    "duration_us": INTEGER,
    "recorder_us": INTEGER,
    "thread": INTEGER,
    "before": STRING,
    "after": STRING,
    "generated": STRING,
    "edited": STRING,
    "error_type": STRING,
    "error": STRING,
    "note": STRING,
}
#: Columns of ``texts.parquet``: the id that passes refer to, and the text.
TEXTS: Final = {"text": STRING, "content": STRING}

#: Rows, and characters of text, after which what is held is written.
_ROWS = 1 << 14
_CHARACTERS = 1 << 24
#: The largest number that a column of integers holds; a journal may name a larger one.
_LARGEST = (1 << 63) - 1


class Tables:
    """``passes.parquet`` and ``texts.parquet`` in one directory: use it as a context.

    Raises :class:`RenderError` where pyarrow is missing. They are put in place whole,
    and not at all where an exception came.
    """

    def __init__(self, directory: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise RenderError(
                "Parquet is written with pyarrow: pip install 'lower-trace[parquet]'."
            ) from None
        directory.mkdir(parents=True, exist_ok=True)
        self._passes = _Table(pyarrow, directory / "passes.parquet", PASSES)
        self._texts = _Table(pyarrow, directory / "texts.parquet", TEXTS)
        self._known: set[bytes] = set()

    @property
    def paths(self) -> tuple[Path, Path]:
        """The two files."""
        return self._passes.path, self._texts.path

    def add(self, journal: Row, passes: list[Row], texts: list[tuple[str, str]]) -> None:
        """Add what one journal holds; a text that is there already is passed over."""
        for one in passes:
            self._passes.add(journal | one)
        for name, content in texts:
            key = bytes.fromhex(name)
            if key not in self._known:
                self._known.add(key)
                self._texts.add({"text": name, "content": content}, weight=len(content))

    def __enter__(self) -> Tables:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for table in (self._passes, self._texts):
            table.close(keep=error is None)


class _Table:
    """One Parquet file, written a row group at a time."""

    def __init__(self, arrow: Any, path: Path, columns: dict[str, str]) -> None:
        self.path = path
        self._arrow = arrow
        self._columns = columns
        self._rows: list[Row] = []
        self._weight = 0
        types = {
            STRING: arrow.string(),
            INTEGER: arrow.int64(),
            FLAG: arrow.bool_(),
            MOMENT: arrow.timestamp("us", tz="UTC"),
        }
        about = {"generator": GENERATOR, "lower_trace_rows": str(VERSION)}
        fields = [(name, types[kind]) for name, kind in columns.items()]
        self._schema = arrow.schema(fields, metadata=about)
        self._half = path.with_name(f".{path.name}.{os.getpid()}")
        self._file = arrow.parquet.ParquetWriter(self._half, self._schema, compression="zstd")

    def add(self, row: Row, *, weight: int = 0) -> None:
        """Add a row that holds ``weight`` characters."""
        self._rows.append({name: _fitting(row[name]) for name in self._columns})
        self._weight += weight
        if len(self._rows) >= _ROWS or self._weight >= _CHARACTERS:
            self._flush()

    def close(self, *, keep: bool) -> None:
        """Finish the file, and put it in place or take it away."""
        try:
            if keep:
                self._flush()
            self._file.close()
            if keep:
                os.replace(self._half, self.path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                self._half.unlink()

    def _flush(self) -> None:
        if self._rows:
            self._file.write_table(self._arrow.Table.from_pylist(self._rows, self._schema))
        self._rows, self._weight = [], 0


def _fitting(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-_LARGEST, min(value, _LARGEST))
    return value
