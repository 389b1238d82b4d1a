"""Edited source, compiled for real: proved by what the kernel then computes, on the CPU."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import SCRIPTS, Run, run_python
from report_helpers import Open, first

from lt_render.cli import main
from lt_render.load import load
from lt_render.sync import sync

if TYPE_CHECKING:
    from browser import Report

pytest_plugins = ["browser"]

ORIGINAL = "1.0 3.0 5.0"  # 2 x + 1
EDITED = "1.0 4.0 7.0"  # 3 x + 1


class Script:
    """``editing.py``, run again and again over one trace directory and one kernel cache."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.trace_dir = directory / "traces"
        self.files = self.trace_dir / "editing"
        self.codegen = self.files / "codegen.cpp"

    def run(self, *arguments: str, cached: bool = True, **environ: str) -> Run:
        return run_python(
            [SCRIPTS / "editing.py", *arguments],
            self.trace_dir,
            TILELANG_CACHE_DIR=str(self.directory / "cache"),
            TILELANG_DISABLE_CACHE="0" if cached else "1",
            **environ,
        )

    def render(self, run: Run) -> None:
        assert main([str(run.journals[-1])]) == 0

    def names(self) -> list[str]:
        return sorted(path.name for path in self.files.glob("codegen*.cpp"))


def results(run: Run) -> dict[str, str]:
    lines = [line.split() for line in run.stdout.splitlines() if line.startswith("RESULT ")]
    return {" ".join(words[1:-3]): " ".join(words[-3:]) for words in lines}


def edit(path: Path, old: str = "2.0", new: str = "3.0") -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def assert_shows_edit(report: Report) -> None:
    """The codegen shows the edit as a diff, and on request IR and compiled source."""
    one = first(report, "codegen")
    report.goto(f"#{one.index}")
    assert report.page.inner_text("#edit-tag") == "PATCHED from codegen.cpp"
    assert one.edited_text is not None
    changed = [
        (a, b)
        for a, b in zip(one.generated_text.split("\n"), one.edited_text.split("\n"), strict=True)
        if a != b
    ]
    shown = [(a.text, b.text) for a, b in report.pairs() if a.mark or b.mark]
    assert shown == changed and len(shown) == 1
    report.page.keyboard.press("d")
    assert report.lines("a") == one.before_text.split("\n")
    assert report.lines("b") == one.edited_text.split("\n")
    assert "Compiled source" in report.page.inner_text("#pass")
    report.page.keyboard.press("d")
    assert [(a.text, b.text) for a, b in report.pairs() if a.mark] == changed


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


def test_an_edit_is_compiled_with_cold_and_warm_caches_and_undone(
    script: Script, open_report: Open
) -> None:
    run = script.run("one", cached=False)
    assert results(run) == {"scale": ORIGINAL}
    script.render(run)
    edit(script.codegen)
    # As after copying the working copy and its baseline from another machine.
    script.files.joinpath(".codegen.cpp.json").unlink()
    script.codegen.with_suffix(".cpp.latest").unlink()

    run = script.run("one")
    assert results(run) == {"scale": EDITED}
    assert any(f"PATCHED from {script.codegen}" in line for line in run.ours)
    assert not list((script.directory / "cache").rglob("*.so"))
    (codegen,) = [one for one in load(run.journals[-1]).passes if one.is_codegen]
    assert codegen.edit is not None
    assert (codegen.edit.tag, codegen.edit.compiled) == ("PATCHED", True)
    assert codegen.after_text == codegen.edited_text == script.codegen.read_text()
    assert codegen.generated_text == script.codegen.with_suffix(".cpp.original").read_text()
    script.render(run)
    (after,) = run.journals[-1].parent.glob("codegen/*_after.cpp")
    (generated,) = run.journals[-1].parent.glob("codegen/*_generated.cpp")
    assert "3.0" in after.read_text() and "2.0" in generated.read_text()
    assert_shows_edit(open_report(run.journals[-1]))

    assert results(script.run("one", TL_LOWER_TRACE="0")) == {"scale": ORIGINAL}
    assert list((script.directory / "cache").rglob("*.so"))
    run = script.run("one")
    assert results(run) == {"scale": EDITED}
    assert any("lowered afresh" in line for line in run.ours)

    run = script.run("one", "5.0", cached=False)  # another program
    assert results(run) == {"scale": "5.0 7.0 9.0"}
    assert any("CONFLICT" in line and str(script.codegen) in line for line in run.ours)

    edit(script.codegen, "3.0", "2.0")
    assert results(script.run("one")) == {"scale": ORIGINAL}


def test_each_of_three_kernels_has_its_file(script: Script) -> None:
    names = ["codegen.cpp", "codegen.negate.cpp", "codegen.scale.cpp"]
    run = script.run("three", "scale,other,negate", cached=False)
    plain = results(run)
    assert plain == {"scale": ORIGINAL, "other": "7.0 9.0 11.0", "negate": "-0.0 -2.0 -4.0"}
    script.render(run)
    assert script.names() == names
    contents = {name: (script.files / name).read_text() for name in names}
    assert "7.0" in contents["codegen.scale.cpp"] and "7.0" not in contents["codegen.cpp"]

    # In threads, and in another order, an edit still reaches its kernel and no other.
    edit(script.files / "codegen.scale.cpp")
    run = script.run("threads", "negate,other,scale", cached=False)
    assert results(run) == {**plain, "other": "7.0 10.0 13.0"}
    script.render(run)
    assert script.names() == names
    edit(script.files / "codegen.scale.cpp", "3.0", "2.0")
    assert {name: (script.files / name).read_text() for name in names} == contents


