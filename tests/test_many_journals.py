"""Many journals at once: patterns, URLs, the newest of each script, and several processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import KERNELS, Recording

from lt_record import format
from lt_record.journal import JournalWriter
from lt_render.cli import main
from lt_render.errors import RenderError
from lt_render.journals import find_journals, newest_journal
from lt_render.parallel import Died, in_order


def made(path: Path, started: int) -> Path:
    """A journal of nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = JournalWriter(str(path))
    writer.append(format.PROCESS, {"script": "made", "started": started, "pid": started})
    writer.close({})
    return path


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, Path]:
    """Two runs of one script and one of another, in the recorder's layout."""
    places = {
        "old": "a/.run_records/run_20260101_000000_000000_1",
        "new": "a/.run_records/run_20260102_000000_000000_2",
        "other": "b/.run_records/run_20260101_120000_000000_3",
    }
    return {
        name: made(tmp_path / "runs" / place / format.JOURNAL_NAME, started)
        for (name, place), started in zip(places.items(), (1, 3, 2), strict=True)
    }


# --- what a place stands for --------------------------------------------------------------


def test_patterns(runs: dict[str, Path], tmp_path: Path, monkeypatch) -> None:
    """A pattern finds journals and directories, hidden ones too, and passes over the rest."""
    base = tmp_path / "runs"
    (base / "a" / "report.html").write_text("<html>")
    (base / "a" / format.JOURNAL_NAME).symlink_to(runs["new"])
    every = list(runs.values())
    assert sorted(find_journals([f"{base}/**"])) == every
    assert sorted(find_journals([f"{base}/*", base])) == every
    assert find_journals([f"{base}/b/**/*.zst"]) == [runs["other"]]
    renamed = runs["other"].rename(base / "renamed")
    assert find_journals([f"{base}/ren*"]) == [renamed]
    monkeypatch.chdir(base)
    assert [path.resolve() for path in find_journals(["[a]/**"])] == every[:2]
    with pytest.raises(RenderError, match="no journal matches"):
        find_journals([f"{base}/a/*.html"])


def test_a_path_that_looks_like_a_pattern(tmp_path: Path) -> None:
    journal = made(tmp_path / "run[1]" / format.JOURNAL_NAME, 1)
    assert find_journals([tmp_path / "run[1]"]) == [journal]


def test_the_newest_of_each_script(runs: dict[str, Path], tmp_path: Path, capsys) -> None:
    base = tmp_path / "runs"
    assert find_journals([base], latest=True) == [runs["new"], runs["other"]]
    assert newest_journal(base) == newest_journal(f"{base}/**") == runs["new"]
    assert main(["verify", "--latest", str(base)]) == 0
    assert str(runs["old"]) not in capsys.readouterr().out


def test_a_link_that_an_upload_has_followed(runs: dict[str, Path], tmp_path: Path) -> None:
    """GIVEN a copy where the link to the newest run was THEN that run is there once."""
    base = tmp_path / "runs"
    shutil.copy(runs["new"], base / "a" / format.JOURNAL_NAME)
    assert sorted(find_journals([base])) == list(runs.values())
    # Where hidden directories were not uploaded the copy is all there is.
    shutil.rmtree(base / "a" / ".run_records")
    assert find_journals([base / "a"]) == [base / "a" / format.JOURNAL_NAME]


# --- URLs --------------------------------------------------------------------------------


