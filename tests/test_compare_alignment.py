"""Which pass is which, and which text is the same: lowerings that are made up, to the point."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from synthetic import Writer

from lt_render.cli import main
from lt_render.comparison.alignment import Step, align

#: A pass: its name and its output; of one with passes inside, those.
Made = tuple[str, str] | tuple[str, str, Sequence["Made"]]

START = "def main():\n    pass\n"


def journal(path: Path, passes: Sequence[Made]) -> None:
    """Write a journal of passes of which each takes what the one before it made."""
    writer = Writer(path)
    known: dict[str, int] = {}

    def text(content: str) -> int:
        if content not in known:
            known[content] = writer.text(content)
        return known[content]

    def run(made: Made, before: str, parent: int | None) -> str:
        number = writer.begin(made[0], text(before), parent)
        inner = before
        for one in made[2] if len(made) == 3 else ():
            inner = run(one, inner, number)
        writer.end(number, text(made[1]))
        return made[1]

    current = START
    for one in passes:
        current = run(one, current, None)
    writer.close({})


class Two:
    """Two made-up lowerings, and what is told of them."""

    def __init__(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._paths = (tmp_path / "a.lt.zst", tmp_path / "b.lt.zst")
        self._capsys = capsys

    def kernel(self, a: Sequence[Made], b: Sequence[Made], *options: str) -> dict[str, Any]:
        for path, passes in zip(self._paths, (a, b), strict=True):
            journal(path, passes)
        main(["compare", *map(str, self._paths), "--json", *options])
        (kernel,) = json.loads(self._capsys.readouterr().out)["kernels"]
        return dict(kernel)

    def rows(self, a: Sequence[Made], b: Sequence[Made], *options: str) -> list[str]:
        """Each row as ``A/B state``, with the names of its passes."""
        return [
            f"{row['a']['name'] if row['a'] else '–'}/{row['b']['name'] if row['b'] else '–'} "
            f"{row['state']}"
            for row in self.kernel(a, b, *options)["passes"]
        ]


@pytest.fixture
def two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Two:
    return Two(tmp_path, capsys)


def test_passes_of_one_name_are_told_apart_by_their_texts(two: Two) -> None:
    """GIVEN one Simplify less THEN it is the one whose texts nobody else has."""
    a = [("S", "1"), ("S", "1"), ("S", "2"), ("S", "2"), ("S", "3")]
    b = [("S", "1"), ("S", "2"), ("S", "2"), ("S", "3")]
    same = "S/S same"
    assert two.rows(a, b) == [same, "S/– harmless", same, same, same]
    assert two.rows(b, a) == [same, "–/S harmless", same, same, same]


def test_what_ran_inside_is_to_blame_before_what_is_around_it(two: Two) -> None:
    a = [("Outer", "2", [("First", "1"), ("Second", "2")])]
    b = [("Outer", "3", [("First", "1"), ("Second", "3")])]
    kernel = two.kernel(a, b)
    assert [row["b"]["name"] for row in kernel["first"]] == ["Second"]
    assert [row["state"] for row in kernel["passes"]] == ["diverges", "same", "diverges"]


def test_what_is_around_is_to_blame_if_all_inside_is_the_same(two: Two) -> None:
    a, b = [("Outer", "2", [("In", "1")])], [("Outer", "3", [("In", "1")])]
    assert [row["b"]["name"] for row in two.kernel(a, b)["first"]] == ["Outer"]


def test_a_renamed_pass_is_known_by_what_it_made(two: Two) -> None:
    a = [("P", "1"), ("OldName", "2"), ("Q", "3")]
    b = [("P", "1"), ("NewName", "2"), ("Q", "3")]
    kernel = two.kernel(a, b)
    assert [row["renamed"] for row in kernel["passes"]] == [False, True, False]
    assert "under another name: OldName as NewName (1)" in kernel["remarks"]
    assert not kernel["same"] and kernel["verdict"] == "the same under other names"


def test_a_renamed_pass_is_known_by_its_change_where_the_rest_differs(two: Two) -> None:
    a = [("P", "x\na\nc"), ("OldName", "x\nb\nc"), ("Q", "x\nb\nc")]
    b = [("P", "y\na\nc"), ("NewName", "y\nb\nc"), ("Q", "y\nb\nc")]
    assert "under another name: OldName as NewName (1)" in two.kernel(a, b)["remarks"]


def test_another_prefix_is_no_other_pass(two: Two) -> None:
    """TVM's namespaces come and go: tir, tirx, s_tir."""
    assert two.rows([("tir.Simplify", "1")], [("tirx.Simplify", "1")]) == ["Simplify/Simplify same"]


