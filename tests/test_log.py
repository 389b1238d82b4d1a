"""``lt-render log``: one line a pass, for whole, crashed, damaged and hostile journals."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Recording
from synthetic import Writer

from lt_render.cli import main
from lt_render.load import load
from lt_render.model import Pass

NESTED = Path(__file__).parent / "corpus" / "nested.lt.zst"
LINE = re.compile(r"([●○✕◆]) +(\d+)  ( *)(\S+)")
Capture = pytest.CaptureFixture[str]


def listed(shown: str) -> list[tuple[str, int, int, str]]:
    """Mark, number, depth and label of each line."""
    found = map(LINE.match, shown.splitlines())
    return [(one[1], int(one[2]), len(one[3]) // 2, one[4]) for one in found if one]


def expected(one: Pass) -> tuple[str, int, int, str]:
    mark = "✕" if one.failed else "◆" if one.is_codegen else "●" if one.changed else "○"
    return mark, one.index, one.depth, one.label


def test_it_lists_what_changed_and_with_all_the_rest(gemm_journal: Path, capsys: Capture) -> None:
    passes = load(gemm_journal).passes
    assert main(["log", str(gemm_journal)]) == 0
    shown = capsys.readouterr().out
    assert listed(shown) == [expected(one) for one in passes if one.changed or one.failed]
    assert shown.startswith("── gemm ─") and "\x1b" not in shown
    assert main(["log", str(gemm_journal), "--all"]) == 0
    assert listed(capsys.readouterr().out) == list(map(expected, passes))


def test_it_counts_as_the_model_does(gemm_journal: Path, capsys: Capture) -> None:
    passes = load(gemm_journal).passes
    assert main(["log", str(gemm_journal), "--all", "--json"]) == 0
    facts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["index"], one["name"], one["kernel"], one["duration"]) for one in facts] == [
        (one.index, one.name, "gemm", one.duration) for one in passes
    ]
    for one, fact in zip(passes, facts, strict=True):
        if not one.is_codegen:
            assert (fact["added"], fact["removed"]) == (one.diff.insertions, one.diff.deletions)
    changed = max(
        (one for one in passes if not one.is_codegen), key=lambda one: one.diff.insertions
    )
    main(["log", str(gemm_journal)])
    counts = f"+{changed.diff.insertions} −{changed.diff.deletions} "
    assert re.search(rf"{changed.index}  +\S+ +{re.escape(counts)}", capsys.readouterr().out)


def test_a_pass_inside_another_stands_below_it_and_further_in(capsys: Capture) -> None:
    """GIVEN passes that run others, which end before them THEN the order is that of numbers."""
    assert main(["log", str(NESTED), "--all"]) == 0
    shown = listed(capsys.readouterr().out)
    assert shown == list(map(expected, load(NESTED).passes))
    assert max(depth for _, _, depth, _ in shown) >= 2


def test_bars_have_one_scale(gemm_journal: Path, capsys: Capture) -> None:
    passes = {one.index: one for one in load(gemm_journal).passes}
    assert main(["log", str(gemm_journal), "--stat"]) == 0
    bars = re.findall(r"(\d+)  +\S+ +\| +(\d+) (\+*)(−*)$", capsys.readouterr().out, re.MULTILINE)
    assert len(bars) > 20
    most = max(int(total) for _, total, _, _ in bars)
    for number, total, plus, minus in bars:
        diff = passes[int(number)].diff
        assert int(total) == diff.insertions + diff.deletions
        assert (len(plus) > 0, len(minus) > 0) == (diff.insertions > 0, diff.deletions > 0)
        assert abs(len(plus) - diff.insertions * 40 / most) <= 1
        assert abs(len(minus) - diff.deletions * 40 / most) <= 1


def test_each_kernel_has_a_heading_and_can_be_asked_for(
    recordings: dict[str, Recording], capsys: Capture
) -> None:
    journal = str(recordings["several_kernels"].ours.journal)
    titles = [unit.title for unit in load(journal).units if unit.name is not None]
    assert main(["log", journal]) == 0
    assert re.findall(r"^── (.*?) ─", capsys.readouterr().out, re.MULTILINE) == titles
    assert main(["log", journal, "--kernel", titles[1], "--json"]) == 0
    kernels = {json.loads(line)["kernel"] for line in capsys.readouterr().out.splitlines()}
    assert kernels == {titles[1]}
    assert main(["log", journal, "--kernel", "nope"]) == 2
    told = capsys.readouterr().err
    assert (
        told.startswith("lt-render: there is no kernel 'nope'; there are: ") and titles[0] in told
    )


def test_compiles_at_the_same_time_are_kept_apart(tmp_path: Path, capsys: Capture) -> None:
    """GIVEN passes of two compiles in turns THEN each compile is one list, under one heading."""
    journal = tmp_path / "journal.lt.zst"
    writer = Writer(journal)
    for unit in (1, 2):
        writer.append("unit", {"unit": unit, "name": "tilelang", "kernels": [f"kernel{unit}"]})
    for number in range(6):
        unit = {"unit": 1 + number % 2}
        writer.append("pass", {"pass": number, "index": number, "name": f"P{number}", **unit})
        writer.append("pass_end", {"pass": number, "status": "ok", "duration": 5})
    for unit in (2, 1):
        writer.append("unit_end", {"unit": unit, "status": "ok"})
    writer.close({})
    assert main(["log", str(journal), "--all"]) == 0
    shown = capsys.readouterr().out
    words = re.findall(r"kernel\d|P\d", shown)
    assert words == ["kernel1", "P0", "P2", "P4", "kernel2", "P1", "P3", "P5"]


def test_a_pass_that_failed_says_how(recordings: dict[str, Recording], capsys: Capture) -> None:
    journal = recordings["failing_pass"].ours.journal
    (failed,) = [one for one in load(journal).passes if one.failed]
    assert main(["log", str(journal)]) == 0
    shown = capsys.readouterr().out
    (line,) = [line for line in shown.splitlines() if line.startswith("✕")]
    assert failed.label in line and line.endswith(failed.error_msg.split("\n")[0])
    assert " failed ──" in shown.splitlines()[0]


def test_what_is_left_of_a_journal_is_listed(
    gemm_journal: Path, tmp_path: Path, capsys: Capture
) -> None:
    """GIVEN a journal cut off, or damaged THEN what is left is listed, and it is told."""
    whole = gemm_journal.read_bytes()
    cut = tmp_path / "cut.lt.zst"
    cut.write_bytes(whole[: len(whole) // 2])
    assert main(["log", str(cut)]) == 0
    shown, told = capsys.readouterr()
    left = load(cut).passes
    assert listed(shown) == [expected(one) for one in left if one.changed or one.failed]
    assert "ended early" in told and f"inside {left[-1].label}" in told
    assert main(["log", str(cut), "--strict"]) == 3
    damaged = tmp_path / "damaged.lt.zst"
    damaged.write_bytes(whole[:6000] + b"xxxx" + whole[6004:])
    capsys.readouterr()
    assert main(["log", str(damaged)]) == 3
    shown, told = capsys.readouterr()
    assert "damaged inside" in told
    assert listed(shown) == [
        expected(one) for one in load(damaged).passes if one.changed or one.failed
    ]


def test_names_from_strangers_are_harmless(tmp_path: Path, capsys: Capture) -> None:
    writer = Writer(tmp_path / "journal.lt.zst")
    writer.end(writer.begin("\x1b[31mred\nP", writer.text("a")), writer.text("b"))
    writer.close({})
    assert main(["log", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "\\x1b[31mred\\nP" in shown