def test_urls(runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file, a directory and a pattern in a zip, and whatever else fsspec knows."""
    fsspec = pytest.importorskip("fsspec")
    shutil.copy(runs["new"], tmp_path / "runs" / "a" / format.JOURNAL_NAME)
    archive = shutil.make_archive(str(tmp_path / "artifact"), "zip", tmp_path, "runs")
    assert main(["verify", f"zip://::{archive}"]) == 0
    shown = capsys.readouterr().out.splitlines()
    places = [runs[name].relative_to(tmp_path) for name in ("old", "new", "other")]
    assert [line.split(": ")[0] for line in shown] == [f"ok      zip://{one}" for one in places]
    assert main(["verify", "--latest", f"zip://runs/a::{archive}"]) == 0
    assert main(["verify", f"zip://runs/*/**/{format.JOURNAL_NAME}::{archive}"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3

    fsspec.filesystem("memory").pipe("/bucket/one.lt.zst", runs["old"].read_bytes())
    url = "memory://bucket/one.lt.zst"
    assert main([url]) == 2 and "-o DIR" in capsys.readouterr().err
    assert main([url, "-o", str(tmp_path / "out")]) == 0
    report = Path(capsys.readouterr().out.strip())
    assert report.is_file() and report.is_relative_to(tmp_path / "out")
    for wrong in ("memory://bucket/two", "zip://::/nowhere.zip", "nonsense://x"):
        assert main(["verify", wrong]) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1 and wrong in told


def test_a_url_without_fsspec(monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert main(["verify", "s3://bucket/runs"]) == 2
    assert capsys.readouterr().err == (
        "lt-render: s3://bucket/runs is a URL: to read it, "
        "pip install 'lower-trace[remote]' (fsspec).\n"
    )


# --- several processes --------------------------------------------------------------------


def files_below(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_in_parallel_as_one_by_one(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN a bad journal among good ones THEN the same is written and said in the same order."""
    bad = tmp_path / "bad.lt.zst"
    bad.write_bytes(b"<html>")
    cut = tmp_path / "cut.lt.zst"
    cut.write_bytes(recordings["gemm"].ours.journal.read_bytes()[:9000])
    names = ("cpu_scale", "gemm", "rms_norm", "failing_pass")
    journals = [str(recordings[name].ours.journal) for name in names]
    told = []
    for jobs in ("1", "2"):
        out = tmp_path / "out"
        arguments = [journals[0], str(bad), str(cut), *journals[1:]]
        assert main([*arguments, "-o", str(out), "-j", jobs]) == 2
        told.append((*capsys.readouterr(), files_below(out)))
        shutil.rmtree(out)
    assert told[0] == told[1]
    out, err, written = told[0]
    assert [line.split("/")[-4] for line in out.splitlines()] == [
        "cpu_scale", "gemm", "gemm", "rms_norm", "failing_pass",
    ]  # fmt: skip
    assert "bad.lt.zst is not a lower-trace journal" in err and "ended early" in err
    assert "cpu_scale/codegen.cpp" in written


def test_the_newest_report_is_linked_whatever_came_first(tmp_path: Path, capsys) -> None:
    places = [f"made/.run_records/run_20260101_000000_{at:06}_{at}" for at in range(8)]
    for at, place in enumerate(places):
        made(tmp_path / place / format.JOURNAL_NAME, at)
    assert main([str(tmp_path), "-j", "4"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(places)
    assert (tmp_path / "made/report.html").resolve().parent == tmp_path / places[-1]


def _work(job: int) -> int:
    """Square a number; refuse 3, and die of 5."""
    if job == 3:
        raise RenderError("three is none of ours.")
    if job == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01 * (7 - job % 7))
    return job * job


def test_a_worker_that_is_killed_stops_no_other_job() -> None:
    found = list(in_order(_work, range(30), 3))
    for job, one in enumerate(found):
        if job == 3:
            assert str(one) == "three is none of ours."
        elif job == 5:
            assert isinstance(one, Died) and "killed" in str(one)
        else:
            assert one == job * job
    assert len(found) == 30


def _hang(job: int) -> int:
    time.sleep(0.01 if job == 0 else 60)
    return job


def test_who_stops_asking_waits_for_nobody() -> None:
    begun = time.monotonic()
    results = in_order(_hang, range(10), 2)
    assert next(results) == 0
    results.close()
    assert time.monotonic() - begun < 30


def test_ctrl_c_ends_all_processes(recordings: dict[str, Recording], tmp_path: Path) -> None:
    journals = [recordings[name].ours.journal for name in KERNELS]
    for at in range(40):
        source = journals[at % len(journals)]
        place = tmp_path / f"run_20260101_000000_{at:06}_{at}"
        place.mkdir()
        shutil.copy(source, place / format.JOURNAL_NAME)
    with subprocess.Popen(
        [sys.executable, "-m", "lt_render", str(tmp_path), "-j", "2", "-o", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline().endswith("report.html\n")
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in told
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
