"""Brings the files of edited source up to date with a journal: the renderer's half.

``lt_record.three_way`` decides and ``lt_record.codegen_files`` knows which file
belongs to which codegen; here the files are written. What is overwritten is
backed up first, and no backup is ever overwritten.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lt_record.codegen_files import (
    DEVICE,
    LATEST,
    ORIGINAL,
    PLAIN_NAME,
    Assignment,
    CodegenFiles,
    Copies,
    Owner,
    digest,
)
from lt_record.three_way import (
    CONFLICT,
    INIT,
    INIT_BACKUP,
    MERGED,
    REGENERATED,
    SYNCED,
    UNCHANGED,
    decide,
    is_blank,
)

from . import files
from .errors import RenderError
from .merge import merge
from .model import Pass, Trace

BACKUP = ".bak"
#: Where a merge that is not clean goes, with its conflict markers.
UNMERGED = ".merge"

_LOCK_SECONDS = 30.0


@dataclass(frozen=True)
class Synced:
    """What became of one codegen's files."""

    one: Pass
    path: Path
    #: One of ``three_way``'s tags; empty where nothing had to be done.
    tag: str
    #: What more there is to say.
    remark: str = ""

    def __str__(self) -> str:
        width = self.one.trace.index_width
        what = f"{self.tag} {self.remark}".strip()
        return f"codegen/{self.one.index:0{width}d}_codegen: {what}"


def plain_path(trace: Trace, script_dir: Path, asked: Path | None) -> Path | None:
    """Where the plain working copy lies; ``None`` where the recording was told to keep none.

    A place outside of the layout is taken only from the person who renders: a
    journal may come from a stranger, and must not choose what is overwritten.
    """
    if asked is not None:
        return asked.absolute()
    recorded = trace.process.get("codegen", PLAIN_NAME)
    if not isinstance(recorded, str):
        return None
    name = recorded.replace("\\", "/").rpartition("/")[2]
    return script_dir / (name if name not in ("", ".", "..") else PLAIN_NAME)


def codegens_only(trace: Trace) -> Trace:
    """Return a trace of what :func:`sync` needs and nothing else."""
    small = Trace(process=trace.process, condition=trace.condition)
    for one in trace.passes:
        if one.is_codegen and not one.failed and one.generated is not None:
            small.texts[one.generated] = one.generated_text
            small.passes.append(replace(one, trace=small, parent=None))
    return small


def sync(trace: Trace, plain: Path, *, merging: bool = False) -> list[Synced]:
    """Bring the files around ``plain`` up to date; return what was done, in order of the passes.

    Raises :class:`RenderError` while another process holds them.
    """
    generated = codegens_only(trace).passes
    if not generated:
        return []
    plain.parent.mkdir(parents=True, exist_ok=True)
    kept = CodegenFiles(str(plain))
    try:
        with kept.locked(exclusive=True, seconds=_LOCK_SECONDS):
            return _Sync(trace, kept, merging).run(generated)
    except BlockingIOError:
        raise RenderError(f"{plain.parent} is in use by another process; try again.") from None