def test_threads_give_the_same_names_from_run_to_run(tmp_path: Path) -> None:
    found = []
    for number, order in enumerate(("scale,other,negate", "negate,other,scale")):
        (tmp_path / str(number)).mkdir()
        script = Script(tmp_path / str(number))
        script.render(script.run("threads", order, cached=False))
        found.append({name: (script.files / name).read_text() for name in script.names()})
    assert found[0] == found[1] and len(found[0]) == 3


def test_caches_while_tracing_and_after(script: Script) -> None:
    run = script.run("session", TL_LOWER_TRACE="0")
    assert results(run) == {
        "untraced": "0.5 2.5 4.5",
        "traced": "0.5 2.5 4.5",
        "compiled": ORIGINAL,
        "edited": "0.5 3.5 6.5",
        "compiled beside it": ORIGINAL,
        "compiled edited": EDITED,
        "undone": "0.5 2.5 4.5",
        "edited again": "0.5 4.5 8.5",
        "disabled": "0.5 2.5 4.5",
        "compiled disabled": ORIGINAL,
    }
    tags = [one.edit.tag for one in run.trace.passes if one.is_codegen and one.edit]
    assert tags == ["INIT", "INIT", "PATCHED", "PATCHED", "", "PATCHED"]


def test_whatever_state_the_working_copy_is_in(script: Script) -> None:
    run = script.run("states", cached=False)
    found = results(run)
    compiled = {
        "edited",
        "edited, a byte order mark",
        "edited, CRLF",
        "edited, no newline at the end",
        "edited, not ASCII",
    }
    assert len(found) == 13
    assert {name for name, result in found.items() if result == EDITED} == compiled
    assert {name for name, result in found.items() if result == ORIGINAL} == set(found) - compiled
    codegens = [one for one in run.trace.passes if one.is_codegen]
    edited = [one for one in codegens if one.edit and one.edit.compiled]
    assert edited[1].after_text.startswith("\ufeff")
    assert edited[2].after_text == edited[0].after_text.replace("\n", "\r\n")
    assert edited[3].after_text == edited[0].after_text.rstrip()
    assert edited[4].after_text.endswith("// größer × 中")
    for why in ("is empty", "is not UTF-8", "was deleted", "not a regular file"):
        assert sum(why in line for line in run.ours) == 1, why


def test_host_beside_device_and_a_backend_that_does_not_compile_source(script: Script) -> None:
    run = script.run("host", cached=False)
    script.render(run)
    assert script.names() == ["codegen.cpp", "codegen.host.cpp"]
    assert "__global__" in script.codegen.read_text()
    for name in script.names():
        path = script.files / name
        path.write_text(f"// edited\n{path.read_text()}")
    run = script.run("host", cached=False)
    device, host = [one for one in load(run.journals[-1]).passes if one.is_codegen]
    assert (device.role, host.role) == ("device", "host")
    assert device.edit and device.edit.compiled
    assert host.edit and not host.edit.compiled
    assert host.edited_text and host.edited_text.startswith("// edited")
    assert host.after_text == host.generated_text
    (note,) = [line for line in run.ours if "NOTE" in line]
    assert "codegen.host.cpp" in note and "was not recompiled" in note


def test_another_place(script: Script) -> None:
    place = script.directory / "elsewhere" / "my kernel.cu"
    run = script.run("one", cached=False, TL_LOWER_TRACE_CODEGEN=str(place))
    assert main([str(run.journal), "--codegen-output", str(place)]) == 0
    assert not script.names()
    edit(place)
    run = script.run("one", cached=False, TL_LOWER_TRACE_CODEGEN=str(place))
    assert results(run) == {"scale": EDITED}


def test_processes_on_one_directory_never_mix_sources(script: Script) -> None:
    """Two kernels of one name compile in two processes, over files that change all the time."""
    for addend in ("1.0", "5.0"):
        run = script.run("one", addend, cached=False)
    traces = [load(journal) for journal in run.journals]

    def compile_in_a_loop(addend: str) -> list[str]:
        run = script.run("loop", addend, "5", cached=False)
        return [line for line in run.stdout.splitlines() if line.startswith("RESULT")]

    with ThreadPoolExecutor(2) as pool:
        loops = [pool.submit(compile_in_a_loop, addend) for addend in ("1.0", "5.0")]
        written = 0
        while not all(loop.done() for loop in loops):
            trace = traces[written % 2]
            trace.process["started"] = time.time_ns()
            written += sum(
                done.tag in ("INIT", "REGENERATED") for done in sync(trace, script.codegen)
            )
            time.sleep(0.001)  # the lock is not fair
    assert written > 100
    assert [loop.result() for loop in loops] == [
        [f"RESULT loop {ORIGINAL}"] * 5,
        ["RESULT loop 5.0 7.0 9.0"] * 5,
    ]
