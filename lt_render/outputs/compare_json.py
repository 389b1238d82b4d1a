"""A comparison as JSON, for programs; times are in microseconds."""

from __future__ import annotations

from typing import Any

from ..comparison.kernels import Kernel
from ..comparison.rows import Row
from ..comparison.timing import timing
from ..comparison.verdict import Comparison, KernelComparison
from ..comparison.words import remarks, verdict
from ..model import Pass


def of_comparison(comparison: Comparison, *, with_times: bool) -> dict[str, Any]:
    """Return all that is known of a comparison, texts left out."""
    found: dict[str, Any] = {
        "same": not comparison.differs,
        "kernels": [_kernel(comparison, kernel) for kernel in comparison.kernels],
        "phases": [{"a": a, "b": b, "passes": passes} for a, b, passes in comparison.phases],
    }
    if with_times:
        times = timing(comparison)
        found["timing"] = {
            "a": times.a,
            "b": times.b,
            "median_ratio": times.usual_ratio,
            "outstanding": [
                {"name": one.name, "runs": one.runs, "a": one.a, "b": one.b}
                for one in times.outstanding
            ],
        }
    return found


def _kernel(comparison: Comparison, kernel: KernelComparison) -> dict[str, Any]:
    culprit = kernel.culprit
    return {
        "label": kernel.label,
        "same": not kernel.differs,
        "counts": comparison.counts(kernel),
        "verdict": verdict(kernel),
        "remarks": remarks(kernel),
        "a": _side(kernel.a),
        "b": _side(kernel.b),
        "given_same": kernel.given_same,
        "code_same": kernel.code_same,
        "first": [_row(comparison, row) for row in culprit.rows] if culprit is not None else [],
        "between_passes": culprit is not None and culprit.between,
        "passes": [_row(comparison, row) for row in kernel.rows],
    }


def _side(kernel: Kernel | None) -> dict[str, Any] | None:
    if kernel is None:
        return None
    died_in = kernel.died_in
    return {
        "name": kernel.name,
        "target": kernel.target,
        "status": kernel.unit.status,
        "died_in": None if died_in is None else died_in.index,
    }


def _row(comparison: Comparison, row: Row) -> dict[str, Any]:
    diff = comparison.difference(row)
    return {
        "a": _pass(row.a),
        "b": _pass(row.b),
        "state": row.state.value,
        "renamed": row.renamed,
        "moved": None if row.moved is None else row.moved.index,
        "insertions": 0 if diff is None else diff.diff.insertions,
        "deletions": 0 if diff is None else diff.diff.deletions,
    }


def _pass(one: Pass | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "index": one.index,
        "phase": one.phase,
        "name": one.name,
        "full_name": one.full_name,
        "depth": one.depth,
        "status": one.status,
        "changed": one.changed,
    }
