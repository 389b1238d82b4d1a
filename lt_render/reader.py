"""The journal's reader: records out of frames, whatever happened to the file.

Everything outside a damaged stretch is kept. No record is given out unless its
own checksum is right, and no journal counts as clean unless every byte of it is
accounted for by the marks.
"""

from __future__ import annotations

import bisect
import mmap
import os
import zlib
from collections.abc import Generator, Iterator

import msgpack

from lt_record import format
from lt_record.format import ZSTD_MAGIC

from .condition import Condition, Damage
from .errors import LimitExceeded, NewerFormat, NotAJournal, RenderError
from .frames import Buffer, CutShort, FrameError, begins_frame, blocks
from .growing import GrowingFile, grow

#: Bytes of memory that the records of one journal may take, roughly; a journal
#: of ten thousand passes takes some 40 MiB, a bomb asks for what there is.
MEMORY_LIMIT = 1 << 30
#: The share of it that a single record may have of uncompressed bytes.
_RECORD_SHARE = 16
#: What a record other than a text takes when decoded, by byte and for itself.
_DECODED_GROWTH, _DECODED_BASE = 8, 1 << 10
#: Entries that a list or map in a record may have; none of ours comes near.
_LONGEST_CONTAINER = 1 << 20

_MARK_PREFIX = format.encode_mark(format.Mark(0, bytes(8), 0, 0, 0))[:8]


