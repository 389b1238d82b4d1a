"""The release of TileLang, or of TVM, that is installed: all of it recorded, and only that.

``noxfile.py``'s session ``releases`` runs this for each release that is supported, and
makes the README's table out of it: a column there is a test here.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import SCRIPTS, Run, run_python

from lt_render.model import Pass, Trace, Unit

#: TileLang brings a TVM of its own along.
WITH_TILELANG = importlib.util.find_spec("tilelang") is not None
SCRIPT = SCRIPTS / ("released_tilelang.py" if WITH_TILELANG else "released_tvm.py")

#: The last release without ``PassPipeline``: two functions were its pipeline.
LAST_WITH_PHASES = (0, 1, 11)


@dataclass
class Played:
    """A program of :data:`SCRIPT`: its journal, and what it has seen by itself."""

    run: Run
    trace: Trace
    seen: dict[str, Any]


def play(program: str, base: Path, switch: str) -> Played:
    run = run_python([SCRIPT, program], base / "traces", TL_LOWER_TRACE=switch)
    return Played(run, run.trace, json.loads(run.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The script, run with the variable set."""
    return play("recorded", tmp_path_factory.mktemp("recorded"), "1")


@pytest.fixture(scope="module")
def switched(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The script, switching recording on and off by itself."""
    return play("switched", tmp_path_factory.mktemp("switched"), "0")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def watched(played: Played) -> Iterator[tuple[list[Pass], list[dict[str, Any]]]]:
    """The passes of each compile beside what the script's own instrument saw of it."""
    if WITH_TILELANG:
        seen = [kernel[0] for kernel in played.seen["kernels"]] + [played.seen["failing"]]
    else:
        seen = [played.seen[name]["seen"] for name in ("llvm", "c", "cuda", "metal", "relax")]
    units = [unit for unit in played.trace.units if unit.name is not None]
    for unit, expected in zip(units, seen, strict=False):
        passes = [one for one in passes_of(played.trace, unit) if not one.is_codegen]
        # A Relax build begins with a pass outside of the compile, in C++.
        yield passes, expected[len(expected) - len(passes) :]


def passes_of(trace: Trace, unit: Unit) -> list[Pass]:
    return [one for one in trace.passes if one.unit is unit]


def failing_pass(trace: Trace) -> Pass:
    return next(one for one in trace.passes if one.failed and not one.is_codegen)


def test_passes(recorded: Played) -> None:
    """Each pass once and in order, with the texts that an instrument of the script's printed."""
    compiles = list(watched(recorded))
    assert len(compiles) >= 3
    for passes, expected in compiles:
        assert len(expected) > 10
        assert [(one.full_name, digest(one.before_text)) for one in passes] == [
            (one["name"], one["before"]) for one in expected
        ]
        for one, other in zip(passes, expected, strict=True):
            assert (
                one.failed if other["after"] is None else digest(one.after_text) == other["after"]
            )


def test_nesting(recorded: Played) -> None:
    """Depths as the script's own instrument counted them, and parents that fit."""
    nested = 0
    for passes, expected in watched(recorded):
        # Inside a codegen the script's instrument knows of nothing around.
        outside = [(one, seen) for one, seen in zip(passes, expected, strict=True)]
        for one, seen in outside:
            inside_codegen = one.phase == "codegen"
            assert one.depth - inside_codegen == seen["depth"]
            assert (one.parent is None) == (one.depth == 0)
            if one.parent is not None:
                assert one.parent.depth == one.depth - 1
        nested += sum(seen["depth"] > 0 for _, seen in outside)
    assert nested > 5 or WITH_TILELANG  # TileLang's passes are mostly flat


def phases(passes: Sequence[Pass]) -> list[str]:
    """The phases in order, each run of one once."""
    found: list[str] = []
    for one in passes:
        if not found or found[-1] != one.phase:
            found.append(one.phase)
    return found


def test_phases(recorded: Played) -> None:
    trace = recorded.trace
    units = [unit for unit in trace.units if unit.name is not None]
    assert all(unit.target for unit in units)
    found = [phases(passes_of(trace, unit)) for unit in units]
    if not WITH_TILELANG:
        # The pipeline is named by its target, and what comes after it as TVM does.
        assert found[0] == ["pipeline_llvm", "finalize_host", "codegen"]
        assert found[1] == ["run2_pipeline_c", "run2_finalize_host", "codegen"]
        device = ["run3_pipeline_cuda", "run3_finalize_host", "run3_finalize_device", "codegen"]
        assert found[2] == device
        relax = ["run5_pipeline_relax", "run5_pipeline_llvm", "run5_finalize_host", "codegen"]
        assert found[4] == relax
    elif version("tilelang") <= LAST_WITH_PHASES:
        own = ["phase1_LowerAndLegalize", "phase2_OptimizeForTarget"]
        assert found[0] == ["unscoped", *own, "unscoped", "codegen"]
        assert found[1] == ["unscoped", *(f"run2_{name}" for name in own), "unscoped", "codegen"]
        assert found[2] == ["unscoped", "run3_phase1_LowerAndLegalize"]
    else:
        assert found[0] == ["unscoped", "pipeline_cuda", "unscoped", "codegen"]
        assert found[1] == ["unscoped", "run2_pipeline_cuda", "unscoped", "codegen"]
        assert found[2] == ["unscoped", "run3_pipeline_cuda"]


def version(package: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", importlib.metadata.version(package))[:3]))


def test_compiles(recorded: Played) -> None:
    """Each compile under the name of its function; what runs outside of any apart."""
    trace = recorded.trace
    names = [unit.title for unit in trace.units if unit.name is not None]
    if WITH_TILELANG:
        assert names == ["gemm", "sum_and_difference", "chained_gemm"]
        return
    assert names[:5] == ["matmul", "matmul", "main", "main", "forward"]
    # Those of two threads, in any order.
    assert sorted(names[5:]) == [f"candidate_{number}_{turn}" for number in "01" for turn in "012"]
    loose = [one for one in trace.passes if one.unit.name is None]
    assert {"tirx.RemoveNoOp", "Failing"} <= {one.full_name for one in loose}
    assert {one.phase for one in loose} == {"unscoped"}
    in_threads = [unit for unit in trace.units if unit.title.startswith("candidate")]
    assert all(unit.thread_name.startswith("Thread-") for unit in in_threads)
    # The same passes whichever thread ran them, and in a context or not.
    assert len({tuple(map(str, phases_and_names(trace, unit))) for unit in in_threads}) == 1


def phases_and_names(trace: Trace, unit: Unit) -> list[tuple[str, str]]:
    return [(re.sub(r"^run\d+_", "", one.phase), one.full_name) for one in passes_of(trace, unit)]


def test_failure(recorded: Played) -> None:
    """A pass that raises keeps its input and its message; the script sees its own exception."""
    one = failing_pass(recorded.trace)
    assert one.before_text and one.after is None and one.error_msg
    if WITH_TILELANG:
        assert recorded.seen["error"] == "InternalError"
        assert one.name == "LayoutInference" and one.unit.status == "failed"
        assert "conflict" in one.error_msg.lower()
    else:
        assert recorded.seen["failing"]["error"] == "ValueError"
        assert one.name == "Failing" and "as it should" in one.error_msg
        (inner,) = [other for other in recorded.trace.passes if other.parent is one]
        assert inner.name == "RemoveNoOp" and not inner.failed


def test_codegen(recorded: Played) -> None:
    """The generated source, as the compiler gave it to the script, which on TVM has run it."""
    codegens = [one for one in recorded.trace.passes if one.is_codegen]
    if WITH_TILELANG:
        sources = [source for _, source in recorded.seen["kernels"]]
        assert [digest(one.after_text) for one in codegens] == sources
        assert [one.role for one in codegens] == ["device", "device"]
        assert all("__global__" in one.after_text for one in codegens)
        return
    given = [
        source
        for kind in ("llvm", "c", "cuda", "metal")
        for source in recorded.seen[kind]["sources"]
    ]
    assert [digest(one.after_text) for one in codegens[: len(given)]] == given
    roles = ["host", "host", "device", "host", "device", "host"]
    assert [one.role for one in codegens[: len(given)]] == roles


def test_disable(switched: Played) -> None:
    """Between ``enable()`` and ``disable()`` all is recorded; after it no hook is left."""
    assert switched.seen["hooked"]
    assert switched.seen["left_over"] == []
    assert switched.seen["same"]  # the source, with and without recording
    ((seen, source),) = switched.seen["kernels"]
    passes = [one for one in switched.trace.passes if not one.is_codegen]
    assert [one.full_name for one in passes] == [one["name"] for one in seen]
    (codegen,) = [one for one in switched.trace.passes if one.is_codegen]
    assert digest(codegen.after_text) == source


@pytest.mark.skipif(WITH_TILELANG, reason="test_editing.py has TileLang's")
def test_edit(tmp_path: Path) -> None:
    """GIVEN TVM's C source, edited WHEN it is compiled again THEN the edit is what runs."""
    from lt_render.cli import main

    first = run_python([SCRIPT, "scale"], tmp_path / "traces")
    assert json.loads(first.stdout) == [0.0, 2.0, 4.0]
    assert main([str(first.journal)]) == 0
    (copy,) = first.trace_dir.glob("*/codegen.cpp")
    source = copy.read_text()
    assert source.count("2.000000e+00f") == 1
    copy.write_text(source.replace("2.000000e+00f", "3.000000e+00f"))

    second = run_python([SCRIPT, "scale"], tmp_path / "traces")
    assert json.loads(second.stdout) == [0.0, 3.0, 6.0]
    assert f"[lower_trace] codegen/59_codegen: PATCHED from {copy}" in second.ours


def test_only_our_tracer_speaks(recorded: Played) -> None:
    assert "[lower_trace]" not in recorded.run.stdout
    assert len(recorded.run.ours) == 1, recorded.run.stderr
