"""A damaged journal: what is outside of the damage is kept, and the damage is told."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from conftest import Recording
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lt_record import format
from lt_render.cli import main
from lt_render.condition import Condition, State
from lt_render.errors import RenderError
from lt_render.load import load
from lt_render.reader import JournalReader

CORPUS = Path(__file__).parent / "corpus"


@pytest.fixture(scope="module")
def whole(recordings: dict[str, Recording]) -> bytes:
    """A real journal, the smallest of the examples'."""
    return recordings["cpu_scale"].ours.journal.read_bytes()


def read(data: bytes, path: Path) -> tuple[list[format.Record], Condition]:
    path.write_bytes(data)
    reader = JournalReader(path)
    return list(reader.records()), reader.condition


def frames(data: bytes) -> list[bytes]:
    """A journal cut into header and frames, each with the mark behind it."""
    pieces = [data[: format.HEADER_SIZE]]
    position = begun = format.HEADER_SIZE
    while position < len(data):
        position = data.index(b"LTMK", position) - 8 + format.MARK_SIZE
        pieces.append(data[begun:position])
        begun = position
    return pieces


def test_cut_at_every_byte_it_is_an_exact_prefix(whole: bytes, tmp_path: Path) -> None:
    records, condition = read(whole, tmp_path / "whole")
    assert condition.describe() == "closed cleanly"
    lengths = []
    for size in range(format.HEADER_SIZE, len(whole)):
        found, condition = read(whole[:size], tmp_path / "cut")
        assert condition.state is State.ENDED_EARLY, size
        assert found == records[: len(found)]
        lengths.append(len(found))
    assert lengths == sorted(lengths) and lengths[-1] == len(records)


