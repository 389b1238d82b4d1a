"""The index of runs: what it tells of each, and the page in a real browser."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Recording

from lt_record import format
from lt_record.journal import JournalWriter
from lt_render.cli import main
from lt_render.condition import State
from lt_render.load import load

pytest_plugins = ["browser"]

EVIL = "</script><script>document.title='hacked'</script><img src=x onerror=alert(1)>\u202e\x1b"


def index(
    capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> tuple[int, list[dict[str, Any]], str]:
    code = main(["index", "--json", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, [json.loads(line) for line in out.splitlines()], err


def test_runs_are_told_as_the_whole_journal_tells_them(
    recordings: dict[str, Recording], capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN that no text is kept THEN what is told is what the loaded trace tells."""
    journals = [recordings[name].ours.journal for name in recordings]
    code, rows, said = index(capsys, *journals)
    assert (code, said) == (0, "")
    assert [row["started"] for row in rows] == sorted(
        (row["started"] for row in rows), reverse=True
    )
    by_place = {row["journal"]: row for row in rows}
    for journal in journals:
        trace, row = load(journal), by_place[str(journal)]
        assert row["script"] == trace.script
        assert row["kernels"] == [unit.title for unit in trace.units if unit.name is not None]
        assert row["passes"] == trace.pass_count
        assert row["changed"] == sum(one.changed for one in trace.passes if not one.is_codegen)
        assert row["duration"] == trace.end["t"] and row["tilelang"] == trace.process["tilelang"]
        assert row["outcome"] == ("failed" if journal.parts[-4] == "failing_pass" else "done")
    (failed,) = [row for row in rows if row["outcome"] == "failed"]
    assert failed["message"].startswith(
        "failed inside pipeline_cuda/LayoutInference: Layout infer conflict"
    )


