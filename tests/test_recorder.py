"""Every pass exactly once, with its place, whatever the program does around it."""

from __future__ import annotations

import errno
import os
from collections import Counter
from pathlib import Path

import pytest
from conftest import SCRIPTS, Recording, Run, run_python
from synthetic import TextModule

from lt_render.load import load
from lt_render.model import Pass


def play(scenario: str, trace_dir: Path) -> Run:
    return run_python([SCRIPTS / "scenarios.py", scenario], trace_dir)


def shape(passes: list[Pass]) -> list[tuple[str, int, str | None, str]]:
    """Name, depth, parent's name and status of each pass."""
    return [
        (one.name, one.depth, one.parent.name if one.parent else None, one.status) for one in passes
    ]


def test_nested_passes(trace_dir: Path) -> None:
    run = play("nested", trace_dir)
    assert shape(run.trace.passes) == [
        ("Outer", 0, None, "completed"),
        ("Simplify", 1, "Outer", "completed"),
        ("RemoveNoOp", 1, "Outer", "completed"),
        ("Both", 0, None, "completed"),
        ("Simplify", 1, "Both", "completed"),
        ("Outer", 1, "Both", "completed"),
        ("Simplify", 2, "Outer", "completed"),
        ("RemoveNoOp", 2, "Outer", "completed"),
    ]
    both = run.trace.passes[3]
    inner = sum(one.duration or 0 for one in run.trace.passes if one.parent is both)
    assert inner <= (both.duration or 0)


def test_a_failure_reaches_what_stood_open_and_nothing_else(trace_dir: Path) -> None:
    run = play("swallowed_failure", trace_dir)
    assert shape(run.trace.passes) == [
        ("Both", 0, None, "failed"),
        ("Simplify", 1, "Both", "completed"),
        ("Raises", 1, "Both", "failed"),
        ("Simplify", 0, None, "completed"),
        ("Swallows", 0, None, "completed"),
        ("Raises", 1, "Swallows", "failed"),
        ("Simplify", 1, "Swallows", "completed"),
    ]
    failed = [one for one in run.trace.passes if one.status == "failed"]
    assert all("no such layout" in one.error_msg for one in failed)
    assert all(one.before_text and one.after is None for one in failed)


def test_a_module_changed_in_place_is_seen(trace_dir: Path) -> None:
    (one,) = play("changed_in_place", trace_dir).trace.passes
    assert one.changed
    assert "T.evaluate(0)" in one.before_text and "T.evaluate(1)" in one.after_text


def test_contexts_of_the_users_own(trace_dir: Path) -> None:
    run = play("contexts", trace_dir)
    names = [one.name for one in run.trace.passes]
    assert names == [
        "Simplify",
        "RemoveNoOp",
        "OwnContext",
        "Simplify",
        "RemoveNoOp",
        "Simplify",
        "Simplify",
    ]
    assert [one.depth for one in run.trace.passes] == [0, 0, 0, 1, 0, 0, 0]
    # The user's instrument sees what it would see without us.
    assert run.stdout.strip() == str(
        ["tirx.Simplify", "tirx.RemoveNoOp", "OwnContext", "tirx.RemoveNoOp"]
    )


def test_a_pass_that_is_not_run_leaves_no_record(trace_dir: Path) -> None:
    assert [one.name for one in play("should_not_run", trace_dir).trace.passes] == ["RemoveNoOp"]


def test_threads_with_default_contexts(trace_dir: Path) -> None:
    trace = play("threads", trace_dir).trace
    assert len(trace.passes) == 8 * 20 * 3
    assert [one.index for one in trace.passes] == list(range(len(trace.passes)))
    by_thread = Counter(one.thread for one in trace.passes)
    assert sorted(by_thread.values()) == [60] * 8
    assert all(one.parent is None or one.parent.thread == one.thread for one in trace.passes)
    assert all(one.depth == (one.name != "Outer") for one in trace.passes)
    assert {unit.thread_name for unit in trace.units} == {f"worker-{n}" for n in range(8)}


def test_a_failing_codegen(trace_dir: Path) -> None:
    run = play("failing_codegen", trace_dir)
    codegen, simplify = run.trace.passes
    assert codegen.is_codegen and codegen.status == "failed" and codegen.before_text
    kind, _, message = run.stdout.strip().partition(" ")
    assert (codegen.error_type, codegen.error_msg.strip()) == (kind, message.strip())
    assert (simplify.phase, simplify.depth) == ("unscoped", 0)


def test_disable_restores_everything(trace_dir: Path) -> None:
    run = play("disabling", trace_dir)
    assert run.stdout == ""
    first, second = map(load, run.journals)
    for trace in (first, second):
        assert [one.name for one in trace.passes] == ["Simplify"]
        assert trace.state_message == "closed cleanly"


