"""Texts told apart by their structure: variables stand as places, whatever they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Stands for a variable in a masked line.
_PLACE = "\x00"

_NAMES = r"[A-Za-z_]\w*(?:, ?[A-Za-z_]\w*)*"
#: Strings, and names that are neither attributes nor called.
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|' + r"'(?:[^'\\]|\\.)*'|" + r"(?<![\w.])([A-Za-z_]\w*)(?![\w(])"
)
#: What a line of TVMScript defines.
_SCRIPT_DEFINES = re.compile(
    rf"\bfor ({_NAMES}) in\b"
    rf"|\bas \(?({_NAMES})\)?:"
    rf"|^\s*({_NAMES})(?:: [^=]+)? = "
    rf"|^\s*({_NAMES}): T\."
    rf"|\blambda ({_NAMES}):"
)
_SCRIPT_PARAMETER = re.compile(r"[(,] ?([A-Za-z_]\w*): ")
#: What a line of C and its kin declares: a type, and a name that is no function's.
_C_DECLARES = re.compile(
    r"\b([A-Za-z_]\w*)(?:<[^<>;]*>)?[\s*&]+(?:__restrict__\s+)?([A-Za-z_]\w*)\s*(?=[=;,)\[:]|$)"
)
_NO_TYPES = frozenset(
    ("return", "else", "goto", "case", "new", "delete", "typedef", "using", "namespace", "struct")
)


@dataclass(frozen=True)
class Masked:
    """A text with its variables taken out."""

    #: Its lines, with a place for each variable.
    lines: list[str]
    #: For each line, which variables stand in its places; a name defined anew is another one.
    variables: list[tuple[int, ...]]


class Masks:
    """Masks texts; a line that many texts hold is looked at once."""

    def __init__(self) -> None:
        self._script: dict[str, _Line] = {}
        self._c: dict[str, _Line] = {}

    def mask(self, text: str) -> Masked:
        """Take the variables out of ``text``."""
        is_script = "@T." in text or "@I." in text
        known = self._script if is_script else self._c
        numbers: dict[str, int] = {}
        defined = 0
        lines, variables = [], []
        for line in text.split("\n"):
            parts = known.get(line)
            if parts is None:
                parts = known[line] = _Line.of(line, is_script)
            for name in parts.defines:
                numbers[name] = defined
                defined += 1
            lines.append(parts.masked(numbers))
            variables.append(tuple(numbers[name] for name in parts.names if name in numbers))
        return Masked(lines, variables)


@dataclass(frozen=True)
class _Line:
    """What is between the names of a line, the names, and those of them that it defines."""

    between: tuple[str, ...]
    names: tuple[str, ...]
    defines: tuple[str, ...]

    @classmethod
    def of(cls, line: str, is_script: bool) -> _Line:
        between, names, at = [], [], 0
        for found in _TOKEN.finditer(line):
            if found[1] is not None:
                between.append(line[at : found.start()])
                names.append(found[1])
                at = found.end()
        defines = _script_defines(line) if is_script else _c_declares(line)
        return cls((*between, line[at:]), tuple(names), tuple(dict.fromkeys(defines)))

    def masked(self, numbers: dict[str, int]) -> str:
        parts = [self.between[0]]
        for name, then in zip(self.names, self.between[1:], strict=True):
            parts += (_PLACE if name in numbers else name, then)
        return "".join(parts)


def _script_defines(line: str) -> Iterator[str]:
    for found in _SCRIPT_DEFINES.finditer(line):
        for names in found.groups():
            yield from names.split(", ") if names else ()
    if line.lstrip().startswith("def "):
        for found in _SCRIPT_PARAMETER.finditer(line):
            yield found[1]


def _c_declares(line: str) -> Iterator[str]:
    for found in _C_DECLARES.finditer(line):
        if found[1] not in _NO_TYPES:
            yield found[2]
