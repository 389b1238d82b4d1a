"""Nothing that goes wrong around the recorder reaches the compile, or is kept quiet."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SCRIPTS, Run, clean_environ, run_python

from lt_record import place
from lt_render.condition import State
from lt_render.load import load
from lt_render.model import Trace

ONE_PASS = SCRIPTS / "one_pass.py"


def play(scenario: str, trace_dir: Path, *arguments: str, **options) -> Run:
    return run_python([SCRIPTS / "obstacles.py", scenario, *arguments], trace_dir, **options)


def noise(trace: Trace) -> list[str]:
    """The numbered passes that a trace has, by their modules' text."""
    return [one.before_text.split("T.evaluate(")[1].split(")")[0] for one in trace.passes]


def test_a_quota_is_a_gap_in_an_otherwise_good_journal(trace_dir: Path) -> None:
    run = play("full_then_free", trace_dir)
    trace = run.trace
    assert trace.condition.state is State.CLEAN and trace.condition.lost > 30
    assert "could not be written at the time" in trace.state_message
    numbers = [int(number) for number in noise(trace) if number]
    assert numbers[:2] == [0, 1] and numbers[-10:] == list(range(30, 40))
    assert len(run.ours) == 2 and "File too large" in run.ours[0]


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    directory = tmp_path / "disk"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(directory)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount; the quota's test covers the same path")
    yield directory
    subprocess.run(["umount", str(directory)], check=True)


def test_a_full_disk_and_space_again(tiny_disk: Path) -> None:
    run = play("directory_full_then_free", tiny_disk / "traces", str(tiny_disk))
    trace = run.trace
    assert trace.condition.state is State.CLEAN and trace.condition.lost > 20
    assert noise(trace)[-10:] == [str(number) for number in range(30, 40)]
    assert len(run.ours) == 2 and "No space left on device" in run.ours[0]


def test_a_directory_removed_meanwhile_comes_back(trace_dir: Path) -> None:
    run = play("directory_removed", trace_dir, str(trace_dir))
    assert noise(run.trace) == [str(number) for number in range(10)]
    assert run.trace.condition.state is State.CLEAN


def test_descriptors_closed_by_the_program(trace_dir: Path, tmp_path: Path) -> None:
    run = play("descriptors_closed", trace_dir, str(tmp_path / "victim"))
    assert (tmp_path / "victim").read_text() == "mine"
    assert noise(run.trace) == [str(number) for number in range(10)]
    assert run.trace.condition.state is State.CLEAN


@pytest.mark.parametrize(
    "place_for_traces",
    ["/proc/traces", "/dev/null/traces", "x" * 300, "/".join(["y" * 200] * 30)],
    ids=["read-only", "below a file", "a long name", "a long path"],
)
def test_places_that_cannot_be(place_for_traces: str, tmp_path: Path) -> None:
    run = run_python([ONE_PASS], tmp_path / "t", TL_LOWER_TRACE_DIR=place_for_traces)
    (line,) = run.ours
    assert "not recording" in line and "TL_LOWER_TRACE_DIR" in line


@pytest.mark.parametrize(
    "redirection", [">&-", "2>&-", ">&- 2>&- <&-", "| true", "2>&1 | true", "2>/dev/full"]
)
def test_streams_that_are_closed(redirection: str, trace_dir: Path) -> None:
    command = f"'{sys.executable}' '{ONE_PASS}' {redirection}"
    environ = clean_environ(TL_LOWER_TRACE="1", TL_LOWER_TRACE_DIR=str(trace_dir))
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=environ)
    bare = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=clean_environ())
    assert done.returncode == bare.returncode
    (journal,) = [p for p in trace_dir.rglob("journal.lt.zst") if not p.is_symlink()]
    assert load(journal).condition.state is State.CLEAN


@pytest.mark.parametrize(
    "environ",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "en_US.ISO-8859-1", "PYTHONUTF8": "0"},
        {"HOME": ""},
    ],
    ids=["ascii", "latin-1", "no home"],
)
def test_surroundings(environ: dict[str, str], tmp_path: Path) -> None:
    trace_dir = tmp_path / "tracé→"
    run = run_python([ONE_PASS], trace_dir, **environ)
    assert len(run.trace.passes) == 1 and "1 pass" in run.ours[-1]


def test_a_printer_that_throws(trace_dir: Path) -> None:
    run = play("printer_throws", trace_dir)
    assert run.stdout == "True\n"  # the passes ran
    breaks, simplify = run.trace.passes
    assert breaks.before_text and breaks.after is None
    assert breaks.note == "the output could not be printed: ValueError: malformed IR"
    assert simplify.status == "completed" and "malformed IR" in simplify.note
    assert run.trace.condition.state is State.CLEAN


