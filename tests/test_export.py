"""Exports: a timeline whose slices nest, JSON that holds every text once, tables for DuckDB."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Recording

from lt_record import format
from lt_record.journal import JournalWriter
from lt_render.cli import main
from lt_render.load import load
from lt_render.model import Pass, Trace

CORPUS = Path(__file__).parent / "corpus"

#: Passes that grew slower from one TileLang to the next, over all runs; the README's.
SLOWER = """
    SELECT full_name,
           median(duration_us) FILTER (tilelang = 'old') AS old_us,
           median(duration_us) FILTER (tilelang = 'new') AS new_us
    FROM '{0}/*/passes.parquet'
    WHERE status = 'completed'
    GROUP BY full_name
    HAVING new_us > 1.2 * old_us AND new_us - old_us > 100
    ORDER BY new_us - old_us DESC
"""


def slices(timeline: Path) -> list[dict[str, Any]]:
    """The slices of a timeline, which must be whole: none crosses another of its track."""
    events = json.loads(timeline.read_text("utf-8"))["traceEvents"]
    found = [event for event in events if event["ph"] == "X"]
    open_until: dict[tuple[int, int], list[int]] = {}
    for event in sorted(found, key=lambda event: (event["ts"], -event["dur"])):
        around = open_until.setdefault((event["pid"], event["tid"]), [])
        while around and around[-1] <= event["ts"]:
            around.pop()
        end = event["ts"] + event["dur"]
        assert event["dur"] >= 0 and (not around or end <= around[-1]), event
        around.append(end)
    return found


def export(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = main(["export", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_a_timeline_of_several_kernels(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each compile is around its passes, which last as long as they ran, recording apart."""
    journal = recordings["several_kernels"].ours.journal
    trace = load(journal)
    timeline = tmp_path / "made" / "timeline.json"
    assert export(capsys, journal, "-o", timeline) == (0, f"{timeline}\n", "")
    found = slices(timeline)
    compiles = [event for event in found if event["cat"] == "compile"]
    assert {event["name"] for event in compiles} == {unit.title for unit in trace.units}
    passes = {event["args"]["index"]: event for event in found if event["cat"] != "compile"}
    assert sorted(passes) == [one.index for one in trace.passes]
    for one in trace.passes:
        event = passes[one.index]
        assert event["args"]["+"] == (0 if one.is_codegen else one.diff.insertions)
        assert event["args"]["changed"] == one.changed
        assert event["ts"] == one.start
        # Cut short at most by what rounding to microseconds takes.
        assert one.duration is not None and event["dur"] >= one.duration - 5
        if not any(other.parent is one for other in trace.passes):
            assert event["dur"] <= one.duration
        if one.parent is not None:
            parent = passes[one.parent.index]
            assert parent["ts"] <= event["ts"]
            assert event["ts"] + event["dur"] <= parent["ts"] + parent["dur"]