def test_a_moved_pass_is_named_with_both_places(two: Two) -> None:
    a = [("M", START), ("P", "1"), ("Q", "2"), ("R", "3")]
    b = [("P", "1"), ("Q", "2"), ("R", "3"), ("M", "3")]
    kernel = two.kernel(a, b)
    assert "in another place: M (0 → 3)" in kernel["remarks"]
    assert not any(remark.startswith("only in") for remark in kernel["remarks"])
    assert kernel["first"] == [] and not kernel["same"]


def test_a_pass_split_in_two_makes_no_difference(two: Two) -> None:
    a = [("P", "1"), ("Whole", "3"), ("Q", "4")]
    b = [("P", "1"), ("Half", "2"), ("Rest", "3"), ("Q", "4")]
    kernel = two.kernel(a, b)
    assert kernel["first"] == []
    assert {row["state"] for row in kernel["passes"]} == {"same", "harmless"}
    assert kernel["verdict"] == "the same texts from other passes"


def test_a_difference_that_no_pass_made_is_told_as_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between two passes a script may change the module itself."""
    paths = (tmp_path / "a.lt.zst", tmp_path / "b.lt.zst")
    for path, changed in zip(paths, ("1", "2"), strict=True):
        writer = Writer(path)
        same, other = writer.text("0"), writer.text(changed)
        writer.end(writer.begin("P", same), same)
        writer.end(writer.begin("Q", other), other)
        writer.close({})
    assert main(["compare", *map(str, paths)]) == 1
    assert "no pass made the difference that is there before Q (1)" in capsys.readouterr().out


def test_lines_that_differ_between_more_passes_than_are_compared_pair_by_pair() -> None:
    """GIVEN thousands of passes, some of them others THEN each is still beside its own."""

    def step(name: str, text: int) -> Step:
        return Step(name, name, 0, text, text + 1)

    a = [step(f"P{n % 7}", n) for n in range(4000)]
    b = [one for n, one in enumerate(a) if n % 50]
    b.insert(1000, step("New", -5))
    places = align(a, b)
    assert [i for i, _ in places if i is not None] == list(range(len(a)))
    assert [j for _, j in places if j is not None] == list(range(len(b)))
    assert [(i, j) for i, j in places if i is not None and j is not None and a[i] != b[j]] == []
    assert sum(j is None for _, j in places) == 80
    # Where no text is to be trusted either, names alone are aligned.
    other = [Step(one.name, one.short_name, 0, -1, -1) for one in b]
    assert sum(i is not None and j is not None for i, j in align(a, other)) > 3800


# --- what does not count ---------------------------------------------------------------------

SCRIPT = """# from tvm.script import tir as T

@T.prim_func
def main(A: T.handle):
    for i, j in T.grid(4, 4):
        {0}: T.int32 = i * 4 + j
        A[{0}] = T.max({0}, i)
    for {1} in range(8):
        A[{1}] = A[{1}] + 1
