"""Extracting a pass: what is written runs under the real TileLang, and gives what was recorded."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Recording, clean_environ

from lt_record import format
from lt_record.journal import JournalWriter
from lt_render.cli import main
from lt_render.load import load
from lt_render.model import Pass, Trace
from lt_render.outputs import replay

#: Runs the scripts in the directories it is given, all in one process: TileLang takes seconds.
RUN_ALL = """
import contextlib, io, json, runpy, sys
sys.path.insert(0, sys.argv[1])
told = {}
for directory in sys.argv[1:]:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(f"{directory}/replay.py", run_name="__main__")
    except SystemExit:
        pass
    except Exception as error:
        printed.write(f"{type(error).__name__}: {error}")
    told[directory] = printed.getvalue()
print(json.dumps(told))
"""

#: One of each way in which a text, or a pass, is out of the ordinary.
CHOSEN = (
    "BindTarget",  # its target is told by its output
    "MaterializeKernelLaunch",
    "LayoutInference",  # brings in what texts leave out
    "LowerTileOp",  # needs it
    "LowerSharedBarrier",
    "NarrowDataType",
    "VectorizeLoop",
    "SplitHostDevice",
    "ThreadSync@2",
    "MakePackedAPI",  # variables declared before they are bound
    "Filter@1",  # a predicate
    "Filter@2",
    "codegen/codegen",
)


def extracted(journal: Path, wanted: str, directory: Path) -> Path:
    assert main(["extract", str(journal), wanted, str(directory)]) == 0
    return directory


def run_all(directories: list[Path]) -> list[str]:
    """What the scripts printed."""
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL, *map(str, directories)],
        env=clean_environ(),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    told = json.loads(done.stdout.splitlines()[-1])
    return [told[str(directory)] for directory in directories]


def test_replays_give_what_was_recorded(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN real passes of a GEMM WHEN run alone on their recorded input THEN the output is
    the recorded one; the pass that failed fails again, and one with another output is told."""
    gemm, failing = (recordings[name].ours.journal for name in ("gemm", "failing_pass"))
    directories = [extracted(gemm, wanted, tmp_path / str(at)) for at, wanted in enumerate(CHOSEN)]
    failed = extracted(failing, "@last", tmp_path / "failed")
    assert capsys.readouterr().out.splitlines()[0] == str(tmp_path / "0" / "replay.py")
    other = extracted(gemm, "LowerTileOp", tmp_path / "other")
    text = (other / "expected.tir").read_text()
    (other / "expected.tir").write_text(text.replace("k % 3", "k % 4"))

    *same, again, different = run_all([*directories, failed, other])
    assert dict(zip(CHOSEN, same, strict=True)) == dict.fromkeys(CHOSEN, "the recorded output\n")
    message = load(failing).passes[-1].error_msg
    assert message.splitlines()[0] in again
    assert (failed / "expected_error.txt").read_text() == f"{message}\n"
    assert different == "not the recorded output: see output.tir\n"
    assert (other / "output.tir").read_text() != (other / "expected.tir").read_text()


