"""``lt-render compare --baseline``: journals against stored ones, and the summary of it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Recording
from markdown_it import MarkdownIt  # comes with rich
from markdown_it.token import Token
from synthetic import Writer

from lt_render.cli import main
from lt_render.condition import State
from lt_render.load import load


@pytest.fixture(scope="module")
def baseline(recordings: dict[str, Recording], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Journals of three scripts; one of these compiles three kernels."""
    stored = tmp_path_factory.mktemp("baseline")
    for name in ("gemm", "several_kernels", "cpu_scale"):
        put(recordings[name].ours.journal, stored / name)
    return stored


@pytest.fixture(autouse=True)
def no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def put(journal: Path, directory: Path) -> Path:
    directory.mkdir(parents=True)
    return Path(shutil.copy(journal, directory / "journal.lt.zst"))


def made_up(
    directory: Path,
    kernel: str,
    made: str,
    *,
    script: str = "made_up",
    started: int = 0,
    argv: list[str] | None = None,
    pass_name: str = "P",
) -> Path:
    """A journal of one kernel of one pass that took no time."""
    directory.mkdir(parents=True)
    writer = Writer.__new__(Writer)
    super(Writer, writer).__init__(str(directory / "journal.lt.zst"))
    process = {"script": script, "started": started, "argv": argv or ["made_up.py"]}
    writer.append("process", process)
    writer.texts = writer.passes = writer.characters = 0
    writer.append("unit", {"unit": 0, "name": "lower", "kernels": [kernel], "target": "c"})
    before, after = writer.text("given"), writer.text(made)
    fields = {"unit": 0, "index": 0, "name": pass_name, "before": before, "t": 0}
    writer.append("pass", {"pass": 0, **fields})
    writer.append("pass_end", {"pass": 0, "status": "ok", "after": after, "duration": 0})
    writer.append("unit_end", {"unit": 0, "status": "ok"})
    writer.close({})
    return directory / "journal.lt.zst"


