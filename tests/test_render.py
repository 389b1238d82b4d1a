"""``lt-render``: what it writes and where, and what it says when it cannot."""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Recording

from lt_record import format
from lt_record.journal import JournalWriter
from lt_render.cli import main
from lt_render.load import load


def tree(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def page_data(report: Path) -> dict[str, object]:
    (data,) = re.findall(r'id="trace-data">([^<]*)<', report.read_text("utf-8"))
    return dict(json.loads(zlib.decompress(base64.b64decode(data))))


def page_texts(data: dict) -> list[str]:
    """Every text of a page, decoded as its script does."""
    pool = data["lines"].split("\n")
    decoded: list[list[str]] = []
    for base, *rest in data["texts"]:
        if base < 0:
            decoded.append([pool[line] for line in rest])
            continue
        lines: list[str] = []
        position = at = 0
        while at < len(rest):
            old_start, old_count, count = rest[at : at + 3]
            lines += decoded[base][position:old_start]
            lines += [pool[line] for line in rest[at + 3 : at + 3 + count]]
            position = old_start + old_count
            at += 3 + count
        decoded.append(lines + decoded[base][position:])
    return ["\n".join(lines) for lines in decoded]


def test_in_place_around_the_journal(
    recordings: dict[str, Recording], tmp_path: Path, capsys
) -> None:
    # A copy: other tests look at what recording alone leaves behind.
    recorded = recordings["rms_norm"].ours
    run = replace(recorded, trace_dir=tmp_path / "traces")
    shutil.copytree(recorded.trace_dir, run.trace_dir, symlinks=True)
    assert main([str(run.journal)]) == 0
    run_dir = run.journal.parent
    assert capsys.readouterr().out == f"{run_dir / 'report.html'}\n"
    link = run.trace_dir / "rms_norm" / "report.html"
    assert os.readlink(link) == f".run_records/{run_dir.name}/report.html"
    assert (run_dir / "pipeline_cuda" / "03_BindTarget_before.tir").exists()
    assert (run_dir / "codegen" / "82_codegen_after.cpp").read_text().count("__global__") >= 1


def test_below_another_directory_and_by_the_link(
    recordings: dict[str, Recording], tmp_path: Path
) -> None:
    run = recordings["gemm"].ours
    link = run.trace_dir / "gemm" / "journal.lt.zst"
    before = tree(run.trace_dir)
    assert main([str(link), "-o", str(tmp_path)]) == 0
    assert tree(run.trace_dir) == before
    run_dir = tmp_path / "gemm" / ".run_records" / run.journal.parent.name
    assert (tmp_path / "gemm" / "report.html").resolve() == run_dir / "report.html"


def test_a_downloaded_journal_is_rendered_beside_itself(gemm_journal: Path, tmp_path: Path) -> None:
    (tmp_path / "artifact.zst").write_bytes(gemm_journal.read_bytes())
    assert main([str(tmp_path / "artifact.zst")]) == 0
    assert (tmp_path / "gemm" / "report.html").exists()


def test_rendering_twice_gives_the_same_bytes(gemm_journal: Path, tmp_path: Path) -> None:
    for directory in ("one", "two"):
        assert main([str(gemm_journal), "-o", str(tmp_path / directory)]) == 0
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_rendering_again_in_place_replaces(gemm_journal: Path, tmp_path: Path) -> None:
    assert main([str(gemm_journal), "-o", str(tmp_path)]) == 0
    first = tree(tmp_path)
    (phase,) = tmp_path.glob("gemm/.run_records/*/pipeline_cuda")
    (phase / "99_Stale_before.tir").touch()
    assert main([str(gemm_journal), "-o", str(tmp_path)]) == 0
    assert tree(tmp_path) == first


def test_the_report_holds_every_text_exactly(
    recordings: dict[str, Recording], tmp_path: Path
) -> None:
    for name in ("several_kernels", "failing_pass"):
        journal = recordings[name].ours.journal
        assert main([str(journal), "-o", str(tmp_path)]) == 0
        data = page_data(tmp_path / name / "report.html")
        texts = page_texts(data)
        trace = load(journal)
        assert len(data["passes"]) == len(trace.passes)
        assert len(texts) == len(set(texts))
        for shown, one in zip(data["passes"], trace.passes, strict=True):
            assert shown["name"] == one.name and shown["status"] == one.status
            assert texts[shown["before"]] == one.before_text
            if one.after is not None:
                assert texts[shown["after"]] == one.after_text
            counts = (0, 0) if one.is_codegen else (one.diff.insertions, one.diff.deletions)
            assert (shown["add"], shown["del"]) == counts


def test_the_report_needs_nothing_else(gemm_journal: Path, tmp_path: Path) -> None:
    assert main([str(gemm_journal), "-o", str(tmp_path)]) == 0
    page = html.unescape((tmp_path / "gemm" / "report.html").read_text("utf-8"))
    assert "default-src 'none'" in page
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!#|data:)""", page)
    assert "@import" not in page and "url(" not in page.replace("url(data:", "")


def test_a_directory_means_every_journal_below_it(
    recordings: dict[str, Recording], tmp_path: Path, capsys
) -> None:
    for name in ("gemm", "rms_norm"):
        run = recordings[name].ours
        target = tmp_path / "traces" / name
        target.mkdir(parents=True)
        (target / "journal.lt.zst").write_bytes(run.journal.read_bytes())
    assert main([str(tmp_path / "traces"), "-o", str(tmp_path / "out")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["gemm", "rms_norm"]


def test_one_bad_journal_does_not_stop_the_others(
    gemm_journal: Path, tmp_path: Path, capsys
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "journal.lt.zst").write_bytes(b"nonsense")
    (tmp_path / "b" / "journal.lt.zst").write_bytes(gemm_journal.read_bytes())
    assert main([str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert "is not a lower-trace journal" in told.err and "report.html" in told.out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "does not exist"),
        (b"", "it is empty"),
        (gzip.compress(b"x", mtime=0), "it is gzip data"),
        (b"\x28\xb5\x2f\xfd\0\0\0", "it is other Zstandard data"),
        (b"plain text", "it does not begin like one"),
        (
            format._skippable(format._HEADER.pack(format._HEADER_TEXT, 2, 0, bytes(8))),
            "has format version 2.0",
        ),
    ],
)
def test_what_is_no_journal_is_one_sentence(
    content: bytes | None, told: str, tmp_path: Path, capsys
) -> None:
    path = tmp_path / "journal.lt.zst"
    if content is not None:
        path.write_bytes(content)
    assert main([str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line and line.startswith("lt-render: ")


def test_an_empty_directory_is_one_sentence(tmp_path: Path, capsys) -> None:
    assert main([str(tmp_path)]) == 2
    assert "TL_LOWER_TRACE" in capsys.readouterr().err


def test_unknown_kinds_and_fields_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "journal.lt.zst"
    writer = JournalWriter(str(path))
    writer.append("process", {"script": "later", "started": 0, "pid": 1, "mood": "fine"})
    writer.append("weather", {"rain": [1, {"much": True}]})
    writer.append("text", {"text": 0, "s": "module"})
    writer.append("pass", {"pass": 0, "index": 0, "name": "t.New", "before": 0, "colour": "red"})
    writer.append("pass_end", {"pass": 0, "status": "ok", "after": None})
    writer.close({})
    assert main([str(path)]) == 0
    assert (tmp_path / "later" / "report.html").exists()


def test_more_than_99_passes_sort(recordings: dict[str, Recording], tmp_path: Path) -> None:
    assert main([str(recordings["several_kernels"].ours.journal), "-o", str(tmp_path)]) == 0
    names = sorted(path.name for path in tmp_path.rglob("*_before.tir"))
    assert [int(name[:3]) for name in names] == list(range(252))


def test_a_phase_or_pass_name_that_is_no_file_name(tmp_path: Path) -> None:
    path = tmp_path / "in" / "journal.lt.zst"
    path.parent.mkdir()
    writer = JournalWriter(str(path))
    phases = [
        "..",
        "a/b",
        "a_b",
        "A_B",
        "CON",
        "x" * 300,
        "x" * 299 + "y",
        "",
        "/etc",
        "report.html",
    ]
    writer.append("process", {"script": "../../up", "started": 0, "pid": 1})
    writer.append("text", {"text": 0, "s": "module"})
    for number, phase in enumerate(phases):
        name = "../" * 5 + "P" * 300
        fields = {"pass": number, "index": number, "name": name, "phase": phase, "before": 0}
        writer.append("pass", fields)
        writer.append("pass_end", {"pass": number, "status": "ok", "after": None})
    writer.close({})
    out = tmp_path / "out"
    assert main([str(path), "-o", str(out)]) == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in", "out"]
    (run_dir,) = out.glob("*/.run_records/*")
    directories = [entry.name for entry in run_dir.iterdir() if entry.is_dir()]
    assert len(directories) == len({name.casefold() for name in directories}) == len(phases)
    assert len(list(run_dir.glob("*/*_before.tir"))) == len(phases)


def test_a_link_in_the_output_is_not_followed(gemm_journal: Path, tmp_path: Path, capsys) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "gemm").symlink_to(tmp_path / "elsewhere")
    assert main([str(gemm_journal), "-o", str(tmp_path / "out")]) == 2
    assert "is a symbolic link" in capsys.readouterr().err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_closed_pipe_is_no_error(gemm_journal: Path, tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m lt_render '{gemm_journal}' -o '{tmp_path}' | true"
    done = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True
    )
    assert done.stdout == "0\n" and done.stderr == ""
