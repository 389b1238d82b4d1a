"""Compiles kernels from generated source, on the CPU; the argument names what is done around it.

``RESULT`` lines tell what the kernels computed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import tilelang
import tilelang.language as T
import torch

import lt_record

HERE = Path(os.environ["TL_LOWER_TRACE_DIR"])
FILES = HERE / "editing"
CODEGEN = FILES / "codegen.cpp"


def scale(addend: float, N: int = 16):
    @T.prim_func
    def scale(A: T.Tensor((N,), T.float32), B: T.Tensor((N,), T.float32)):
        with T.Kernel(1) as _:
            for i in T.serial(N):
                B[i] = A[i] * 2.0 + addend

    return scale


def negate(N: int = 16):
    @T.prim_func
    def negate(A: T.Tensor((N,), T.float32), B: T.Tensor((N,), T.float32)):
        with T.Kernel(1) as _:
            for i in T.serial(N):
                B[i] = A[i] * -2.0

    return negate


@tilelang.jit(target="c", execution_backend="cython")
def jitted(addend: float = 0.5):
    return scale(addend)


def run(kernel) -> list[float]:
    a = torch.arange(16, dtype=torch.float32)
    b = torch.zeros_like(a)
    kernel(a, b)
    return [round(value, 3) for value in b[:3].tolist()]


def compiled(function):
    return tilelang.compile(function, target="c", execution_backend="cython")


def tell(name: str, kernel) -> None:
    print("RESULT", name, *run(kernel), flush=True)


def render(*options: str) -> None:
    newest = max(HERE.rglob("run_*"), key=lambda path: path.name)
    command = [sys.executable, "-m", "lt_render", str(newest / "journal.lt.zst"), *options]
    environ = {key: value for key, value in os.environ.items() if not key.startswith("TL_LOWER")}
    subprocess.run(command, check=True, env=environ, stdout=subprocess.DEVNULL)


def edit(path: Path = CODEGEN, old: str = "2.0", new: str = "3.0") -> None:
    content = path.read_bytes()
    assert old.encode() in content
    path.write_bytes(content.replace(old.encode(), new.encode()))


def undo(path: Path = CODEGEN) -> None:
    path.write_bytes(path.with_name(path.name + ".original").read_bytes())


# ---- What the first argument names


def one() -> None:
    """One kernel; a second argument is what it adds."""
    tell("scale", compiled(scale(float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)))


def three() -> None:
    """Three kernels, two of one name, in the order of the second argument."""
    kernels = {"scale": scale(1.0), "other": scale(7.0), "negate": negate()}
    for name in sys.argv[2].split(","):
        tell(name, compiled(kernels[name]))


def threads() -> None:
    """The same three, each in a thread of its own, begun in the order of the second argument."""
    kernels = {"scale": scale(1.0), "other": scale(7.0), "negate": negate()}
    done = {}

    def work(name: str) -> None:
        done[name] = compiled(kernels[name])

    workers = [threading.Thread(target=work, args=(name,)) for name in sys.argv[2].split(",")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for name, kernel in done.items():
        tell(name, kernel)


def session() -> None:
    """What a person does in a notebook, with all of TileLang's caches on."""
    tell("untraced", jitted())
    lt_record.enable()
    tell("traced", jitted())
    tell("compiled", compiled(scale(1.0)))
    assert compiled(scale(1.0)) is compiled(scale(1.0)), "lowered once a process, unless edited"
    render()
    edit()
    tell("edited", jitted())
    assert jitted() is jitted(), "an edit that stays is compiled once"
    tell("compiled beside it", compiled(scale(1.0)))
    edit(FILES / "codegen.scale.cpp")
    tell("compiled edited", compiled(scale(1.0)))
    undo()
    tell("undone", jitted())
    edit(old="2.0", new="4.0")
    tell("edited again", jitted())
    lt_record.disable()
    tell("disabled", jitted())
    tell("compiled disabled", compiled(scale(1.0)))


def states() -> None:
    """The working copy in every state that an editor, or a person, may leave it in."""
    compiled(scale(1.0))
    render()
    good = CODEGEN.read_bytes()
    edited = good.replace(b"2.0", b"3.0")
    states = {
        "blanks at the end": good + b"\n\n  ",
        "a byte order mark": b"\xef\xbb\xbf" + good,
        "edited": edited,
        "edited, a byte order mark": b"\xef\xbb\xbf" + edited,
        "edited, CRLF": edited.replace(b"\n", b"\r\n"),
        "edited, no newline at the end": edited.rstrip(),
        "edited, not ASCII": edited + "// größer × 中".encode(),
        "empty": b"",
        "blank": b"\n \n",
        "not UTF-8": edited + b"// \xff\xfe",
    }
    for name, content in states.items():
        CODEGEN.write_bytes(content)
        tell(name, compiled(scale(1.0)))
    CODEGEN.unlink()
    tell("deleted", compiled(scale(1.0)))
    CODEGEN.mkdir()
    tell("a directory", compiled(scale(1.0)))
    CODEGEN.rmdir()
    os.mkfifo(CODEGEN)
    tell("a pipe", compiled(scale(1.0)))


def host() -> None:
    """A compile whose host code is generated too, and nothing of it compiled from source."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
    import elementwise_two_outputs

    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    with target:
        tilelang.lower(
            elementwise_two_outputs.kernel(M=64, N=64), target=target, enable_host_codegen=True
        )


def loop() -> None:
    """Compiles one kernel over and over; a second argument is what it adds."""
    addend = float(sys.argv[2])
    for _ in range(int(sys.argv[3])):
        tell("loop", compiled(scale(addend)))


{function.__name__: function for function in (one, three, threads, session, states, host, loop)}[
    sys.argv[1]
]()
