"""``lt-render show`` and ``diff``: the texts of passes, in pipes and at terminals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Recording
from synthetic import Writer
from terminals import at_terminal

from lt_render.cli import main
from lt_render.load import load
from lt_render.model import Pass, Trace
from lt_render.patch import patch_of

Capture = pytest.CaptureFixture[bytes]
COLOUR = "\x1b["


@pytest.fixture(scope="module")
def gemm(recordings: dict[str, Recording]) -> Trace:
    return load(recordings["gemm"].ours.journal)


@pytest.fixture
def shown(capfdbinary: Capture, gemm_journal: Path):
    """Runs a verb on the GEMM's journal: what it wrote to a pipe, and its exit code."""

    def run(verb: str, *arguments: object, journal: Path = gemm_journal) -> tuple[int, bytes]:
        capfdbinary.readouterr()
        code = main([verb, str(journal), *map(str, arguments)])
        return code, capfdbinary.readouterr().out

    return run


def named(trace: Trace, name: str) -> Pass:
    return next(one for one in trace.passes if one.name == name)


def test_a_text_goes_into_a_pipe_byte_for_byte(gemm: Trace, shown) -> None:
    for one in gemm.passes:
        assert shown("show", one.index, "--before") == (0, one.before_text.encode())
        assert shown("show", one.index, "--after") == (0, one.after_text.encode())
    assert shown("show", "LowerTileOp", "--after")[1] == shown("show", 25, "--after")[1]


def test_a_pass_is_told_and_then_its_patch(gemm: Trace, shown) -> None:
    one = named(gemm, "LowerTileOp")
    patch = patch_of(
        one.before_text,
        one.after_text,
        f"{one.index}_LowerTileOp_before.tir",
        f"{one.index}_LowerTileOp_after.tir",
    )
    code, page = shown("show", "LowerTileOp")
    head, blank, rest = page.partition(b"\n\n")
    assert code == 0 and blank and rest == patch
    assert head.decode().startswith(f"pass {one.index} {one.label}\nKernel: gemm\n")
    assert shown("show", "LowerTileOp", "--diff") == (0, patch)
    none = next(one for one in gemm.passes if not one.changed)
    code, page = shown("show", none.index)
    assert code == 0 and b"Status: no change" in page and b"@@" not in page


def test_a_codegen_is_its_source_and_nothing_else(gemm: Trace, shown) -> None:
    source = gemm.passes[-1].after_text.encode()
    assert shown("show", "@last") == (0, source)
    assert shown("show", "codegen", "--generated") == (0, source)
    assert shown("show", "codegen", "--diff") == (0, b"")


def test_a_failed_pass_is_its_error_and_its_input(recordings: dict[str, Recording], shown) -> None:
    journal = recordings["failing_pass"].ours.journal
    (failed,) = [one for one in load(journal).passes if one.failed]
    code, page = shown("show", failed.index, journal=journal)
    text = page.decode()
    assert code == 0 and "Status: failed" in text
    assert f"\n    {failed.error_msg.splitlines()[0]}\n" in text
    assert text.endswith(failed.before_text)


