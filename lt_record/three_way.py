"""What becomes of edited source: the one decision that recorder and renderer share.

Three texts decide, as bytes: the *baseline* (``codegen.cpp.original``), the
*working copy* (``codegen.cpp``) and what the compiler has *generated* now. The
table is the one of TileLang's guide to its built-in tracer.
"""

from __future__ import annotations

from typing import Final

#: Nothing differs: the generated source is compiled as it is.
UNCHANGED: Final = ""
#: There was no baseline: both files are written.
INIT: Final = "INIT"
#: As INIT, but a working copy of unknown origin was there: it is backed up first.
INIT_BACKUP: Final = "INIT-BACKUP"
#: The compiler generates another source, and nobody has edited the old one.
REGENERATED: Final = "REGENERATED"
#: Edited by the user: the working copy is compiled.
PATCHED: Final = "PATCHED"
#: Edited by the user, and the compiler now generates the very same.
SYNCED: Final = "SYNCED"
#: Edited by the user, and the compiler now generates something else.
CONFLICT: Final = "CONFLICT"
#: A conflict in which edit and new source could be merged (``lt-render --merge``).
MERGED: Final = "MERGED"

#: Where the working copy is what is to be compiled.
COMPILES_WORKING_COPY: Final = (PATCHED, SYNCED)

_BOM = b"\xef\xbb\xbf"


def decide(baseline: bytes | None, working: bytes | None, generated: bytes) -> str:
    """Return the tag of the row that holds; ``None`` stands for a file that is not there.

    A working copy that was deleted or emptied counts as not edited: there is
    nothing in it to compile, and nothing to lose.
    """
    if baseline is None:
        return INIT if is_blank(working) else INIT_BACKUP
    if working is None or is_blank(working):
        return REGENERATED
    edited = not identical(working, baseline)
    if identical(generated, baseline):
        return PATCHED if edited else UNCHANGED
    if not edited:
        return REGENERATED
    return SYNCED if identical(working, generated) else CONFLICT


def identical(one: bytes, other: bytes) -> bool:
    """Whether two sources are the same but for blanks at their end and a byte order mark."""
    return normalized(one) == normalized(other)


def normalized(source: bytes) -> bytes:
    """``source`` without what :func:`identical` passes over."""
    return source.removeprefix(_BOM).rstrip()


def is_blank(source: bytes | None) -> bool:
    """Whether there is nothing in ``source`` to compile."""
    return source is None or not normalized(source)
