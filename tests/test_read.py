"""``lt_render.read``: a trace as Python objects."""

from __future__ import annotations

import doctest
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXAMPLES, Recording, clean_environ
from synthetic import FIELDS, Writer, assert_iterates

import lt_render
import lt_render.reading
import lt_render.records
import lt_render.stream
from lt_render import LowerTrace

CORPUS = Path(__file__).parent / "corpus"


@pytest.fixture(scope="module")
def several(recordings: dict[str, Recording]) -> LowerTrace:
    return lt_render.read(recordings["several_kernels"].ours.journal)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.lt.zst"


# --- the whole trace ------------------------------------------------------------


@pytest.mark.parametrize("module", [lt_render, lt_render.reading, lt_render.records])
def test_the_examples_in_the_documentation(
    module: object, gemm_journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(gemm_journal, tmp_path)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(module, extraglobs={"lt_render": lt_render}):
        runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).attempted > 1
    assert not said, "".join(said)


def test_the_example_program(recordings: dict[str, Recording]) -> None:
    def said(name: str, *arguments: str) -> list[str]:
        journal = recordings[name].ours.journal
        command = [sys.executable, str(EXAMPLES / "read_trace.py"), str(journal), *arguments]
        done = subprocess.run(command, env=clean_environ(), capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    lines = said("gemm", "tma_load")
    assert lines[0] == f"gemm: completed, changed by {len(lines) - 4} passes:"
    assert lines[-3:] == [
        "  biggest change: LowerOpaqueBlock",
        "  tma_load: introduced by LowerTileOp",
        "The journal: closed cleanly.",
    ]
    assert "chained_gemm: failed, changed by 2 passes:" in said("failing_pass")


def test_kernels_and_what_changed_them(several: LowerTrace) -> None:
    assert [kernel.name for kernel in several.kernels] == ["gemm", "rms_norm", "sum_and_difference"]
    assert {kernel.status for kernel in several.kernels} == {lt_render.STATUS_COMPLETED}
    assert all("sm_90a" in (kernel.target or "") for kernel in several.kernels)
    by_kernel = [several.changed(kernel) for kernel in several.kernels]
    assert [*by_kernel[0], *by_kernel[1], *by_kernel[2]] == several.changed() and all(by_kernel)
    assert several.changed("rms_norm") == by_kernel[1]
    for kernel, changes in zip(several.kernels, by_kernel, strict=True):
        assert {record.kernel for record in kernel.records} == {kernel.name}
        assert all(record.before_text != record.after_text for record in changes)
        assert all(record.add_lines or record.del_lines for record in changes)
        unchanged = set(kernel.records) - set(changes)
        assert all(
            record.before_text == record.after_text or record.is_codegen for record in unchanged
        )
        assert kernel.record("LowerTileOp") in changes
        assert kernel.record("@last").status == lt_render.STATUS_CODEGEN
    with pytest.raises(KeyError, match="there is no kernel 'norm'; there are: gemm, rms_norm"):
        several.changed("norm")


def test_a_record_says_what_the_built_in_tracer_saved(recordings: dict[str, Recording]) -> None:
    saved = {
        path.name: path.read_text()
        for path in recordings["gemm"].builtin.trace_dir.rglob(".run_records/*/*/*")
        if path.suffix in (".tir", ".cpp")
    }
    trace = lt_render.read(recordings["gemm"].ours.journal)
    assert len(saved) == 2 * len(trace.records)
    for record in trace.records:
        stem = f"{record.index:02d}_{record.name}"
        assert saved[f"{stem}_before.tir"] == record.before_text
        ending = "cpp" if record.is_codegen else "tir"
        assert saved[f"{stem}_after.{ending}"] == record.after_text


def test_a_failed_compile(recordings: dict[str, Recording]) -> None:
    trace = lt_render.read(recordings["failing_pass"].ours.journal)
    last = trace.record("@last")
    assert (last.status, last.changed, last.after_text) == (lt_render.STATUS_FAILED, False, "")
    assert "Layout infer conflict" in last.error_msg and last.before_text
    assert (last.add_lines, last.del_lines) == (0, 0)
    (kernel,) = trace.kernels
    assert kernel.status == lt_render.STATUS_FAILED and kernel.error_msg == last.error_msg
    assert trace.ended_cleanly and trace.in_flight is None


def test_a_process_that_died(gemm_journal: Path, path: Path) -> None:
    whole = lt_render.read(gemm_journal)
    data = gemm_journal.read_bytes()
    dead_inside = 0
    for size in range(len(data) // 2, len(data), len(data) // 20):
        path.write_bytes(data[:size])
        trace = lt_render.read(path)
        assert not trace.ended_cleanly and trace.state is lt_render.State.ENDED_EARLY
        inside = trace.in_flight
        if inside is not None:
            dead_inside += 1
            assert trace.kernels[0].status == lt_render.STATUS_UNFINISHED
            assert inside == trace.record("@last")
            assert (inside.status, inside.duration) == (lt_render.STATUS_UNFINISHED, None)
            assert inside.before_text == whole.record(inside.index).before_text != ""
            assert trace.state_message.endswith(
                f"the process ended inside {inside.phase}/{inside.name}"
            )
    assert dead_inside > 2


def test_nothing_in_a_record_can_be_set(several: LowerTrace) -> None:
    record = several.records[0]
    for name in [*FIELDS, "parent", "unheard_of"]:
        with pytest.raises(AttributeError):
            setattr(record, name, getattr(record, name, 1))
    with pytest.raises(AttributeError):
        several.kernels[0].name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        several.process["script"] = "other"  # type: ignore[index]


def test_a_parent_is_the_record_around(path: Path) -> None:
    trace = lt_render.read(CORPUS / "nested.lt.zst")
    children = [record for record in trace.records if record.parent is not None]
    assert children
    for child in children:
        assert child.parent == trace.record(child.parent.index)
        assert child.parent.depth == child.depth - 1


def test_edited_source(path: Path) -> None:
    writer = Writer(path)
    ir, generated, edited = writer.text("ir"), writer.text("2.0;\n"), writer.text("3.0;\n")
    for number, injected in enumerate((True, False)):
        name = "target.build.tilelang_c"
        begin = {"pass": number, "name": name, "before": ir, "role": "device", "target": "c"}
        writer.append("codegen", begin)
        end = {"pass": number, "status": "ok", "index": number, "source": generated}
        edit = {"tag": "PATCHED", "file": "codegen.cpp", "edit": edited, "injected": injected}
        writer.append("codegen_end", {**end, **edit})
    writer.close({})
    for record, compiled in zip(lt_render.read(path).records, ("3.0;\n", "2.0;\n"), strict=True):
        assert (record.after_text, record.generated_text) == (compiled, "2.0;\n")
        assert (record.edited_text, record.edit_tag) == ("3.0;\n", "PATCHED")
        assert (record.name, record.role, record.target) == ("codegen", "device", "c")
    assert_iterates(path)


# --- naming a pass ----------------------------------------------------------------


def test_names_of_a_pass(several: LowerTrace) -> None:
    simplify = [record.index for record in several.records if record.name == "Simplify"]
    tile_ops = [record.index for record in several.records if record.name == "LowerTileOp"]
    last = several.records[-1].index
    for wanted, index in {
        12: 12,
        "12": 12,
        "012": 12,
        "run2_pipeline_cuda/LowerTileOp": tile_ops[1],
        "run2_pipeline_cuda/tl.LowerTileOp": tile_ops[1],
        "LowerTileOp@1": tile_ops[0],
        "tl.LowerTileOp@3": tile_ops[2],
        "LowerTileOp@last": tile_ops[2],
        "Simplify@2": simplify[1],
        "pipeline_cuda/Simplify@2": simplify[1],
        "run3_pipeline_cuda/LowerTileOp@1": tile_ops[2],
        "@1": 0,
        "@last": last,
        " @last ": last,
    }.items():
        assert several.record(wanted).index == index, wanted


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("LowerTileop@2", "there is no pass 'LowerTileop'; did you mean LowerTileOp?"),
        ("lowertile", "there is no pass 'lowertile'; did you mean LowerTileOp?"),
        ("run2_pipeline/Filter", "did you mean run2_pipeline_cuda/"),
        ("Nonsense", "there is no pass 'Nonsense'."),
        ("", "there is no pass ''."),
        ("252", "there is no pass 252: they go from 0 to 251."),
        (-1, "there is no pass '-1'."),
        ("LowerTileOp@4", "there is no pass LowerTileOp@4: LowerTileOp ran 3 times"),
        ("LowerTileOp@0", "the first is @1."),
        ("@300", "252 passes ran"),
        (
            "LowerTileOp",
            "3 passes are named 'LowerTileOp': pipeline_cuda/LowerTileOp (25), "
            "run2_pipeline_cuda/LowerTileOp (111), run3_pipeline_cuda/LowerTileOp (194); "
            "LowerTileOp@1 is the first, LowerTileOp@last the last.",
        ),
        ("Simplify", " and 25 more; "),
    ],
)
def test_what_names_no_pass_is_one_sentence(
    wanted: int | str, sentence: str, several: LowerTrace
) -> None:
    with pytest.raises(KeyError) as caught:
        several.record(wanted)
    assert isinstance(caught.value, lt_render.RenderError)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_a_name_of_odd_characters_is_found_as_it_is(path: Path) -> None:
    writer = Writer(path)
    for name in ("a@2", "x/y", "7"):
        writer.end(writer.begin(name, writer.text(name)), None)
    writer.close({})
    trace = lt_render.read(path)
    for name in ("a@2", "x/y", "unscoped/x/y", "unscoped/7"):
        assert trace.record(name).before_text == name.removeprefix("unscoped/")