def test_a_text_that_is_missing_is_told(
    recordings: dict[str, Recording], gemm_journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = str(recordings["failing_pass"].ours.journal)
    (failed,) = [one for one in load(journal).passes if one.failed]
    assert main(["show", journal, failed.label, "--after"]) == 2
    assert capsys.readouterr().err == (
        f"lt-render: {failed.label} ({failed.index}) has no output: it failed; "
        "its input is there.\n"
    )
    assert main(["show", str(gemm_journal), "3", "--generated"]) == 2
    assert "it is no codegen" in capsys.readouterr().err
    assert main(["show", str(gemm_journal), "LowerTileop"]) == 2
    assert "did you mean LowerTileOp?" in capsys.readouterr().err
    assert main(["show", str(gemm_journal), "999"]) == 2
    assert "there is no pass 999: they go from 0 to 85." in capsys.readouterr().err


def test_json_holds_all_of_it(gemm: Trace, shown) -> None:
    one = named(gemm, "LowerTileOp")
    told = json.loads(shown("show", one.index, "--json")[1])
    assert (told["before"], told["after"]) == (one.before_text, one.after_text)
    assert told["diff"].encode() == shown("show", one.index, "--diff")[1]
    assert (
        json.loads(shown("show", "@last", "--json")[1])["generated"] == gemm.passes[-1].after_text
    )


def test_a_number_is_read_up_to(
    gemm: Trace, gemm_journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN a journal that is damaged behind a pass WHEN that is shown THEN nobody notices."""
    data = gemm_journal.read_bytes()
    damaged = tmp_path / "journal.lt.zst"
    damaged.write_bytes(data[:8000] + b"xxxx" + data[8004:])
    assert main(["show", str(damaged), "3", "--after"]) == 0
    told = capsys.readouterr()
    assert told.out == gemm.passes[3].after_text and told.err == ""
    assert main(["show", str(damaged), "3", "--after", "--strict"]) == 3
    assert "damaged inside" in capsys.readouterr().err


def test_an_edit_is_the_diff_of_its_codegen(tmp_path: Path, shown) -> None:
    journal = tmp_path / "journal.lt.zst"
    writer = Writer(journal)
    ir, source, edit = map(writer.text, ("ir", "a;\nb;\n", "a;\nB;\n"))
    writer.append("codegen", {"pass": 0, "before": ir, "name": "target.build.c"})
    ended = {"pass": 0, "index": 0, "status": "ok", "source": source}
    edited = {"tag": "PATCHED", "file": "codegen.cpp", "edit": edit, "injected": True}
    writer.append("codegen_end", {**ended, **edited})
    writer.close({})
    assert shown("show", "codegen", journal=journal) == (0, b"a;\nB;\n")
    assert shown("show", "codegen", "--generated", journal=journal) == (0, b"a;\nb;\n")
    assert shown("show", "codegen", "--diff", journal=journal)[1].endswith(b" a;\n-b;\n+B;\n")
    lines = shown("blame", "--json", journal=journal)[1].splitlines()
    assert [json.loads(line)["how"] for line in lines] == ["generated", "edited"]


# --- diff -------------------------------------------------------------------------------


def test_from_the_output_of_one_to_that_of_another(gemm: Trace, shown) -> None:
    first, second = named(gemm, "LayoutInference"), named(gemm, "LowerTileOp")
    names = f"{first.index}_{first.name}_after.tir", f"{second.index}_{second.name}_after.tir"
    patch = patch_of(first.after_text, second.after_text, *names)
    assert shown("diff", first.name, second.name) == (0, patch)
    assert shown("diff", first.name, f"{second.name}:out", "--exit-code") == (1, patch)
    assert shown("diff", second.name, second.index, "--exit-code") == (0, b"")
    names = f"{first.index}_{first.name}_before.tir", names[1]
    patch = patch_of(first.before_text, second.after_text, *names, context=0)
    assert shown("diff", f"{first.label}:in", second.name, "-U0") == (0, patch)
    told = json.loads(shown("diff", f"{first.index}:in", second.name, "-U", "0", "--json")[1])
    assert told == {"from": names[0], "to": names[1], "diff": patch.decode()}


def test_whitespace_can_be_ignored(gemm: Trace, shown) -> None:
    """GIVEN a pass that mostly indents anew THEN without whitespace far less is told."""
    one = named(gemm, "LowerOpaqueBlock")
    sides = f"{one.index}:in", f"{one.index}:out"
    lines = shown("diff", *sides, "-U0")[1].splitlines()
    bare = shown("diff", *sides, "-U0", "-w")[1].splitlines()
    assert 0 < len(bare) < len(lines) / 2
    added = [line[1:].strip() for line in bare[2:] if line.startswith(b"+")]
    assert not set(added) & {line.strip() for line in one.before_text.encode().splitlines()}


# --- at a terminal ----------------------------------------------------------------------


def test_a_terminal_has_colours_and_a_pager(gemm_journal: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    code, seen = at_terminal("show", gemm_journal, "LowerTileOp", LT_PAGER=f"tee {kept}")
    assert code == 0 and kept.read_text() == seen
    assert f"{COLOUR}36m@@ " in seen and f"{COLOUR}32m+{COLOUR}0m" in seen
    kept.unlink()
    code, bare = at_terminal(
        "show", gemm_journal, "LowerTileOp", "--no-pager", LT_PAGER=f"tee {kept}"
    )
    assert code == 0 and bare == seen and not kept.exists()
    code, plain = at_terminal(
        "show", gemm_journal, "25", LT_PAGER="", PAGER=f"tee {kept}", NO_COLOR="1"
    )
    assert code == 0 and COLOUR not in plain and "@@ -" in plain and not kept.exists()


def test_who_leaves_the_pager_early_does_no_wrong(gemm_journal: Path) -> None:
    """GIVEN a pager that reads one line THEN there is no error, and no traceback."""
    code, seen = at_terminal("show", gemm_journal, "@last", LT_PAGER="head -n 1")
    assert (code, seen.count("\n")) == (0, 1)


def test_a_sentence_needs_no_pager(gemm_journal: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    code, seen = at_terminal("show", gemm_journal, "nope", LT_PAGER=f"tee {kept}")
    assert code == 2 and seen == "lt-render: there is no pass 'nope'.\n" and not kept.exists()


def test_a_pager_that_is_not_there_is_done_without(gemm_journal: Path) -> None:
    code, seen = at_terminal("show", gemm_journal, "3", LT_PAGER="no-such-pager -R")
    assert code == 0 and "BindTarget" in seen


def test_texts_do_nothing_to_a_terminal(tmp_path: Path) -> None:
    journal = tmp_path / "journal.lt.zst"
    writer = Writer(journal)
    hostile = "\x1b]0;title\x07\u202eé\tend\n"
    writer.end(writer.begin("P", writer.text("")), writer.text(hostile))
    writer.close({})
    for arguments in (["--after"], []):
        _, seen = at_terminal("show", journal, "P", *arguments, LT_PAGER="", NO_COLOR="1")
        assert "\\x1b]0;title\\x07\\u202eé " in seen and "\x1b" not in seen
    done = subprocess.run(
        [sys.executable, "-m", "lt_render", "show", journal, "P", "--after"],
        capture_output=True,
        check=True,
    )
    assert done.stdout == hostile.encode()
