"""The journal's writer: one ``write`` a record, each flushed through the compressor."""

from __future__ import annotations

import errno
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

import zstandard

from . import format

#: Uncompressed bytes after which a frame is ended even in the middle of a
#: compile: bounds what damage can take with it, and the recorder's text table.
FRAME_LIMIT = 16 << 20
#: Seconds between attempts to write to a file that refused a write.
RETRY_AFTER = 0.05
# One stream at level 3: the 38 distinct texts of a GEMM take 8 kB and 0.5 ms.
_LEVEL = 3


class _Position(NamedTuple):
    """How far the file has come: replaced as a whole, in one bytecode.

    A signal's exception may come between any two; the old position or the new
    one then stands, and either is right for what the file is cut back to.
    """

    size: int = 0
    seq: int = 0
    marks: int = 0
    #: Uncompressed bytes of the unfinished frame that are in the file.
    frame_raw: int = 0
    #: CRC-32 of the bytes since the last mark.
    data_crc: int = 0


class JournalWriter:
    """Appends records to one new journal file; safe to call from several threads.

    A record whose :meth:`append` has returned true lies in the operating
    system's hands and survives the death of the process, however it dies; with
    ``fsync`` it survives a power cut as well.

    A write that fails (disk full, quota) is taken back, its record counted as
    lost, and the next one tried afresh. When writing works again the journal
    goes on in a new frame, behind a gap mark and a record of how many records
    are missing. Only the constructor raises ``OSError``; ``on_error`` is called
    with the first error of each run of failures.
    """

    def __init__(
        self,
        path: str,
        *,
        fsync: bool = False,
        on_error: Callable[[OSError], None] = lambda error: None,
    ) -> None:
        self.path = path
        #: Increases whenever a frame ends or a record is lost: texts written
        #: before may be out of reach of the records to come.
        self.epoch = 0
        #: Records that could not be written.
        self.lost = 0
        self._fsync = fsync
        self._on_error = on_error
        # Reentrant: a signal handler may compile while its own thread holds it.
        self._lock = threading.RLock()
        self._id = os.urandom(8)
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self._frame: zstandard.ZstdCompressionObj | None = None
        # The compressor is ahead of the file: a write failed or was interrupted.
        self._torn = False
        self._lost_since_gap = 0
        self._retry_at = 0.0
        header = format.encode_header(self._id)
        self._fd, self._identity = _create(path, [header])
        self._at = _Position(size=len(header))

    @property
    def size(self) -> int:
        """Bytes of the file so far."""
        return self._at.size

    def append(self, kind: str, fields: format.Record) -> bool:
        """Append one record; return whether it was written."""
        with self._lock:
            if self._fd < 0:
                return False
            if self._torn and not self._recover():
                self._lose()
                return False
            if not self._append(kind, fields):
                return False
            if self._at.frame_raw >= FRAME_LIMIT:
                self.checkpoint()
            return True

    def checkpoint(self) -> None:
        """End the current frame, so that damage on either side stays there."""
        with self._lock:
            if self._fd >= 0 and self._frame is not None and not self._torn:
                self._end_frame(format.CHECKPOINT)
                self._keep_reachable()

    def close(self, summary: format.Record) -> None:
        """Write ``summary`` as the last record, mark the end and close the file."""
        with self._lock:
            if self._fd < 0:
                return
            self._retry_at = 0.0
            if self.append(format.END_RECORD, summary):
                self._end_frame(format.END)
                self._keep_reachable()
            self.abandon()

    def abandon(self) -> None:
        """Close the file as it is."""
        fd, self._fd = self._fd, -1
        try:
            if fd >= 0 and _identity(fd) == self._identity:
                os.close(fd)
        except OSError:
            pass

    # --- frames -------------------------------------------------------------

    def _append(self, kind: str, fields: format.Record) -> bool:
        at = self._at
        encoded = format.encode_record(at.seq, kind, fields)
        self._torn = True
        try:
            if self._frame is None:
                self._frame = self._compressor.compressobj()
            data = self._frame.compress(encoded)
            data += self._frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
            after = at._replace(
                size=at.size + len(data),
                seq=at.seq + 1,
                frame_raw=at.frame_raw + len(encoded),
                data_crc=zlib.crc32(data, at.data_crc),
            )
            self._write(data)
        except OSError as error:
            self._lose()
            self._fail(error)
            return False
        self._at = after
        self._torn = False
        return True

    def _end_frame(self, kind: int) -> None:
        self._torn = True
        try:
            self._write_mark(kind, self._frame.flush() if self._frame is not None else b"")
        except OSError as error:
            self._fail(error)

    def _write_mark(self, kind: int, tail: bytes) -> None:
        at = self._at
        crc = zlib.crc32(tail, at.data_crc)
        data = tail + format.encode_mark(format.Mark(kind, self._id, at.marks, at.seq, crc))
        after = _Position(at.size + len(data), at.seq, at.marks + 1)
        self._write(data)
        self._at = after
        self._frame = None
        self.epoch += 1
        self._torn = False

    # --- failures -------------------------------------------------------------

    def _lose(self) -> None:
        # A missing number tells the reader what is missing.
        self._at = self._at._replace(seq=self._at.seq + 1)
        self.lost += 1
        self._lost_since_gap += 1
        self.epoch += 1

    def _fail(self, error: OSError) -> None:
        first = self._retry_at == 0.0
        self._retry_at = time.monotonic() + RETRY_AFTER
        if first:
            self._on_error(error)

    def _recover(self) -> bool:
        """End the frame by hand and go on behind a gap mark, if writing works again."""
        if time.monotonic() < self._retry_at:
            return False
        try:
            # Takes back what a short or interrupted write left behind. What
            # remains of the frame ends on a whole block, so an empty last block
            # makes it a valid frame although the compressor is past it.
            self._check_descriptor()
            os.ftruncate(self._fd, self._at.size)
            self._write_mark(format.GAP, format.EMPTY_LAST_BLOCK if self._at.frame_raw else b"")
        except OSError as error:
            self._fail(error)
            return False
        self._retry_at = 0.0
        if not self._append(format.GAP_RECORD, {"lost": self._lost_since_gap}):
            return False
        self._lost_since_gap = 0
        return True

    def _write(self, data: bytes) -> None:
        self._check_descriptor()
        _write_all(self._fd, data, self.path)
        if self._fsync:
            os.fsync(self._fd)

    # --- the file -----------------------------------------------------------

    def _check_descriptor(self) -> None:
        """Make sure that the descriptor is still the journal's.

        A program that closes all descriptors (to become a daemon) closes ours
        as well, and its next file may get the number.
        """
        try:
            if _identity(self._fd) == self._identity:
                return
        except OSError:
            pass
        fd = os.open(self.path, _FLAGS)
        if _identity(fd) != self._identity:
            os.close(fd)
            raise OSError(errno.EBADF, "the journal was closed and replaced", self.path)
        self._fd = _out_of_the_way(fd)

    def _keep_reachable(self) -> None:
        """Put the journal back where it was if somebody has removed it meanwhile."""
        try:
            if os.fstat(self._fd).st_nlink:
                return
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            size = self._at.size
            chunks = (os.pread(self._fd, 1 << 20, at) for at in range(0, size, 1 << 20))
            fd, identity = _create(self.path, chunks)
            os.close(self._fd)
            self._fd, self._identity = fd, identity
        except OSError as error:
            self._on_error(error)


_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)


def _create(path: str, content: Iterable[bytes]) -> tuple[int, tuple[int, int]]:
    """Create a file that is never seen without ``content``; return descriptor and identity."""
    unfinished = f"{path}.new"
    fd = _out_of_the_way(os.open(unfinished, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        for chunk in content:
            _write_all(fd, chunk, path)
        os.rename(unfinished, path)
        return fd, _identity(fd)
    except BaseException:
        os.close(fd)
        os.unlink(unfinished)
        raise


def _write_all(fd: int, data: bytes, path: str) -> None:
    view = memoryview(data)
    while view:
        written = os.write(fd, view)
        if written == 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        view = view[written:]


def _identity(fd: int) -> tuple[int, int]:
    status = os.fstat(fd)
    return status.st_dev, status.st_ino


def _out_of_the_way(fd: int) -> int:
    """Move a descriptor off the standard streams' numbers.

    Where the shell closed one of them (``2>&-``), the first file opened gets
    its number, and whatever C++ prints would land in the journal.
    """
    if fd > 2:
        return fd
    taken = [fd]
    try:
        while taken[-1] <= 2:
            taken.append(os.dup(taken[-1]))
        return taken.pop()
    finally:
        for low in taken:
            os.close(low)
