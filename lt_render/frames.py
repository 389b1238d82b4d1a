"""One Zstandard frame, block by block, so that what precedes an error is kept.

A journal's writer flushes after each record: a record begins on a block and
ends on one. Block layout: RFC 8878, section 3.1.1.2.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass

import zstandard

from lt_record.format import ZSTD_MAGIC

from .growing import GrowingFile, grow

Buffer = bytes | mmap.mmap | GrowingFile

#: Bytes of window that a frame may ask of the decoder; the writer needs 2 MiB.
WINDOW_LIMIT = 32 << 20

_RLE = 1
_RESERVED = 3
_LONGEST_HEADER = 18


@dataclass(frozen=True)
class Block:
    """What one block decodes to, and where in the file it ends."""

    start: int
    end: int
    data: bytes


class FrameError(Exception):
    """The frame cannot be decoded from ``offset`` on."""

    def __init__(self, offset: int, why: str) -> None:
        super().__init__(why)
        self.offset = offset
        self.why = why


class CutShort(FrameError):
    """The file ends within the frame."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset, "a frame without its end")


def begins_frame(data: Buffer, offset: int) -> bool:
    """Whether a Zstandard frame begins at ``offset``."""
    return bytes(data[offset : offset + 4]) == ZSTD_MAGIC


def blocks(data: Buffer, start: int) -> Iterator[Block]:
    """Decode the frame at ``start``; returns after its last block.

    Raises :class:`CutShort` or :class:`FrameError` at the block concerned, when
    the blocks before it have been given out. No more than one block (128 KiB)
    is held decoded. Waits for more where ``data`` is still growing.
    """
    header_size, parameters = _header(data, start)
    if parameters.window_size > WINDOW_LIMIT or parameters.dict_id:
        raise FrameError(start, "a frame that this format does not use")
    decoder = zstandard.ZstdDecompressor(max_window_size=WINDOW_LIMIT).decompressobj()
    position = start + header_size
    feed = bytes(data[start:position])
    last = False
    while not last:
        if position + 3 > len(data):
            _wait(data, position)
            continue
        block_header = int.from_bytes(data[position : position + 3], "little")
        last, kind, size = bool(block_header & 1), block_header >> 1 & 3, block_header >> 3
        if kind == _RESERVED:
            raise FrameError(position, "a block of no known kind")
        end = position + 3 + (1 if kind == _RLE else size)
        if last and parameters.has_checksum:
            end += 4
        if end > len(data):
            # The header is read again: a writer whose write failed takes it back.
            last = False
            _wait(data, position)
            continue
        try:
            decoded = decoder.decompress(feed + bytes(data[position:end]))
        except zstandard.ZstdError as error:
            raise FrameError(position, f"a block that cannot be decoded ({error})") from None
        feed = b""
        yield Block(position, end, decoded)
        position = end


def _header(data: Buffer, start: int) -> tuple[int, zstandard.FrameParameters]:
    while True:
        try:
            head = bytes(data[start : start + _LONGEST_HEADER])
            return zstandard.frame_header_size(head), zstandard.get_frame_parameters(head)
        except zstandard.ZstdError as error:
            if len(data) - start >= _LONGEST_HEADER:
                raise FrameError(start, f"a frame header that cannot be read ({error})") from None
        _wait(data, start)


def _wait(data: Buffer, position: int) -> None:
    if not grow(data):
        raise CutShort(position)
    if len(data) < position:
        raise FrameError(len(data), "bytes that were taken back")