def gate(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["compare", "--baseline", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def results(markdown: str) -> dict[str, str]:
    """What the table says of each kernel, by script and kernel."""
    rows = [line.split(" | ") for line in markdown.splitlines() if line.startswith("| ")]
    return {
        f"{script} {kernel}".replace("`", ""): result.removesuffix(" |")
        for _, kernel, script, _, result in rows
        if kernel != "kernel"
    }


def test_what_is_the_same_passes(
    baseline: Path, recordings: dict[str, Recording], capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN the same scripts' journals, each where it was recorded THEN the gate is open."""
    current = [recordings[name].ours.trace_dir for name in ("cpu_scale", "gemm", "several_kernels")]
    code, out, err = gate(capsys, baseline, *current)
    assert code == 0 and err == ""
    assert out.startswith("### Lowering: 5 kernels, all the same\n")
    assert list(results(out)) == [
        "cpu_scale scale",
        "gemm gemm",
        "several_kernels gemm",
        "several_kernels rms_norm",
        "several_kernels sum_and_difference",
    ]
    assert gate(capsys, baseline, *reversed(current))[1] == out


def test_kernels_that_one_side_lacks_are_named(
    baseline: Path, recordings: dict[str, Recording], capsys: pytest.CaptureFixture[str]
) -> None:
    current = [recordings[name].ours.trace_dir for name in ("gemm", "rms_norm", "cpu_scale")]
    code, out, _ = gate(capsys, baseline, *current)
    assert code == 1
    found = results(out)
    assert found["rms_norm rms_norm"] == "no baseline"
    assert found["several_kernels gemm"] == "in the baseline only"
    assert found["gemm gemm"] == "the same in all 86 passes"
    assert out.startswith("### Lowering: 4 of 6 kernels differ\n")


def test_a_difference_is_told_with_its_diff(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made_up(tmp_path / "old" / "1", "one", "was")
    made_up(tmp_path / "new" / "1", "one", "is")
    code, out, _ = gate(capsys, tmp_path / "old", tmp_path / "new")
    assert code == 1
    assert "P (0) is the first pass whose output differs" in results(out)["made_up one"]
    (block,) = re.findall(r"^```diff\n(.*?)^```$", out, re.DOTALL | re.MULTILINE)
    assert block == "@@ -1,1 +1,1 @@\n-was\n+is\n"


def test_the_summary_is_appended_where_github_wants_it(
    baseline: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    _, out, _ = gate(capsys, baseline, baseline)
    assert summary.read_text() == "# before\n" + out


def test_a_bad_journal_stops_no_other(
    baseline: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(baseline, tmp_path / "now")
    bad = tmp_path / "now" / "bad"
    bad.mkdir()
    (bad / "journal.lt.zst").write_text("no journal at all")
    code, out, err = gate(capsys, baseline, tmp_path / "now")
    assert code == 2
    assert "5 kernels, all the same" in out
    assert str(bad) in err and "is not a lower-trace journal" in err
    assert "is not a lower-trace journal" in out.replace("&#45;", "-")


def test_a_damaged_journal_is_told_by_the_exit_code(
    baseline: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(baseline, tmp_path / "now")
    damaged = tmp_path / "now" / "gemm" / "journal.lt.zst"
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 10] = b"\xff" * 10
    damaged.write_bytes(data)
    assert load(damaged).condition.state is State.DAMAGED
    code, out, err = gate(capsys, baseline, tmp_path / "now")
    assert code == 3 and "damaged inside" in err
    assert results(out)["several_kernels gemm"] == "the same in all 86 passes"


def test_of_two_runs_the_last_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = 10**9
    made_up(tmp_path / "old" / "1", "one", "first", started=second)
    made_up(tmp_path / "old" / "2", "one", "last", started=2 * second)
    made_up(tmp_path / "new" / "1", "one", "last", started=9 * second)
    code, out, _ = gate(capsys, tmp_path / "old", tmp_path / "new")
    assert code == 0 and list(results(out)) == ["made_up one"]


def test_runs_with_other_arguments_all_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side in ("old", "new"):
        for at, size in enumerate(("8", "16")):
            made_up(tmp_path / side / size, f"k{size}", size, started=at + 1, argv=["m.py", size])
    code, out, _ = gate(capsys, tmp_path / "old", tmp_path / "new")
    assert code == 0 and list(results(out)) == ["made_up k8", "made_up k16"]


def test_json_tells_of_each_script(baseline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = gate(capsys, baseline, baseline, "--json")
    found = json.loads(out)
    assert code == 0 and found["same"] and found["unreadable"] == []
    assert [one["script"] for one in found["scripts"]] == ["cpu_scale", "gemm", "several_kernels"]


HOSTILE = (
    "a|b",
    "`code`",
    "<img src=x onerror=alert(1)>",
    "[link](https://example.org)",
    "@somebody #1",
    "two\nlines",
    "</details></summary>",
    "**bold** _thin_ ~~gone~~",
    "\u202egnirts",
    "www.example.org",
    ":smile: $x$",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_becomes_markup(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GIVEN names and texts of a stranger THEN the summary has the shape it has with any others."""
    for side, plain, text in (("old", "plain", "was"), ("new", "plain", "is")):
        made_up(tmp_path / "1" / side, plain, text, script=plain, pass_name=plain)
        made_up(tmp_path / "2" / side, name, f"{text}\n```\n{name}", script=name, pass_name=name)
    tame, wild = (
        gate(capsys, tmp_path / which / "old", tmp_path / which / "new")[1] for which in "12"
    )
    assert shape(wild) == shape(tame)


def shape(markdown: str) -> list[str]:
    """What Markdown makes of a summary: its blocks and inlines, without texts."""
    # No link, mention or reference that GitHub finds by itself, which it does not in code.
    code = r"^(`{3,})diff\n.*?^\1$|`[^`\n]+`|<code>.*?</code>"
    plain = re.sub(code, "", markdown, flags=re.DOTALL | re.MULTILINE)
    assert not re.search(r"www\.|://|@|(?<!&)#\d|:\w+:|\$", plain), plain
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return list(kinds(parser.parse(markdown)))


def kinds(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("html_block", "html_inline"):
            yield from (tag for tag in re.findall(r"<[^>]*>", token.content) if "code>" not in tag)
        elif token.type not in ("text", "code_inline", "inline", "softbreak", "text_special"):
            yield token.type
        yield from kinds(token.children or [])
