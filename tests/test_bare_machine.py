"""A journal from a machine with TileLang renders in an environment that has none of it."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

from conftest import TESTS, Recording


def test_rendering_without_tvm(recordings: dict[str, Recording], tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, TESTS.parent], check=True)
    installed = subprocess.run(
        [python, "-m", "pip", "list"], check=True, capture_output=True, text=True
    ).stdout
    for absent in ("tvm", "tilelang", "torch"):
        assert absent not in installed

    journal = recordings["flash_attention"].ours.journal
    out = tmp_path / "out"
    command = [tmp_path / "venv" / "bin" / "lt-render", journal, "-o", out]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    (said,) = done.stderr.splitlines()
    assert "_codegen: INIT" in said
    assert Path(done.stdout.strip()).is_file()
    assert len(list(out.rglob("*_before.tir"))) == 88
