"""``lt_render.iterate``: records one by one, in memory that does not grow with the journal."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from conftest import Recording
from synthetic import Writer, assert_iterates

import lt_render
import lt_render.stream
from lt_record import journal as journal_module

CORPUS = Path(__file__).parent / "corpus"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.lt.zst"


def test_iterating_gives_what_reading_gives(recordings: dict[str, Recording]) -> None:
    journals = [recording.ours.journal for recording in recordings.values()]
    for journal in [*journals, *CORPUS.glob("*.lt.zst")]:
        assert_iterates(journal)


def test_iterating_over_what_is_left_of_a_journal(gemm_journal: Path, path: Path) -> None:
    data = bytearray(gemm_journal.read_bytes())
    for size in range(1000, len(data), len(data) // 7):
        path.write_bytes(data[:size])
        assert_iterates(path)
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert lt_render.read(path).state is lt_render.State.DAMAGED
    assert_iterates(path)


def test_passes_come_when_they_end_and_those_that_never_did_at_the_end(path: Path) -> None:
    writer = Writer(path)
    text = writer.text("module")
    never = writer.begin("Never", text)
    outer = writer.begin("Outer", text, never)
    writer.end(writer.begin("Inner", text, outer), None)
    writer.end(outer, None)
    codegen = {"pass": 9, "parent": never, "depth": 1, "name": "target.build.c", "before": text}
    writer.append("codegen", codegen)
    writer.abandon()
    records = lt_render.iterate(path)
    assert [record.name for record in records] == ["Inner", "Outer", "Never", "codegen"]
    assert records.state_message.endswith("the process ended inside codegen/codegen")
    assert_iterates(path)


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A journal of 10,000 passes inside of one, each with another text; and its characters."""
    path = tmp_path_factory.mktemp("big") / "journal.lt.zst"
    writer = Writer(path)
    first = writer.text("first " * 1000)
    outer = writer.begin("Sequential", first)
    before = first
    for number in range(10_000):
        after = writer.text(f"{number} " + "x" * 20_000)
        writer.end(writer.begin("Pass", before, outer), after)
        before = after
    writer.end(outer, None)
    writer.close({})
    return path, writer.characters


def test_a_big_journal_is_not_held_whole(big: tuple[Path, int]) -> None:
    path, characters = big
    tracemalloc.start()
    try:
        count = 0
        for record in lt_render.iterate(path):
            assert record.before_text and record.changed == (record.name == "Pass")
            count += 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 10_001
    assert record.name == "Sequential" and record.after_text == "first " * 1000
    assert characters > 200_000_000 and peak < characters / 3


def test_the_memory_limit_is_for_what_is_held(big: tuple[Path, int], path: Path) -> None:
    limit = big[1] // 4
    with pytest.raises(lt_render.LimitExceeded):
        lt_render.read(big[0], memory_limit=limit)
    assert sum(1 for _ in lt_render.iterate(big[0], memory_limit=limit)) == 10_001
    writer = Writer(path)
    text = writer.text("x" * 1000)
    for _ in range(2000):
        writer.begin("Never", text)
    writer.abandon()
    with pytest.raises(lt_render.LimitExceeded):
        list(lt_render.iterate(path, memory_limit=2 << 20))


def test_a_text_behind_a_checkpoint(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIVEN a pass across checkpoints THEN its texts are there, and the same text is no change."""
    monkeypatch.setattr(journal_module, "FRAME_LIMIT", 1000)
    monkeypatch.setattr(lt_render.stream, "_REACH", 2000)
    writer = Writer(path)
    module = writer.text("module")
    quiet, busy = writer.begin("Quiet", module), writer.begin("Busy", module)
    for number in range(20):
        writer.end(writer.begin("Inner", writer.text(f"{number:500}")), None)
    assert writer.epoch > 5
    writer.end(busy, writer.text("module"))
    writer.end(quiet, None)
    writer.close({})
    assert_iterates(path)
    for record in lt_render.read(path).records:
        assert record.before_text == record.after_text != ""
        assert not record.changed and not record.note
