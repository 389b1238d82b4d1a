"""The journal's format: records, frames and marks, encoded and decoded side by side.

``FORMAT.md`` beside this module tells the same to a stranger; a test decodes a
journal by that page alone.

Version history
    1.0  first version
    1.1  edited source: ``process.codegen``; ``tag``, ``file``, ``edit`` and
         ``injected`` of ``codegen_end``
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any, Final

import msgpack

VERSION: Final = (1, 1)

JOURNAL_NAME: Final = "journal.lt.zst"

#: Every frame that is ours and not Zstandard data is a skippable frame of this
#: kind, so that ``zstd -dc`` passes over it.
SKIPPABLE_MAGIC: Final = 0x184D2A5C
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
#: A raw, empty, last block: ends a frame whose compressor state was lost.
EMPTY_LAST_BLOCK: Final = b"\x01\x00\x00"

_SKIPPABLE = struct.Struct("<II")
_HEADER = struct.Struct("<20sHH8s")
_MARK = struct.Struct("<4sB3x8sIQI")
_CRC = struct.Struct("<I")
_HEADER_TEXT: Final = b"lower-trace journal\n"
_MARK_TEXT: Final = b"LTMK"

#: Whole size in bytes of a header and of a mark, skippable frame included.
HEADER_SIZE: Final = _SKIPPABLE.size + _HEADER.size + _CRC.size
MARK_SIZE: Final = _SKIPPABLE.size + _MARK.size + _CRC.size

#: Kinds of mark.
CHECKPOINT: Final = 1
END: Final = 2
#: The writer could not write for a while; records were lost before this mark.
GAP: Final = 3

# Kinds of record, in the order in which a journal first shows them. FORMAT.md
# lists their fields.
PROCESS: Final = "process"
UNIT: Final = "unit"
TEXT: Final = "text"
PASS: Final = "pass"
PASS_END: Final = "pass_end"
CODEGEN: Final = "codegen"
CODEGEN_END: Final = "codegen_end"
UNIT_END: Final = "unit_end"
GAP_RECORD: Final = "gap"
END_RECORD: Final = "end"

Record = dict[str, Any]

# The checksum is always stored as a five-byte msgpack uint 32, so that its
# place in the encoded record is known without decoding it.
_CRC_PLACEHOLDER: Final = 0xFFFFFFFF
_UINT32: Final = 0xCE


class FormatError(ValueError):
    """Bytes that do not follow the format."""


class ChecksumError(FormatError):
    """Bytes that follow the format but not their own checksum."""


# --- records ---------------------------------------------------------------


def encode_record(seq: int, kind: str, fields: Record) -> bytes:
    """Encode one record: a msgpack map that ends with its own CRC-32.

    Text that is not valid UTF-8 (surrogates out of ``sys.argv``) is written with
    backslash escapes, so that a journal never holds a string others cannot read.
    """
    packed = msgpack.packb(
        {"n": seq, "k": kind, **fields, "crc": _CRC_PLACEHOLDER},
        unicode_errors="backslashreplace",
    )
    body = packed[:-5]
    return b"%b\xce%b" % (body, zlib.crc32(body).to_bytes(4, "big"))


def check_record(encoded: bytes) -> None:
    """Raise :class:`ChecksumError` unless ``encoded`` carries its right CRC-32."""
    if len(encoded) < 6 or encoded[-5] != _UINT32:
        raise FormatError("a record does not end with its checksum")
    if zlib.crc32(encoded[:-5]) != int.from_bytes(encoded[-4:], "big"):
        raise ChecksumError("a record does not match its checksum")


# --- header and marks --------------------------------------------------------


@dataclass(frozen=True)
class Header:
    """The first frame of a journal."""

    major: int
    minor: int
    #: Random, eight bytes: ties the marks to this file.
    journal_id: bytes


@dataclass(frozen=True)
class Mark:
    """What follows each finished frame."""

    #: ``CHECKPOINT``, ``END`` or ``GAP``.
    kind: int
    journal_id: bytes
    #: 0 for the first mark, one more for each further one.
    number: int
    #: Sequence number of the first record after the mark.
    next_seq: int
    #: CRC-32 of the raw bytes between the mark (or header) before and this one.
    data_crc: int


def _skippable(payload: bytes) -> bytes:
    framed = _SKIPPABLE.pack(SKIPPABLE_MAGIC, len(payload) + _CRC.size) + payload
    return framed + _CRC.pack(zlib.crc32(framed))


def _unskippable(data: bytes, size: int, what: str) -> bytes:
    if len(data) < size:
        raise FormatError(f"a {what} is cut short")
    if data[: _SKIPPABLE.size] != _SKIPPABLE.pack(SKIPPABLE_MAGIC, size - _SKIPPABLE.size):
        raise FormatError(f"no {what} here")
    if zlib.crc32(data[: size - _CRC.size]) != _CRC.unpack_from(data, size - _CRC.size)[0]:
        raise ChecksumError(f"a {what} does not match its checksum")
    return data[_SKIPPABLE.size : size - _CRC.size]


def encode_header(journal_id: bytes) -> bytes:
    """Encode the header of a journal written by this module."""
    return _skippable(_HEADER.pack(_HEADER_TEXT, *VERSION, journal_id))


def decode_header(data: bytes) -> Header:
    """Decode the header at the start of ``data``."""
    text, major, minor, journal_id = _HEADER.unpack(_unskippable(data, HEADER_SIZE, "header"))
    if text != _HEADER_TEXT:
        raise FormatError("no header here")
    return Header(major, minor, journal_id)


def encode_mark(mark: Mark) -> bytes:
    """Encode a mark."""
    return _skippable(
        _MARK.pack(
            _MARK_TEXT, mark.kind, mark.journal_id, mark.number, mark.next_seq, mark.data_crc
        )
    )


def decode_mark(data: bytes) -> Mark:
    """Decode the mark at the start of ``data``."""
    text, *fields = _MARK.unpack(_unskippable(data, MARK_SIZE, "mark"))
    if text != _MARK_TEXT:
        raise FormatError("no mark here")
    return Mark(*fields)
