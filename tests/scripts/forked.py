"""Imports TileLang once, then lowers in forked children: many compiles for one import.

``forked.py COMMAND [ARGUMENT…]``; each child is a traced process of its own.
Commands print one JSON object a child.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import elementwise_two_outputs
import tilelang
from cuda_source import lower_to_cuda
from tvm.ir.transform import module_pass

FUNCTION = elementwise_two_outputs.kernel()


def lower() -> str:
    return lower_to_cuda(FUNCTION)


def child(work: Callable[[], object]) -> int:
    """Fork a child that works and exits as a script does; return its pid."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            # What Python does at exit, without going back into the parent's loop.
            import atexit

            atexit._run_exitfuncs()
            os._exit(0)
    return pid


def report(pid: int, status: int, **more: object) -> None:
    code = os.waitstatus_to_exitcode(status)
    print(json.dumps({"pid": pid, "code": code, **more}), flush=True)


def during(name: str, act: Callable[[], object]) -> None:
    """Put an act into TileLang's pipeline: the pass ``name`` does it instead of its work."""

    def factory(*args: object, **kwargs: object) -> object:
        def transform(mod, ctx):
            act()
            return mod

        return module_pass(transform, opt_level=0, name=f"tl.{name}")

    setattr(tilelang.transform, name, factory)


def kill_inside(name: str) -> None:
    """End a child in the middle of the named pass, in each of the ways there are."""
    acts: dict[str, Callable[[], object]] = {
        "SIGKILL": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "SIGSEGV": lambda: os.kill(os.getpid(), signal.SIGSEGV),
        "SIGABRT": lambda: os.kill(os.getpid(), signal.SIGABRT),
        "_exit": lambda: os._exit(7),
    }
    for way, act in acts.items():
        during(name, act)
        pid = child(lower)
        report(*os.waitpid(pid, 0), way=way)


def kill_at_random(count: str, seed: str) -> None:
    """One undisturbed child, then ``count`` that are killed at random moments."""
    random.seed(int(seed))
    lower()  # what is loaded lazily is loaded here
    begun = time.monotonic()
    report(*os.waitpid(child(lower), 0))
    seconds = time.monotonic() - begun
    for _ in range(int(count)):
        pid = child(lower)
        time.sleep(random.uniform(0, seconds))
        os.kill(pid, signal.SIGKILL)
        report(*os.waitpid(pid, 0))


def fork_before() -> None:
    pid = child(lower)
    lower()
    report(*os.waitpid(pid, 0))
    print(json.dumps({"pid": os.getpid()}))


def fork_during() -> None:
    """Parent and child both go on with the compile in which the fork happened."""
    pids: list[int] = []
    during("LayoutVisual", lambda: None)

    def fork() -> None:
        if not pids:
            pids.append(os.fork())

    original = tilelang.transform.LowerOpaqueBlock

    def factory() -> object:
        def transform(mod, ctx):
            fork()
            return original()(mod)

        return module_pass(transform, opt_level=0, name="tl.Forks")

    tilelang.transform.LowerOpaqueBlock = factory
    lower()
    if pids[0] == 0:
        sys.exit()
    report(*os.waitpid(pids[0], 0))
    print(json.dumps({"pid": os.getpid()}))


def fork_in_a_thread() -> None:
    done: list[tuple[int, int]] = []
    thread = threading.Thread(target=lambda: done.append(os.waitpid(child(lower), 0)))
    thread.start()
    lower()
    thread.join()
    report(*done[0])
    print(json.dumps({"pid": os.getpid()}))


def worker(_: int) -> int:
    lower()
    return os.getpid()


def pool(method: str) -> None:
    lower()
    with multiprocessing.get_context(method).Pool(1) as processes:
        pids = set(processes.map(worker, [0]))
        processes.close()
        processes.join()
    for pid in pids | {os.getpid()}:
        print(json.dumps({"pid": pid}))


def many(count: str) -> None:
    """``count`` processes at once on one directory."""
    pids = [child(lower) for _ in range(int(count))]
    for pid in pids:
        report(*os.waitpid(pid, 0))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
