"""Small programs that are watched while they compile; the argument names the way."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import cpu_scale
import elementwise_two_outputs
import tilelang
import tvm
from cuda_source import lower_to_cuda
from tvm import tirx
from tvm.ir.transform import module_pass

from lt_record import viewer

simplify = tirx.transform.Simplify()


def module(value: int = 0) -> tvm.IRModule:
    return tvm.IRModule({"main": tirx.PrimFunc([], tirx.Evaluate(value))})


@module_pass(opt_level=0, name="Hangs")
def hangs(mod, ctx):
    print("hanging", flush=True)
    time.sleep(300)
    return mod


@module_pass(opt_level=0, name="Grows")
def grows(mod, ctx):
    body = tirx.SeqStmt([tirx.Evaluate(number) for number in range(3_000)])
    return tvm.IRModule({"main": tirx.PrimFunc([], body)})


def lower(width: int = 512) -> None:
    lower_to_cuda(elementwise_two_outputs.kernel(M=256, N=width))


def viewers() -> list[int]:
    """Processes that follow a journal of this run."""
    traces = os.environ["TL_LOWER_TRACE_DIR"].encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if b"\0follow\0" in command and traces in command:
            found.append(int(entry.name))
    return found


def two_kernels() -> None:
    print("before the first")
    tilelang.compile(cpu_scale.kernel(), target="c", execution_backend="cython")
    print("between the two")
    lower()
    print("after the second")


def viewer_killed() -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    lower()
    for pid in viewers():
        os.kill(pid, signal.SIGKILL)
    while viewers():
        time.sleep(0.01)
    lower(1024)
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("no child is left")


def hanging() -> None:
    lower()
    hangs(module(42))


def never_read() -> None:
    """Prints more than a pipe holds."""
    viewer._END_PATIENCE = 1.0
    grows(module())
    lower()
    print("the compile has ended", file=sys.stderr)


def notebook_and_child() -> None:
    """``sys.stdout`` is no file, and a forked child lowers, too."""
    sys.stdout = shown = Cell()
    lower()
    before = shown.getvalue()
    print("MARK")
    if os.fork() == 0:
        sys.stdout = sys.__stdout__
        simplify(module(7))
        sys.exit()  # with what is to be done at exit
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass  # no child but that one
    sys.stdout = sys.__stdout__
    print(f"seen in the notebook: {'lines of CUDA generated' in before}")


class Cell(io.StringIO):
    """What a notebook has in the place of a file."""


if __name__ == "__main__":
    globals()[sys.argv[1]]()
