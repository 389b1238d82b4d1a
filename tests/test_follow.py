"""The live views: the viewer beside a real compile, and ``lt-render follow`` by hand."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from conftest import SCRIPTS, Recording, Run, clean_environ, run_python

from lt_record import format
from lt_record.journal import JournalWriter
from lt_render.cli import main
from lt_render.condition import State
from lt_render.load import load

VIEWED = SCRIPTS / "viewed.py"
COLOUR = "\x1b["


def play(scenario: str, mode: str, trace_dir: Path, **options) -> Run:
    return run_python([VIEWED, scenario], trace_dir, TL_LOWER_TRACE=mode, **options)


def start(scenario: str, mode: str, trace_dir: Path, **options) -> subprocess.Popen:
    """Start a watched program at the head of a process group of its own."""
    trace_dir.parent.mkdir(exist_ok=True)
    environ = clean_environ(TL_LOWER_TRACE=mode, TL_LOWER_TRACE_DIR=str(trace_dir))
    return subprocess.Popen(
        [sys.executable, str(VIEWED), scenario],
        env=environ,
        cwd=trace_dir.parent,
        start_new_session=True,
        **options,
    )


def until(reached: Callable[[], object], seconds: float = 60) -> None:
    """Wait for what must come about."""
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def read_up_to(what: bytes, stream: IO[bytes]) -> None:
    for line in stream:
        if what in line:
            return
    raise AssertionError(f"{what!r} never came")


def processes_about(trace_dir: Path) -> list[int]:
    """Processes, zombies left out, that have the directory in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if str(trace_dir).encode() in command:
            found.append(int(entry.name))
    return found


def run_dir_of(trace_dir: Path) -> Path:
    (journal,) = trace_dir.rglob(f"run_*/{format.JOURNAL_NAME}")
    return journal.parent


def payload_of(report: Path) -> dict:
    """What a report's page is given."""
    (data,) = re.findall(r'id="trace-data">([^<]+)<', report.read_text())
    return json.loads(zlib.decompress(base64.b64decode(data)))


def files_below(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name != format.JOURNAL_NAME
    }


# --- beside a compile -------------------------------------------------------------------


def test_both_shows_in_order_and_leaves_what_the_renderer_leaves(
    trace_dir: Path, tmp_path: Path
) -> None:
    run = play("two_kernels", "both", trace_dir)
    shown = run.stdout
    places = [
        shown.index(what)
        for what in (
            "before the first",
            "── scale for c",
            "pipeline_c/LayoutInference  +",
            "lines of C generated",
            "between the two",
            "── sum_and_difference for cuda",
            "lines of CUDA generated",
            "after the second",
            "2 kernels, ",
        )
    ]
    assert places == sorted(places)
    assert COLOUR not in shown and shown.endswith("journal closed cleanly.\n")
    report = run.journal.parent / "report.html"
    assert f"[lower_trace] report: {report}" in run.ours
    assert "Render it" not in run.stderr and "passes, 2 kernels: " in run.ours[-1]
    assert main([str(run.journal), "-o", str(tmp_path / "by hand")]) == 0
    assert files_below(trace_dir) == files_below(tmp_path / "by hand")
    assert not processes_about(trace_dir)


def test_a_terminal_and_a_killed_viewer(trace_dir: Path) -> None:
    """GIVEN a viewer that is killed WHEN the script compiles on THEN it never notices."""
    ours, theirs = pty.openpty()
    with start(
        "viewer_killed", "terminal", trace_dir, stdout=theirs, stderr=subprocess.PIPE
    ) as script:
        os.close(theirs)
        shown = read_all(ours)
        told = script.stderr.read().decode()
    assert script.returncode == 0, told
    assert f"{COLOUR}32m+{COLOUR}0m" in shown and "no child is left" in shown
    assert shown.count("lines of CUDA generated") == 1
    assert told.count("the live view has ended early") == 1
    (journal,) = trace_dir.rglob(f"run_*/{format.JOURNAL_NAME}")
    trace = load(journal)
    assert trace.condition.state is State.CLEAN and trace.kernel_count == 2
    # Who reads along in a terminal gets no files unasked.
    assert files_below(trace_dir) == {}


