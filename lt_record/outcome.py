"""What came of a codegen: its source, and the edit that took the source's place."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from .codegen_files import Owner, digest
from .edits import Edit, encoded
from .format import Record
from .three_way import CONFLICT

#: Backends that compile source, by target: what the guide tells to use.
_SOURCE_BACKENDS = {"cuda": "nvrtc", "hip": "cython", "c": "cython"}


@dataclass(frozen=True)
class Compiled:
    """A codegen that has ended, by digests: what it generated, what was compiled instead."""

    owner: Owner
    generated: bytes
    #: ``None`` if the generated source was compiled.
    edit: bytes | None


@dataclass(frozen=True)
class Outcome:
    """What came of a codegen."""

    #: What was generated, or why there is none.
    source: str | None = None
    missing: str = ""
    error: BaseException | None = None
    #: ``host`` or ``device``, and the kind of the target.
    role: str = ""
    target_kind: str = ""
    #: What the files of edited source say, and whether the edit is what is compiled.
    edit: Edit | None = None
    injected: bool = False

    def fields(self, stored: Callable[[str | None], int | None]) -> Record:
        """Fields of the ``codegen_end`` record; ``stored`` gives a text's number."""
        fields: Record = {"source": stored(self.source)}
        if self.missing:
            fields["source_error"] = self.missing
        if self.edit is not None:
            fields |= {"tag": self.edit.tag, "file": os.path.basename(self.edit.path)}
            if self.edit.text is not None:
                fields |= {"edit": stored(self.edit.text), "injected": self.injected}
        return fields

    def message(self) -> str:
        """What is to be said on stderr; empty where nothing is."""
        edit = self.edit
        if edit is None:
            return ""
        if edit.tag == CONFLICT:
            return (
                f"CONFLICT: the edit in {edit.path} was made to other code than is generated "
                "now and is not compiled; lt-render keeps it, and merges it with --merge"
            )
        if edit.text is None:
            return ""
        if self.injected:
            return f"{edit.tag} from {edit.path}"
        backend = _SOURCE_BACKENDS.get(self.target_kind)
        hint = f" Use execution_backend='{backend}' to have edits compiled." if backend else ""
        return (
            f"NOTE: the edit in {edit.path} is recorded, but was not recompiled: this backend "
            f"builds a binary from the IR.{hint}"
        )

    def compiled(self, owner: Owner) -> Compiled:
        """The codegen by its digests."""
        edit = self.edit.digest if self.edit is not None and self.injected else None
        return Compiled(owner, digest(encoded(self.source or "")), edit)
