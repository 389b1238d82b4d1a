"""Lines for a terminal that hold names from a journal: nothing in them is interpreted."""

from __future__ import annotations

import sys
import unicodedata

#: Control and format characters (bidi overrides among them), surrogates, line
#: and paragraph separators.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str) -> str:
    """Return ``text`` with escapes in the place of what a terminal might act on."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character.encode("ascii", "backslashreplace").decode()
        if unicodedata.category(character) in _UNPRINTABLE and not character.isascii()
        else repr(character)[1:-1]
        if unicodedata.category(character) in _UNPRINTABLE
        else character
        for character in text
    )


def complain(sentence: str) -> None:
    """Print one line to stderr."""
    print(f"lt-render: {printable(sentence)}", file=sys.stderr)


def tell(sentence: str) -> None:
    """Print one line of news to stderr, in the form that the recorder uses too."""
    print(f"[lower_trace] {printable(sentence)}", file=sys.stderr)