def test_a_report_kept_fresh_and_finished_when_the_script_is_killed(trace_dir: Path) -> None:
    with start("hanging", "html", trace_dir, stdout=subprocess.PIPE) as script:
        link = trace_dir / "viewed" / "report.html"

        def state() -> str:
            return payload_of(link)["state"]["message"] if link.exists() else ""

        read_up_to(b"hanging", script.stdout)
        until(lambda: "inside unscoped/Hangs" in state())
        assert state() == "still being recorded; now inside unscoped/Hangs"
        assert not (run_dir_of(trace_dir) / "unscoped").exists()
        script.kill()
    until(lambda: not processes_about(trace_dir))
    assert "the process ended inside unscoped/Hangs" in state()
    hung = payload_of(link)["passes"][-1]
    assert (hung["name"], hung["status"]) == ("Hangs", "unfinished")
    assert [*(run_dir_of(trace_dir) / "unscoped").glob("*_Hangs_before.tir")]
    assert not [*trace_dir.rglob(".lt-render-*")]


def test_ctrl_c_ends_the_script_and_its_viewer(trace_dir: Path) -> None:
    with start(
        "hanging", "both", trace_dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as script:
        read_up_to(b"hanging", script.stdout)
        os.killpg(script.pid, signal.SIGINT)
        shown, told = (output.decode() for output in script.communicate(timeout=60))
    assert script.returncode == 1
    assert "unscoped/Hangs  failed" in shown and "┌─ " in shown
    assert shown.endswith("1 failed; journal closed cleanly.\n")
    assert f"report: {run_dir_of(trace_dir) / 'report.html'}" in told
    assert not processes_about(trace_dir)


def test_a_pipe_that_nobody_reads(trace_dir: Path) -> None:
    with start(
        "never_read", "terminal", trace_dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as script:
        told = script.stderr.readline().decode()
        assert told == "the compile has ended\n"
        script.wait(60)  # nothing has been read so far
        until(lambda: processes_about(trace_dir))
        script.stdout.close()
        told = script.stderr.read().decode()
    assert script.returncode == 0
    assert "the live view makes no progress and goes on by itself" in told
    until(lambda: not processes_about(trace_dir))
    assert "Traceback" not in told and "Broken pipe" not in told


def test_a_notebook_and_a_forked_child(trace_dir: Path) -> None:
    run = play("notebook_and_child", "terminal", trace_dir)
    assert "seen in the notebook: True" in run.stdout
    # The child's viewer is the child's, and prints where the child does.
    child = run.stdout[: run.stdout.index("seen in the notebook")]
    assert "unscoped/Simplify" in child and "CUDA" not in child
    assert len(run.journals) == 2 and not processes_about(trace_dir)
    assert all(load(journal).condition.ended for journal in run.journals)


def test_a_missing_renderer_is_said_once(trace_dir: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "pygit2.py").write_text("raise ImportError('no pygit2 here')\n")
    run = run_python(
        [SCRIPTS / "one_pass.py"], trace_dir, TL_LOWER_TRACE="both", PYTHONPATH=str(broken)
    )
    assert sum("no live view" in line for line in run.ours) == 1
    assert "no pygit2 here" in run.stderr and "Render it: lt-render" in run.ours[-1]
    assert run.trace.condition.state is State.CLEAN and run.trace.pass_count == 1


# --- by hand -----------------------------------------------------------------------------


def read_all(descriptor: int) -> str:
    """What comes out of a pseudo-terminal until its other end is closed."""
    parts = []
    try:
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
    except OSError:
        pass
    os.close(descriptor)
    return b"".join(parts).decode()


def on_terminal(*arguments: str, columns: int = 60, **environ: str) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    inherited = clean_environ()
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        inherited.pop(name, None)
    environ = {**inherited, **environ, "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-m", "lt_render", "follow", *arguments], stdout=theirs, env=environ
    ):
        os.close(theirs)
        return read_all(ours)


def test_a_finished_journal_on_a_terminal_and_in_a_pipe(
    recordings: dict[str, Recording], capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    journal = recordings["failing_pass"].ours.journal
    before = sorted(journal.parent.rglob("*"))
    assert main(["follow", str(journal)]) == 0
    plain = capsys.readouterr().out
    trace = load(journal)
    numbers = re.findall(r"^[○●◆✕] +(\d+) ", plain, re.MULTILINE)
    assert [int(number) for number in numbers] == [one.index for one in trace.passes]
    added = sum(line.startswith("+") for line in plain.splitlines())
    assert added == sum(one.diff.insertions for one in trace.passes)
    message = trace.passes[-1].error_msg.splitlines()[0]
    assert f"│ {message}" in plain and COLOUR not in plain
    assert sorted(journal.parent.rglob("*")) == before

    coloured = on_terminal(str(journal))
    assert f"{COLOUR}31;7m" in coloured or f"{COLOUR}32;7m" in coloured
    rows = [re.sub(r"\x1b\[[\d;]*m", "", row) for row in coloured.splitlines()]
    assert max(map(len, rows)) == 60 and message[:40] in coloured
    assert COLOUR not in on_terminal(str(journal), NO_COLOR="1")

    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["follow", str(journal), "--context", "0"]) == 0
    forced = capsys.readouterr().out
    assert COLOUR in forced and len(forced.splitlines()) < len(plain.splitlines())


def test_a_journal_cut_off_anywhere(
    gemm_journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = gemm_journal.read_bytes()
    cut = tmp_path / "cut.lt.zst"
    for size in (len(data) // 3, len(data) - 1):
        cut.write_bytes(data[:size])
        assert main(["follow", str(cut)]) == 0
        shown = capsys.readouterr().out
        trace = load(cut)
        assert shown.endswith(f"journal {trace.state_message}.\n")
        if trace.in_flight is not None:
            assert f"│ the process ended inside {trace.in_flight.label}" in shown
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 0xFF
    cut.write_bytes(damaged)
    assert main(["follow", str(cut)]) == 3
    shown = capsys.readouterr().out
    assert "damaged inside" in shown and len(re.findall(r"^[○●◆✕] ", shown, re.MULTILINE)) > 10


def test_a_growing_journal(recordings: dict[str, Recording], tmp_path: Path) -> None:
    """GIVEN no journal WHEN it comes piece by piece THEN all of it is shown, once."""
    source = recordings["several_kernels"].ours.journal
    data = source.read_bytes()
    journal = tmp_path / "script" / format.JOURNAL_NAME
    command = [sys.executable, "-m", "lt_render", "follow"]
    whole = subprocess.run([*command, str(source)], capture_output=True, check=True).stdout
    with subprocess.Popen(
        [*command, str(journal)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as follower:
        assert b"waiting for " in follower.stderr.readline()
        shown: list[bytes] = []
        reader = threading.Thread(target=lambda: shown.extend(follower.stdout))
        reader.start()
        journal.parent.mkdir()
        with journal.open("wb", buffering=0) as file:
            half = len(data) // 2
            for start in range(0, half, 97):
                file.write(data[start : min(start + 97, half)])
            # What is whole is shown before the rest is there.
            until(lambda: len(shown) > 100)
            for start in range(half, len(data), 4001):
                file.write(data[start : start + 4001])
                time.sleep(0.01)
        reader.join(60)
    assert follower.returncode == 0 and b"".join(shown) == whole


def test_a_record_that_its_writer_took_back(tmp_path: Path, capsys) -> None:
    """GIVEN a write that failed half-way and was undone THEN what comes later is shown."""
    journal = tmp_path / format.JOURNAL_NAME
    writer = JournalWriter(str(journal))
    write_pass(writer, 0, "First", "x = 1\n", "x = 2\n")
    code: list[int] = []
    follower = threading.Thread(target=lambda: code.append(main(["follow", str(journal)])))
    writing = writer._write

    def half(data: bytes) -> None:
        os.write(writer._fd, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    follower.start()
    time.sleep(0.2)
    writer._write = half  # type: ignore[method-assign]
    writer.append(format.TEXT, {"text": 7, "s": "y" * 3000})
    time.sleep(0.2)
    writer._write = writing  # type: ignore[method-assign]
    write_pass(writer, 1, "Second", "x = 3\n", "x = 4\n")
    writer.close({})
    follower.join(60)
    shown = capsys.readouterr().out
    assert code == [0] and "First" in shown and "Second" in shown and "+x = 4" in shown


def test_nothing_in_a_journal_reaches_the_terminal_as_it_is(tmp_path: Path, capsys) -> None:
    journal = tmp_path / format.JOURNAL_NAME
    writer = JournalWriter(str(journal))
    evil = "\x1b]0;owned\x07\u202e\r"
    writer.append(format.UNIT, {"unit": 0, "name": evil, "kernels": [evil], "target": evil})
    write_pass(writer, 0, evil, f"{evil}\n", f"{evil} more\n")
    fields = {"pass": 1, "unit": 0, "index": 1, "name": evil, "phase": evil, "before": 0}
    writer.append(format.PASS, fields)
    failed = {"status": "failed", "error": evil, "error_type": evil}
    writer.append(format.PASS_END, {"pass": 1, **failed})
    writer.append(format.UNIT_END, {"unit": 0, **failed})
    writer.close({})
    assert main(["follow", str(journal)]) == 0
    shown = capsys.readouterr().out
    assert "owned" in shown and not {"\x1b", "\x07", "\u202e", "\r"} & set(shown)


def test_an_edit_is_shown_against_what_was_generated(tmp_path: Path, capsys) -> None:
    journal = tmp_path / format.JOURNAL_NAME
    writer = JournalWriter(str(journal))
    target = '{"kind": "cuda", "arch": "sm_90a"}'
    writer.append(format.UNIT, {"unit": 0, "name": "k", "kernels": ["k"], "target": target})
    for number, text in enumerate(("module", "a = 1;\nb = 2;\n", "a = 1;\nb = 3;\n")):
        writer.append(format.TEXT, {"text": number, "s": text})
    begun = {"pass": 0, "unit": 0, "name": "target.build.cuda", "target": target, "before": 0}
    writer.append(format.CODEGEN, begun)
    edit = {"tag": "PATCHED", "file": "codegen.cpp", "edit": 2, "injected": True}
    ended = {"pass": 0, "index": 0, "status": "ok", "source": 1, **edit}
    writer.append(format.CODEGEN_END, ended)
    writer.close({})
    assert main(["follow", str(journal)]) == 0
    shown = capsys.readouterr().out
    assert "2 lines of CUDA generated" in shown
    assert "PATCHED: compiled from the edit in codegen.cpp" in shown
    assert "-b = 2;\n+b = 3;\n" in shown


def write_pass(writer: JournalWriter, number: int, name: str, before: str, after: str) -> None:
    """Write a pass of compile 0 with its texts."""
    first = 10 * number
    writer.append(format.TEXT, {"text": first, "s": before})
    fields = {"pass": number, "unit": 0, "index": number, "name": name, "phase": "p"}
    writer.append(format.PASS, {**fields, "before": first})
    writer.append(format.TEXT, {"text": first + 1, "s": after})
    writer.append(format.PASS_END, {"pass": number, "status": "ok", "after": first + 1})