class JournalReader:
    """Reads one journal: iterate over :meth:`records`, then look at :attr:`condition`.

    Raises :class:`NotAJournal` or :class:`NewerFormat` on opening, and
    :class:`LimitExceeded` when the records read so far would take more than
    ``memory_limit`` bytes. Of kinds that the caller does not keep, say so by
    naming those that he keeps: only they count. Of a journal that is still being
    written, ``growing`` is the file: records come as it grows.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        memory_limit: int = MEMORY_LIMIT,
        kept_kinds: frozenset[str] | None = None,
        growing: GrowingFile | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self.condition = Condition()
        self._memory = _Memory(memory_limit, self.path, kept_kinds)
        self._data: Buffer = _contents(self.path) if growing is None else growing
        self.condition.size = len(self._data)
        self._seen = _Numbers()
        #: ``None`` where the header is damaged: then any mark will do.
        self._id: bytes | None = None
        head = bytes(self._data[: format.HEADER_SIZE])
        try:
            self._id = _decode_header(head, self.path)
        except format.FormatError:
            if not self._holds_a_record(format.HEADER_SIZE):
                raise NotAJournal(
                    f"{self.path} is not a lower-trace journal: {_kind(head)}."
                ) from None
            self._damaged(0, format.HEADER_SIZE, "a header that was changed")

    def records(self) -> Iterator[format.Record]:
        """Yield each whole record once, in the order of the file."""
        data, condition = self._data, self.condition
        position = format.HEADER_SIZE
        segment, segment_whole = position, True
        marks = 0
        while self._reaches(position):
            mark = self._mark_at(position)
            if mark is not None:
                if mark.number != marks:
                    self._damaged(segment, position, "frames missing or out of order")
                elif segment_whole and zlib.crc32(data[segment:position]) != mark.data_crc:
                    self._damaged(segment, position, "bytes that were changed")
                position += format.MARK_SIZE
                segment, segment_whole = position, True
                marks = mark.number + 1
                condition.expected = max(condition.expected, mark.next_seq)
                if mark.kind == format.END:
                    condition.ended = True
                    if position < len(data):
                        self._damaged(position, len(data), "bytes behind the journal's end")
                    return
                continue
            damages = len(condition.damages)
            try:
                position = yield from self._frame(position)
                segment_whole = segment_whole and len(condition.damages) == damages
            except FrameError as error:
                resumed = self._resume(max(error.offset, position + 1))
                if resumed is None and isinstance(error, CutShort):
                    condition.torn_at = error.offset
                    self._forgive_zeros()
                    return
                position = len(data) if resumed is None else resumed
                self._damaged(error.offset, position, error.why)
                segment_whole = False
        condition.torn_at = position
        self._forgive_zeros()

    def _reaches(self, position: int) -> bool:
        """Whether there is anything at ``position``; waits until one can tell what it is."""
        data = self._data
        while len(data) - position < format.MARK_SIZE and not begins_frame(data, position):
            if not grow(data):
                break
        self.condition.size = len(data)
        return position < len(data)

    # --- frames and the records in them ----------------------------------------

    def _frame(self, start: int) -> Generator[format.Record, None, int]:
        """Yield the records of the frame at ``start``; return the offset behind it."""
        if not begins_frame(self._data, start):
            raise self._no_frame(start)
        end = start
        splitter = _Splitter(self._memory)
        pending = start  # where the first block of the record to come begins
        try:
            for block in blocks(self._data, start):
                end = block.end
                for found in splitter.feed(block.data):
                    if isinstance(found, str):
                        self._damaged(pending, end, found)
                    elif self._is_new(*found, pending, end):
                        yield found[0]
                if not splitter.pending:
                    pending = end
        except FrameError as error:
            error.offset = min(error.offset, pending)
            raise
        if splitter.pending:
            self._damaged(pending, end, "a record without its end")
        return end

    def _is_new(self, record: format.Record, size: int, start: int, end: int) -> bool:
        number = record["n"]
        if not self._seen.add(number):
            self._damaged(start, end, "a record that was there before")
            return False
        self._memory.take(record, size)
        condition = self.condition
        condition.records += 1
        condition.expected = max(condition.expected, number + 1)
        if record["k"] == format.GAP_RECORD and isinstance(record.get("lost"), int):
            condition.lost += max(0, record["lost"])
        return True

    def _no_frame(self, position: int) -> FrameError:
        """Tell a tail that was cut off, or never reached the disk, from a foreign piece."""
        rest = bytes(self._data[position : position + format.MARK_SIZE])
        beginnings = (_MARK_PREFIX, ZSTD_MAGIC)
        cut = any(rest[: len(head)] == head[: len(rest)] for head in beginnings)
        if cut and len(self._data) - position < format.MARK_SIZE:
            return CutShort(position)
        if not any(rest) and not any(self._data[position:]):
            return CutShort(position)  # zeros: what a power cut leaves of a file
        return FrameError(position, "bytes that are no frame")

    # --- marks and damage ------------------------------------------------------

    def _mark_at(self, position: int) -> format.Mark | None:
        try:
            mark = format.decode_mark(bytes(self._data[position : position + format.MARK_SIZE]))
        except format.FormatError:
            return None
        return mark if self._id in (None, mark.journal_id) else None

    def _resume(self, position: int) -> int | None:
        """Find where to go on behind a damaged stretch: a mark, or a frame with a record in it."""
        data = self._data
        while True:
            candidates = [
                at
                for at in (data.find(_MARK_PREFIX, position), data.find(ZSTD_MAGIC, position))
                if at >= 0
            ]
            if not candidates:
                return None
            position = min(candidates)
            if self._mark_at(position) is not None or self._holds_a_record(position):
                return position
            position += 1

    def _holds_a_record(self, position: int) -> bool:
        if not begins_frame(self._data, position):
            return False
        splitter = _Splitter(self._memory)
        try:
            for block in blocks(self._data, position):
                for found in splitter.feed(block.data):
                    return not isinstance(found, str)
        except FrameError:
            pass
        return False

    def _damaged(self, start: int, end: int, why: str) -> None:
        damages = self.condition.damages
        if damages and damages[-1].offset + damages[-1].length >= start:
            # One stretch, however many ways there are to stumble over it.
            last = damages[-1]
            damages[-1] = Damage(last.offset, max(end - last.offset, last.length), last.why)
        else:
            damages.append(Damage(start, end - start, why))

    def _forgive_zeros(self) -> None:
        """Take damage in a tail of zeros for what it is: a power cut ended the journal there."""
        zeros = len(self._data)  # where they begin
        while zeros and not self._data[zeros - 1]:
            zeros -= 1
        damages = self.condition.damages
        if damages and zeros < len(self._data):
            last = damages[-1]
            if last.offset < zeros <= last.offset + last.length:
                damages.pop()
                self.condition.torn_at = last.offset


def limit_exceeded(path: str, limit: int) -> LimitExceeded:
    """The error of a journal that needs more than ``limit`` bytes of memory."""
    return LimitExceeded(
        f"{path} needs more than the {limit >> 20} MiB of memory allowed; "
        "raise --memory-limit if you trust it."
    )


class _Splitter:
    """Cuts a frame's decoded bytes into records."""

    def __init__(self, memory: _Memory) -> None:
        self._memory = memory
        self._reset()

    def _reset(self) -> None:
        self.pending = bytearray()
        self._unpacker = msgpack.Unpacker(max_buffer_size=0)
        #: Bytes of the records that were complete. The unpacker's own position moves
        #: on within a record of which only a part has come.
        self._done = 0

    def feed(self, data: bytes) -> Iterator[tuple[format.Record, int] | str]:
        """Yield the records that ``data`` completes, each with its encoded size in bytes.

        A string says what is wrong with one.

        After something wrong the rest of ``data`` is dropped: the next block
        begins a record, unless it goes on with a long one.
        """
        self.pending += data
        self._unpacker.feed(data)
        while self.pending:
            try:
                self._unpacker.skip()
            except msgpack.OutOfData:
                self._memory.check_record(len(self.pending))
                return
            except ValueError:
                self._reset()
                yield "a record that cannot be read"
                return
            size = self._unpacker.tell() - self._done
            self._done += size
            encoded = bytes(self.pending[:size])
            del self.pending[:size]
            try:
                yield _decode(encoded), size
            except ValueError as error:
                self._reset()
                yield f"a bad record ({error})"
                return


