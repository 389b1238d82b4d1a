"""The files of generated source that a person edits: where they are and whose each is.

Beside the run directories lie ``codegen.cpp`` (the working copy),
``codegen.cpp.original`` (its baseline) and ``codegen.cpp.latest``. Further
kernels, and the host's code beside the device's, have files of their own:
``codegen.<kernel>.cpp``, ``codegen.host.cpp``, ``codegen.<kernel>.2.cpp``.

Which file belongs to a codegen is first a matter of content: the one whose
baseline is what was generated. So an edit finds its kernel in whatever order,
thread or process it compiles. Only where no baseline fits do names decide.

The renderer writes these files, under an exclusive lock of their directory; the
recorder only reads them, under a shared one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .place import safe_name
from .three_way import normalized

try:
    import fcntl
except ImportError:  # Windows: renames are atomic there too, only the pair is not
    fcntl = None  # type: ignore[assignment]

PLAIN_NAME = "codegen.cpp"
ORIGINAL = ".original"
LATEST = ".latest"

DEVICE = "device"
HOST = "host"

#: How long the recorder waits for a renderer that is writing.
LOCK_SECONDS = 2.0


@dataclass(frozen=True)
class Owner:
    """Whose code a file holds."""

    #: Name of the kernel's function.
    kernel: str
    #: ``device`` or ``host``.
    role: str


@dataclass(frozen=True)
class Copies:
    """What a working copy and its baseline hold; ``None`` for a file that is not there."""

    baseline: bytes | None
    working: bytes | None


def digest(source: bytes) -> bytes:
    """A digest that is the same for sources that count as identical."""
    return hashlib.blake2b(normalized(source), digest_size=16).digest()


class CodegenFiles:
    """The files beside the plain path, ``…/codegen.cpp``."""

    def __init__(self, plain: str) -> None:
        self.directory, self.plain = os.path.split(plain)
        self._stem, self._ending = os.path.splitext(self.plain)
        self._name = re.compile(
            rf"{re.escape(self._stem)}(\..+)?{re.escape(self._ending)}", re.DOTALL
        )
        self._digests: dict[str, tuple[tuple[int, int, int], bytes]] = {}

    def path(self, name: str, ending: str = "") -> str:
        """Path of a working copy, or with ``ending`` of a file beside it."""
        return os.path.join(self.directory, name + ending)

    def name(self, kernel: str, role: str, nth: int = 1) -> str:
        """``codegen.<kernel>.cpp``; without ``kernel`` the plain name."""
        parts = [self._stem]
        if kernel:
            parts.append(safe_name(kernel))
        if role == HOST:
            parts.append(HOST)
        if nth > 1:
            parts.append(str(nth))
        return ".".join(parts) + self._ending

    def with_baseline(self) -> list[str]:
        """Names of the working copies that have a baseline, deleted ones included."""
        try:
            entries = os.listdir(self.directory)
        except OSError:
            return []
        names = (entry[: -len(ORIGINAL)] for entry in entries if entry.endswith(ORIGINAL))
        return sorted((name for name in names if self._name.fullmatch(name)), key=_natural)

    def read(self, name: str) -> Copies:
        """Read a working copy and its baseline. Raises ``OSError`` for what cannot be read."""
        return Copies(_read(self.path(name, ORIGINAL)), _read(self.path(name)))

    def baseline_digest(self, name: str) -> bytes | None:
        """The baseline's :func:`digest`; the file is read again only if it was replaced."""
        return self._digest(self.path(name, ORIGINAL))

    def working_digest(self, name: str) -> bytes | None:
        """Likewise the working copy's."""
        return self._digest(self.path(name))

    def versions(self, names: Iterable[str]) -> object:
        """Something that differs once a working copy has changed, or files have come or gone."""
        paths = [self.directory, *(self.path(name) for name in names)]
        return [_version(path) for path in paths]

    def _digest(self, path: str) -> bytes | None:
        version = _version(path)
        known = self._digests.get(path)
        if version is None or (known is not None and known[0] == version):
            return None if version is None or known is None else known[1]
        try:
            content = _read(path)
        except OSError:
            return None
        if content is None:
            return None
        self._digests[path] = (version, digest(content))
        return self._digests[path][1]

    def owners(self) -> dict[str, Owner]:
        """Whose each file is, as the renderer has noted it; empty where it has not."""
        noted = {
            name: (entry.get("kernel"), entry.get("role")) for name, entry in self.notes().items()
        }
        return {
            name: Owner(kernel, role)
            for name, (kernel, role) in noted.items()
            if isinstance(kernel, str) and isinstance(role, str)
        }

    @property
    def notes_path(self) -> str:
        """The renderer's notes on these files."""
        return os.path.join(self.directory, f".{self.plain}.json")

    def notes(self) -> dict[str, dict[str, object]]:
        """Return the notes, by file; what is odd in them is left out."""
        try:
            content = _read(self.notes_path)
            entries = json.loads(content)["files"] if content else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        if not isinstance(entries, dict):
            return {}
        return {name: entry for name, entry in entries.items() if isinstance(entry, dict)}

    @contextlib.contextmanager
    def locked(self, *, exclusive: bool, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """Hold the directory's lock. Raises ``OSError`` if another holds it for ``seconds``."""
        descriptor = None
        try:
            if fcntl is not None:
                with contextlib.suppress(FileNotFoundError):
                    descriptor = os.open(self.directory or ".", os.O_RDONLY | os.O_CLOEXEC)
            if descriptor is not None:
                _lock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH, seconds)
            yield
        finally:
            if descriptor is not None:
                os.close(descriptor)


