"""``lt-render compare`` with two journals: real kernels, and what was changed about them."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import SCRIPTS, Recording, run_python

from lt_render.cli import main
from lt_render.load import load

SAME, DIVERGES, FOLLOWS, CONVERGES = "same", "diverges", "follows", "converges"


@pytest.fixture(scope="module")
def several(recordings: dict[str, Recording]) -> Path:
    return recordings["several_kernels"].ours.journal


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same kernels with other passes, and other kernels with the same ones."""
    base = tmp_path_factory.mktemp("compared")

    def record(what: str) -> Path:
        return run_python([SCRIPTS / "compared.py", what], base / what).journal

    kinds = ("passes", "kernels")
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(kinds, pool.map(record, kinds), strict=True))


def compare(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main(["compare", *map(str, arguments)])
    return code, capsys.readouterr().out


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """What ``--json`` tells of each kernel, by its label."""
    code, out = compare(capsys, "--json", *arguments)
    (line,) = out.splitlines()
    found = json.loads(line)
    assert code == (0 if found["same"] else 1)
    return {kernel["label"]: kernel for kernel in found["kernels"]}


def first(kernel: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and sides of what began the difference."""
    return [
        (
            (row["b"] or row["a"])["name"],
            "AB" if row["a"] and row["b"] else "A" if row["a"] else "B",
        )
        for row in kernel["first"]
    ]


def states(kernel: dict[str, Any]) -> list[str]:
    return [row["state"] for row in kernel["passes"]]


def cut(journal: Path, to: Path, share: float) -> Path:
    """The journal as a process leaves it that is killed on the way."""
    data = journal.read_bytes()
    to.write_bytes(data[: int(len(data) * share)])
    return to


# --- the same ----------------------------------------------------------------------------


def test_a_journal_is_the_same_as_itself(several: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = compare(capsys, several, several)
    assert code == 0
    assert "3 kernels, all the same." in out and "≠" not in out


def test_a_second_run_is_the_same(
    gemm_journal: Path, several: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other kernels around it, other numbers and another process: the same all the same."""
    (rms,) = [one for one in told(capsys, several, several).values() if one["label"] == "rms_norm"]
    assert set(states(rms)) == {SAME}
    kernel = told(capsys, several, gemm_journal, "--kernel", "gemm")["gemm"]
    assert not kernel["same"]  # another size
    assert kernel["given_same"] is False and first(kernel) == []


def test_what_one_kernel_is_in_a_journal_of_many(
    several: Path, recordings: dict[str, Recording], capsys: pytest.CaptureFixture[str]
) -> None:
    kernels = told(capsys, several, recordings["rms_norm"].ours.journal)
    assert kernels["gemm"]["b"] is None and kernels["sum_and_difference"]["b"] is None
    assert kernels["rms_norm"]["a"] and kernels["rms_norm"]["b"]


# --- what differs --------------------------------------------------------------------------


def test_the_first_pass_that_differs_is_named(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN a switch that takes a pass out THEN that pass is it, and the rest follows from it."""
    kernel = told(capsys, several, changed["passes"])["gemm"]
    assert first(kernel) == [("ProducerConsumerWarpSpecialized", "A")]
    assert kernel["given_same"] is True and kernel["code_same"] is False
    at = states(kernel).index(DIVERGES)
    assert set(states(kernel)[:at]) == {SAME, "harmless"}
    assert FOLLOWS in states(kernel)[at:]
    config = [remark for remark in kernel["remarks"] if "tl.disable_warp_specialized" in remark]
    assert config and "not set →" in config[0]


def test_added_passes_are_named_and_what_they_did_is_shown(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (several, changed["passes"], "--kernel", "rms_norm")
    kernel = told(capsys, *arguments)["rms_norm"]
    assert first(kernel) == [("MarkFunctions", "B")]
    alone = [row["b"]["name"] for row in kernel["passes"] if row["a"] is None]
    assert alone == ["MarkFunctions", "LookAround"]
    assert all(row["b"] for row in kernel["passes"])
    # The mark is left behind with the host's function.
    assert kernel["code_same"] is True and CONVERGES in states(kernel)
    _, out = compare(capsys, *arguments)
    added = [line for line in out.splitlines() if line.startswith("+") and '"marked": 1' in line]
    assert added, out


def test_an_unchanged_kernel_beside_changed_ones_is_the_same(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = compare(capsys, several, changed["passes"])
    assert code == 1
    assert "3 kernels, 2 different." in out
    assert out.splitlines()[out.splitlines().index("sum_and_difference") - 1].startswith(
        "── 1 kernel the same"
    )


def test_another_kernel_is_told_from_another_lowering(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN a stage more THEN no pass is to blame, and the diff is of the kernel itself."""
    arguments = (several, changed["kernels"], "--kernel", "gemm")
    kernel = told(capsys, *arguments)["gemm"]
    assert kernel["given_same"] is False and kernel["first"] == []
    _, out = compare(capsys, *arguments)
    assert "the kernel differs before the first pass" in out
    changes = [line for line in out.splitlines() if '"num_stages":' in line]
    assert [line[0] for line in changes] == ["-", "+"]


def test_another_target_is_named_and_leads_to_its_pass(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = told(capsys, several, changed["kernels"])["rms_norm"]
    assert first(kernel) == [("BindTarget", "AB")]
    assert "target: cuda sm_90a → cuda sm_80" in kernel["remarks"]


def test_a_kernel_under_another_name_is_found_by_what_it_holds(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = told(capsys, several, changed["kernels"])["sum_and_difference"]
    assert kernel["b"]["name"] == "added_and_taken"
    assert all(row["a"] and row["b"] for row in kernel["passes"])


def test_the_diff_is_of_the_two_outputs(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Every line that is shown as B's is in B's output, and not in A's."""
    arguments = (several, changed["kernels"], "--kernel", "rms_norm")
    (row,) = told(capsys, *arguments)["rms_norm"]["first"]
    outputs = [
        {one.index: one.after_text.split("\n") for one in load(journal).passes}[row[side]["index"]]
        for side, journal in (("a", several), ("b", changed["kernels"]))
    ]
    _, out = compare(capsys, *arguments)
    for sign, ours, theirs in (("-", outputs[0], outputs[1]), ("+", outputs[1], outputs[0])):
        lines = [line[1:] for line in out.splitlines() if line.startswith(f"{sign} ")]
        lines = [line for line in lines if line.startswith("        T.func_attr")]
        assert lines and all(line in ours and line not in theirs for line in lines)


def test_only_the_generated_code_counts_if_that_is_asked(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (several, changed["passes"], "--kernel", "rms_norm")
    assert compare(capsys, *arguments)[0] == 1
    assert compare(capsys, *arguments, "--only-code")[0] == 0
    assert compare(capsys, several, changed["passes"], "--only-code")[0] == 1  # the GEMM's


def test_a_failure_is_the_difference(
    recordings: dict[str, Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN one that fails and one that is killed before it does THEN both are told of."""
    failing = recordings["failing_pass"].ours.journal
    (kernel,) = told(capsys, failing, failing).values()
    assert kernel["same"] and states(kernel)[-1] == SAME  # the same failure is none
    killed = cut(failing, tmp_path / "killed.lt.zst", 0.9)
    assert load(killed).in_flight is not None
    (kernel,) = told(capsys, killed, failing).values()
    assert first(kernel) == [("LayoutInference", "AB")]
    assert any("the process of A ended inside LayoutInference" in one for one in kernel["remarks"])


# --- journals that are not whole ------------------------------------------------------------


def test_a_crashed_journal_is_compared_as_far_as_it_goes(
    gemm_journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killed = cut(gemm_journal, tmp_path / "killed.lt.zst", 0.6)
    there = len(load(killed).passes)
    assert main(["compare", str(gemm_journal), str(killed), "--json"]) == 1
    printed = capsys.readouterr()
    (kernel,) = json.loads(printed.out)["kernels"]
    assert "ended early" in printed.err
    reached = [row for row in kernel["passes"] if row["b"]]
    assert len(reached) == there and {row["state"] for row in reached[:-1]} == {SAME}
    assert {row["state"] for row in kernel["passes"][there:]} == {"unreached"}
    assert compare(capsys, killed, killed)[0] == 0
    assert compare(capsys, killed, killed, "--strict")[0] == 3


def test_a_damaged_journal_makes_no_differences_of_what_it_lost(
    gemm_journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(gemm_journal.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 10] = b"\xff" * 10
    damaged = tmp_path / "damaged.lt.zst"
    damaged.write_bytes(data)
    code, out = compare(capsys, gemm_journal, damaged, "--json")
    (kernel,) = json.loads(out)["kernels"]
    assert code == 3
    assert "unknown" in states(kernel) and DIVERGES not in states(kernel)
    assert "the journal of B is damaged: passes may be lost" in kernel["remarks"]


# --- arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{}"], "compare takes two journals"),
        (["{}", "{}", "{}"], "compare --baseline DIR"),
        (["{}", "/nowhere"], "/nowhere does not exist."),
        (["{}", __file__], "is not a lower-trace journal"),
        (["{}", "{}", "--kernel", "gem"], "there is no kernel 'gem'; there are: gemm."),
        (["--baseline", "{}", "{}", "--html", "x.html"], "leave out --baseline"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: list[str], sentence: str, gemm_journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [one.format(gemm_journal) for one in arguments]
    assert main(["compare", *given]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and sentence in printed.err
    assert len(printed.err.splitlines()) == 1


def test_directories_stand_for_their_newest_journals(
    several: Path, gemm_journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, journal in (("one", gemm_journal), ("two", several)):
        (tmp_path / name).mkdir()
        shutil.copy(journal, tmp_path / name / "journal.lt.zst")
    newest = max(several, gemm_journal, key=lambda one: load(one).started)
    code, out = compare(capsys, tmp_path, newest)
    assert code == 0 and "all the same" in out


def test_all_lists_each_pass(gemm_journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = compare(capsys, gemm_journal, gemm_journal, "--all")
    lines = out.splitlines()
    for one in load(gemm_journal).passes:
        assert any(f" {one.index} " in line and one.label in line for line in lines), one.label


def test_output_is_deterministic(
    several: Path, changed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (several, changed["passes"])
    for way in ([], ["--json"], ["--markdown"], ["--markdown", "--timing"]):
        assert compare(capsys, *arguments, *way) == compare(capsys, *arguments, *way)
    assert " ms" not in compare(capsys, *arguments, "--markdown")[1]
    assert "Time in passes" in compare(capsys, *arguments, "--markdown", "--timing")[1]