def test_runs_that_did_not_end_well(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = recordings["gemm"].ours.journal.read_bytes()
    (tmp_path / "died.lt.zst").write_bytes(data[: len(data) // 2])
    changed = bytearray(data)
    changed[len(data) // 2] ^= 0xFF
    (tmp_path / "damaged.lt.zst").write_bytes(changed)
    (tmp_path / "none.lt.zst").write_bytes(b"")
    code, rows, said = index(capsys, f"{tmp_path}/*.zst")
    outcomes = {Path(row["journal"]).name.split(".")[0]: row for row in rows}
    assert {name: row["outcome"] for name, row in outcomes.items()} == {
        "died": "died", "damaged": "damaged", "none": "unreadable",
    }  # fmt: skip
    assert code == 3 and "none.lt.zst is not a lower-trace journal: it is empty" in said
    for name in ("died", "damaged"):
        trace = load(tmp_path / f"{name}.lt.zst")
        assert trace.condition.state is not State.CLEAN
        assert outcomes[name]["message"] == trace.state_message
        assert 0 < outcomes[name]["passes"] == trace.pass_count
    died = [str(tmp_path / "died.lt.zst")]
    assert index(capsys, *died)[0] == 0 and index(capsys, *died, "--strict")[0] == 3


def test_reports_are_linked_where_they_are(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = recordings["cpu_scale"].ours
    traces, out = tmp_path / "a b" / "traces", tmp_path / "out"
    no_report = shutil.ignore_patterns("report.html")
    shutil.copytree(run.trace_dir, traces, symlinks=True, ignore=no_report)
    _, (row,), _ = index(capsys, traces)
    assert row["report"] is None
    assert main([str(traces), "-o", str(out)]) == main([str(traces)]) == 0
    capsys.readouterr()
    _, (around,), _ = index(capsys, traces)
    _, (below,), _ = index(capsys, traces, "--reports", out)
    assert Path(around["report"]).is_relative_to(traces)
    assert Path(below["report"]).is_relative_to(out) and Path(below["report"]).is_file()

    assert main(["index", str(traces)]) == 0
    assert capsys.readouterr().out == f"{traces / 'index.html'}\n"
    first = (traces / "index.html").read_bytes()
    assert main(["index", str(traces), "-j", "1"]) == 0
    assert (traces / "index.html").read_bytes() == first
    capsys.readouterr()
    assert main(["index", str(run.journal)]) == 2
    assert "-o FILE" in capsys.readouterr().err


@pytest.fixture
def page(browser: Any, recordings: dict[str, Recording], tmp_path: Path, capsys) -> Any:
    """The index of real runs and a hostile one, open in Chromium; complains at the end."""
    traces = tmp_path / "it's #1"
    for name in ("gemm", "rms_norm", "several_kernels", "failing_pass"):
        copied_from = recordings[name].ours.trace_dir
        no_report = shutil.ignore_patterns("report.html")
        shutil.copytree(copied_from, traces / name, symlinks=True, ignore=no_report)
    writer = JournalWriter(str(traces / format.JOURNAL_NAME))
    told = {"script": EVIL, "started": 1 << 63, "host": EVIL, "tilelang": EVIL, "tvm": EVIL}
    writer.append(format.PROCESS, told)
    unit = {"unit": 0, "name": EVIL, "kernels": [EVIL] * 9, "target": EVIL}
    writer.append(format.UNIT, unit)
    writer.append(format.PASS, {"pass": 0, "index": 0, "unit": 0, "name": EVIL, "phase": EVIL})
    assert main([str(traces / "gemm")]) == 0
    assert main(["index", str(traces)]) == 0
    capsys.readouterr()
    opened = browser.new_page()
    troubles: list[str] = []
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("console", lambda message: troubles.append(message.text))
    opened.on("dialog", lambda dialog: troubles.append(dialog.message))
    opened.goto((traces / "index.html").as_uri())
    opened.wait_for_selector("#rows tr")
    yield opened
    opened.close()
    assert troubles == []


def scripts(page: Any) -> list[str]:
    return [text.split("\n")[0] for text in page.locator("#rows td.script").all_inner_texts()]


def test_the_page_sorts_and_filters(page: Any) -> None:
    shown = scripts(page)
    assert len(shown) == 5 and page.inner_text("#foot") == "5 runs"
    # What names itself as the hostile one does is shown as text, and does nothing.
    assert sum("document.title='hacked'</script>" in name for name in shown) == 1
    assert "hacked" not in page.title() and page.locator("img").count() == 0
    assert "U+202E" in page.inner_text("#rows") and "\u202e" not in page.inner_text("#rows")

    page.click("#columns button:text('Changed')")
    counts = page.locator("#rows tr td:nth-child(4)").all_inner_texts()
    numbers = [int(text.split(" ")[0] or 0) for text in counts]
    assert numbers == sorted(numbers, reverse=True)
    page.click("#columns button:text('Changed')")
    assert scripts(page)[-1] == "several_kernels"
    assert page.locator("#columns th[aria-sort=ascending]").inner_text() == "Changed"

    page.keyboard.press("/")
    page.keyboard.type("RMS sm_90a")
    assert sorted(scripts(page)) == ["rms_norm", "several_kernels"]
    assert page.inner_text("#foot") == "2 of 5 runs"
    page.keyboard.press("Escape")
    page.click("#summary [data-outcome=failed]")
    assert scripts(page) == ["failing_pass"]
    assert "LayoutInference" in page.inner_text("#rows")
    page.fill("#search", "gemm nothing")
    assert scripts(page) == [] and page.is_visible("#none")
    page.click("#filter-clear")
    assert len(scripts(page)) == 5
    theme = page.get_attribute("html", "data-theme")
    page.click("#theme-toggle")
    assert page.get_attribute("html", "data-theme") != theme


def test_a_report_opens_from_the_page(page: Any) -> None:
    """GIVEN a directory whose name means something in an address THEN its report opens."""
    (link,) = page.locator("#rows td.script a").all()
    assert link.inner_text() == "gemm"
    link.click()
    page.wait_for_selector("#pass-title")
    assert "gemm" in page.title()
