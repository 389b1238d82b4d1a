"""``lt-render grep``: where a text stands, and which passes changed that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Recording
from synthetic import Writer

from lt_render.cli import main
from lt_render.load import load
from lt_render.model import Pass, Trace

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def gemm(recordings: dict[str, Recording]) -> Trace:
    return load(recordings["gemm"].ours.journal)


def lines_with(text: str, what: str) -> list[str]:
    return [line for line in text.split("\n") if what in line]


def outermost_last(passes: list[Pass]) -> Iterator[Pass]:
    """The passes in the order in which they ended."""
    for one in passes:
        if one.parent is None:
            yield from (inner for inner in passes if inner.parent is one)
            yield one


def test_each_line_is_shown_once_where_it_came(
    gemm: Trace, gemm_journal: Path, capsys: Capture
) -> None:
    assert all(one.depth <= 1 for one in gemm.passes)
    seen: set[str] = set()
    expected = []
    for one in outermost_last(gemm.passes):
        for side, text in (("in:", one.before_text), ("", one.after_text)):
            for number, line in enumerate(text.split("\n"), 1):
                if "mbarrier" in line and line not in seen:
                    expected.append((one.index, f"{one.index} {one.label}:{side}{number}:{line}"))
            seen.update(text.split("\n"))
    assert main(["grep", str(gemm_journal), "mbarrier"]) == 0
    shown = capsys.readouterr().out.split("\n")
    # The same line twice in a text is told twice, from the same text.
    assert shown[:-1] == [line for _, line in sorted(expected, key=lambda found: found[0])]
    assert len(shown) > 20


def test_names_and_counts_are_of_every_pass_that_holds_it(
    gemm: Trace, gemm_journal: Path, capsys: Capture
) -> None:
    holding = [(one, lines_with(one.after_text, "tma_load")) for one in gemm.passes]
    holding = [(one, lines) for one, lines in holding if lines]
    counts = {f"{one.index} {one.label}": len(lines) for one, lines in holding}
    assert main(["grep", str(gemm_journal), "tma_load", "-c"]) == 0
    told = dict(line.rsplit(":", 1) for line in capsys.readouterr().out.splitlines())
    assert {name: int(count) for name, count in told.items()} == counts
    assert main(["grep", str(gemm_journal), "tma_load", "-l"]) == 0
    names = capsys.readouterr().out.splitlines()
    assert names == list(told)
    assert main(["grep", str(gemm_journal), "tma_load", "--all", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for one, lines in holding:
        (fact,) = [fact for fact in found if fact["index"] == one.index]
        texts = [match["text"] for match in fact["matches"] if match["side"] == "out"]
        assert texts == lines


@pytest.mark.parametrize("what", ["tma_load", "T.gemm(", "mbarrier[", "A_tile"])
def test_the_pickaxe_finds_what_changed_the_number(
    what: str, gemm: Trace, gemm_journal: Path, capsys: Capture
) -> None:
    expected = [
        (one.index, one.before_text.count(what), one.after_text.count(what))
        for one in gemm.passes
        if one.before is not None and one.before_text.count(what) != one.after_text.count(what)
    ]
    assert main(["grep", str(gemm_journal), what, "-S", "-F", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [(one["index"], one["occurrences"]) for one in found]
    assert [(index, how["before"], how["after"]) for index, how in told] == expected
    for _, how in told:
        # Lines that stayed as they are hold it as often on both sides.
        moved = "\n".join(how["added"]).count(what) - "\n".join(how["removed"]).count(what)
        assert moved == how["after"] - how["before"]


def test_the_pickaxe_shows_the_lines(gemm: Trace, gemm_journal: Path, capsys: Capture) -> None:
    assert main(["grep", str(gemm_journal), r"T\.gemm\(", "-S", "--kernel", "gemm"]) == 0
    shown = capsys.readouterr().out
    (lowered,) = [one for one in gemm.passes if one.name == "LowerTileOp"]
    (line,) = lines_with(lowered.before_text, "T.gemm(")
    assert shown == f"{lowered.index} {lowered.label}: 1 → 0\n-{line}\n"


def test_what_stands_only_in_the_first_input_is_found(tmp_path: Path, capsys: Capture) -> None:
    journal = tmp_path / "journal.lt.zst"
    writer = Writer(journal)
    first, second = writer.text("needle\nhay\n"), writer.text("hay\n")
    writer.end(writer.begin("Lose", first), second)
    writer.end(writer.begin("Keep", second), second)
    writer.close({})
    assert main(["grep", str(journal), "needle"]) == 0
    assert capsys.readouterr().out == "0 unscoped/Lose:in:1:needle\n"
    assert main(["grep", str(journal), "hay", "-l"]) == 0
    assert capsys.readouterr().out == "0 unscoped/Lose\n1 unscoped/Keep\n"


def test_an_outer_pass_comes_before_those_inside_it(gemm_journal: Path, capsys: Capture) -> None:
    assert main(["grep", str(gemm_journal), ".", "-l"]) == 0
    numbers = [int(line.split()[0]) for line in capsys.readouterr().out.splitlines()]
    assert numbers == sorted(numbers) and len(numbers) == 86


def test_exit_codes_are_those_of_grep(gemm_journal: Path, capsys: Capture) -> None:
    journal = str(gemm_journal)
    assert main(["grep", journal, "T.GEMM(", "-F"]) == 1
    assert main(["grep", journal, "T.GEMM(", "-F", "-i"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["grep", journal, "T.gemm("]) == 2
    told = capsys.readouterr().err
    assert re.fullmatch(r"lt-render: 'T\.gemm\(' is no regular expression: .*-F .*\n", told)


def test_a_line_goes_into_a_pipe_as_it_is(tmp_path: Path, capsys: Capture) -> None:
    journal = tmp_path / "journal.lt.zst"
    writer = Writer(journal)
    line = "\x1b[31m\tné\u202e"
    writer.end(writer.begin("P\x1b", writer.text("")), writer.text(line))
    writer.close({})
    assert main(["grep", str(journal), "31m"]) == 0
    assert capsys.readouterr().out == f"0 unscoped/P\\x1b:1:{line}\n"
