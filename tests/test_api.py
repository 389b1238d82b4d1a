"""``import lt_record as lt``: recording asked for by a program, and chains of passes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import SCRIPTS, TESTS, Run, run_python
from synthetic import TextModule

from lt_render.load import load
from lt_render.model import Trace

GUIDE = TESTS / "guide_programs.txt"


def play(
    script: str, program: str, trace_dir: Path, *arguments: str | Path, **environ: str
) -> tuple[Run, Any]:
    """Run one program of a script; return also what it has seen."""
    environ = {"TL_LOWER_TRACE": "0", **environ}
    run = run_python([SCRIPTS / script, program, *arguments], trace_dir, **environ)
    return run, json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, Any]]:
    """Programs of ``api.py`` that can share a process, each with what it has seen."""
    # The last one leaves an idle instrument behind.
    programs = ("instruments", "phases", "middle", "switching")
    trace_dir = tmp_path_factory.mktemp("api") / "traces"
    run = run_python([SCRIPTS / "api.py", *programs], trace_dir, TL_LOWER_TRACE="0")
    seen = map(json.loads, run.stdout.splitlines())
    return {
        program: (replace(run, trace_dir=trace_dir / program), one)
        for program, one in zip(programs, seen, strict=True)
    }


def below(run: Run, name: str) -> list[Trace]:
    """The traces of the journals below one directory, oldest first."""
    return [load(path) for path in run.journals if path.is_relative_to(run.trace_dir / name)]


def names(trace: Trace) -> list[str]:
    return [one.name for one in trace.passes]


def all_names(run: Run, name: str) -> list[list[str]]:
    return [names(trace) for trace in below(run, name)]


def named_on_stderr(run: Run) -> Counter[str]:
    lines = (line for line in run.ours if str(run.trace_dir) in line)
    words = (word for line in lines for word in line.split())
    return Counter(word for word in words if word.endswith("journal.lt.zst"))


def test_on_off_and_blocks(played: dict[str, tuple[Run, Any]]) -> None:
    run, seen = played["switching"]
    for word in ("record", "terminal", "html", "both", "None", "off", "true"):
        assert word in seen["mode loud"].replace("/", " ").replace(",", " ").split()
    assert [seen[f"mode {off}"] for off in ("", None, "Off", 0)] == [[]] * 4

    # Asked for twice it changes nothing; other settings begin another journal.
    assert all_names(run, "one") == [["One", "StillOne"]]
    assert all_names(run, "two") == [["Two"], ["TwoReset"], ["NoFiles"]]
    codegens = [trace.process["codegen"] for trace in below(run, "two")]
    assert codegens == [str(run.trace_dir / "two" / "api" / "codegen.cpp")] * 2 + [None]
    assert seen["instruments"] == 1 and seen["hooked"]

    # Off means off, exactly.
    assert [seen[key] for key in seen if key.startswith("after ")] == [[]] * 4
    assert not any("Off" in names(load(path)) for path in run.journals)
    assert seen["built-in replaced"] and seen["built-in back"] == []

    # A block has a journal of its own, and what was before goes on behind it.
    assert all_names(run, "block") == [["Inside"]]
    (journal,) = (path for path in run.journals if path.is_relative_to(run.trace_dir / "block"))
    assert seen["journal before"] is None and seen["journal of nothing"] is None
    assert seen["journal inside"] == seen["journal after"] == str(journal)
    assert all_names(run, "outer") == [["Outer", "OuterAgain"]]
    assert all_names(run, "inner") == [["Inner", "InnerAgain"]]
    assert all_names(run, "innermost") == [["Innermost"]]
    assert all_names(run, "given-up") == [["Given"]]
    left, right = all_names(run, "left")[0], all_names(run, "right")[0]
    assert {*left, *right} == {"Left", "Right", "Elsewhere"}
    assert left.count("Left") == right.count("Right") == 20
    assert "Right" not in left and "Left" not in right

    # Each journal is closed, and named once, as at exit.
    assert all(load(path).state_message == "closed cleanly" for path in run.journals)
    assert named_on_stderr(run) == dict.fromkeys(map(str, run.journals), 2)


def test_in_the_middle_of_passes_and_compiles(played: dict[str, tuple[Run, Any]]) -> None:
    run, seen = played["middle"]
    assert seen["error"] == "after a reset"
    assert [value for key, value in seen.items() if key.startswith("after ")] == [[]] * 3
    assert seen["same sources"] and seen["same when toggled"]

    # What runs across a change stays where it began; what begins behind it comes after it.
    assert all_names(run, "passes") == [["Around", "Resets"], ["Simplify", "Moves"]]
    moved = below(run, "moved")
    assert list(map(names, moved)) == [
        ["Moved", "AroundBlock", "Blocks", "Simplify", "Fails"],
        ["Last"],
    ]
    assert moved[0].passes[-1].error_msg.startswith("the journal was closed while")
    assert [(one.depth, one.status) for one in moved[0].passes] == [
        (0, "completed"),
        (0, "completed"),
        (1, "completed"),
        (1, "completed"),
        (0, "unfinished"),
    ]
    assert all_names(run, "inside a pass") == [["InBlock"]]
    (in_block,) = below(run, "inside a pass")[0].passes
    assert (in_block.depth, in_block.parent) == (0, None)
    assert all_names(run, "late") == [["Late"]]

    # Two compiles, cut into many journals: each of their passes is in exactly one.
    pieces = below(run, "compiles")
    assert seen["switches"] > 3 and len(pieces) > 3
    (whole,) = below(run, "whole")
    assert Counter(names(whole)) == Counter(name for trace in pieces for name in names(trace))
    kept = {one.before_text for trace in pieces for one in trace.passes}
    assert kept == {one.before_text for one in whole.passes}
    for path in run.journals:
        trace = load(path)
        assert trace.state_message == "closed cleanly"
        assert len({one.number for one in trace.passes}) == len(trace.passes)
        assert len({one.index for one in trace.passes}) == len(trace.passes)
        assert all(one.before is not None for one in trace.passes)
        assert all(one.unit in trace.units for one in trace.passes)
        for unit in trace.units:
            assert unit.name is None or unit.kernels == ("sum_and_difference",)


def test_instruments_of_ones_own(played: dict[str, tuple[Run, Any]]) -> None:
    run, seen = played["instruments"]
    assert seen["one"] and seen["after disable"] == seen["after all"] == []
    first, mine = below(run, "api")
    assert names(first) == [
        *("Both", "Simplify", "RemoveNoOp", "Raises", "Labelled"),
        *("Once", "Once", "Once"),
    ]
    assert names(mine) == ["Mine"] and all_names(run, "block") == [["InBlock"]]
    assert [one.depth for one in first.passes] == [0, 1, 1, 0, 0, 0, 0, 0]
    assert [one.phase for one in first.passes if one.phase != "unscoped"] == ["tuning"]
    failed = first.passes[3]
    assert (failed.status, failed.error_msg) == ("failed", "no such layout")
    assert seen["nothing in the block"] is None


def test_phases(played: dict[str, tuple[Run, Any]]) -> None:
    run, _ = played["phases"]
    trace = run.trace
    # A codegen is numbered after the passes inside it, and they are in its phase.
    simplify, no_op, codegen = trace.passes[:3]
    assert [one.name for one in (simplify, no_op, codegen)] == ["Simplify", "RemoveNoOp", "codegen"]
    assert simplify.parent is codegen and no_op.parent is codegen and codegen.parent is None
    assert {one.phase for one in (simplify, no_op, codegen)} == {"codegen"}
    own = {one.name: one.phase for one in trace.passes if one.parent is None}
    assert (
        own
        | {
            "A": "a",
            "B": "b",
            "AgainA": "a",
            "Pipeline": "pipeline_p",
            "D": "d",
            "Own": "own",
            "PipelineInside": "pipeline_p",
            "PipelineAgain": "pipeline_p",
            "Thread": "unscoped",
            "LastA": "a",
            "Unscoped": "unscoped",
            "AfterCodegen": "pipeline_q",
            "UnscopedAgain": "unscoped",
            "AfterKernel": "kernel",
        }
        == own
    )
    assert [one.phase for one in trace.passes if one.name == "Raises"] == ["c", "pipeline_q"]
    # Of a kernel inside a label, the passes outside of its pipeline carry the label.
    (unit,) = (unit for unit in trace.units if unit.name is not None)
    phases = {one.phase for one in trace.passes if one.unit is unit}
    assert phases == {"kernel", "pipeline_cuda", "codegen"}


def test_a_block_lowers_what_memory_holds(trace_dir: Path, tmp_path: Path) -> None:
    cache = {"TILELANG_CACHE_DIR": str(tmp_path / "cache"), "TILELANG_DISABLE_CACHE": "0"}
    run, seen = play("api.py", "kernels", trace_dir, **cache)
    run = replace(run, trace_dir=trace_dir / "kernels")
    assert seen["held"]
    blocks = below(run, "block")
    assert seen["journals"] == [
        str(path) for path in run.journals if path.is_relative_to(trace_dir / "kernels" / "block")
    ]
    assert len(blocks) == 2 and names(blocks[0]) == names(blocks[1])
    assert [trace.kernel_count for trace in (*blocks, *below(run, "on"))] == [1, 1, 1]
    # An edited kernel stays out of the caches even if recording ends in its compile.
    assert seen["edited"] == [4.0, 3.0]  # 3 x + 1, and 2 x + 1 once it is off
    assert (seen["was stored"], seen["stored"]) == (1, 0) and seen["after an edit"] == []
    # Two threads that lower directly, with one path for their generated source.
    (direct,) = below(run, "direct")
    codegens = [one for one in direct.passes if one.is_codegen]
    assert [unit.status for unit in direct.units if unit.name is not None] == ["completed"] * 2
    assert sorted(one.edit.file for one in codegens if one.edit) == [
        "shared.cpp",
        "shared.sum_and_difference.cpp",
    ]
    phases = {one.phase for one in direct.passes if "pipeline" in one.phase}
    assert phases == {"pipeline_cuda", "run2_pipeline_cuda"}


def sections(run: Run) -> dict[str, str]:
    """What ``one_shot`` prints, by the words in front of it."""
    _, *parts = f"\n{run.stdout}".split("\n== ")
    return {head: text for head, _, text in (part.partition("\n") for part in parts)}


def test_chains_of_passes(trace_dir: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run, seen = play("chains.py", "one_shot", trace_dir, TMPDIR=str(temporary))
    printed = sections(run)
    report = tmp_path / "reports" / "report.html"

    single = seen["single"]
    assert single.pop("before_script") is True and "T.float32(2.0)" in single.pop("after_script")
    assert single == {
        "name": "Simplify",
        "diff_lines": [],
        "insertions": 0,
        "deletions": 0,
        "changed": False,
    }
    assert "Simplify" in printed["single"] and "no change" in printed["single"]
    assert not list(tmp_path.glob("*.html"))  # mode="terminal" writes none

    bind, simplify, _ = seen["chain"]
    assert [step["name"] for step in seen["chain"]] == ["Bind", "Simplify", "v1.Split"]
    assert bind["changed"] and (bind["insertions"], bind["deletions"]) == (1, 1)
    assert simplify["before_script"] == bind["after_script"] and not simplify["changed"]
    head, _, place, removed, added = bind["diff_lines"]
    assert head.startswith("--- ") and place.startswith("@@ -")
    assert removed[1:] in bind["before_script"].split("\n") and removed[0] == "-"
    assert added[1:] in bind["after_script"].split("\n") and added[0] == "+"
    assert removed in printed["chain"] and "v1_Split" in printed["chain"]
    assert f"HTML report written to: {report}" in printed["chain"] and seen["report"] > 10_000
    assert seen["pair"] == ["Mine"]
    assert printed["html"].splitlines() == [f"HTML report written to: {report}"]
    assert "lower_trace/Same" in seen["captured"] and printed["captured"].strip() == ""
    changed = seen["in place"]
    assert "T.evaluate(0)" in changed["before_script"] and changed["changed"]
    assert [line for line in changed["diff_lines"] if line[0] in "+-"][2:] == [
        "-        T.evaluate(0)",
        "+        T.evaluate(1)",
    ]

    # A failure is shown in every mode, and raised as it is.
    for mode in ("terminal", "html", "both"):
        assert seen[f"failing {mode}"] == ["no such layout", mode != "terminal"]
        assert ("no such layout" in printed[f"failing {mode}"]) == (mode != "html")
        assert ("Simplify" in printed[f"failing {mode}"]) == (mode != "html")
    kind, message = seen[f"unwritable {len('tirx.Simplify')}"]
    assert kind == "RuntimeError" and str(report.parent / "file") in message
    assert seen[f"unwritable {len('Raises')}"] == ["ValueError", "no such layout"]
    (said,) = [line for line in run.ours if "cannot be shown" in line]
    assert str(report.parent / "file") in said
    assert "terminal, html, both" in seen["wrong ['mode']"] and "-1" in seen["wrong ['context']"]
    assert "'Simplify'" in seen["wrong pass"]

    # Traced or not makes no difference to either.
    assert all_names(run, "traced") == [["Before", "Simplify", "RemoveNoOp", "After"]]
    assert "lower_trace/Mine" in printed["traced"]
    assert seen["left behind"] == [] and len(run.journals) == 1


@pytest.mark.parametrize(
    ("before", "after", "changed_lines"),
    [
        ("one\ntwo", "one\ntwo\n", ["+"]),
        ("one\ntwo\n", "one\ntwo", ["-"]),
        ("one\r\ntwo", "one\ntwo", ["-one\r", "+one"]),
        ("", "one", ["-", "+one"]),
    ],
)
def test_a_newline_alone_is_a_change(
    before: str,
    after: str,
    changed_lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from lt_record import snapshot
    from lt_record.recorder import Recorder
    from lt_record.settings import Settings
    from lt_render.cli import main

    monkeypatch.setattr(snapshot, "_printer", lambda mod, config: mod.script())
    recorder = Recorder(Settings("record", str(tmp_path)), "")
    recorder.pass_begins(TextModule(before), "t.Ends")
    recorder.pass_ends(TextModule(after), "t.Ends")
    recorder.close()
    steps = tmp_path / "steps.json"
    assert recorder.journal_path is not None
    assert main(["steps", recorder.journal_path, "--json", str(steps), "--context", "0"]) == 0
    (step,) = json.loads(steps.read_text())
    assert step["changed"]
    assert [line for line in step["diff_lines"][2:] if line[0] in "+-"] == changed_lines
    assert step["insertions"] == sum(line[0] == "+" for line in changed_lines)
    assert step["deletions"] == sum(line[0] == "-" for line in changed_lines)


def test_the_guides_own_programs(trace_dir: Path, tmp_path: Path) -> None:
    run, seen = play(
        "chains.py",
        "guide",
        trace_dir,
        GUIDE,
        TILELANG_DEFAULT_TARGET="c",
        TILELANG_EXECUTION_BACKEND="cython",
    )
    assert seen["blocks"] == [4, 3]
    steps = [step["name"] for step in seen["results"]]
    assert steps == ["Annotate", "Split", "ThreadSync"]
    assert [step["changed"] for step in seen["results"]][:2] == [True, True]
    assert (tmp_path / "my_diff.html").stat().st_size > 10_000
    assert seen["sums"] == [2 * 1024 * 1023 / 2 + 1024, 2 * 512 * 511 / 2 + 512]
    # mode="both": diffs as passes end, and a report for each kernel, as reset() asks for.
    assert "unscoped/Simplify" in run.stdout or "pipeline_c/" in run.stdout
    first, second = run.journals
    assert [load(path).kernel_count for path in (first, second)] == [1, 1]
    assert all((path.parent / "report.html").stat().st_size > 10_000 for path in (first, second))
    assert {one.phase for one in load(second).passes} >= {"pipeline_c", "codegen"}
    link = trace_dir / "chains" / "report.html"
    assert link.resolve() == second.parent / "report.html"


def test_the_package_is_small_until_it_is_used() -> None:
    code = (
        "import sys, lt_record\n"
        "assert callable(lt_record.enable) and callable(lt_record.phase)\n"
        "assert lt_record.__version__ and 'trace' in dir(lt_record)\n"
        "try: lt_record.nothing\n"
        "except AttributeError: pass\n"
        "try: lt_record.instrument()\n"
        "except RuntimeError as error: print(error)\n"
        "with lt_record.trace(trace_dir='unused') as t, lt_record.phase('p'): pass\n"
        "print(t.journal, [n for n in sys.modules if n.split('.')[0] in ('tvm', 'lt_render')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    hint, rest = done.stdout.splitlines()
    assert "import tilelang or tvm first" in hint and rest == "None []"
