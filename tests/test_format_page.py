"""FORMAT.md is enough to write a reader: this one knows nothing else, and none of our code."""

from __future__ import annotations

import io
import re
import struct
import subprocess
import zlib
from importlib import resources
from pathlib import Path

import msgpack
import zstandard

PAGE = (resources.files("lt_record") / "FORMAT.md").read_text("utf-8")


def fields_of(table: str) -> list[tuple[str, int]]:
    """Names and sizes of the page's byte table that begins with ``table``."""
    lines = PAGE[PAGE.index(f"| {table}, ") :].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        name, size = (cell.strip() for cell in line.split("|")[1:3])
        rows.append((name, sum(int(part) for part in size.split("+"))))
    return rows


def cut(data: bytes, table: str) -> dict[str, bytes]:
    cut_up = {}
    at = 0
    for name, size in fields_of(table):
        cut_up[name] = data[at : at + size]
        at += size
    assert sum(map(len, cut_up.values())) == size_of(table)
    return cut_up


def size_of(table: str) -> int:
    (size,) = re.findall(rf"\| {table}, (\d+) bytes \|", PAGE)
    assert int(size) == sum(size for _, size in fields_of(table))
    return int(size)


def frame_at(data: bytes, start: int) -> tuple[bytes, int]:
    decoder = zstandard.ZstdDecompressor().decompressobj()
    decoded = decoder.decompress(data[start:])
    return decoded, len(data) - len(decoder.unused_data)


def test_a_real_journal_read_by_the_page(gemm_journal: Path) -> None:
    data = gemm_journal.read_bytes()
    header = cut(data[: size_of("header")], "header")
    assert header["skippable magic"] == struct.pack("<I", 0x184D2A5C)
    assert header["text"] == b"lower-trace journal\n"
    assert header["major, minor"] == struct.pack("<HH", 1, 1)
    assert header["checksum"] == struct.pack("<I", zlib.crc32(data[: size_of("header") - 4]))

    position = size_of("header")
    numbers: list[int] = []
    kinds: list[int] = []
    by_kind: dict[str, list[dict[str, object]]] = {}
    while position < len(data):
        begun = position
        if data[position : position + 4] == b"\x28\xb5\x2f\xfd":
            decoded, position = frame_at(data, position)
            unpacker = msgpack.Unpacker(io.BytesIO(decoded))
            at = 0
            for record in unpacker:
                encoded, at = decoded[at : unpacker.tell()], unpacker.tell()
                assert next(iter(record)) == "n" and list(record)[-1] == "crc"
                assert encoded[-5] == 0xCE
                assert struct.unpack(">I", encoded[-4:])[0] == zlib.crc32(encoded[:-5])
                numbers.append(record["n"])
                by_kind.setdefault(record["k"], []).append(record)
        mark = cut(data[position : position + size_of("mark")], "mark")
        assert mark["text"] == b"LTMK" and mark["journal id"] == header["journal id"]
        assert mark["data checksum"] == struct.pack("<I", zlib.crc32(data[begun:position]))
        assert mark["number"] == struct.pack("<I", len(kinds))
        assert mark["next"] == struct.pack("<Q", len(numbers))
        kinds.append(mark["kind"][0])
        position += size_of("mark")
    assert numbers == list(range(len(numbers)))
    assert kinds == [1, 2]  # the compile's checkpoint, the end

    texts = {record["text"]: record["s"] for record in by_kind["text"]}
    assert list(texts) == sorted(texts)  # type: ignore[type-var]
    begins = {record["pass"]: record for record in by_kind["pass"]}
    for end in by_kind["pass_end"]:
        before = begins[end["pass"]]["before"]
        assert before in texts
        assert end["after"] is None or (end["after"] in texts and end["after"] != before)
    assert len(begins) == 85 == by_kind["end"][0]["passes"]


def test_every_kind_and_field_is_on_the_page(gemm_journal: Path) -> None:
    from lt_render.reader import JournalReader

    described = {
        kind: set(re.findall(r"`(\w+)`", fields))
        for kind, fields in re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    }
    described["codegen"] |= described["pass"]
    described["codegen_end"] |= described["pass_end"]
    for record in JournalReader(gemm_journal).records():
        unknown = record.keys() - described[record["k"]] - {"n", "k", "crc"}
        assert not unknown, (record["k"], unknown)


def test_a_stock_zstd_prints_the_records(gemm_journal: Path) -> None:
    done = subprocess.run(["zstd", "-dc", gemm_journal], capture_output=True, check=True)
    records = list(msgpack.Unpacker(io.BytesIO(done.stdout)))
    assert records[0]["k"] == "process" and records[-1]["k"] == "end"
