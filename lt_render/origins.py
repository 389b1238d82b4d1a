"""Which statement of the IR a generated line most plausibly came from: a guess.

Codegens keep names, literals and the order of statements. So lines are compared
by the names and literals that both texts have, the rare ones counting most, and
of all guesses those are kept that are in order and have most in common in sum.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

#: Share of what a generated line says that a statement must say, too.
_LEAST_SHARE = 0.5
#: Statements that are compared with each generated line, and lines that a word may
#: be in to be looked up by.
_CANDIDATES = 24
_COMMON = 400
#: Characters of a line that are looked at.
_LONGEST = 10_000
#: Weight of a part of a name; of what only one side says; of two lines for one statement.
_PART, _MISSING, _UNSAID, _AGAIN = 0.5, 0.5, 0.05, 0.25

_EQUAL = 1e-6

_TOKEN = re.compile(
    r"(?:blockIdx|threadIdx)\.[xyz]"  # one name, as in the IR
    r"|0x[\da-fA-F.]+p[+-]?\d+"
    r"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
    r"|[^\W\d]\w*"
    r"|>>|<<|[%&|^/]"
)
#: Parts of a name, those with digits left out: they are types' mostly.
_PARTS = re.compile(r"(?:(?<=_)|^|(?<=[a-z])(?=[A-Z]))[A-Z]*[a-z]+(?=_|[A-Z]|$)")
_NUMBERED = re.compile(r"(?:_\d+)+$")  # made up to keep names apart, on each side anew
_COMMENT = re.compile(r"/\*.*?\*/|//.*")
_SUFFIX = re.compile(r"(?<=\d)[fFuUlL]+\b")

#: What the IR calls otherwise than the source does.
_SAME = {
    "truncmod": "%",
    "floormod": "%",
    "Div": "/",
    "truncdiv": "/",
    "shift_right": ">>",
    "shift_left": "<<",
    "bitwise_and": "&",
    "address_of": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "tvm_storage_sync": "__syncthreads",
    "if_then_else": "if",
    "set_max_nreg": "warpgroup_reg",
}
#: Words of the source language, which are nobody's names.
_IDLE = frozenset({"auto", "bool", "char", "const", "extern", "float", "int", "void", "tl"})
_AXIS = re.compile(r"\s*(\w+) = T\.launch_thread\(\"([\w.]+)\"")
_FUNCTION = re.compile(r"\s*def (\w+)\(")
#: Statements that generate nothing.
_SILENT = re.compile(
    r"\s*(?:#|@|class |from |T\.func_attr|\w+ = T\.(?:launch_thread|decl_buffer|Buffer)\(|$)"
)
_KIND = re.compile(r"[\s}]*(for|while|if|elif|else)\b")
#: Source lines that say nothing of their own: braces, and what belongs to the next line.
_BARE = re.compile(r"[\s{}();]*$|#(?!pragma)")
_LEADING = re.compile(r"\s*(?:#pragma unroll|[\w:]+ \w+;$)")


@dataclass(frozen=True)
class _Line:
    """What a line says."""

    at: int
    #: ``for``, ``if``, ``else``, ``while``, ``def`` or empty.
    kind: str
    words: frozenset[str]


def guess_origins(generated: str, ir: str) -> list[int | None]:
    """Return for each line of ``generated`` the line of ``ir`` that it may be from, from 0.

    ``None`` where there is no guess worth the name.
    """
    source, statements = (
        [line[:_LONGEST] for line in text.split("\n")] for text in (generated, ir)
    )
    names = {found[1] for line in statements if (found := _FUNCTION.match(line))}
    axes = {found[1]: found[2] for line in statements if (found := _AXIS.match(line))}
    left = [
        _Line(at, _kind(line, names), _words(_COMMENT.sub("", line), {}))
        for at, line in enumerate(source)
        if not line.startswith("#")
    ]
    right = [
        _Line(at, _kind(line, names), _words(line, axes))
        for at, line in enumerate(statements)
        if not _SILENT.match(line)
    ]
    guesses: list[int | None] = [None] * len(source)
    for one, other in _Matcher(left, right).in_order():
        guesses[one.at] = other.at
    _fill(guesses, source)
    return guesses


class _Matcher:
    """Pairs lines of the source with statements, both in order, one statement with several."""

    def __init__(self, left: Sequence[_Line], right: Sequence[_Line]) -> None:
        both = {word for line in left for word in line.words}
        both &= {word for line in right for word in line.words}
        self._left = [_Line(one.at, one.kind, one.words & both) for one in left]
        self._right = [_Line(one.at, one.kind, one.words & both) for one in right]
        lines = Counter(word for line in (*self._left, *self._right) for word in line.words)
        total = len(self._left) + len(self._right)
        self._weights = {word: _weight(word, total / times) for word, times in lines.items()}
        self._places: dict[str, list[int]] = {}
        for at, line in enumerate(self._right):
            for word in line.words:
                self._places.setdefault(word, []).append(at)

    def in_order(self) -> Iterator[tuple[_Line, _Line]]:
        """Yield the pairs that have most in common in sum, the last ones first."""
        chains = _Chains(len(self._right))
        for line in self._left:
            found = []
            for at in self._candidates(line):
                gain = self._gain(line, self._right[at])
                if gain > 0:
                    found.append((at, gain))
            chains.extend(line, found)
        for line, at in chains.best():
            yield line, self._right[at]

    def _candidates(self, line: _Line) -> list[int]:
        """The statements that share most of a line's words, rare ones counting most."""
        shared: dict[int, float] = {}
        for word in line.words:
            places = self._places[word]
            if len(places) <= _COMMON:
                for at in places:
                    shared[at] = shared.get(at, 0) + self._weights[word]
        return heapq.nlargest(_CANDIDATES, shared, key=lambda at: (shared[at], -at))

    def _gain(self, line: _Line, statement: _Line) -> float:
        chooses = line.kind == "if" and not statement.kind and "if" in statement.words
        if line.kind != statement.kind and not chooses:
            return 0
        said, known = self._total(line.words), self._total(statement.words)
        shared = self._total(line.words & statement.words)
        if shared < _LEAST_SHARE * said:
            return 0
        return shared - _MISSING * (said - shared) - _UNSAID * (known - shared)

    def _total(self, words: frozenset[str]) -> float:
        return sum(self._weights[word] for word in words)