@pytest.mark.parametrize("scenario", ["instruments", "dump_and_profile"])
def test_beside_other_instruments_all_is_as_without_us(
    scenario: str, trace_dir: Path, tmp_path: Path
) -> None:
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
    environ = {"TILELANG_PASS_PROFILE": "1"}
    traced = play(scenario, trace_dir, cwd=tmp_path / "with", **environ)
    bare = play(scenario, trace_dir, cwd=tmp_path / "without", TL_LOWER_TRACE="0", **environ)
    assert traced.stdout == bare.stdout
    trace = traced.trace
    assert trace.condition.state is State.CLEAN
    if scenario == "instruments":
        assert all(one.depth == 0 for one in trace.passes)
        failed = [one for one in trace.passes if one.status == "failed"]
        assert failed and all("the user's own" in one.error_msg for one in failed)
    else:
        assert len(trace.passes) > 80


def test_ctrl_c(trace_dir: Path) -> None:
    traced = play("interrupted", trace_dir, check=False)
    bare = play("interrupted", trace_dir, check=False, TL_LOWER_TRACE="0")
    assert traced.code == bare.code != 0 and traced.stdout == bare.stdout
    (one,) = traced.trace.passes
    assert one.status == "failed" and one.error_type == "RuntimeError"
    assert traced.trace.condition.state is State.CLEAN


def test_time_outs_by_signal_are_never_swallowed(trace_dir: Path) -> None:
    run = play("alarms", trace_dir)
    assert run.stdout == "True 0\n"
    assert run.trace.condition.state is State.CLEAN


def test_sixteen_threads(trace_dir: Path) -> None:
    traced = play("pool_of_sixteen", trace_dir)
    bare = play("pool_of_sixteen", trace_dir, TL_LOWER_TRACE="0")
    assert traced.stdout == bare.stdout and len(set(bare.stdout.split())) == 16
    trace = traced.trace
    assert trace.condition.state is State.CLEAN and trace.kernel_count == 16
    units = [unit for unit in trace.units if unit.name is not None]
    shapes = set()
    for unit in units:
        passes = [one for one in trace.passes if one.unit is unit]
        assert len({one.thread for one in passes}) == 1
        assert sum(one.is_codegen for one in passes) == 1
        pipeline = {one.phase for one in passes if "pipeline" in one.phase}
        assert len(pipeline) == 1
        shapes.add(tuple((one.name, one.depth) for one in passes))
        shape = passes[0].before_text.split("T.match_buffer(")[1].split("),")[0]
        assert all(shape in one.before_text for one in passes if "match_buffer" in one.before_text)
    assert len(shapes) == 1
    phases = {one.phase for one in trace.passes if "pipeline" in one.phase}
    assert phases == {"pipeline_cuda", *(f"run{n}_pipeline_cuda" for n in range(2, 17))}


def test_tilelangs_own_pool(trace_dir: Path) -> None:
    traced = play("par_compile", trace_dir)
    bare = play("par_compile", trace_dir, TL_LOWER_TRACE="0")
    sums = [line for line in traced.stdout.splitlines() if line.startswith("sum")]
    assert len(sums) == 8
    assert sums == [line for line in bare.stdout.splitlines() if line.startswith("sum")]
    trace = traced.trace
    assert trace.condition.state is State.CLEAN and trace.kernel_count == 8
    for unit in trace.units:
        if unit.name is not None:
            passes = [one for one in trace.passes if one.unit is unit]
            assert unit.kernels == ("scale",) and len({one.thread for one in passes}) == 1
            assert sum(one.is_codegen for one in passes) == 1


def test_switched_on_and_off_while_another_thread_compiles(trace_dir: Path) -> None:
    run = play("toggled", trace_dir)
    assert run.stdout == "[]\n"
    assert len(run.journals) > 5
    for journal in run.journals:
        trace = load(journal)
        assert trace.condition.state is State.CLEAN
        assert all(one.depth == 0 for one in trace.passes)


def test_memory_stays_flat_over_a_long_run(trace_dir: Path) -> None:
    run = play("long_run", trace_dir)
    before, after = map(int, run.stdout.split())
    assert after - before < 4_000, (before, after)
    assert run.trace.pass_count == 5000


def test_run_directories_never_collide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIVEN a clock that stands still THEN each run still gets a directory of its own."""
    monkeypatch.setattr("time.time", lambda: 1_700_000_000.0)
    made: list[str] = []
    threads = [
        threading.Thread(target=lambda: made.append(place.make_run_dir(str(tmp_path), "script")))
        for _ in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 40 and all(os.path.isdir(path) for path in made)
