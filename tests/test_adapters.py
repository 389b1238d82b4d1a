"""Ways in which a release that is not out yet may reach the recorder, and how it copes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SCRIPTS, Recording, Run, run_python

from lt_render.model import Trace


def told(trace: Trace) -> list[tuple[str, int, str, str]]:
    """What there is to tell of the passes, but for their texts and times."""
    return [(one.phase, one.depth, one.full_name, one.unit.title) for one in trace.passes]


@pytest.fixture(scope="module")
def by_the_hook(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two kernels, recorded by the start-up hook, with the entry point loaded as well."""
    base = tmp_path_factory.mktemp("hook")
    return run_python([SCRIPTS / "entry_point.py", "own"], base / "traces")


def test_hook_and_entry_point_record_once(
    by_the_hook: Run, recordings: dict[str, Recording]
) -> None:
    trace = by_the_hook.trace
    assert [unit.title for unit in trace.units] == ["sum_and_difference", "rms_norm"]
    alone = recordings["elementwise_two_outputs"].ours.trace
    assert told(trace)[: len(alone.passes)] == told(alone)


def test_the_entry_point_alone_records_the_same(by_the_hook: Run, trace_dir: Path) -> None:
    """GIVEN no start-up hook THEN recording starts with the first session, and can be ended."""
    arguments = [SCRIPTS / "entry_point.py", "twice", "late"]
    run = run_python(arguments, trace_dir, TL_LOWER_TRACE="0")
    assert told(run.trace) == told(by_the_hook.trace)
    assert len(run.ours) == 1


def test_the_entry_point_does_nothing_unasked(trace_dir: Path) -> None:
    run = run_python([SCRIPTS / "entry_point.py", "own"], trace_dir, TL_LOWER_TRACE="0")
    assert not trace_dir.exists() and run.ours == []


def test_a_release_without_what_we_know(by_the_hook: Run, trace_dir: Path) -> None:
    """GIVEN neither sessions nor pipelines THEN all passes are there, and one line says so."""
    run = run_python([SCRIPTS / "strange_release.py"], trace_dir, TL_LOWER_TRACE="0")
    found = told(run.trace)
    expected = told(by_the_hook.trace)[: len(found)]
    assert [one[1:] for one in found] == [one[1:] for one in expected]
    assert {phase for phase, *_ in found} == {"unscoped", "codegen"}
    assert run.ours[:-1] == [
        "[lower_trace] this TileLang's pipelines are not known: all its passes are unscoped."
    ]


def test_a_release_that_fails_us(by_the_hook: Run, trace_dir: Path) -> None:
    """GIVEN an adapter that cannot be installed THEN the passes are there, outside of compiles."""
    script = SCRIPTS / "strange_release.py"
    run = run_python([script, "broken"], trace_dir, TL_LOWER_TRACE="0")
    found = [one[:3] for one in told(run.trace)]
    expected = told(by_the_hook.trace)[: len(found)]
    assert found == [one[:3] for one in expected]
    (warning, _) = run.ours
    assert "this release's compiles and phases are not known (AttributeError" in warning