class _Sync:
    def __init__(self, trace: Trace, kept: CodegenFiles, merging: bool) -> None:
        self._kept = kept
        self._merging = merging
        self._notes = kept.notes()
        self._started = trace.started

    def run(self, generated: list[Pass]) -> list[Synced]:
        before = json.dumps(self._notes, sort_keys=True)
        # Several codegens may have given the very same code: it has one file.
        by_name: dict[str, Pass] = {}
        for one, name in self._assigned(generated):
            by_name.setdefault(name, one)
        done = [self._one(one, name) for name, one in by_name.items()]
        if json.dumps(self._notes, sort_keys=True) != before:
            content = json.dumps({"files": self._notes}, indent=1, sort_keys=True)
            files.write(Path(self._kept.notes_path), f"{content}\n".encode())
        return sorted(done, key=lambda synced: synced.one.index)

    def _assigned(self, generated: list[Pass]) -> list[tuple[Pass, str]]:
        assignment = Assignment(self._kept)
        keys = {id(one): (_owner(one), digest(one.generated_text.encode())) for one in generated}
        names = {id(one): assignment.by_content(*keys[id(one)]) for one in generated}
        only_host = all(owner.role != DEVICE for owner, _ in keys.values())
        for one in sorted(generated, key=_turn(generated)):
            if names[id(one)] is None:
                owner, key = keys[id(one)]
                names[id(one)] = assignment.by_content(owner, key) or assignment.by_name(
                    owner, key, plain=only_host or owner.role == DEVICE
                )
        return [(one, names[id(one)] or "") for one in generated]

    def _one(self, one: Pass, name: str) -> Synced:
        path = Path(self._kept.path(name))
        note = self._notes.get(name, {})
        last = note.get("started")
        if isinstance(last, int) and last > self._started:
            return Synced(one, path, "", f"{path} left as it is: synced with a later run.")
        try:
            copies = self._kept.read(name)
            if copies.working is not None:
                copies.working.decode()
        except OSError as error:
            return Synced(one, path, "", f"{path} left as it is: {error.strerror or error}.")
        except UnicodeDecodeError:
            return Synced(one, path, "", f"{path} left as it is: it is not UTF-8.")
        source = one.generated_text.encode()
        tag = decide(copies.baseline, copies.working, source)
        pending = tag == UNCHANGED and note.get("conflict") is True
        if pending and self._merging:
            tag, remark = self._merge_later(path, source)
        else:
            tag, remark = self._act(tag, path, copies, source)
        _write(_beside(path, LATEST), source)
        owner = _owner(one)
        self._notes[name] = {
            "kernel": owner.kernel,
            "role": owner.role,
            "started": self._started,
            **({"conflict": True} if tag == CONFLICT or (pending and tag != MERGED) else {}),
        }
        return Synced(one, path, tag, remark)

    def _act(self, tag: str, path: Path, copies: Copies, source: bytes) -> tuple[str, str]:
        """Do what a row of the table asks for; return the tag and the remark to print."""
        baseline, working = copies.baseline or b"", copies.working or b""
        if tag in (UNCHANGED, INIT, REGENERATED):
            if tag != UNCHANGED:
                _renew(path, source)
            return tag, _remark(tag, path, copies)
        if tag == INIT_BACKUP:
            backup = _back_up(path, working, None)
            _renew(path, source)
            return tag, f"— {path} existed without baseline, backed up to {backup}"
        if tag == SYNCED:
            _write(_beside(path, ORIGINAL), source)
            return tag, f"(the edit in {path} and the generated code are the same)"
        if tag == CONFLICT:
            return self._conflict(path, baseline, working, source)
        return tag, f"(the edit in {path} is compiled when the script runs)"

    def _merge_later(self, path: Path, source: bytes) -> tuple[str, str]:
        """Merge the edit of a conflict that was rendered before, from its backups."""
        backups = [_beside(path, ending) for ending in (BACKUP, ORIGINAL + BACKUP)]
        try:
            working, baseline = (backup.read_bytes() for backup in backups)
        except FileNotFoundError:
            return UNCHANGED, ""
        merged, clean = merge(baseline, working, source)
        if clean:
            _write(path, merged)
            return MERGED, f"(the edit was merged into {path}; as it was: {backups[0]})"
        return CONFLICT, self._unmerged(path, merged)

    def _unmerged(self, path: Path, merged: bytes) -> str:
        unmerged = _beside(path, UNMERGED)
        _write(unmerged, merged)
        return (
            f"({path} regenerated; the edit is in {_beside(path, BACKUP)}, and {unmerged} shows "
            "with conflict markers where it does not fit)"
        )

    def _conflict(
        self, path: Path, baseline: bytes, working: bytes, source: bytes
    ) -> tuple[str, str]:
        merged, clean = merge(baseline, working, source) if self._merging else (b"", False)
        backup = _back_up(path, working, baseline)
        if clean:
            # As after any edit: the baseline last, see _renew().
            _write(path, merged)
            _write(_beside(path, ORIGINAL), source)
            return MERGED, f"(the edit was merged into {path}; as it was: {backup})"
        _renew(path, source)
        if not self._merging:
            return CONFLICT, (
                f"({path} regenerated; the edit is in {backup}: "
                f"diff {_beside(path, ORIGINAL + BACKUP)} {backup}, or render with --merge)"
            )
        return CONFLICT, self._unmerged(path, merged)


def _remark(tag: str, path: Path, copies: Copies) -> str:
    if tag == INIT:
        return f"— generated source at {path}"
    if tag == REGENERATED and copies.working is None:
        return f"({path} was deleted)"
    if tag == REGENERATED and is_blank(copies.working):
        return f"({path} was empty)"
    return "(codegen changed, no user edits)" if tag == REGENERATED else ""


def _renew(path: Path, source: bytes) -> None:
    # The working copy first: killed in between, the next run finds an edit that is
    # what was generated, and not an old source that looks like an edit to the new.
    _write(path, source)
    _write(_beside(path, ORIGINAL), source)


def _back_up(path: Path, working: bytes, baseline: bytes | None) -> Path:
    """Keep both texts as ``.bak`` and ``.original.bak``; older ones move on to numbers."""
    endings = (BACKUP, ORIGINAL + BACKUP)
    if any(_beside(path, ending).exists() for ending in endings):
        number = 1
        while any(_beside(path, f"{ending}.{number}").exists() for ending in endings):
            number += 1
        for ending in endings:
            old = _beside(path, ending)
            if old.exists():
                old.rename(_beside(path, f"{ending}.{number}"))
    _write(_beside(path, BACKUP), working)
    if baseline is not None:
        _write(_beside(path, ORIGINAL + BACKUP), baseline)
    return _beside(path, BACKUP)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _write(path: Path, content: bytes) -> None:
    """Write a file unless it holds just that already: rendering again changes nothing."""
    try:
        if path.read_bytes() == content:
            return
    except OSError:
        pass
    files.write(path, content)


def _owner(one: Pass) -> Owner:
    kernels = one.unit.kernels
    return Owner(kernels[0] if kernels else "kernel", one.role or DEVICE)


def _turn(generated: list[Pass]) -> Callable[[Pass], Any]:
    """The order in which codegens without files get them: the same from run to run.

    That of the run; but what ran in several threads has no order of its own.
    """
    threads = {one.thread for one in generated}

    def in_order(one: Pass) -> Any:
        role = one.role != DEVICE
        return (one.unit.number, role, one.index)

    def by_text(one: Pass) -> Any:
        owner = _owner(one)
        return (owner.role != DEVICE, owner.kernel, one.generated_text)

    return in_order if len(threads) <= 1 else by_text
