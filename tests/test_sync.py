"""``lt-render`` and the files of edited source: what it writes, keeps and says."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Recording

from lt_render.errors import RenderError
from lt_render.load import load
from lt_render.model import Trace
from lt_render.sync import plain_path, sync


class Runs:
    """Runs of one real kernel, whose generated source is then changed as if it were another's."""

    def __init__(self, journal: Path, directory: Path) -> None:
        self.trace = load(journal)
        self.plain = directory / "codegen.cpp"
        (self.codegen,) = [one for one in self.trace.passes if one.is_codegen]
        self.source = self.codegen.generated_text
        self.tags: list[str] = []
        self.said: list[str] = []

    def render(self, old: str = "", new: str = "", *, later: int = 0, merge: bool = False) -> str:
        """Bring the files up to date with a run that generated ``new`` in place of ``old``."""
        assert old in self.source
        trace = Trace(process={**self.trace.process, "started": 10**18 + later})
        trace.texts = {0: self.source.replace(old, new) if old else self.source}
        trace.passes = [replace(self.codegen, trace=trace, generated=0, after=0, parent=None)]
        (done,) = sync(trace, self.plain, merging=merge)
        self.said.append(str(done))
        return done.tag

    def file(self, ending: str = "") -> Path:
        return self.plain.with_name(self.plain.name + ending)

    def read(self, ending: str = "") -> str:
        return self.file(ending).read_bytes().decode()

    def edit(self, old: str, new: str) -> str:
        edited = self.read().replace(old, new)
        assert edited != self.read()
        self.file().write_bytes(edited.encode())
        return edited

    def tree(self) -> dict[str, tuple[bytes, int]]:
        return {
            path.name: (path.read_bytes(), path.stat().st_mtime_ns)
            for path in self.plain.parent.iterdir()
        }


@pytest.fixture
def runs(recordings: dict[str, Recording], tmp_path: Path) -> Runs:
    return Runs(recordings["cpu_scale"].ours.journal, tmp_path)


def test_the_first_run_and_an_unchanged_one(runs: Runs) -> None:
    assert runs.render() == "INIT"
    assert runs.read() == runs.read(".original") == runs.read(".latest") == runs.source
    assert "2.0" in runs.source
    before = runs.tree()
    assert runs.render() == ""
    assert runs.tree() == before


def test_codegen_changed_only(runs: Runs) -> None:
    runs.render()
    assert runs.render("2.0", "4.0", later=1) == "REGENERATED"
    assert runs.read() == runs.read(".original") == runs.read(".latest")
    assert "4.0" in runs.read()


def test_user_edited_only(runs: Runs) -> None:
    runs.render()
    edited = runs.edit("2.0", "3.0")
    before = runs.tree()
    assert runs.render(later=1) == "PATCHED"
    assert runs.read() == edited and runs.read(".original") == runs.source
    note = ".codegen.cpp.json"
    assert {name for name, was in before.items() if runs.tree()[name] != was} == {note}


def test_edit_and_codegen_come_to_the_same(runs: Runs) -> None:
    runs.render()
    edited = runs.edit("2.0", "3.0")
    assert runs.render("2.0", "3.0", later=1) == "SYNCED"
    assert runs.read() == runs.read(".original") == edited
    assert not runs.file(".bak").exists()


def test_conflicts_keep_every_edit(runs: Runs) -> None:
    runs.render()
    first = runs.edit("2.0", "3.0")
    assert runs.render("2.0", "4.0", later=1) == "CONFLICT"
    assert runs.read(".bak") == first and runs.read(".original.bak") == runs.source
    assert "4.0" in runs.read() and runs.read() == runs.read(".original")
    regenerated = runs.read()
    before = runs.tree()
    assert runs.render("2.0", "4.0", later=1) == ""
    assert runs.tree() == before
    second = runs.edit("4.0", "5.0")
    assert runs.render("2.0", "6.0", later=2) == "CONFLICT"
    assert runs.read(".bak") == second and runs.read(".original.bak") == regenerated
    assert runs.read(".bak.1") == first and runs.read(".original.bak.1") == runs.source


def test_a_working_copy_without_baseline(runs: Runs) -> None:
    runs.file().write_text("mine\n")
    assert runs.render() == "INIT-BACKUP"
    assert runs.read(".bak") == "mine\n" and runs.read() == runs.source
    runs.file(".original").unlink()
    runs.file().write_text("mine too\n")
    assert runs.render(later=1) == "INIT-BACKUP"
    assert runs.read(".bak") == "mine too\n" and runs.read(".bak.1") == "mine\n"


def test_an_older_run_never_takes_files_backwards(runs: Runs) -> None:
    runs.render("2.0", "4.0", later=5)
    before = runs.tree()
    assert runs.render(later=4) == ""
    assert "left as it is: synced with a later run" in runs.said[-1]
    assert runs.tree() == before


