"""The report's scripts against references in Python: texts, searches and colours."""

from __future__ import annotations

import io
import re
import tokenize
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from report_scripts import CASES, Call, batched, units

from lt_render.load import load
from lt_render.outputs import html_report, page

pytest_plugins = ["browser", "report_scripts"]


# ---- Texts

FEW_LINES = st.sampled_from(["", "def f(a):", "  b[0] = A[1]", "  a.*b", "A", "a (a)", "é\r"])


@st.composite
def sequences(draw: st.DrawFn) -> list[str]:
    """Texts, mostly each an edit of the one before, now and then an earlier one again."""
    texts = [draw(st.lists(FEW_LINES, min_size=1, max_size=9))]
    for _ in range(draw(st.integers(0, 6))):
        text = list(texts[draw(st.integers(max(0, len(texts) - 2), len(texts) - 1))])
        at = draw(st.integers(0, len(text)))
        text[at : at + draw(st.integers(0, 3))] = draw(st.lists(FEW_LINES, max_size=3))
        texts.append(text or [""])
    return ["\n".join(text) for text in texts]


def encoded(texts: list[str]) -> dict[str, Any]:
    lines = page.Lines()
    for number, text in enumerate(texts):
        assert lines.text(number, text) == number
    return {"lines": "\n".join(lines.pool), "texts": lines.texts, "passes": [], "units": []}


@batched
@given(
    cases=st.lists(
        st.tuples(sequences(), st.sampled_from(["a", "A[", ".*", "(", "b", "é", "def f(a):"])),
        min_size=1,
        max_size=CASES,
    )
)
def test_texts_are_unpacked_and_searched(call: Call, cases: list[Any]) -> None:
    found = call(
        """([data, query]) => {
          const search = new Search(new Trace(data));
          search.set(query, "all");
          const lines = (ids) => Array.from(ids, (id) => trace.lines[id]);
          // The last first: the walk along the chain of changes is then the longest.
          const numbers = data.texts.map((_, n) => n).reverse();
          const trace = new Trace(data);
          return {
            texts: numbers.map((n) => trace.text(n)).reverse(),
            counts: data.texts.map((_, n) => search.counts({ before: n, after: null }).before),
            removed: removedLines(data.texts).map(lines),
            ranges: trace.lines.map((line) => search.ranges(line)),
          };
        }""",
        [(encoded(texts), query) for texts, query in cases],
    )
    for (texts, query), answer in zip(cases, found, strict=True):
        assert answer["texts"] == texts
        assert answer["counts"] == [
            sum(query.lower() in line.lower() for line in text.split("\n")) for text in texts
        ]
        data = encoded(texts)
        pool = data["lines"].split("\n")
        for text, entry, removed in zip(texts, data["texts"], answer["removed"], strict=True):
            if entry[0] < 0:
                assert removed == []
                continue
            added = Counter[str]()
            at = 1
            while at < len(entry):
                added += Counter(pool[id_] for id_ in entry[at + 3 : at + 3 + entry[at + 2]])
                at += 3 + entry[at + 2]
            base = Counter(texts[entry[0]].split("\n"))
            assert base - Counter(removed) + added == Counter(text.split("\n"))
        for line, flat in zip(pool, answer["ranges"], strict=True):
            spans = [one.span() for one in re.finditer(re.escape(query), line, re.IGNORECASE)]
            assert flat == [edge for span in spans for edge in span]


def test_a_chain_of_a_thousand_changes_is_unpacked(call: Call) -> None:
    texts = ["\n".join(f"line {n // 40} {at if at < n % 40 else '-'}" for at in range(40))
             for n in range(1000)]  # fmt: skip
    data = encoded(texts)
    assert sum(entry[0] >= 0 for entry in data["texts"]) > 900
    order = [999, 500, 501, 31, 32, 33, 0, 998]
    (found,) = call(
        """([data, order]) => {
          const trace = new Trace(data);
          return order.map((n) => trace.text(n));
        }""",
        [(data, order)],
    )
    assert found == [texts[n] for n in order]


def test_a_search_counts_as_python_does_on_a_real_trace(call: Call, gemm_journal: Path) -> None:
    trace = load(gemm_journal)
    queries = ["T.", "A_TILE", "v_1", "for k in", "[", "\\", "tma_load", "nowhere at all", "*"]
    (found,) = call(
        """([data, queries]) => {
          const search = new Search(new Trace(data));
          return queries.map((query) => {
            search.set(query, "text");
            return data.passes.map((pass) => search.counts(pass));
          });
        }""",
        [(html_report.payload(trace), queries)],
    )
    assert any(counts[0]["after"] for counts in found)
    for query, counts in zip(queries, found, strict=True):
        for one, shown in zip(trace.passes, counts, strict=True):
            for side, number in (("before", one.before), ("after", one.after)):
                lines = trace.text(number).split("\n")
                hits = sum(query.lower() in line.lower() for line in lines)
                assert shown[side] == (None if number is None else hits), (query, one.label)


# ---- Comparing with an eye closed

NUMBERED = st.lists(
    st.sampled_from(["v", "v_1", "v_2", "v_1_2", "T.int32(1)", " ", "  ", "_1", "=", "x1"]),
    max_size=6,
).map("".join)