def test_several_kernels_in_one_process(recordings: dict[str, Recording]) -> None:
    trace = recordings["several_kernels"].ours.trace
    assert [unit.kernels for unit in trace.units] == [
        ("gemm",),
        ("rms_norm",),
        ("sum_and_difference",),
    ]
    assert [unit.status for unit in trace.units] == ["completed"] * 3
    phases = [
        {one.phase for one in trace.passes if one.unit is unit} - {"unscoped", "codegen"}
        for unit in trace.units
    ]
    assert phases == [{"pipeline_cuda"}, {"run2_pipeline_cuda"}, {"run3_pipeline_cuda"}]


def test_a_pass_that_fails_in_a_real_pipeline(recordings: dict[str, Recording]) -> None:
    trace = recordings["failing_pass"].ours.trace
    last = trace.passes[-1]
    assert (last.label, last.status) == ("pipeline_cuda/LayoutInference", "failed")
    assert last.error_msg.startswith("Layout infer conflict between product and product_half")
    assert trace.units[0].status == "failed" and trace.condition.ended


def test_the_facts_of_the_process(recordings: dict[str, Recording]) -> None:
    trace = recordings["gemm"].ours.trace
    process = trace.process
    assert process["tilelang"] == "0.1.15" and process["tvm"]
    assert process["argv"][0].endswith("gemm.py") and process["pid"] > 0
    assert process["env"]["TL_LOWER_TRACE"] == "1"
    assert not {"PATH", "HOME"} & process["env"].keys()
    (unit,) = trace.units
    assert '"arch":"sm_90a"' in (unit.target or "")
    (codegen,) = [one for one in trace.passes if one.is_codegen]
    assert (codegen.role, codegen.full_name) == (
        "device",
        "target.build.tilelang_cuda_without_compile",
    )
    assert "__global__" in codegen.after_text
    assert trace.end["passes"] == len(trace.passes) - 1 and trace.end["kernels"] == 1
    assert 0 < sum(one.cost for one in trace.passes) <= trace.end["cost"]


def test_the_line_at_exit(recordings: dict[str, Recording]) -> None:
    run = recordings["gemm"].ours
    size = f"{run.journal.stat().st_size / 1000:.1f} kB"
    assert run.ours == [
        f"[lower_trace] 85 passes, 1 kernel: {run.journal} ({size}). "
        f"Render it: lt-render {run.journal}"
    ]


def test_the_newest_journal_is_linked(recordings: dict[str, Recording]) -> None:
    run = recordings["gemm"].ours
    link = run.trace_dir / "gemm" / "journal.lt.zst"
    assert link.is_symlink() and link.resolve() == run.journal


def test_nothing_lowered_says_so(trace_dir: Path) -> None:
    run = run_python(["-c", "import tilelang"], trace_dir)
    assert run.ours == ["[lower_trace] nothing was lowered: this process compiled nothing."]
    assert not trace_dir.exists()


@pytest.mark.parametrize("obstacle", ["file", "dangling link"])
def test_a_place_that_cannot_be_written(obstacle: str, trace_dir: Path) -> None:
    if obstacle == "file":
        trace_dir.write_text("in the way")
    else:
        trace_dir.symlink_to("nowhere/at/all")
    run = run_python([SCRIPTS / "one_pass.py"], trace_dir)
    (line,) = run.ours
    assert "not recording" in line and "TL_LOWER_TRACE_DIR" in line


def test_a_text_that_could_not_be_written_is_never_taken_for_another(
    trace_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIVEN a disk that is full for one text only THEN its pass does not look unchanged."""
    from lt_record import journal, snapshot
    from lt_record.recorder import Recorder
    from lt_record.settings import Settings

    monkeypatch.setattr(journal, "RETRY_AFTER", 0.0)
    monkeypatch.setattr(snapshot, "_printer", lambda mod, config: mod.script())
    recorder = Recorder(Settings("record", str(trace_dir)), "")
    write = os.write
    full = False

    def limited(fd: int, data: bytes) -> int:
        if full and len(data) > 1000:
            raise OSError(errno.ENOSPC, "full")
        return write(fd, data)

    monkeypatch.setattr(os, "write", limited)
    recorder.pass_begins(TextModule("before"), "t.First")
    full = True
    recorder.pass_ends(TextModule(os.urandom(3000).hex()), "t.First")
    full = False
    recorder.pass_begins(TextModule("then"), "t.Second")
    recorder.pass_ends(TextModule("then"), "t.Second")
    recorder.close()

    (path,) = [p for p in trace_dir.rglob("journal.lt.zst") if not p.is_symlink()]
    first, second = load(path).passes
    assert first.before_text == "before" and first.after is None
    assert first.note == "the output could not be written at the time"
    assert second.before_text == second.after_text == "then"
