"""The writer: what it has returned from is on its way, and a full disk is a named gap."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from lt_record import format, journal
from lt_record.journal import JournalWriter
from lt_render.condition import State
from lt_render.reader import JournalReader


def read(path: Path) -> tuple[list[format.Record], JournalReader]:
    reader = JournalReader(path)
    return list(reader.records()), reader


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.lt.zst"


def test_each_record_is_one_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[bytes] = []
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: writes.append(bytes(data)) or write(fd, data))
    writer = JournalWriter(str(path))
    for number in range(10):
        assert writer.append("text", {"text": number, "s": "x" * 200_000})
    assert len(writes) == 11  # and the header


def test_what_append_returned_from_is_readable(path: Path) -> None:
    writer = JournalWriter(str(path))
    for number in range(50):
        writer.append("text", {"text": number, "s": f"text {number}"})
        records, reader = read(path)
        assert [record["text"] for record in records] == list(range(number + 1))
        assert reader.condition.state is State.ENDED_EARLY
    writer.close({})
    _, reader = read(path)
    assert reader.condition.describe() == "closed cleanly"


def test_checkpoints_end_frames(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "FRAME_LIMIT", 1000)
    writer = JournalWriter(str(path))
    for number in range(20):
        writer.append("text", {"text": number, "s": "y" * 300})
    assert writer.epoch == 5
    writer.append("text", {"text": 20, "s": ""})
    writer.checkpoint()
    writer.checkpoint()  # an empty frame is none
    writer.close({})
    assert path.read_bytes().count(format.ZSTD_MAGIC) == writer.epoch == 7
    assert len(read(path)[0]) == 22


class Disk:
    """Stands between the writer and the disk: after ``room`` bytes nothing more fits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room: int | None = None
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr(journal, "RETRY_AFTER", 0.0)

    def write(self, fd: int, data: bytes) -> int:
        if self.room is None:
            return self._write(fd, data)
        if self.room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._write(fd, bytes(data)[: self.room])
        self.room -= written
        return written


@pytest.mark.parametrize("room", range(0, 120, 7))
def test_a_full_disk_leaves_a_gap_that_is_named(
    room: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch)
    errors: list[OSError] = []
    writer = JournalWriter(str(path), on_error=errors.append)
    for number in range(5):
        writer.append("text", {"text": number, "s": os.urandom(20).hex()})
    disk.room = room
    written = [writer.append("text", {"text": 5 + n, "s": os.urandom(20).hex()}) for n in range(5)]
    disk.room = None
    assert writer.append("text", {"text": 10, "s": "after the gap"})
    writer.close({"lost": writer.lost})

    records, reader = read(path)
    lost = written.count(False)
    assert lost >= 3 and writer.lost == lost
    texts = [record["text"] for record in records if record["k"] == "text"]
    assert texts == [*range(5), *(5 + n for n in range(5) if written[n]), 10]
    assert reader.condition.state is State.CLEAN
    assert reader.condition.lost == lost and reader.condition.missing == 0
    assert f"{lost} records could not be written" in reader.condition.describe()
    assert len(errors) >= 1 and errors[0].errno == errno.ENOSPC


def test_an_interrupted_write_is_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIVEN Ctrl-C in the middle of a write THEN the journal goes on without it."""
    writer = JournalWriter(str(path))
    writer.append("text", {"text": 0, "s": "first"})
    write = os.write

    def interrupted(fd: int, data: bytes) -> int:
        write(fd, bytes(data)[:5])
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        writer.append("text", {"text": 1, "s": "second"})
    monkeypatch.setattr(os, "write", write)
    assert writer.append("text", {"text": 2, "s": "third"})
    writer.close({})
    records, reader = read(path)
    assert [record["s"] for record in records if record["k"] == "text"] == ["first", "third"]
    assert reader.condition.state is State.CLEAN


def test_fsync_reaches_the_disk_with_each_record(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    writer = JournalWriter(str(path), fsync=True)
    writer.append("text", {"text": 0, "s": ""})
    assert len(synced) == 1


def test_strings_that_are_no_unicode_stay_readable(path: Path) -> None:
    writer = JournalWriter(str(path))
    writer.append("process", {"argv": [os.fsdecode(b"caf\xe9")]})
    writer.close({})
    assert read(path)[0][0]["argv"] == [r"caf\udce9"]


def test_nothing_is_written_after_the_end(path: Path) -> None:
    writer = JournalWriter(str(path))
    writer.close({})
    size = path.stat().st_size
    assert not writer.append("text", {"text": 0, "s": ""})
    writer.close({})
    writer.checkpoint()
    assert path.stat().st_size == size


def test_records_longer_than_a_block_are_read_whole(path: Path) -> None:
    """Zstandard's blocks hold 128 KiB; the record of a big module goes on over many."""
    writer = JournalWriter(str(path))
    texts = [
        f"{number}{'x' * size}\n{number}"
        for number, size in enumerate((10, 131_000, 131_072, 10, 1_000_000, 262_144, 10))
    ]
    ends = []
    for number, text in enumerate(texts):
        assert writer.append("text", {"text": number, "s": text})
        ends.append(path.stat().st_size)
    writer.close({})
    records, reader = read(path)
    assert [record["s"] for record in records if record["k"] == "text"] == texts
    assert reader.condition.state is State.CLEAN
    # Cut inside the long one: what comes before it, and no damage.
    path.write_bytes(path.read_bytes()[: ends[4] - 1])
    records, reader = read(path)
    assert [record["s"] for record in records] == texts[:4]
    assert reader.condition.state is State.ENDED_EARLY