def test_every_byte_flipped_is_noticed_and_nothing_wrong_is_given_out(
    whole: bytes, tmp_path: Path
) -> None:
    records = {record["n"]: record for record in read(whole, tmp_path / "whole")[0]}
    random.seed(3)
    kept = 0
    for at in range(len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << random.randrange(8)
        try:
            found, condition = read(bytes(flipped), tmp_path / "flipped")
        except RenderError:
            assert at < format.HEADER_SIZE  # another version of the format, by its header
            continue
        assert condition.state is State.DAMAGED, at
        for record in found:
            assert record == records[record["n"]]
        kept += len(found)
    # Whatever is hit, most of the journal survives in the other frames and before the damage.
    assert kept > len(whole) * len(records) * 0.4


def test_a_flipped_journal_renders(whole: bytes, tmp_path: Path, capsys) -> None:
    for at in range(500, len(whole), 997):
        flipped = bytearray(whole)
        flipped[at] ^= 0x10
        (tmp_path / "journal.lt.zst").write_bytes(flipped)
        assert main([str(tmp_path / "journal.lt.zst"), "-o", str(tmp_path / "out")]) == 3
        told = capsys.readouterr().err
        assert "damaged inside" in told and "Traceback" not in told
        page = next((tmp_path / "out").rglob("run_*/report.html"))
        assert page.stat().st_size > 10_000


@pytest.fixture
def three_frames(recordings: dict[str, Recording]) -> list[bytes]:
    """Header and frames of a journal of three kernels, and its end."""
    pieces = frames(recordings["several_kernels"].ours.journal.read_bytes())
    assert len(pieces) == 5
    return pieces


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_frame_removed(missing: int, three_frames: list[bytes], tmp_path: Path) -> None:
    whole, _ = read(b"".join(three_frames), tmp_path / "whole")
    pieces = three_frames[:missing] + three_frames[missing + 1 :]
    found, condition = read(b"".join(pieces), tmp_path / "hole")
    assert condition.state is State.DAMAGED
    assert condition.missing == len(whole) - len(found) > 100
    assert found == [record for record in whole if record in found]
    assert f"{condition.missing} records missing" in condition.describe()


def test_a_frame_doubled(three_frames: list[bytes], tmp_path: Path) -> None:
    whole, _ = read(b"".join(three_frames), tmp_path / "whole")
    pieces = [*three_frames[:3], three_frames[2], *three_frames[3:]]
    found, condition = read(b"".join(pieces), tmp_path / "doubled")
    assert found == whole and condition.state is State.DAMAGED and condition.missing == 0


def test_frames_swapped(three_frames: list[bytes], tmp_path: Path) -> None:
    whole, _ = read(b"".join(three_frames), tmp_path / "whole")
    header, one, two, three, end = three_frames
    found, condition = read(b"".join([header, two, one, three, end]), tmp_path / "swapped")
    assert condition.state is State.DAMAGED and condition.missing == 0
    assert sorted(found, key=lambda record: record["n"]) == whole
    trace = load(tmp_path / "swapped")
    assert [one.index for one in trace.passes] == list(range(252))


def test_a_foreign_piece_inside(three_frames: list[bytes], tmp_path: Path) -> None:
    whole, _ = read(b"".join(three_frames), tmp_path / "whole")
    header, one, *rest = three_frames
    piece = b"foreign" * 100 + format.ZSTD_MAGIC + b"not really a frame"
    found, condition = read(b"".join([header, one, piece, *rest]), tmp_path / "foreign")
    assert found == whole
    (damage,) = condition.damages
    assert (damage.offset, damage.length) == (len(header) + len(one), len(piece))


def test_two_journals_in_one_file(
    recordings: dict[str, Recording], whole: bytes, tmp_path: Path
) -> None:
    records, _ = read(whole, tmp_path / "whole")
    other = recordings["gemm"].ours.journal.read_bytes()
    found, condition = read(whole + other, tmp_path / "both")
    assert found == records and condition.state is State.DAMAGED
    assert condition.damages[0].offset == len(whole)


def test_a_tail_of_zeros_is_a_power_cut(whole: bytes, tmp_path: Path) -> None:
    cut = whole[: len(whole) * 2 // 3]
    before, _ = read(cut, tmp_path / "cut")
    for zeros in (1, 3, 100, 5000):
        found, condition = read(cut + bytes(zeros), tmp_path / "zeros")
        assert found == before and condition.state is State.ENDED_EARLY
    found, condition = read(whole + bytes(100), tmp_path / "behind")
    assert condition.state is State.DAMAGED  # a journal that was closed has no tail


def test_a_growing_file_is_read_as_far_as_it_goes(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "growing"
    seen = 0
    for size in range(len(whole) // 10, len(whole) + 1, len(whole) // 10):
        found, _ = read(whole[:size], path)
        assert len(found) >= seen
        seen = len(found)


def test_exit_codes_and_words(whole: bytes, tmp_path: Path, capsys) -> None:
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    kinds = {
        "clean": (whole, 0, 0, "closed cleanly"),
        "early": (whole[:-100], 0, 3, "ended early at byte"),
        "damaged": (bytes(damaged), 3, 3, "damaged inside"),
        "foreign": (b"something else", 2, 2, "is not a lower-trace journal"),
    }
    for name, (data, code, strict_code, words) in kinds.items():
        path = tmp_path / name
        path.write_bytes(data)
        for arguments, expected in (
            (["verify", str(path)], code),
            (["verify", "--strict", str(path)], strict_code),
            ([str(path), "-o", str(tmp_path / "out")], code),
            ([str(path), "-o", str(tmp_path / "out"), "--strict"], strict_code),
        ):
            assert main(arguments) == expected, arguments
            told = capsys.readouterr()
            if arguments[0] == "verify" or name != "clean":
                assert words in told.out + told.err


def test_the_banner_tells_the_state(whole: bytes, tmp_path: Path) -> None:
    from test_render import page_data

    path = tmp_path / "journal.lt.zst"
    path.write_bytes(whole[:-200])
    assert main([str(path)]) == 0
    state = page_data(tmp_path / "cpu_scale" / "report.html")["state"]
    assert state["kind"] == "ended early" and "did not close it" in state["message"]


def corpus() -> list[bytes]:
    return [path.read_bytes() for path in sorted(CORPUS.glob("*.lt.zst"))]


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "drop", "copy", "insert", "zero"]),
        st.floats(0, 1, exclude_max=True),
        st.floats(0, 1, exclude_max=True),
        st.binary(max_size=40),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(range(len(corpus()))), EDITS)
def test_fuzzed(which: int, edits: list[tuple[str, float, float, bytes]]) -> None:
    """GIVEN any damage THEN a state that is told, records that are right, never a traceback."""
    original = corpus()[which]
    data = bytearray(original)
    for kind, where, how_far, piece in edits:
        at = int(where * len(data))
        end = min(len(data), at + 1 + int(how_far * 300))
        if kind == "flip" and data:
            data[at] ^= 1 + int(how_far * 255)
        elif kind == "cut":
            del data[at:]
        elif kind == "drop":
            del data[at:end]
        elif kind == "copy":
            data[at:at] = data[at:end]
        elif kind == "insert":
            data[at:at] = piece
        elif kind == "zero":
            data[at:end] = bytes(end - at)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "journal.lt.zst")
        right = {record["n"]: record for record in read(original, path)[0]}
        try:
            found, condition = read(bytes(data), path)
        except RenderError:
            return
        for record in found:
            assert record == right[record["n"]]
        if bytes(data) != original:
            assert condition.state is not State.CLEAN
        load(path)


def test_the_corpus_is_real_and_small() -> None:
    assert len(corpus()) >= 3
    for data in corpus():
        assert len(data) < 10_000 and b"lower-trace journal" in data
