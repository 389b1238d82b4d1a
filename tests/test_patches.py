"""``NN_Name.diff``: patches that ``patch`` and ``git apply`` take, beside the texts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Recording
from hypothesis import given, settings
from hypothesis import strategies as st

from lt_render.cli import main
from lt_render.load import load
from lt_render.patch import patch_of

needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch(1)")


def patched(before: Path, patch: Path, result: Path) -> bytes:
    """What ``patch`` makes of a file; ``git apply`` must agree."""
    done = subprocess.run(
        ["patch", "--silent", "--binary", "-o", result, before, patch],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return result.read_bytes()


@needs_patch
def test_each_change_has_a_patch_that_makes_it(
    recordings: dict[str, Recording], tmp_path: Path
) -> None:
    """GIVEN rendered artifacts THEN beside each change is the patch from before to after."""
    journal = recordings["flash_attention"].ours.journal
    assert main([str(journal), "-o", str(tmp_path / "out"), "--no-sync"]) == 0
    found = sorted((tmp_path / "out").rglob("*.diff"))
    changed = [one for one in load(journal).passes if one.changed and not one.is_codegen]
    assert sorted(path.stem for path in found) == sorted(
        f"{one.index:02d}_{one.name}" for one in changed
    )
    for path in found:
        before, after = (path.with_name(f"{path.stem}_{what}.tir") for what in ("before", "after"))
        head = path.read_text().split("\n", 2)[:2]
        assert head == [f"--- a/{before.name}", f"+++ b/{after.name}"]
        assert patched(before, path, tmp_path / "made") == after.read_bytes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\n", "a\nB\n"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n", "a\nb"),
        ("a\nb", "a\nB"),
        ("", "a\n"),
        ("a\n", ""),
        ("a\r\nb\n", "a\nb\n"),
        ("é\x00\x0c\n", "é\x00\x0b\u2028\n"),
        ("--- a\n+++ b\n@@ -1 +1 @@ x\n", "@@ -1 +1 @@ y\n"),
        ("x\n" * 300, "x\n" * 299 + "y"),
    ],
)
@needs_patch
def test_it_is_right_to_the_byte(old: str, new: str, tmp_path: Path) -> None:
    before, patch = tmp_path / "text", tmp_path / "patch"
    before.write_bytes(old.encode())
    patch.write_bytes(patch_of(old, new, "text", "text"))
    assert patched(before, patch, tmp_path / "made") == new.encode()
    if old and new:  # git takes an empty side for a file that is not there
        applied = ["git", "apply", "--unidiff-zero", "patch"]
        subprocess.run(applied, cwd=tmp_path, check=True, env={"GIT_DIR": "/nonexistent"})
        assert before.read_bytes() == new.encode()


@given(
    st.lists(st.sampled_from(["a", "b", "\tc", ""]), max_size=30),
    st.lists(st.sampled_from(["a", "b", "c", "x" * 5000]), max_size=30),
)
@settings(max_examples=50, deadline=None)
def test_its_lines_are_those_of_the_texts(old: list[str], new: list[str]) -> None:
    """GIVEN many lines around each change THEN the patch holds both texts, whole."""
    texts = ["".join(f"{line}\n" for line in lines) for lines in (old, new)]
    patch = patch_of(*texts, "a", "b", context=100).decode()
    if texts[0] == texts[1]:
        assert patch == ""
        return
    lines = patch.split("\n")[3:-1]
    assert [line[1:] for line in lines if line[:1] in " -"] == old
    assert [line[1:] for line in lines if line[:1] in " +"] == new


def test_without_diffs_there_are_none(gemm_journal: Path, tmp_path: Path) -> None:
    assert main([str(gemm_journal), "-o", str(tmp_path), "--no-sync", "--no-diffs"]) == 0
    assert [*tmp_path.rglob("*_after.tir")] and not [*tmp_path.rglob("*.diff")]


def test_whitespace_that_is_ignored_leaves_no_patch() -> None:
    assert patch_of("a  b\nc\n", "  a b\nc\n", "x", "y", ignore_whitespace=True) == b""
    kept = patch_of("a  b\nc\n", "  a b\nd\n", "x", "y", ignore_whitespace=True).decode()
    assert kept.endswith("-c\n+d\n") and "-a" not in kept
