"""The recorder's half of edit and recompile: which edit a codegen is to be compiled from.

Reads the files of ``codegen_files`` and never writes them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from . import console
from .codegen_files import DEVICE, Assignment, CodegenFiles, Copies, Owner, digest
from .three_way import COMPILES_WORKING_COPY, decide, identical, is_blank


@dataclass(frozen=True)
class Edit:
    """What the files say of one codegen."""

    #: One of ``three_way``'s tags.
    tag: str
    #: Path of the working copy.
    path: str
    #: What is to be compiled in place of the generated source; ``None`` for that itself.
    text: str | None = None

    @property
    def digest(self) -> bytes | None:
        """A digest of :attr:`text`."""
        return None if self.text is None else digest(encoded(self.text))


class Edits:
    """The edits that one process finds, and which of its codegens each belongs to."""

    def __init__(self, plain: Callable[[], str | None]) -> None:
        self._plain = plain
        self._lock = threading.RLock()
        self._files: CodegenFiles | None = None
        self._assignment: Assignment | None = None
        #: Files whose edit this process has compiled, or said why not.
        self._accounted: set[str] = set()
        #: How many codegens were compiled from an edit.
        self.compiled = 0

    def find(self, owner: Owner, source: str) -> Edit | None:
        """Return what the files say of a codegen; ``None`` where none are kept.

        Never raises ``Exception`` for what is wrong with them: it says so once on
        stderr, and the generated source is compiled.
        """
        with self._lock:
            files, assignment = self._opened()
            if files is None or assignment is None:
                return None
            generated = encoded(source)
            key = digest(generated)
            name = assignment.by_content(owner, key)
            if name is None:
                name = assignment.by_name(owner, key, plain=owner.role == DEVICE)
            return self._edit(files, name, generated)

    def still_compiled_from(self, owner: Owner, generated: bytes, edit: bytes | None) -> bool:
        """Whether a codegen of that digest would again be compiled from that edit's digest."""
        with self._lock:
            files, assignment = self._opened()
            now = None
            if files is not None and assignment is not None:
                name = assignment.by_content(owner, generated)
                if name is not None and files.baseline_digest(name) == generated:
                    now = files.working_digest(name)
            return (None if now in (generated, digest(b"")) else now) == edit

    def versions(self) -> object:
        """Something that differs once any of the files has changed."""
        with self._lock:
            files, assignment = self._opened()
            if files is None or assignment is None:
                return None
            return files.versions(assignment.claimed)

    def unused(self) -> list[str]:
        """Paths of the edited files that no codegen of this process has asked about."""
        with self._lock:
            files = self._files
            if files is None:
                return []
            edited = []
            for name in files.with_baseline():
                now = files.working_digest(name)
                if name in self._accounted or now in (None, digest(b"")):
                    continue
                if now != files.baseline_digest(name):
                    edited.append(files.path(name))
            return edited

    def _opened(self) -> tuple[CodegenFiles | None, Assignment | None]:
        if self._files is None:
            plain = self._plain()
            if plain is not None:
                self._files = CodegenFiles(plain)
                self._assignment = Assignment(self._files)
        return self._files, self._assignment

    def _edit(self, files: CodegenFiles, name: str, generated: bytes) -> Edit | None:
        path = files.path(name)
        self._accounted.add(name)
        try:
            with files.locked(exclusive=False):
                copies = files.read(name)
        except OSError as error:
            _refuse(path, f"cannot be read ({error.strerror or error})")
            return None
        tag = decide(copies.baseline, copies.working, generated)
        if copies.baseline is not None and is_blank(copies.working):
            _refuse(path, "was deleted" if copies.working is None else "is empty")
        if tag not in COMPILES_WORKING_COPY:
            return Edit(tag, path)
        return self._compiled(tag, path, copies, generated)

    def _compiled(self, tag: str, path: str, copies: Copies, generated: bytes) -> Edit | None:
        working = copies.working or b""
        try:
            text = working.decode()  # with its line ends and byte order mark as they are
        except UnicodeDecodeError:
            _refuse(path, "is not UTF-8")
            return None
        return Edit(tag, path, None if identical(working, generated) else text)


def encoded(source: str) -> bytes:
    """A source as the bytes that files hold."""
    return source.encode("utf-8", "surrogatepass")


def _refuse(path: str, why: str) -> None:
    console.say_once(f"edit {path} {why}", f"{path} {why}: the generated code is compiled.")
