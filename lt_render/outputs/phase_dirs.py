"""Before and after texts and their diffs as files, one directory a phase."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .. import files
from ..layout import REPORT, RUN_RECORDS
from ..model import Pass, Trace
from ..names import SafeNames, safe
from ..patch import patch_of

_RESERVED = (REPORT, RUN_RECORDS, "journal.lt.zst")


def write(
    trace: Trace,
    run_dir: Path,
    advance: Callable[[], None] = lambda: None,
    *,
    diffs: bool = True,
) -> None:
    """Write ``<phase>/NN_Name_before.tir`` and ``…_after.tir`` (``.cpp`` for codegen).

    A pass that changed the IR has ``NN_Name.diff`` beside them, unless ``diffs``
    is false. A codegen whose source was edited has ``…_generated.cpp`` beside it, or where
    the edit was not compiled ``…_edited.cpp``. A pass that failed has
    ``NN_Name_error.txt`` in the place of its output.
    ``advance`` is called after each pass.
    """
    phases: dict[str, list[Pass]] = {}
    for one in trace.passes:
        phases.setdefault(one.phase, []).append(one)
    phase_names = SafeNames(*_RESERVED)
    for phase, passes in phases.items():
        with files.replaced_dir(run_dir / phase_names(phase)) as directory:
            taken: set[str] = set()
            for one in passes:
                stem = f"{one.index:0{trace.index_width}d}_{safe(one.name)}"
                if stem in taken:  # only a strange journal gives an index twice
                    stem = f"{stem}~{one.number}"
                taken.add(stem)
                _write_pass(one, directory, stem)
                if diffs:
                    _write_diff(one, directory, stem)
                advance()


def _write_pass(one: Pass, directory: Path, stem: str) -> None:
    if one.before is not None:
        (directory / f"{stem}_before.tir").write_bytes(one.before_text.encode())
    if one.after is not None:
        ending = "cpp" if one.is_codegen else "tir"
        (directory / f"{stem}_after.{ending}").write_bytes(one.after_text.encode())
    edited = one.edited_text
    if one.edit is not None and edited is not None:
        other, text = ("generated", one.generated_text) if one.edit.compiled else ("edited", edited)
        (directory / f"{stem}_{other}.cpp").write_bytes(text.encode())
    if one.failed:
        message = one.error_msg or "the process ended inside this pass"
        (directory / f"{stem}_error.txt").write_bytes(f"{message}\n".encode())


def _write_diff(one: Pass, directory: Path, stem: str) -> None:
    if one.before is None or one.is_codegen or not one.changed:
        return
    patch = patch_of(one.before_text, one.after_text, f"{stem}_before.tir", f"{stem}_after.tir")
    (directory / f"{stem}.diff").write_bytes(patch)
