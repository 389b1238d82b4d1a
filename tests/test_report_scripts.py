"""The report's scripts against references in Python: diffs, rows and words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, takewhile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_scripts import CASES, TEMPLATES, Call, batched, units

from lt_render.outputs import html_report

pytest_plugins = ["browser", "report_scripts"]


def test_every_script_and_style_is_in_the_page() -> None:
    scripts = ("unpack.js", *html_report._SCRIPTS)
    for folder, names in (("js", scripts), ("css", html_report._STYLES)):
        assert sorted(names) == sorted(path.name for path in (TEMPLATES / folder).iterdir())


# ---- Line diffs

#: Few different lines, for Myers; many, so that some occur once, for patience.
IDS = st.lists(st.integers(0, 3), max_size=14) | st.lists(st.integers(0, 30), max_size=30)


@st.composite
def diffs(draw: st.DrawFn, *, anchored: bool) -> dict[str, Any]:
    a = draw(IDS)
    b = draw(IDS | st.permutations(a).map(lambda ids: ids[: len(a) * 2 // 3]) if a else IDS)
    shortest = min(len(a), len(b))
    count = draw(st.integers(0, min(3, shortest))) if anchored else 0
    rows = [sorted(draw(st.permutations(range(len(ids))))[:count]) for ids in (a, b)]
    return {"a": a, "b": b, "anchors": list(map(list, zip(*rows, strict=True)))}


def hunks_of(flat: list[int]) -> list[tuple[int, int, int, int]]:
    assert len(flat) % 4 == 0
    return [tuple(flat[at : at + 4]) for at in range(0, len(flat), 4)]  # type: ignore[misc]


def common(a: list[Any], b: list[Any]) -> int:
    """Length of the longest common subsequence."""
    best = [0] * (len(b) + 1)
    for x in a:
        above = best
        best = [0]
        for j, y in enumerate(b):
            best.append(above[j] + 1 if x == y else max(above[j + 1], best[j]))
    return best[-1]


@batched
@given(cases=st.lists(diffs(anchored=True) | diffs(anchored=False), min_size=1, max_size=CASES))
def test_hunks_lead_from_the_old_lines_to_the_new(call: Call, cases: list[Any]) -> None:
    found = call(
        """({ a, b, anchors }) => {
          const hunks = alignedHunks(Int32Array.from(a), Int32Array.from(b), anchors);
          return { hunks, blocks: blocksOf(hunks, a.length, b.length) };
        }""",
        cases,
    )
    for case, answer in zip(cases, found, strict=True):
        a, b = case["a"], case["b"]
        x = y = 0
        beside: set[tuple[int, int]] = set()
        for old, old_count, new, new_count in hunks_of(answer["hunks"]):
            assert old >= x and new >= y and old_count + new_count > 0
            assert a[x:old] == b[y:new]
            # Without anchors, whose lines stand together whatever they say, hunks have a
            # line between them.
            assert case["anchors"] or (x, y) == (0, 0) or old > x
            beside |= set(zip(range(x, old), range(y, new), strict=True))
            if (old_count, new_count) == (1, 1):
                beside.add((old, new))
            x, y = old + old_count, new + new_count
        assert a[x:] == b[y:]
        beside |= set(zip(range(x, len(a)), range(y, len(b)), strict=True))
        assert {(i, j) for i, j in case["anchors"]} <= beside

        x = y = 0
        for block in answer["blocks"]:
            assert (block["a"], block["b"]) == (x, y)
            x, y = x + block["an"], y + block["bn"]
            assert block["equal"] == (a[block["a"] : x] == b[block["b"] : y])
        assert (x, y) == (len(a), len(b))
        changes = [block for block in answer["blocks"] if not block["equal"]]
        assert len(changes) == len(answer["hunks"]) // 4


@batched
@given(cases=st.lists(st.tuples(IDS, IDS), min_size=1, max_size=CASES))
def test_no_smaller_diff_is_there_than_the_one_of_myers(call: Call, cases: list[Any]) -> None:
    found = call(
        """([a, b]) => {
          const hunks = [];
          myers(a, 0, a.length, b, 0, b.length, hunks);
          return hunks;
        }""",
        cases,
    )
    for (a, b), flat in zip(cases, found, strict=True):
        edits = sum(hunk[1] + hunk[3] for hunk in hunks_of(flat))
        assert edits == len(a) + len(b) - 2 * common(a, b)


def test_only_a_line_that_occurs_once_on_both_sides_anchors_the_diff(call: Call) -> None:
    moved = ([1, 9, 1, 1, 2, 2], [1, 1, 2, 2, 9, 1])
    repeated = ([0, 1, 0, 1], [1, 0])
    once, twice = call(
        "([a, b]) => alignedHunks(Int32Array.from(a), Int32Array.from(b), [])", [moved, repeated]
    )
    # The 9 stays, although the smallest diff would rather keep the lines around it.
    assert not any(old <= 1 < old + count for old, count, _, _ in hunks_of(once))
    # Two lines of two: were the last of each an anchor, only one would be kept.
    assert sum(old_count + new_count for _, old_count, _, new_count in hunks_of(twice)) == 2


# ---- Rows


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    a = b = 0
    equal = draw(st.booleans())
    for _ in range(draw(st.integers(1, 6))):
        an = draw(st.integers(1, 40) if equal else st.integers(0, 5))
        bn = an if equal else draw(st.integers(0 if an else 1, 5))
        blocks.append({"equal": equal, "a": a, "an": an, "b": b, "bn": bn})
        a, b, equal = a + an, b + bn, not equal
    reveal = []
    for block in blocks:
        if block["equal"] and draw(st.booleans()):
            ends = st.integers(0, block["an"])
            stretch = st.lists(ends, min_size=2, max_size=2, unique=True).map(sorted)
            pairs = draw(st.lists(stretch, max_size=3))
            reveal.append([block["a"], pairs])
    looks = {key: draw(st.booleans()) for key in ("fold", "all", "unified")}
    return {"blocks": blocks, "reveal": reveal, **looks}


@batched
@given(cases=st.lists(layouts(), min_size=1, max_size=CASES))
def test_rows_show_every_line_once_and_hide_none_that_changed(call: Call, cases: list[Any]) -> None:
    found = call(
        """({ blocks, fold, reveal, all, unified }) => {
          const layout = new Layout(blocks, fold, new Map(reveal), all, unified);
          const last = blocks.at(-1);
          const lines = { a: last.a + last.an, b: last.b + last.bn };
          const rows = Object.entries(lines).map(([side, n]) =>
            Array.from({ length: n }, (_, line) => layout.rowOf(side, line)));
          const at = Array.from({ length: layout.rows }, (_, row) => layout.at(row))
            .map((item) => layout.items.indexOf(item));
          return { items: layout.items, rows, at, total: layout.rows };
        }""",
        cases,
    )
    for case, answer in zip(cases, found, strict=True):
        items = answer["items"]
        assert answer["at"] == [i for i, item in enumerate(items) for _ in range(item["rows"])]
        assert [item["top"] for item in items] == [answer["at"].index(i) for i in range(len(items))]
        expected = {"a": [-1] * len(answer["rows"][0]), "b": [-1] * len(answer["rows"][1])}
        seen = {"a": 0, "b": 0}
        for item in items:
            block = item["block"]
            if item["kind"] == "change":
                sizes = {"a": block["an"], "b": block["bn"]}
                over = sum if case["unified"] else max
                assert item["rows"] == over(sizes.values())  # type: ignore[operator]
            else:
                size = item["hidden"] if item["kind"] == "gap" else item["rows"]
                sizes = {"a": size, "b": size}
            for side, size in sizes.items():
                assert item[side] == seen[side]
                below = block["an"] if case["unified"] and side == "b" and not block["equal"] else 0
                if item["kind"] != "gap":
                    rows = range(item["top"] + below, item["top"] + below + size)
                    expected[side][seen[side] : seen[side] + size] = rows
                seen[side] += size
        assert {"a": len(expected["a"]), "b": len(expected["b"])} == seen
        assert [expected["a"], expected["b"]] == answer["rows"]
        assert_folded(case, [item for item in items if item["kind"] == "gap"])


def assert_folded(case: dict[str, Any], gaps: list[dict[str, Any]]) -> None:
    """Hidden is what is three lines from a change and was not asked for; a single line is not."""
    blocks, reveal = case["blocks"], dict(case["reveal"])
    expected = []
    for block in blocks:
        if not block["equal"] or not case["fold"] or case["all"]:
            continue
        top = 0 if block is blocks[0] else 3
        bottom = block["an"] - (0 if block is blocks[-1] else 3)
        hidden = [
            top <= at < bottom
            and not any(start <= at < end for start, end in reveal.get(block["a"], []))
            for at in range(block["an"])
        ]
        runs = re.finditer("1+", "".join(str(int(one)) for one in hidden))
        expected += [(block["a"], *run.span()) for run in runs if len(run[0]) > 1]
    assert [(gap["block"]["a"], gap["from"], gap["to"]) for gap in gaps] == expected


# ---- Words

WORDS = st.sampled_from(["a", "v_1", "tx", "(", ")", ",", " ", " ", "  ", "=", "é", "𝔸", "\u0301"])
LINES = st.lists(WORDS, max_size=14).map("".join)


def words_of(line: str) -> list[str]:
    return re.findall(r"\w+|.", line, re.DOTALL)


@batched
@given(cases=st.lists(st.tuples(LINES, LINES), min_size=1, max_size=CASES))
def test_words_that_are_not_marked_are_common_to_both_lines(call: Call, cases: list[Any]) -> None:
    answers = call("([one, other]) => wordRanges(one, other)", cases)
    for both, answer in zip(cases, answers, strict=True):
        words = [words_of(line) for line in both]
        allowed = 0.65 * max(1, *(units(line.strip()) for line in both))
        if answer is None:
            # Given up. What is the same at either end would not have been marked.
            rest = max(units(line) for line in both) - ends_in_common(*words)
            assert rest > allowed
            continue
        kept = []
        for line, flat in zip(both, answer, strict=True):
            assert all(start < end for start, end in pairwise(flat))
            assert sum(flat[1::2]) - sum(flat[::2]) <= allowed
            assert set(flat) <= edges_of(line)
            marked = {at for span in zip(flat[::2], flat[1::2], strict=True) for at in range(*span)}
            places = zip(words_of(line), sorted(edges_of(line)), strict=False)
            # Blanks between two marked words are marked with them.
            kept.append([word for word, at in places if at not in marked and word.strip()])
        assert kept[0] == kept[1]


@batched
@given(cases=st.lists(st.tuples(LINES, LINES, st.integers(0, 2)), min_size=1, max_size=CASES))
def test_as_many_words_as_can_be_are_left_unmarked(call: Call, cases: list[Any]) -> None:
    answers = call(
        """([one, other, start]) => {
          const kept = commonWords(words(one), words(other)).map((side) => Array.from(side));
          const all = [...Array(start).fill("x"), ...words(one)];
          return { kept, ranges: rangesOf(all, start, kept[0]) };
        }""",
        cases,
    )
    for (one, other, start), answer in zip(cases, answers, strict=True):
        sides = [words_of(one), words_of(other)]
        left, right = (
            [word for word, is_kept in zip(words, kept, strict=True) if is_kept]
            for words, kept in zip(sides, answer["kept"], strict=True)
        )
        assert left == right
        assert len(left) == common(*sides)

        kept = [*answer["kept"][0], 1]
        marked, at = [], start
        for i, word in enumerate(sides[0]):
            # A blank between two marked words is marked with them.
            if not kept[i] or (not word.strip() and i > 0 and not (kept[i - 1] or kept[i + 1])):
                marked += [at, at + units(word)]
            at += units(word)
        edges = [edge for edge in marked if marked.count(edge) == 1]
        assert answer["ranges"] == edges


def edges_of(line: str) -> set[int]:
    """Where the words of a line begin, and where the last one ends."""
    return {units("".join(words_of(line)[:n])) for n in range(len(words_of(line)) + 1)}


def ends_in_common(left: list[str], right: list[str]) -> int:
    def alike(one: Iterable[str], other: Iterable[str]) -> int:
        pairs = zip(one, other, strict=False)
        return sum(1 for _ in takewhile(lambda both: both[0] == both[1], pairs))

    start = alike(left, right)
    end = alike(reversed(left[start:]), reversed(right[start:]))
    return units("".join(left[:start] + left[len(left) - end :]))


@batched
@given(
    cases=st.lists(
        st.tuples(LINES, st.tuples(*[st.text("pqrstuvw", min_size=1, max_size=6)] * 2), LINES),
        min_size=1,
        max_size=CASES,
    )
)
def test_one_changed_word_is_all_that_is_marked(call: Call, cases: list[Any]) -> None:
    pairs = [
        [f"alpha beta, {start}; {word} ;{end} gamma delta" for word in both]
        for start, both, end in cases
    ]
    found = call("([one, other]) => wordRanges(one, other)", pairs)
    for (start, both, _), ranges in zip(cases, found, strict=True):
        at = units(f"alpha beta, {start}; ")
        same = both[0] == both[1]
        assert ranges == [[] if same else [at, at + len(word)] for word in both]


def likeness(one: str, other: str) -> float:
    bags = [Counter(word for word in words_of(line) if word.strip()) for line in (one, other)]
    weight = sum(n * units(word) for bag in bags for word, n in bag.items())
    same = sum(2 * n * units(word) for word, n in (bags[0] & bags[1]).items())
    return same / weight if weight else 0


@batched
@given(cases=st.lists(st.tuples(st.lists(LINES, max_size=4), st.lists(LINES, max_size=7)),
                      min_size=1, max_size=CASES))  # fmt: skip
def test_lines_are_paired_in_order_and_most_alike(call: Call, cases: list[Any]) -> None:
    pairs = [sorted(both, key=len) for both in cases]
    found = call(
        """([short, long]) => {
          const likenesses = short.map((one) => long.map((other) => likeness(one, other)));
          return { places: pairUp(short, long), likenesses };
        }""",
        pairs,
    )
    for (short, long), answer in zip(pairs, found, strict=True):
        places = answer["places"]
        for one, shown in zip(short, answer["likenesses"], strict=True):
            assert shown == pytest.approx([likeness(one, other) for other in long])
        assert len(places) == len(short)
        assert all(x < y for x, y in pairwise([-1, *places, len(long)]))
        best = [0.0] * (len(long) + 1)
        for used, one in enumerate(short):
            row = [float("-inf")] * (len(long) + 1)
            for at in range(used, len(long)):
                row[at + 1] = max(row[at], best[at] + likeness(one, long[at]))
            best = row
        reached = sum(likeness(one, long[at]) for one, at in zip(short, places, strict=True))
        assert reached == pytest.approx(max(best))