# --- looking for a text ---------------------------------------------------------


def test_who_brought_a_text_in(several: LowerTrace) -> None:
    found = several.find("__global__")
    assert found.introduced_by is not None and found.introduced_by.is_codegen
    assert [record.kernel for record in found] == [kernel.name for kernel in several.kernels]
    in_norm = several.find("rsqrt", several.kernels[1])
    assert in_norm and in_norm.introduced_by is None
    assert in_norm.records[0] == several.kernels[1].records[0]
    assert in_norm.last_seen == several.kernels[1].records[-1]
    lowered = several.find("tma_load", "gemm").introduced_by
    assert lowered == several.kernels[0].record("LowerTileOp")
    nowhere = several.find("no such text")
    assert not nowhere and nowhere.introduced_by is None and nowhere.last_seen is None


def test_the_innermost_pass_brought_it_in(path: Path) -> None:
    writer = Writer(path)
    old, new = writer.text("old"), writer.text("new")
    outer = writer.begin("Sequential", old)
    first = writer.begin("First", old, outer)
    writer.end(first, None)
    inner = writer.begin("Inner", old, outer)
    writer.end(inner, new)
    later = writer.begin("Later", new, outer)
    writer.end(later, old)
    again = writer.begin("Again", old, outer)
    writer.end(again, new)
    writer.end(outer, new)
    writer.close({})
    found = lt_render.read(path).find("new")
    assert found.introduced_by is not None and found.introduced_by.name == "Inner"
    assert [record.name for record in found] == ["Sequential", "Inner", "Later", "Again"]
    assert found.last_seen is not None and found.last_seen.name == "Again"


# --- which journal ---------------------------------------------------------------


def test_a_directory_means_its_newest_journal(gemm_journal: Path, tmp_path: Path) -> None:
    with pytest.raises(lt_render.RenderError, match=r"no journal.lt.zst below"):
        lt_render.read(tmp_path)
    with pytest.raises(lt_render.RenderError, match="does not exist"):
        lt_render.iterate(tmp_path / "none")
    for name in ("newest", "z_older", "bad"):
        (tmp_path / name).mkdir()
    shutil.copy(gemm_journal, tmp_path / "newest")
    older = Writer(tmp_path / "z_older" / "journal.lt.zst")
    older.close({})
    (tmp_path / "bad" / "journal.lt.zst").write_bytes(b"nonsense")
    assert [kernel.name for kernel in lt_render.read(str(tmp_path)).kernels] == ["gemm"]
    assert len(list(lt_render.iterate(tmp_path))) == len(lt_render.read(gemm_journal).records)
    with pytest.raises(lt_render.NotAJournal):
        lt_render.read(tmp_path / "bad")
