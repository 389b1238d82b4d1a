"""Where a process keeps its journal: names and directories below the base directory."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import sys
import time
from datetime import datetime, timedelta

from .format import JOURNAL_NAME

#: Seed directory layout: ``<base>/<script>/.run_records/run_<time>_<pid>/``.
RUN_RECORDS = ".run_records"

_LONGEST_NAME = 100


def script_name() -> str:
    """Name the running program as a person would.

    The seed's rule is the stem of ``sys.argv[0]``, or ``kernel`` without one.
    It says nothing sensible for ``-c``, ``-m``, standard input and notebooks.
    """
    argv = getattr(sys, "argv", None) or [""]
    first = argv[0] if isinstance(argv[0], str) else ""
    if first == "-c":
        return "command"
    if first == "-m":  # still looking for the module
        return _module_name() or "module"
    if first == "-":
        return "stdin"
    if first == "":
        return "interactive" if hasattr(sys, "ps1") or sys.flags.interactive else "kernel"
    directory, base = os.path.split(first)
    stem = os.path.splitext(base)[0]
    if stem == "__main__":
        return safe_name(os.path.basename(directory) or "kernel")
    if stem in ("ipykernel_launcher", "ipykernel", "colab_kernel_launcher"):
        return safe_name(_notebook_name())
    return safe_name(stem or "kernel")


def _module_name() -> str:
    original = getattr(sys, "orig_argv", [])
    for option, value in itertools.pairwise(original):
        if option == "-m":
            return safe_name(value.split(".")[0])
    return ""


def _notebook_name() -> str:
    # JPY_SESSION_NAME is what jupyter-server tells its kernels; VS Code leaves
    # the path in the user's namespace.
    path = os.environ.get("JPY_SESSION_NAME", "")
    if not path:
        path = str(getattr(sys.modules.get("__main__"), "__vsc_ipynb_file__", ""))
    return os.path.splitext(os.path.basename(path))[0] or "notebook"


def safe_name(name: str) -> str:
    """Make ``name`` one harmless path component, still readable."""
    safe = re.sub(r"[^\w.\-+ ]", "_", name).strip(" .") or "kernel"
    if len(safe.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4)
        safe = f"{safe[:60]}~{digest.hexdigest()}"
    return safe.encode("utf-8", "replace").decode()


def make_run_dir(trace_dir: str, script: str) -> str:
    """Create this run's directory, which nobody else has, and return its path."""
    records = os.path.join(trace_dir, script, RUN_RECORDS)
    os.makedirs(records, exist_ok=True)
    # A clock set back, a pid seen twice over a network file system: the
    # microseconds move on until the name is free.
    started = datetime.fromtimestamp(time.time())
    for tick in range(1000):
        moment = started + timedelta(microseconds=tick)
        run_dir = os.path.join(records, f"run_{moment:%Y%m%d_%H%M%S_%f}_{os.getpid()}")
        try:
            os.mkdir(run_dir)
            return run_dir
        except FileExistsError:
            continue
    raise FileExistsError(f"no free name for a run in {records}")


def link_newest(trace_dir: str, script: str, run_dir: str) -> None:
    """Point ``<script>/journal.lt.zst`` at the newest run's journal."""
    script_dir = os.path.join(trace_dir, script)
    link = os.path.join(script_dir, JOURNAL_NAME)
    target = os.path.join(os.path.relpath(run_dir, script_dir), JOURNAL_NAME)
    temporary = f"{link}.{os.path.basename(run_dir)}"
    try:
        os.symlink(target, temporary)
        try:
            os.replace(temporary, link)  # never a moment without a link
        except OSError:
            os.unlink(temporary)
    except OSError:
        pass  # a file system without links: the run's own path still stands
