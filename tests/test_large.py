"""Large modules: many functions, many lines, one very long line."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from conftest import SCRIPTS, run_python

from lt_render.model import Trace

LARGE = SCRIPTS / "large.py"


def digests(trace: Trace) -> list[tuple[str, str]]:
    texts = [(one.before_text, one.after_text) for one in trace.passes]
    return [(digest(before), digest(after)) for before, after in texts]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_model_of_many_functions(trace_dir: Path) -> None:
    """GIVEN 81 functions THEN printing those that changed gives what printing all gives."""
    run = run_python([LARGE, "functions", "20"], trace_dir, LT_RECORD_VERIFY="1")
    end, trace = run.trace.end, run.trace
    assert end["differed"] == 0
    # Most of the passes change some of the functions, or are not known to change none.
    assert end["skippable"] > 30
    changed = [one for one in trace.passes if one.changed]
    assert len(changed) > 8
    assert max(one.after_text.count("\n    def ") for one in changed) == 81


@pytest.mark.parametrize(("kind", "size"), [("lines", 10_000), ("line", 1_000_000)])
def test_a_large_function(kind: str, size: int, trace_dir: Path, tmp_path: Path) -> None:
    """GIVEN a long unrolled loop, or a long line THEN it is recorded, and rendered, whole."""
    from lt_render.cli import main

    run = run_python([LARGE, kind, str(size), "watched"], trace_dir)
    seen = json.loads(run.stdout)["seen"]
    assert digests(run.trace) == [(one["before"], one["after"]) for one in seen]
    texts = {one.after_text for one in run.trace.passes}
    assert max(map(len, texts)) > size
    # Each text once, and what repeats in it small.
    assert run.journal.stat().st_size < sum(map(len, texts)) / 10

    assert main([str(run.journal), "-o", str(tmp_path / "out")]) == 0
    (after,) = (tmp_path / "out").glob("*/.run_records/*/unscoped/*_UnrollLoop_after.tir")
    (unrolled,) = [one for one in run.trace.passes if one.name == "UnrollLoop"]
    assert after.read_text() == unrolled.after_text