def test_what_is_written(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The texts byte for byte; nothing is left of a pass that was extracted before."""
    journal = recordings["gemm"].ours.journal
    trace = load(journal)
    extracted(journal, "LowerTileOp", tmp_path)
    assert names_in(tmp_path) == {*REPLAY, "expected.tir", "start.tir"}
    one, maker = passes_named(trace, "LowerTileOp", "LayoutInference")
    assert (tmp_path / "input.tir").read_bytes() == one.before_text.encode()
    assert (tmp_path / "expected.tir").read_bytes() == one.after_text.encode()
    assert (tmp_path / "start.tir").read_bytes() == maker.before_text.encode()
    capsys.readouterr()

    failing = recordings["failing_pass"].ours.journal
    assert main(["extract", str(failing), "@last", str(tmp_path), "--json"]) == 0
    assert names_in(tmp_path) == {*REPLAY, "expected_error.txt"}
    told = json.loads(capsys.readouterr().out)
    assert told["name"] == "LayoutInference" and len(told["files"]) == 4


REPLAY = ("input.tir", "replay.py", "tir_text.py")


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def passes_named(trace: Trace, *names: str) -> list[Pass]:
    return [next(one for one in trace.passes if one.name == name) for name in names]


def test_the_script_is_short_and_says_what_stands_in(
    recordings: dict[str, Recording], tmp_path: Path
) -> None:
    journal = recordings["gemm"].ours.journal
    script = (extracted(journal, "ThreadSync@2", tmp_path / "a") / "replay.py").read_text()
    assert "named('tl.ThreadSync', 'shared.dyn')" in script and "usual ones" in script
    code = [line for line in script.partition('"""\n#')[2].splitlines() if line[:1] not in "#"]
    assert len([line for line in code if line.strip()]) <= 13
    unnamed = (extracted(journal, "0", tmp_path / "b") / "replay.py").read_text()
    assert "without a name of its own" in unnamed


def test_an_input_that_was_not_recorded(tmp_path: Path, capsys) -> None:
    journal = tmp_path / format.JOURNAL_NAME
    writer = JournalWriter(str(journal))
    lost = {"pass": 0, "index": 0, "name": "tl.Simplify", "phase": "p", "before": None}
    writer.append(format.PASS, {**lost, "print_error": "the printer failed"})
    writer.close({})
    assert main(["extract", str(journal), "Simplify", str(tmp_path / "made")]) == 2
    assert capsys.readouterr().err == (
        "lt-render: p/Simplify (0) cannot be extracted: "
        "the input could not be printed: the printer failed.\n"
    )
    assert not (tmp_path / "made").exists()
    assert main(["extract", str(journal), "Nothing", str(tmp_path / "made")]) == 2


#: Names that would end a comment, a docstring or a string, or change the file's encoding.
EVIL = ("\n__import__('os').system('touch hacked')\n", '"""', "'\\\n", "coding: utf-7", "\r\u2028x")


def test_no_name_gets_into_the_script_as_code(tmp_path: Path) -> None:
    """GIVEN hostile names, targets and configs THEN the script's code is that of any other."""
    journal = tmp_path / format.JOURNAL_NAME
    writer = JournalWriter(str(journal))
    hostile = {"script": EVIL[0], "started": 0, "tilelang": EVIL[0], "tvm": '"""\nimport x'}
    writer.append(format.PROCESS, hostile)
    configs = {EVIL[0]: EVIL[2], "deep": [{"'": EVIL[1]}]}
    for number, name in enumerate(EVIL):
        unit = {"unit": number, "name": name, "kernels": [name], "target": name}
        writer.append(format.UNIT, {**unit, "configs": configs})
        target = '"target": T.target({"kind": "' + name.replace("\n", "\\n") + '"})'
        writer.append(format.TEXT, {"text": number, "s": f'{name}\n    def f("{target}'})
        fields = {"unit": number, "index": number, "phase": name, "before": number}
        full_name = ("tirx.BindTarget", "tirx.Filter", "tl.ThreadSync")[number % 3]
        named = name if number == 3 else full_name
        writer.append(format.PASS, {"pass": number, **fields, "name": named})
        writer.append(format.PASS_END, {"pass": number, "status": "ok", "after": number})
    writer.close({})
    for one in load(journal).passes:
        replay.write(one, tmp_path / "made")
        script = (tmp_path / "made" / "replay.py").read_bytes()
        body = ast.parse(script).body
        kinds = [type(node).__name__ for node in body]
        assert kinds == ["Expr", "Import", "ImportFrom", "ImportFrom", *["Assign"] * 3, "With",
                         "Expr", "Assign", "Expr", "Expr"]  # fmt: skip
        called = {node.func.id for node in ast.walk(body[6]) if isinstance(node, ast.Call)
                  and isinstance(node.func, ast.Name)}  # fmt: skip
        assert called <= {"named"} and script.isascii()
        assert b"coding" not in b"".join(script.splitlines()[:2])
