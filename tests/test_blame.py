"""``lt-render blame``: which pass a line is from, and what a generated line may be from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Recording
from report_scripts import Call
from synthetic import Writer

from lt_render.blame import Blame
from lt_render.cli import main
from lt_render.lineage import Lineage
from lt_render.load import load
from lt_render.model import Pass, Trace
from lt_render.origins import guess_origins
from lt_render.outputs import html_report
from lt_render.texts import AFTER, BEFORE

pytest_plugins = ["browser", "report_scripts"]

Capture = pytest.CaptureFixture[str]

#: Lines of generated sources, and the statements that they are from.
ORIGINS = {
    "gemm": [
        ("void* A_tile =", "A_tile: T.handle("),
        ("float acc[128]", "acc = T.alloc_buffer((128,)"),
        ("mbarrier[4].init(128);", "T.ptx_init_barrier_thread_count(mbarrier_1[4], 128)"),
        ("__syncthreads();", "T.tvm_storage_sync("),
        ("(int)threadIdx.x) < 128", "if tx < 128:"),
        ("warpgroup_reg_alloc<240>", "T.set_max_nreg(240, 1)"),
        ("tma_load(A_desc", "T.tma_load(A_desc"),
        ("tma_load(B_desc", "T.tma_load(B_desc"),
        ("for (int ki = 0", "for ki in T.unroll(2):"),
        ("tl::wgmma_ss<", "T.ptx_wgmma_ss("),
        ("__float22half2_rn", "C_local_cast[0:2] = T.Cast("),
        ("*(uint1*)(C + ", "C_1["),
    ],
    "flash_attention": [
        ("row_max_clear[i_3] = -CUDART_INF_F", 'row_max_clear[i] = T.float32("-inf")'),
        (
            "run(block_sum[i_5]);",
            'block_sum_1[i] = T.call_extern("float32", "tl::AllReduce<tl::SumOp',
        ),
        ("__2.x = (__3.x*v__2.x);", "scores_1[i * 2:i * 2 + 2] = T.call_pure_extern("),
        ("*(float2*)(row_sum + 0) = __7;", "row_sum_1[0:2] = row_sum_1[0:2] * old_max_1[0:2]"),
        ("tl::wgmma_rs<", "T.ptx_wgmma_rs("),
        ("condval = scores[i_2];", "scores_1[i] = T.if_then_else("),
    ],
    "several_kernels": [
        ("v__3 = *(float4*)(B +", "Diff_1["),
        ("__2.w = (v__2.w-v__3.w);", "Diff_1["),
    ],
    "cpu_scale": [
        ("for (int32_t i = 0", "for bx, i in T.grid(4, 256):"),
        ("2.000000e+00f", "B_1[bx * 256 + i] = A_1["),
        ("return 0;", "return 0"),
    ],
}


@pytest.fixture(scope="module")
def traces(recordings: dict[str, Recording]) -> dict[str, Trace]:
    names = (*ORIGINS, "dequant_gemm")
    return {name: load(recordings[name].ours.journal) for name in names}


def codegen_of(trace: Trace) -> Pass:
    return [one for one in trace.passes if one.is_codegen][-1]


# --- through the passes -----------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["gemm", "several_kernels"])
def test_it_tells_what_the_report_tells(kernel: str, traces: dict[str, Trace], call: Call) -> None:
    """GIVEN every line of a final IR and some texts before it THEN both have one history."""
    trace = traces[kernel]
    last = codegen_of(trace)
    of_unit = [one for one in trace.passes if one.unit is last.unit]
    asked = [(last, BEFORE), *[(one, AFTER) for one in of_unit if one.changed][:-1:12]]
    cases = [
        [trace.passes.index(one), "a" if side == BEFORE else "b", line]
        for one, side in asked
        for line in range(len((one.before_text if side == BEFORE else one.after_text).split("\n")))
    ]
    ((theirs,),) = [
        call(
            """([data, unit, cases]) => {
              const lineage = new Lineage(new Trace(data), unit);
              return cases.map((of) => lineage.history(...of).versions
                .slice(0, lineage.history(...of).at + 1)
                .map(({ how, position, culprit }) => [how, culprit ?? position]));
            }""",
            [[html_report.payload(trace), trace.units.index(last.unit), cases]],
        )
    ]
    lineage = Lineage(of_unit, exact=True)
    for (position, side, line), told in zip(cases, theirs, strict=True):
        one = trace.passes[position]
        ours = [
            [version.how, "between" if version.between else trace.passes.index(version.one)]
            for version in lineage.versions(one, BEFORE if side == "a" else AFTER, line)
        ]
        assert ours[::-1] == told, (one, side, line)
    assert {version[0] for told in theirs for version in told} == {"start", "brought", "rewritten"}


def test_indentation_alone_is_not_to_blame(traces: dict[str, Trace]) -> None:
    """GIVEN passes that move lines sideways THEN who wrote the words of a line is blamed."""
    trace = traces["flash_attention"]
    last = codegen_of(trace)
    blamed = list(Blame(trace.passes).lines(last, BEFORE))
    assert [line.text for line in blamed] == last.before_text.split("\n")
    for line in blamed:
        if line.how == "start":
            continue
        bare = [text.strip() for text in line.one.before_text.split("\n")]
        made = [text.strip() for text in line.one.after_text.split("\n")]
        if not line.between and line.text.strip() not in bare:
            assert made.count(line.text.strip())
    indenter = next(one for one in trace.passes if one.name == "LowerOpaqueBlock")
    by = {
        exact: sum(
            line.one is indenter for line in Blame(trace.passes, exact=exact).lines(last, BEFORE)
        )
        for exact in (False, True)
    }
    assert by[False] < by[True] / 2


def test_the_origin_is_what_a_line_was_first(
    gemm_journal: Path, traces: dict[str, Trace], capsys: Capture
) -> None:
    """GIVEN a tma_copy that became a tma_load THEN both are told, each when asked for."""
    last = codegen_of(traces["gemm"])

    def blamed(*options: str) -> str:
        assert main(["blame", str(gemm_journal), f"{last.index}:in", "--json", *options]) == 0
        lines = map(json.loads, capsys.readouterr().out.splitlines())
        (line,) = [line for line in lines if "T.tma_load(A_desc" in line["text"]]
        return f"{line['name']} {line['how']}"

    assert blamed() == "LowerIntrin rewritten"
    assert blamed("--origin") == "ProducerConsumerWarpSpecialized brought"


def test_a_text_is_printed_with_its_passes(
    traces: dict[str, Trace], gemm_journal: Path, capsys: Capture
) -> None:
    one = next(one for one in traces["gemm"].passes if one.name == "LowerTileOp")
    assert main(["blame", str(gemm_journal), "LowerTileOp"]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = [re.fullmatch(r"([ ^~]) +(\d+) (\w+) +(\d+)\) (.*)", line) for line in lines]
    assert [line[5] for line in found if line] == one.after_text.split("\n")
    assert [int(line[4]) for line in found if line] == list(range(1, len(lines) + 1))
    names = {other.index: other.name for other in traces["gemm"].passes}
    assert all(
        names[int(line[2])] == line[3] and int(line[2]) <= one.index for line in found if line
    )
    (marked,) = [line for line in lines if "prim_func" in line]
    assert marked.startswith("^   0 ")
    assert main(["blame", str(gemm_journal), "LowerTileOp:in"]) == 0
    before = capsys.readouterr().out.splitlines()
    assert len(before) == len(one.before_text.split("\n")) and f" {one.index} " not in "".join(
        line[:10] for line in before
    )


# --- through codegen --------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ORIGINS)
def test_a_generated_line_is_guessed_to_be_from_its_statement(
    kernel: str, traces: dict[str, Trace]
) -> None:
    one = codegen_of(traces[kernel])
    source, ir = one.after_text.split("\n"), one.before_text.split("\n")
    origins = guess_origins(one.after_text, one.before_text)
    for generated, statement in ORIGINS[kernel]:
        guessed = {
            "" if at is None else ir[at].strip()
            for line, at in zip(source, origins, strict=True)
            if generated in line
        }
        assert len(guessed) == 1 and guessed.pop().startswith(statement), generated


@pytest.mark.parametrize("kernel", ["gemm", "flash_attention", "dequant_gemm"])
def test_guesses_are_many_and_in_order(kernel: str, traces: dict[str, Trace]) -> None:
    """GIVEN a real source THEN most of its statements have an origin, headers and braces none."""
    one = codegen_of(traces[kernel])
    origins = guess_origins(one.after_text, one.before_text)
    found = [at for at in origins if at is not None]
    assert found == sorted(found)
    lines = list(zip(one.after_text.split("\n"), origins, strict=True))
    body = [at for line, at in lines if line.startswith("  ") and re.search(r"\w", line)]
    assert sum(at is not None for at in body) > 0.9 * len(body)
    for line, at in lines:
        if line.startswith("#") or not re.search(r"\w", line):
            assert at is None, line


def test_nothing_is_said_rather_than_nonsense(traces: dict[str, Trace]) -> None:
    source = codegen_of(traces["flash_attention"]).after_text
    ir = (
        'class Module:\n    def other(x: T.handle):\n        T.evaluate(T.call_extern("void", "g"))'
    )
    assert not any(at is not None for at in guess_origins(source, ir))
    assert guess_origins("", "") == [None]
    assert guess_origins("int a = 1;", "") == [None]


def test_the_end_of_all_is_blamed_by_default(
    traces: dict[str, Trace], gemm_journal: Path, capsys: Capture
) -> None:
    one = codegen_of(traces["gemm"])
    assert main(["blame", str(gemm_journal), "--short"]) == 0
    lines = capsys.readouterr().out.splitlines()
    source = one.after_text.removesuffix("\n").split("\n")
    assert [line.split(") ", 1)[1] if ") " in line else "" for line in lines][:3] == source[:3]
    assert len(lines) == len(source)
    marked = {line.split(") ", 1)[1]: line[:26] for line in lines if "init(1" in line}
    assert all(re.match(r"\? +38 LowerSharedBarrier", mark) for mark in marked.values())
    assert main(["blame", str(gemm_journal)]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"mbarrier\[0\]\.init\(1\);\n +<- T\.ptx_init_barrier_thread_count", shown)
    assert main(["blame", str(gemm_journal), "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    ir = one.before_text.split("\n")
    for line in told:
        if line["guess"] is not None:
            assert ir[line["guess"]["line"] - 1].strip() == line["guess"]["text"]
        else:
            assert (line["how"], line["name"]) == ("generated", "codegen")


def test_where_there_is_nothing_to_blame(
    recordings: dict[str, Recording], tmp_path: Path, capsys: Capture
) -> None:
    journal = recordings["failing_pass"].ours.journal
    (failed,) = [one for one in load(journal).passes if one.failed]
    assert main(["blame", str(journal), str(failed.index)]) == 2
    assert "has no output: it failed" in capsys.readouterr().err
    assert main(["blame", str(journal), f"{failed.index}:in"]) == 0
    assert main(["blame", str(journal)]) == 0
    shown = capsys.readouterr().out
    writer = Writer(tmp_path / "journal.lt.zst")
    writer.close({})
    assert shown and main(["blame", str(tmp_path)]) == 2
    assert "no pass with an output" in capsys.readouterr().err