class Assignment:
    """Gives each codegen of a process its file."""

    def __init__(self, files: CodegenFiles) -> None:
        self._files = files
        #: By file, whose it is in this process, and what was generated for it.
        self.claimed: dict[str, tuple[Owner, bytes]] = {}

    def by_content(self, owner: Owner, generated: bytes) -> str | None:
        """The file whose baseline, or else working copy, is what was generated.

        Or else the one that the very same codegen was given before.
        """
        claim = (owner, generated)
        owners = self._files.owners()
        names = [
            name
            for name in self._files.with_baseline()
            if owners.get(name, owner) == owner and self.claimed.get(name, claim) == claim
        ]
        for digest_of in (self._files.baseline_digest, self._files.working_digest):
            fitting = [name for name in names if digest_of(name) == generated]
            if fitting:
                # With a note of whose it is rather than without.
                return self._claim(min(fitting, key=lambda name: name not in owners), *claim)
        return next((name for name, known in self.claimed.items() if known == claim), None)

    def by_name(self, owner: Owner, generated: bytes, *, plain: bool) -> str:
        """The file that a codegen gets by its name; ``plain``: it may have the plain one."""
        owners = self._files.owners()
        mine = sorted((name for name, whose in owners.items() if whose == owner), key=_natural)
        if plain and self._files.plain not in owners:
            mine.append(self._files.plain)
        kernel = owner.kernel
        if owner.role == HOST and self._kernel_of_plain(owners) == kernel:
            kernel = ""
        for name in mine:
            if name not in self.claimed:
                return self._claim(name, owner, generated)
        nth = 1
        while True:
            name = self._files.name(kernel, owner.role, nth)
            free = name != self._files.plain and name not in self.claimed
            if free and owners.get(name, owner) == owner:
                return self._claim(name, owner, generated)
            nth += 1

    def _kernel_of_plain(self, owners: dict[str, Owner]) -> str | None:
        if self._files.plain in self.claimed:
            return self.claimed[self._files.plain][0].kernel
        whose = owners.get(self._files.plain)
        return whose.kernel if whose else None

    def _claim(self, name: str, owner: Owner, generated: bytes) -> str:
        claim = (owner, generated)
        for other in [other for other, known in self.claimed.items() if known == claim]:
            del self.claimed[other]
        self.claimed[name] = claim
        return name


def _version(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read(path: str) -> bytes | None:
    """A regular file's bytes; ``None`` if it is not there."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            # Opening a pipe would wait for its writer.
            raise OSError(errno.EINVAL, "not a regular file", path)
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _lock(descriptor: int, kind: int, seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        except OSError as error:
            # File systems without locks: the files are still replaced whole, one by one.
            if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF):
                return
            raise


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts ``codegen.cpp`` first, and ``.10.`` after ``.2.``."""
    return [
        (int(part), "") if part.isdigit() else (-1, part)
        for part in re.split(r"(\d+)", os.path.splitext(name)[0])
    ]
