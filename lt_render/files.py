"""Writing below an output directory: whole or not at all, and never outside of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .errors import RenderError


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
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def link(path: Path, target: str) -> None:
    """Point a symbolic link at ``target``, replacing what is there; copy where links are not."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        temporary.unlink()
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
    fresh = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:40]}."))
    try:
        os.chmod(fresh, 0o777 & ~_umask())
        yield fresh
        old = None
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.exists():
            old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:40]}."))
            os.replace(path, old)
        os.replace(fresh, path)
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
