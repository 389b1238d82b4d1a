"""Recording starts by itself, however the script is started, and costs nothing when off."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SCRIPTS, clean_environ, run_python

from lt_record import settings

ONE_PASS = (
    (SCRIPTS / "one_pass.py")
    .read_text("utf-8")
    .replace("import bare_tvm  # noqa: F401", (SCRIPTS / "bare_tvm.py").read_text("utf-8"))
)


@pytest.mark.parametrize("value", [None, "", "0", "off", "False", " NO "])
def test_off_imports_nothing_of_ours(value: str | None) -> None:
    environ = {} if value is None else {"TL_LOWER_TRACE": value}
    code = "import json, sys; print(json.dumps([*sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean_environ(**environ),
        capture_output=True,
        text=True,
        check=True,
    )
    assert [name for name in json.loads(done.stdout) if name.startswith("lt_")] == []
    assert done.stderr == ""


def test_on_without_tvm_stays_small_and_silent(trace_dir: Path) -> None:
    run = run_python(["-c", "import json, sys; print(json.dumps([*sys.modules]))"], trace_dir)
    ours = {name for name in json.loads(run.stdout) if name.startswith("lt_")}
    assert ours == {"lt_record", "lt_record.startup", "lt_record.settings"}
    assert run.stderr == "" and not trace_dir.exists()


def test_a_script(trace_dir: Path) -> None:
    run = run_python([SCRIPTS / "one_pass.py"], trace_dir)
    assert run.journal.parts[-4:-2] == ("one_pass", ".run_records")
    assert [one.name for one in run.trace.passes] == ["Simplify"]


def test_a_command(trace_dir: Path) -> None:
    run = run_python(["-c", ONE_PASS], trace_dir)
    assert run.trace.script == "command" and len(run.trace.passes) == 1


def test_standard_input(trace_dir: Path) -> None:
    run = run_python(["-"], trace_dir, stdin=ONE_PASS)
    assert run.trace.script == "stdin" and len(run.trace.passes) == 1


def test_a_module(trace_dir: Path, tmp_path: Path) -> None:
    package = tmp_path / "tuner"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(ONE_PASS)
    run = run_python(["-m", "tuner"], trace_dir, cwd=tmp_path)
    assert run.trace.script == "tuner" and len(run.trace.passes) == 1


def test_pytest(trace_dir: Path, tmp_path: Path) -> None:
    body = ONE_PASS.replace("\n", "\n    ")
    (tmp_path / "test_it.py").write_text(f"def test_it():\n    {body}\n")
    run = run_python(["-m", "pytest", "-q", "test_it.py"], trace_dir, cwd=tmp_path)
    assert run.trace.script == "pytest" and len(run.trace.passes) == 1


def test_a_subprocess_has_a_journal_of_its_own(trace_dir: Path) -> None:
    script = str(SCRIPTS / "one_pass.py")
    code = f"import subprocess, sys; subprocess.run([sys.executable, {script!r}])"
    run = run_python(["-c", code], trace_dir)
    assert run.trace.script == "one_pass" and len(run.trace.passes) == 1


def test_a_notebook(trace_dir: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(ONE_PASS)])
    nbformat.write(notebook, tmp_path / "tuning.ipynb")
    code = (
        "import nbclient, nbformat; "
        "nbclient.NotebookClient(nbformat.read('tuning.ipynb', 4), kernel_name='python3').execute()"
    )
    run = run_python(["-c", code], trace_dir, cwd=tmp_path)
    assert run.trace.script == "notebook" and len(run.trace.passes) == 1


def test_an_empty_argv(trace_dir: Path) -> None:
    # After the import: tvm_ffi itself cannot be imported with an empty argv.
    body = ONE_PASS.replace("import tvm\n", "import tvm\nsys.argv = []\n")
    run = run_python(["-c", body], trace_dir)
    assert run.trace.script == "kernel" and run.trace.process["argv"] == []


def test_a_relative_directory_is_fixed_at_start(trace_dir: Path, tmp_path: Path) -> None:
    code = f"import os; os.mkdir('elsewhere'); os.chdir('elsewhere')\n{ONE_PASS}"
    run_python(["-c", code], trace_dir, TL_LOWER_TRACE_DIR="traces", cwd=tmp_path)
    assert len(list(trace_dir.rglob("journal.lt.zst"))) == 2  # the journal and the link to it
    assert not (tmp_path / "elsewhere" / "traces").exists()


def test_the_default_directory(trace_dir: Path, tmp_path: Path) -> None:
    run_python(["-c", ONE_PASS], trace_dir, TL_LOWER_TRACE_DIR=" ", cwd=tmp_path)
    assert (tmp_path / "tmp" / "lower_trace_dir" / "command" / "journal.lt.zst").exists()


@pytest.mark.parametrize(
    ("value", "mode"),
    [
        ("1", "record"),
        ("On", "record"),
        (" TRUE ", "record"),
        ("yes", "record"),
        ("terminal", "terminal"),
        ("HTML", "html"),
        ("both", "both"),
    ],
)
def test_accepted_modes(value: str, mode: str) -> None:
    found = settings.from_environ({"TL_LOWER_TRACE": value})
    assert found is not None
    assert (found.mode, found.unknown_mode) == (mode, None)


def test_record_off_leaves_it_to_the_builtin() -> None:
    assert settings.from_environ({"TL_LOWER_TRACE": "1", "LT_RECORD": "0"}) is None


def test_an_unknown_mode_records_and_warns_once(trace_dir: Path) -> None:
    run = run_python([SCRIPTS / "one_pass.py"], trace_dir, TL_LOWER_TRACE="maybe")
    warning, summary = run.ours
    assert "'maybe'" in warning
    for word in ("off", "true", "terminal", "html", "both"):
        assert word in warning
    assert "1 pass" in summary and len(run.trace.passes) == 1