def _decode(encoded: bytes) -> format.Record:
    format.check_record(encoded)
    record = msgpack.unpackb(
        encoded,
        max_array_len=_LONGEST_CONTAINER,
        max_map_len=_LONGEST_CONTAINER,
        max_ext_len=0,
    )
    number, kind = record.get("n"), record.get("k")
    if not isinstance(number, int) or number < 0 or not isinstance(kind, str):
        raise format.FormatError("no number or no kind")
    return dict(record)


class _Memory:
    """Counts what is kept in memory, against a limit."""

    def __init__(self, limit: int, path: str, kept_kinds: frozenset[str] | None) -> None:
        self._limit = limit
        self._left = limit
        self._path = path
        self._kept_kinds = kept_kinds

    def check_record(self, size: int) -> None:
        """Raise unless a record of ``size`` encoded bytes, or more, is allowed."""
        if size > self._limit // _RECORD_SHARE:
            raise limit_exceeded(self._path, self._limit)

    def take(self, record: format.Record, size: int) -> None:
        """Account for a record of ``size`` encoded bytes, if it is kept."""
        if self._kept_kinds is not None and record["k"] not in self._kept_kinds:
            return
        if record["k"] != format.TEXT:
            size = size * _DECODED_GROWTH + _DECODED_BASE
        self._left -= size
        if self._left < 0:
            raise limit_exceeded(self._path, self._limit)


class _Numbers:
    """The set of sequence numbers seen, kept as ranges: nearly always a single one."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, number: int) -> bool:
        """Add ``number``; return whether it is new."""
        at = bisect.bisect_right(self._starts, number)
        if at and number < self._ends[at - 1]:
            return False
        if at and number == self._ends[at - 1]:
            self._ends[at - 1] += 1
        else:
            self._starts.insert(at, number)
            self._ends.insert(at, number + 1)
        return True


def _contents(path: str) -> mmap.mmap | bytes:
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return b""
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise RenderError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise RenderError(f"{path} cannot be read: {error}.") from None


def _decode_header(head: bytes, path: str) -> bytes:
    """Return the journal's id."""
    header = format.decode_header(head)
    if header.major > format.VERSION[0]:
        raise NewerFormat(
            f"{path} has format version {header.major}.{header.minor} and this lt-render reads "
            f"up to {format.VERSION[0]}; install a newer lower-trace."
        )
    return header.journal_id


def _kind(head: bytes) -> str:
    """Say what a file is that is no journal, by its first bytes."""
    ours = format.encode_header(bytes(8))[:28]
    if not head:
        return "it is empty"
    if head[:28] == ours[: len(head[:28])]:
        return "it is cut off within its header, or its header is damaged"
    for magic, name in (
        (b"\x1f\x8b", "gzip data"),
        (ZSTD_MAGIC, "other Zstandard data"),
        (b"PK\x03\x04", "a zip archive; unpack it first"),
        (b"<", "HTML or XML"),
        (b"{", "JSON"),
    ):
        if head.startswith(magic):
            return f"it is {name}"
    return "it does not begin like one"
