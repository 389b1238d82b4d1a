"""A process that dies or forks: every journal is a prefix of the undisturbed one, and its own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import SCRIPTS, Run, run_python

from lt_record.format import Record
from lt_render.cli import main
from lt_render.condition import State
from lt_render.load import load
from lt_render.reader import JournalReader

#: Fields that differ between runs of the same compile.
VARYING = {"t", "duration", "cost", "crc", "thread", "thread_name"}


def play(trace_dir: Path, *command: str) -> tuple[list[dict], Run]:
    run = run_python([SCRIPTS / "forked.py", *command], trace_dir, timeout=400)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")], run


def journal_of(run: Run, pid: int) -> Path:
    (journal,) = [path for path in run.journals if path.parent.name.endswith(f"_{pid}")]
    return journal


def records(journal: Path) -> tuple[list[Record], State]:
    """A journal's records without what varies, the process's own left out."""
    reader = JournalReader(journal)
    found = [
        {key: value for key, value in record.items() if key not in VARYING}
        for record in reader.records()
        if record["k"] not in ("process", "end")
    ]
    return found, reader.condition.state


def test_killed_inside_a_pass(trace_dir: Path, tmp_path: Path, capsys) -> None:
    """GIVEN a compile that ends in the middle of a pass, in any way THEN its input is there."""
    name = "LowerTileOp"
    children, run = play(trace_dir, "kill_inside", name)
    assert [one["code"] for one in children] == [-9, -11, -6, 7]
    for one in children:
        trace = load(journal_of(run, one["pid"]))
        assert trace.condition.state is State.ENDED_EARLY
        in_flight = trace.in_flight
        assert in_flight is not None and in_flight is trace.passes[-1]
        assert in_flight.label == f"pipeline_cuda/{name}"
        before = trace.passes[-2]
        assert in_flight.before_text == before.after_text != ""
        assert all(earlier.status == "completed" for earlier in trace.passes[:-1])

        out = tmp_path / str(one["pid"])
        capsys.readouterr()
        assert main([str(journal_of(run, one["pid"])), "-o", str(out)]) == 0
        assert f"the process ended inside pipeline_cuda/{name}" in capsys.readouterr().err
        (shown,) = out.rglob(f"*_{name}_before.tir")
        assert shown.read_text() == before.after_text
        assert (
            "the process ended inside"
            in shown.with_name(shown.name.replace("_before.tir", "_error.txt")).read_text()
        )


def test_killed_inside_the_first_pass(trace_dir: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
        "import bare_tvm, tvm, os\n"
        "from tvm import tirx\n"
        "@tvm.transform.module_pass(opt_level=0, name='First')\n"
        "def first(mod, ctx): os.kill(os.getpid(), 9)\n"
        "first(tvm.IRModule({'main': tirx.PrimFunc([], tirx.Evaluate(42))}))\n"
    )
    run = run_python(["-c", code], trace_dir, check=False)
    assert run.code == -9
    in_flight = run.trace.in_flight
    assert in_flight is not None and in_flight.label == "unscoped/First"
    assert "T.evaluate(42)" in in_flight.before_text


def test_killed_at_random_moments(trace_dir: Path, tmp_path: Path) -> None:
    children, run = play(trace_dir, "kill_at_random", "150", "1")
    undisturbed, state = records(journal_of(run, children[0]["pid"]))
    assert state is State.CLEAN and len(undisturbed) > 150
    journals = {int(path.parent.name.rpartition("_")[2]): path for path in run.journals}
    lengths = set()
    killed = [one for one in children[1:] if one["code"] == -9]
    assert len(killed) > 60
    for one in killed:
        if one["pid"] not in journals:
            continue  # killed before its first pass
        journal = journals[one["pid"]]
        found, state = records(journal)
        assert state in (State.ENDED_EARLY, State.CLEAN), journal
        assert found == undisturbed[: len(found)]
        lengths.add(len(found))
        assert main([str(journal), "-o", str(tmp_path / "out")]) == 0
    assert len(lengths) > 20  # the moments were different ones


@pytest.mark.parametrize("way", ["fork_before", "fork_in_a_thread"])
def test_fork_beside_a_compile(way: str, trace_dir: Path) -> None:
    processes, run = play(trace_dir, way)
    assert len(run.journals) == 2
    parent, child = (records(journal_of(run, one["pid"])) for one in reversed(processes))
    assert parent == child and parent[1] is State.CLEAN


def test_fork_in_the_middle_of_a_compile(trace_dir: Path) -> None:
    processes, run = play(trace_dir, "fork_during")
    child, parent = (load(journal_of(run, one["pid"])) for one in processes)
    for trace in (parent, child):
        assert trace.state_message == "closed cleanly"
        assert all(one.status in ("completed", "codegen") for one in trace.passes)
    names = [one.name for one in parent.passes]
    # The child's journal begins with the pass that it ran first by itself.
    assert [one.name for one in child.passes] == names[names.index("Forks") + 1 :]
    assert child.passes[-1].after_text == parent.passes[-1].after_text
    assert [unit.kernels for unit in child.units] == [("sum_and_difference",)]


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_multiprocessing(method: str, trace_dir: Path) -> None:
    processes, run = play(trace_dir, "pool", method)
    assert len(processes) == len(run.journals) == 2
    one, other = (records(journal_of(run, process["pid"])) for process in processes)
    assert one == other and one[1] is State.CLEAN


def test_fifty_processes_on_one_directory(trace_dir: Path) -> None:
    children, run = play(trace_dir, "many", "50")
    assert len(run.journals) == 50
    first = records(run.journals[0])
    assert first[1] is State.CLEAN
    for one in children:
        assert one["code"] == 0 and records(journal_of(run, one["pid"])) == first
    link = trace_dir / "forked" / "journal.lt.zst"
    assert link.resolve() in {path.resolve() for path in run.journals}
    assert not [p for p in link.parent.iterdir() if re.match(r"journal\.lt\.zst\.", p.name)]