@pytest.mark.parametrize("journal", sorted(CORPUS.glob("*.lt.zst")), ids=lambda path: path.stem)
def test_timelines_of_odd_journals_nest(journal: Path, tmp_path: Path, capsys) -> None:
    """GIVEN a journal cut anywhere THEN its slices nest, and what never ended is there."""
    data = journal.read_bytes()
    cut, timeline = tmp_path / "cut.lt.zst", tmp_path / "timeline.json"
    for size in range(len(data) // 4, len(data) + 1, max(1, len(data) // 12)):
        cut.write_bytes(data[:size])
        code, _, said = export(capsys, cut, "-o", timeline)
        trace = load(cut)
        assert code == 0 and (("ended early" in said) == (not trace.condition.ended))
        found = [event for event in slices(timeline) if event["cat"] != "compile"]
        assert {(event["args"]["index"], event["args"]["status"]) for event in found} == {
            (one.index, one.status) for one in trace.passes
        }


def test_a_timeline_of_hostile_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """GIVEN times and parents that cannot be THEN the timeline can still be read."""
    journal, timeline = tmp_path / format.JOURNAL_NAME, tmp_path / "timeline.json"
    writer = JournalWriter(str(journal))
    writer.append(format.PROCESS, {"script": "odd", "started": -5, "pid": "</script>"})
    times = [1 << 63, -7, 50, 40, 60, 0]
    for number, begun in enumerate(times):
        around = {"parent": number - 1, "depth": number} if number else {}
        fields = {"pass": number, "index": number, "name": "\x1b]0;x\x07", "phase": "p", "t": begun}
        writer.append(format.PASS, {**fields, **around})
    for number in reversed(range(len(times))):
        ended = {"pass": number, "status": "ok", "duration": -1 if number % 2 else 1 << 62}
        writer.append(format.PASS_END, {**ended, "cost": -(1 << 40)})
    writer.close({})
    assert export(capsys, journal, "-o", timeline)[0] == 0
    assert len(slices(timeline)) == len(times)


def test_a_timeline_of_very_deep_nesting(tmp_path: Path, capsys) -> None:
    journal, timeline = tmp_path / format.JOURNAL_NAME, tmp_path / "timeline.json"
    writer = JournalWriter(str(journal))
    for number in range(3000):
        around = {"parent": number - 1 if number else None, "depth": number}
        fields = {"pass": number, "index": number, "name": "a", "phase": "p", "t": number}
        writer.append(format.PASS, {**fields, **around})
    writer.close({})
    assert export(capsys, journal, "-o", timeline)[0] == 0
    assert len(slices(timeline)) == 3000


def test_json_holds_each_text_once(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN a journal twice THEN its passes are told twice, and its texts once."""
    journal = recordings["failing_pass"].ours.journal
    again = tmp_path / "again.lt.zst"
    again.write_bytes(journal.read_bytes())
    code, out, said = export(capsys, journal, again, "--json")
    assert (code, said) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    trace = load(journal)
    texts = {line["id"]: line["content"] for line in lines if line["kind"] == "text"}
    passes = [line for line in lines if line["kind"] == "pass"]
    journals = [line for line in lines if line["kind"] == "journal"]
    assert sum(line["kind"] == "text" for line in lines) == len(texts)
    assert [one["place"] for one in journals] == [str(journal), str(again)]
    assert len(passes) == 2 * len(trace.passes)
    for line, one in zip(passes, trace.passes * 2, strict=True):
        assert_tells(line, one, texts)
    assert passes[len(trace.passes) - 1]["error"] == trace.passes[-1].error_msg
    for name, content in texts.items():
        assert hashlib.sha256(content.encode()).hexdigest() == name

    _, without, _ = export(capsys, journal, "--json", "--no-texts")
    assert [json.loads(line)["kind"] for line in without.splitlines()] == [
        "journal",
        *["pass"] * len(trace.passes),
    ]


def assert_tells(line: dict[str, Any], one: Pass, texts: dict[str, str]) -> None:
    assert (line["index"], line["full_name"], line["status"]) == (
        one.index,
        one.full_name,
        one.status,
    )
    for name, number in (("before", one.before), ("after", one.after)):
        told = None if line[name] is None else texts[line[name]]
        assert told == (None if number is None else one.trace.text(number))


def test_redacted_exports(recordings: dict[str, Recording], capsys) -> None:
    journal = recordings["cpu_scale"].ours.journal
    host = load(journal).process["host"]
    _, plain, _ = export(capsys, journal, "--json", "--no-texts")
    _, redacted, _ = export(capsys, journal, "--json", "--no-texts", "--redact")
    assert json.loads(plain.splitlines()[0])["host"] == host
    assert json.loads(redacted.splitlines()[0])["host"] is None


def test_parquet_needs_a_directory_and_pyarrow(gemm_journal: Path, tmp_path: Path, capsys) -> None:
    code, _, said = export(capsys, gemm_journal, "--format", "parquet")
    assert code == 2 and "-o DIR" in said
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow", None)
        code, _, said = export(capsys, gemm_journal, "--format", "parquet", "-o", tmp_path / "t")
    assert code == 2 and "pip install 'lower-trace[parquet]'" in said
    assert not [*tmp_path.rglob("*.parquet")]


def test_tables_for_duckdb(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN two fleets, one with a slower pass WHEN asked in SQL THEN that pass comes first."""
    duckdb = pytest.importorskip("duckdb")
    names = ("gemm", "rms_norm")
    traces = [load(recordings[name].ours.journal) for name in names]
    for version, slow in (("old", 0), ("new", 90_000)):
        for trace in traces:
            forge(tmp_path / version / f"{trace.script}.lt.zst", trace, version, slow)
        found = tmp_path / version / "*.zst"
        tables = tmp_path / "tables" / version
        code, out, said = export(capsys, found, "--format", "parquet", "-o", tables)
        assert (code, said) == (0, "")
        assert out == f"{tables / 'passes.parquet'}\n{tables / 'texts.parquet'}\n"
    slower = duckdb.sql(SLOWER.format(tmp_path / "tables")).fetchall()
    (name, old, new), *rest = slower
    assert name == "tl.LowerTileOp" and new - old >= 90_000 and not rest

    whole = f"'{tmp_path}/tables/*/passes.parquet'"
    count, journals = duckdb.sql(
        f"SELECT count(*), count(DISTINCT journal) FROM {whole}"
    ).fetchall()[0]
    assert (count, journals) == (2 * sum(len(trace.passes) for trace in traces), 4)
    # Both tables of texts hold the same ones: together each is there once.
    texts = {text for trace in traces for text in texts_of(trace)}
    found = duckdb.sql(
        f"SELECT DISTINCT content, text FROM '{tmp_path}/tables/*/texts.parquet'"
    ).fetchall()
    assert {content for content, _ in found} == texts and len(found) == len(texts)
    before = duckdb.sql(
        f"SELECT content FROM {whole} JOIN '{tmp_path}/tables/new/texts.parquet' "
        "ON before = text WHERE script = 'gemm' AND tilelang = 'new' AND index = 25"
    ).fetchall()[0]
    assert before == (traces[0].passes[25].before_text,)


def texts_of(trace: Trace) -> set[str]:
    numbers = {
        number for one in trace.passes for number in (one.before, one.after) if number is not None
    }
    return {trace.text(number) for number in numbers}


def forge(path: Path, trace: Trace, version: str, slow: int) -> None:
    """Write a trace anew, as of another release in which LowerTileOp is slower."""
    path.parent.mkdir(exist_ok=True)
    writer = JournalWriter(str(path))
    writer.append(format.PROCESS, {**trace.process, "tilelang": version})
    for unit in trace.units:
        told = {"name": unit.name, "kernels": list(unit.kernels), "target": unit.target}
        writer.append(format.UNIT, {"unit": unit.number, **told})
    for number, text in trace.texts.items():
        writer.append(format.TEXT, {"text": number, "s": text})
    for one in trace.passes:
        place = {"pass": one.number, "unit": one.unit.number, "before": one.before}
        kind = format.CODEGEN if one.is_codegen else format.PASS
        writer.append(
            kind, {**place, "index": one.index, "name": one.full_name, "phase": one.phase}
        )
        spent = (one.duration or 0) + (slow if one.name == "LowerTileOp" else 0)
        after = "source" if one.is_codegen else "after"
        ended = {"pass": one.number, "status": "ok", "duration": spent, after: one.after}
        writer.append(f"{kind}_end", {**ended, "index": one.index})
    writer.close({})


def test_one_bad_journal_stops_no_other(gemm_journal: Path, tmp_path: Path, capsys) -> None:
    bad = tmp_path / "bad.lt.zst"
    bad.write_bytes(b"{}")
    code, out, said = export(capsys, bad, gemm_journal, "--json", "--no-texts", "-j", "2")
    assert code == 2 and "bad.lt.zst is not a lower-trace journal: it is JSON" in said
    assert len(out.splitlines()) == 1 + len(load(gemm_journal).passes)