"""


def ignoring(two: Two, old: str, new: str, *options: str) -> bool:
    return bool(two.kernel([("P", old)], [("P", new)], *options)["same"])


def test_renumbered_variables_are_the_same_if_that_is_asked(two: Two) -> None:
    old, new = SCRIPT.format("v_1", "k"), SCRIPT.format("v_2", "i_1")
    assert not ignoring(two, old, new)
    assert ignoring(two, old, new, "--ignore-renumbering")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A[k] + 1", "A[i] + 1"),  # another variable, and not another name
        ("T.max", "T.min"),  # not a variable at all
        ("i * 4 + j", "j * 4 + i"),  # two of them swapped
        ("range(8)", "range(9)"),
    ],
)
def test_what_is_more_than_another_name_still_counts(two: Two, old: str, new: str) -> None:
    text = SCRIPT.format("v", "k")
    assert old in text
    assert not ignoring(two, text, text.replace(old, new), "--ignore-renumbering")


def test_only_the_line_that_breaks_the_renaming_is_shown(
    two: Two, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = SCRIPT.format("v_1", "k_1")
    new = SCRIPT.format("v_2", "k_2").replace("T.max(v_2, i)", "T.max(v_2, j)")
    two.kernel([("P", old)], [("P", new)], "--ignore-renumbering")
    paths = [str(tmp_path / f"{side}.lt.zst") for side in "ab"]
    assert main(["compare", *paths, "--ignore-renumbering", "-U", "0"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith(("- ", "+ "))] == [
        "-        A[v_1] = T.max(v_1, i)",
        "+        A[v_2] = T.max(v_2, j)",
    ]


def test_variables_of_c_are_renumbered_too(two: Two) -> None:
    old = "void f(float* __restrict__ A) {\n  int v_1 = 3;\n  A[v_1] = max(v_1, 2);\n}\n"
    new = old.replace("v_1", "v_7").replace("A", "buffer")
    assert ignoring(two, old, new, "--ignore-renumbering")
    assert not ignoring(two, old, new.replace("max(v_7", "max(buffer"), "--ignore-renumbering")


def test_whitespace_is_the_same_if_that_is_asked(two: Two) -> None:
    assert not ignoring(two, "a = 1\n  b", "a  =  1\nb ")
    assert ignoring(two, "a = 1\n  b", "a  =  1\nb ", "-w")
    assert not ignoring(two, "a = 1", "a = 1\n", "-w")


def test_line_directives_are_the_same_if_that_is_asked(two: Two) -> None:
    old = '#line 12 "old.py"\nint x = 1; // old.py:12\nint y;'
    new = "int x = 1;\n// new.py:40\nint y;"
    assert not ignoring(two, old, new)
    assert ignoring(two, old, new, "--ignore-line-directives")
    assert not ignoring(two, old, new.replace("x = 1", "x = 2"), "--ignore-line-directives")


def test_all_that_can_be_ignored_goes_together(two: Two) -> None:
    old = "int v_1 = 3;  // a.py:1\nuse[v_1] = 2;"
    new = '#line 3 "b.py"\nint  v_2 =  3;\nuse[ v_2 ] = 2;'
    options = ("-w", "--ignore-renumbering", "--ignore-line-directives")
    assert ignoring(two, old, new, *options)
    for left_out in options:
        assert not ignoring(two, old, new, *(one for one in options if one != left_out))


# --- strangers -------------------------------------------------------------------------------


def test_names_and_texts_of_strangers_reach_no_terminal_as_they_are(
    two: Two, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two.kernel([("P\x1b[2J", "1\x1b]0;x\x07")], [("P\x1b[2J", "2\x1b[31m"), ("Q\n", "3")])
    paths = [str(tmp_path / f"{side}.lt.zst") for side in "ab"]
    for way in ([], ["--all"], ["--markdown"]):
        main(["compare", *paths, *way])
        out = capsys.readouterr().out
        assert "\x1b" not in out and "\x07" not in out
        assert "\\x1b[2J" in out.replace("&#92;", "\\").replace("&#91;", "[")