def test_merging(runs: Runs) -> None:
    runs.render()
    runs.edit("2.0", "3.0")
    head = runs.source.splitlines()[0]
    assert runs.render(head, "// another head", later=1, merge=True) == "MERGED"
    assert "3.0" in runs.read() and runs.read().startswith("// another head")
    assert "3.0" in runs.read(".bak") and runs.read(".original.bak") == runs.source
    assert runs.render(head, "// another head", later=1) == "PATCHED"


def test_merging_after_the_fact(runs: Runs) -> None:
    runs.render()
    runs.edit("2.0", "3.0")
    head = runs.source.splitlines()[0]
    assert runs.render(head, "// another head", later=1) == "CONFLICT"
    assert "3.0" not in runs.read()
    assert runs.render(head, "// another head", later=1, merge=True) == "MERGED"
    assert "3.0" in runs.read() and runs.read().startswith("// another head")


def test_a_merge_that_does_not_fit(runs: Runs) -> None:
    runs.render()
    edited = runs.edit("2.0", "3.0")
    assert runs.render("2.0", "4.0", later=1, merge=True) == "CONFLICT"
    assert "<<<<<<<" not in runs.read() and "4.0" in runs.read()
    assert runs.read(".bak") == edited
    markers = runs.read(".merge")
    assert markers.count("<<<<<<<") == markers.count(">>>>>>>") == 1
    assert "3.0" in markers and "4.0" in markers


def test_bytes_survive(runs: Runs) -> None:
    runs.render()
    edited = b"\xef\xbb\xbf" + runs.source.replace("2.0", "3.0").encode().replace(b"\n", b"\r\n")
    edited = edited.rstrip() + "// größer".encode()
    runs.file().write_bytes(edited)
    assert runs.render(later=1) == "PATCHED"
    assert runs.file().read_bytes() == edited
    assert runs.render("2.0", "4.0", later=2) == "CONFLICT"
    assert runs.file(".bak").read_bytes() == edited


@pytest.mark.parametrize("content", [b"", b"\n", None])
def test_an_emptied_or_deleted_working_copy_comes_back(runs: Runs, content: bytes | None) -> None:
    runs.render()
    if content is None:
        runs.file().unlink()
    else:
        runs.file().write_bytes(content)
    assert runs.render(later=1) == "REGENERATED"
    assert runs.read() == runs.source
    assert ("was deleted" if content is None else "was empty") in runs.said[-1]


def test_what_cannot_be_read_is_left_alone(runs: Runs) -> None:
    runs.render()
    runs.file().write_bytes(b"\xff\xfe\x00")
    assert runs.render("2.0", "4.0", later=1) == ""
    assert runs.file().read_bytes() == b"\xff\xfe\x00" and runs.read(".original") == runs.source
    assert "not UTF-8" in runs.said[-1]
    runs.file().unlink()
    os.mkfifo(runs.file())
    assert runs.render("2.0", "4.0", later=1) == ""
    assert "not a regular file" in runs.said[-1]


def test_one_renderer_at_a_time(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lt_render.sync._LOCK_SECONDS", 0.1)
    descriptor = os.open(runs.plain.parent, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    with pytest.raises(RenderError, match="in use"):
        runs.render()
    assert not runs.file().exists()
    os.close(descriptor)
    assert runs.render() == "INIT"


@pytest.mark.parametrize(
    ("recorded", "place"),
    [
        ("/elsewhere/my.cu", "my.cu"),
        ("C:\\work\\my.cu", "my.cu"),
        ("/root/.ssh/..", "codegen.cpp"),
        (None, None),
        ("", "codegen.cpp"),
    ],
)
def test_a_journal_does_not_choose_what_is_overwritten(
    tmp_path: Path, recorded: str | None, place: str | None
) -> None:
    trace = Trace(process={"codegen": recorded})
    expected = None if place is None else tmp_path / place
    assert plain_path(trace, tmp_path, None) == expected
    assert plain_path(trace, tmp_path, tmp_path / "asked.cpp") == tmp_path / "asked.cpp"


def test_from_the_command_line(recordings: dict[str, Recording], tmp_path: Path) -> None:
    def lt_render(*options: str, **environ: str) -> str:
        command = [sys.executable, "-m", "lt_render", recordings["cpu_scale"].ours.journal]
        done = subprocess.run(
            [*map(str, command), "-o", str(tmp_path), *options],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **environ},
        )
        assert done.stdout == f"{next(tmp_path.rglob('run_*'))}/report.html\n"
        return done.stderr

    codegen = tmp_path / "cpu_scale" / "codegen.cpp"
    assert lt_render("--no-sync") == ""
    assert not codegen.exists()
    assert lt_render(TL_LOWER_TRACE_CODEGEN="none") == ""
    assert not codegen.exists()
    assert "_codegen: INIT" in lt_render()
    assert codegen.exists()
    assert lt_render() == ""
    elsewhere = tmp_path / "my" / "kernel.cu"
    assert str(elsewhere) in lt_render("--codegen-output", str(elsewhere))
    assert elsewhere.read_bytes() == codegen.read_bytes()
    elsewhere.write_text("edited")
    assert "PATCHED" in lt_render(TL_LOWER_TRACE_CODEGEN=str(elsewhere))