@example(cases=[(["v_1_2 =", "v_1", "v  =", "v"], ["v=", "v_2", "v =", "v"], True, True)])
@batched
@given(
    cases=st.lists(
        st.tuples(
            st.lists(NUMBERED, min_size=1, max_size=8),
            st.lists(NUMBERED, min_size=1, max_size=8),
            st.booleans(),
            st.booleans(),
        ).filter(lambda case: case[2] or case[3]),
        min_size=1,
        max_size=CASES,
    )
)
def test_what_is_ignored_is_counted(call: Call, cases: list[Any]) -> None:
    found = call(
        """([data, space, names]) => {
          const trace = new Trace(data);
          return new Alike(trace).compare(trace.ids(0), trace.ids(1), [], { space, names });
        }""",
        [(encoded(["\n".join(a), "\n".join(b)]), space, names) for a, b, space, names in cases],
    )

    def spaceless(line: str) -> str:
        return re.sub(r"\s+", "", line)

    def numberless(line: str) -> str:
        return re.sub(r"\b([A-Za-z_]\w*?)(?:_\d+)+\b", r"\1", line)

    def look(line: str, space: bool, names: bool) -> str:
        named = numberless(line) if names else line
        return spaceless(named) if space else named

    for (a, b, space, names), answer in zip(cases, found, strict=True):
        hidden = Counter[str]()
        looks = [[look(line, space, names) for line in side] for side in (a, b)]
        assert looks[0] != looks[1] or all(block["equal"] for block in answer["blocks"])
        for block in answer["blocks"]:
            for i in range(block["an"] if block["equal"] else 0):
                one, other = a[block["a"] + i], b[block["b"] + i]
                assert look(one, space, names) == look(other, space, names)
                if one == other:
                    continue
                if not names or (space and spaceless(one) == spaceless(other)):
                    hidden["whitespace"] += 1
                elif not space or numberless(one) == numberless(other):
                    hidden["renumbering"] += 1
                else:
                    hidden["both"] += 1
        assert Counter(answer["hidden"]) == hidden


# ---- Colours

ODD = st.text(
    st.sampled_from("ab1 .\"'\\#/*@(\t=\u200b\u202e\x00\x1b\x7f\u2028é𝔸\ud800"), max_size=20
)


def shown(line: str) -> str:
    """A line as the page names what a browser would obey or not show."""
    controls = {"\0": "NUL", "\x1b": "ESC", "\x7f": "DEL"}

    def name(character: str) -> str:
        hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        if character == "\t" or not hidden:
            return character
        return controls.get(character, f"U+{ord(character):04X}")

    return "".join(map(name, line))


def ranges(edges: list[int]) -> list[int]:
    return sorted(edges)[: len(edges) // 2 * 2]


def sliced(text: str, start: int, end: int) -> str:
    encoded = text.encode("utf-16-le", "surrogatepass")
    return encoded[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


@batched
@given(
    cases=st.lists(
        st.tuples(
            ODD,
            st.sampled_from(["python", "c"]),
            *[st.lists(st.integers(0, 20), max_size=6, unique=True).map(ranges)] * 2,
        ),
        min_size=1,
        max_size=CASES,
    )
)
def test_colours_and_marks_lose_no_character(call: Call, cases: list[Any]) -> None:
    # Ranges begin and end between characters.
    cut = [
        (line, of, *([units(line[:edge]) for edge in pairs] for pairs in (words, hits)))
        for line, of, words, hits in cases
    ]
    found = call(
        """([line, of, words, hits]) => {
          const into = document.createElement("span");
          appendCode(into, line, { words, hits, of });
          const texts = (name) => [...into.querySelectorAll(name)].map((one) => one.textContent);
          return { text: into.textContent, words: texts(".w"), hits: texts(".hit"),
                   tokens: tokens(line, of), visible: visible(line) };
        }""",
        cut,
    )
    for (line, _, words, hits), answer in zip(cut, found, strict=True):
        assert answer["text"] == answer["visible"] == shown(line)
        length = units(line)
        for ranges, texts in ((words, answer["words"]), (hits, answer["hits"])):
            parts = [sliced(line, *ranges[at : at + 2]) for at in range(0, len(ranges), 2)]
            assert "".join(texts) == "".join(shown(part) for part in parts)
        edges = [edge for token in answer["tokens"] for edge in (token["start"], token["end"])]
        assert edges == sorted(edges) and all(0 <= edge <= length for edge in edges)
        assert all(token["start"] < token["end"] for token in answer["tokens"])


def test_a_long_line_is_cut_and_says_by_how_much(call: Call) -> None:
    function = """(line) => {
      const into = document.createElement("span");
      appendCode(into, line);
      return into.textContent;
    }"""
    whole, cut = call(function, ["x = 1 # " + "y" * 9992, "x = 1 # " + "y" * 9994])
    assert whole == "x = 1 # " + "y" * 9992
    assert cut == whole + " … 2 more characters"


def test_colours_are_those_of_python_own_tokens(call: Call, gemm_journal: Path) -> None:
    kinds = {tokenize.STRING: "string", tokenize.NUMBER: "number", tokenize.COMMENT: "comment"}
    trace = load(gemm_journal)
    scripts = [one.after_text for one in trace.passes if not one.is_codegen]
    lines = sorted({line.strip() for text in scripts for line in text.split("\n")})
    lines += ["x = 1e-5 * 0x1F + 1.5E+3  # 'no string'", "y = b'it\\'s' + rf\"{no} # comment\""]
    expected: dict[str, list[tuple[int, int, str]]] = {}
    for line in lines:
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(line).readline))
        except (tokenize.TokenError, IndentationError):
            continue  # a bracket that other lines close
        expected[line] = [
            (one.start[1], one.end[1], kinds[one.type]) for one in tokens if one.type in kinds
        ]
    assert len(expected) > len(lines) / 2
    assert {kind for spans in expected.values() for *_, kind in spans} == set(kinds.values())
    found = call('(line) => tokens(line, "python")', list(expected))
    for (line, spans), tokens_ in zip(expected.items(), found, strict=True):
        of_kinds = [
            (one["start"], one["end"], one["kind"])
            for one in tokens_
            if one["kind"] in kinds.values()
        ]
        assert of_kinds == spans, line