class _Chains:
    """Chains of pairs, ascending on both sides; the best one up to each statement is kept."""

    def __init__(self, size: int) -> None:
        #: Each link: its value, what it pairs, and the link before it.
        self._links: list[tuple[float, _Line, int, int]] = []
        #: A Fenwick tree of the best links that end before a statement, or -1.
        self._tree = [-1] * (size + 1)
        self._at: dict[int, int] = {}

    def extend(self, line: _Line, found: list[tuple[int, float]]) -> None:
        """Add the next line, with each statement it may be from and what that is worth."""
        new = []
        for at, gain in found:
            before, same = self._best_below(at), self._at.get(at, -1)
            value, again = self._value(before) + gain, self._value(same) + gain - _AGAIN
            # Of two as good, the one where a statement's lines stand together.
            stays = same >= 0 and again > value - _EQUAL
            new.append((at, (again, same) if stays else (value, before)))
        for at, (value, previous) in new:
            if value > self._value(self._at.get(at, -1)):
                self._links.append((value, line, at, previous))
                self._put(at, len(self._links) - 1)

    def best(self) -> Iterator[tuple[_Line, int]]:
        """Yield the pairs of the best chain, the last one first."""
        link = self._best_below(len(self._tree) - 1)
        while link >= 0:
            _, line, at, link = self._links[link]
            yield line, at

    def _value(self, link: int) -> float:
        return self._links[link][0] if link >= 0 else 0.0

    def _best_below(self, at: int) -> int:
        best = -1
        while at > 0:
            best = max(best, self._tree[at], key=self._value)
            at -= at & -at
        return best

    def _put(self, at: int, link: int) -> None:
        self._at[at] = link
        at += 1
        while at < len(self._tree):
            self._tree[at] = max(self._tree[at], link, key=self._value)
            at += at & -at


def _fill(guesses: list[int | None], source: Sequence[str]) -> None:
    """Guess what stands between two lines of one statement, or leads up to a line of it."""
    above: list[int | None] = []
    for line, guess in zip(source, guesses, strict=True):
        ends = guess is not None or _BARE.match(line) is not None
        above.append(guess if ends or not above else above[-1])
    below = leading = None
    for at in reversed(range(len(source))):
        if guesses[at] is None and not _BARE.match(source[at]):
            leads = _LEADING.match(source[at]) is not None
            leading = leading if leads else None
            guesses[at] = leading if leads else below if below == above[at] else None
        else:
            below = guesses[at]
        if guesses[at] is not None:
            leading = guesses[at]


def _kind(line: str, functions: set[str]) -> str:
    found = _KIND.match(line)
    if found is not None:
        return "if" if found[1] == "elif" or "else if" in line else found[1]
    if _FUNCTION.match(line):
        return "def"
    if line[:1].strip() and any(f"{name}(" in line for name in functions):
        return "def"  # a function begins where the source is not indented
    return ""


def _words(line: str, axes: dict[str, str]) -> frozenset[str]:
    words: set[str] = set()
    for token in _TOKEN.findall(_SUFFIX.sub("", line)):
        if token[0].isdigit() or token[0] == ".":
            words.add(_number(token))
            continue
        name = _NUMBERED.sub("", token) or token
        name = axes.get(token, _SAME.get(name, name))
        words.add(name)
        words.update(f"~{part.lower()}" for part in _PARTS.findall(name))
    return frozenset(words - _IDLE - {f"~{word}" for word in _IDLE})


def _number(token: str) -> str:
    """A literal's value, as far as both sides print the same."""
    try:
        value = float.fromhex(token) if "p" in token else float(token)
    except (ValueError, OverflowError):
        return token
    return f"{value:.6g}"


def _weight(word: str, rarity: float) -> float:
    return math.log1p(rarity) * (_PART if word.startswith("~") else 1)
