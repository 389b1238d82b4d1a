"""Writing below an output directory: whole or not at all, and never outside of it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from .errors import RenderError

_TEMPORARY = re.compile(r"\.lt-render-(\d+)-.*")
#: Seconds after which what a killed process left behind is swept away.
_STALE_AFTER = 60


def make_dirs(base: Path, below: Path) -> None:
    """Create ``below``, a directory under ``base``, following no link on the way.

    The output directory may hold what somebody else put there; a link would
    lead what a journal names out of it.
    """
    base.mkdir(parents=True, exist_ok=True)
    current = base
    for part in below.relative_to(base).parts:
        current = current / part
        if current.is_symlink():
            raise RenderError(
                f"{current} is a symbolic link; remove it or choose another directory with -o."
            )
        current.mkdir(exist_ok=True)


def write(path: Path, data: bytes) -> None:
    """Write a file by renaming it into place."""
    with _replaced(path) as handle, os.fdopen(handle, "wb") as file:
        file.write(data)


@contextlib.contextmanager
def replaced_file(path: Path) -> Iterator[TextIO]:
    """Give a new text file to fill, and rename it to ``path`` when done."""
    with (
        _replaced(path) as handle,
        os.fdopen(handle, "w", encoding="utf-8", newline="") as file,
    ):
        yield file


@contextlib.contextmanager
def _replaced(path: Path) -> Iterator[int]:
    """Give the descriptor of a new file, and rename that to ``path`` once it has been closed."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_prefix())
    try:
        yield handle
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def link(path: Path, target: str) -> None:
    """Point a symbolic link at ``target``, replacing what is there; copy where links are not."""
    temporary = path.with_name(f"{_prefix()}{path.name}")
    try:
        temporary.symlink_to(target)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        write(path, (path.parent / target).read_bytes())


@contextlib.contextmanager
def replaced_dir(path: Path) -> Iterator[Path]:
    """Give a new directory to fill, and put it in the place of ``path`` when done."""
    fresh = Path(tempfile.mkdtemp(dir=path.parent, prefix=_prefix()))
    try:
        os.chmod(fresh, 0o777 & ~_umask())
        yield fresh
        if path.is_symlink() or path.is_file():
            path.unlink()
        if not path.exists():
            os.replace(fresh, path)
        elif not _exchange(fresh, path):
            old = tempfile.mkdtemp(dir=path.parent, prefix=_prefix())
            os.replace(path, old)
            os.replace(fresh, path)
            shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)  # by now the old one, if there was one


def sweep(directory: Path) -> None:
    """Remove what processes that are no more have left behind half-written."""
    for entry in directory.iterdir():
        found = _TEMPORARY.fullmatch(entry.name)
        if found is None or _alive(int(found[1])):
            continue
        with contextlib.suppress(OSError):
            if time.time() - entry.lstat().st_mtime < _STALE_AFTER:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink()


def discard(directory: Path, pid: int) -> None:
    """Remove what process ``pid``, which has been ended, has left there half-written."""
    for entry in directory.glob(f"{_prefix(pid)}*"):
        with contextlib.suppress(OSError):
            entry.unlink()


def _prefix(pid: int | None = None) -> str:
    return f".lt-render-{os.getpid() if pid is None else pid}-"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True


def _exchange(one: Path, other: Path) -> bool:
    """Swap two directories in one step, so that there is never none; where the system can."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(renameat2(here, os.fsencode(one), here, os.fsencode(other), swap) == 0)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
