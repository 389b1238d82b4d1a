"""What we record is what TileLang's built-in tracer records, to the last byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import KERNELS, SCRIPTS, Recording, run_python

Step = tuple[str, str, bytes, bytes]


def builtin_steps(trace_dir: Path) -> list[list[Step]]:
    """The built-in tracer's files: one list a compile, in order."""
    compiles = []
    for run in sorted(trace_dir.glob("*/.run_records/*")):
        numbered: list[tuple[int, Step]] = []
        for before in run.glob("*/*_before.tir"):
            stem = before.name.removesuffix("_before.tir")
            (after,) = before.parent.glob(f"{stem}_after.*")
            index, name = stem.split("_", 1)
            step = (before.parent.name, name, before.read_bytes(), after.read_bytes())
            numbered.append((int(index), step))
        compiles.append([step for _, step in sorted(numbered)])
    return compiles


def rendered_steps(run_dir: Path) -> list[tuple[int, Step]]:
    """Our rendered files, in order."""
    steps: list[tuple[int, Step]] = []
    for before in run_dir.glob("*/*_before.tir"):
        stem = before.name.removesuffix("_before.tir")
        afters = list(before.parent.glob(f"{stem}_after.*"))
        after = afters[0].read_bytes() if afters else b""  # a failed pass has none
        index, name = stem.split("_", 1)
        phase = re.sub(r"^run\d+_", "", before.parent.name)  # theirs count per compile
        steps.append((int(index), (phase, name, before.read_bytes(), after)))
    return sorted(steps)


@pytest.mark.parametrize("kernel", KERNELS)
def test_same_texts_in_the_same_order(
    kernel: str, recordings: dict[str, Recording], tmp_path: Path
) -> None:
    """GIVEN a kernel compiled under both tracers WHEN ours is rendered THEN every text is equal."""
    from lt_render.cli import main

    recording = recordings[kernel]
    theirs = builtin_steps(recording.builtin.trace_dir)
    assert sum(map(len, theirs)) >= 20, recording.builtin.stderr

    assert main([str(recording.ours.trace_dir), "-o", str(tmp_path)]) == 0
    (run_dir,) = tmp_path.glob("*/.run_records/*")
    ours = rendered_steps(run_dir)

    assert [number for number, _ in ours] == list(range(len(ours)))
    remaining = iter([step for _, step in ours])
    for compile_steps in theirs:
        for expected in compile_steps:
            # Theirs does not see what runs outside of its sessions: ours may have more.
            assert expected in remaining, expected[:2]


@pytest.mark.parametrize("kernel", KERNELS)
def test_exactly_one_tracer_runs(kernel: str, recordings: dict[str, Recording]) -> None:
    recording = recordings[kernel]
    ours, builtin = recording.ours, recording.builtin

    assert "[lower_trace]" not in ours.stdout
    assert sorted(path.name for path in ours.trace_dir.rglob("*") if not path.is_dir()) == [
        "journal.lt.zst",  # the newest run's link
        "journal.lt.zst",
    ]
    assert "[lower_trace]" in builtin.stdout
    assert builtin.ours == [] and builtin.journals == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_script_behaves_as_without_us(kernel: str, recordings: dict[str, Recording]) -> None:
    def own_lines(text: str) -> list[str]:
        kept = [line for line in text.splitlines() if "lower_trace" not in line]
        return [line for line in kept if "TileLang" not in line]  # carries the time

    recording = recordings[kernel]
    if kernel == "failing_pass":  # the built-in prints the message to stdout, too
        assert recording.ours.code == recording.builtin.code == 1
        assert own_lines(recording.ours.stdout) == []
        assert "InternalError: Layout infer conflict" in recording.ours.stderr
    else:
        assert recording.ours.code == recording.builtin.code == 0
        assert own_lines(recording.ours.stdout) == own_lines(recording.builtin.stdout)


def test_no_skipped_print_would_have_differed(trace_dir: Path) -> None:
    """GIVEN a switch that prints always THEN each print that is usually skipped gives the same."""
    run = run_python([SCRIPTS / "all_kernels.py"], trace_dir, timeout=300, LT_RECORD_VERIFY="1")
    end = run.trace.end
    assert end["differed"] == 0
    assert end["skippable"] > 700  # of some 1,000 snapshots
