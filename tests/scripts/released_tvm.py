"""What people run on TVM without TileLang, watched from outside; prints JSON."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import numpy as np
import tvm
import tvm_matmul
from tvm import relax, te, tirx
from tvm.ir.transform import PassContext, module_pass
from tvm.relax.frontend import nn
from watch import Watch, digest, hooked, left_over


def bound_to_threads() -> tvm.IRModule:
    """An element-wise kernel for a device."""
    a = te.placeholder((256,), name="A")
    b = te.compute((256,), lambda i: a[i] + 1.0, name="B")
    schedule = tvm.s_tir.Schedule(te.create_prim_func([a, b]).with_attr("global_symbol", "add"))
    (loop,) = schedule.get_loops(schedule.get_sblock("B"))
    block, thread = schedule.split(loop, [None, 64])
    schedule.bind(block, "blockIdx.x")
    schedule.bind(thread, "threadIdx.x")
    return schedule.mod


def model() -> Any:
    class Layers(nn.Module):
        def __init__(self) -> None:
            self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                x = nn.op.relu(layer(x))
            return x

    return Layers().export_tvm({"forward": {"x": nn.spec.Tensor((4, 8), "float32")}})[0]


@module_pass(opt_level=0, name="Failing")
def failing(mod: Any, ctx: Any) -> Any:
    tirx.transform.RemoveNoOp()(mod)  # nested, and well
    raise ValueError("as it should")


def watched(build: Any) -> tuple[list[dict[str, Any]], Any]:
    watch = Watch()
    with PassContext(opt_level=3, instruments=[watch]):
        built = build()
    return watch.seen, built


def sources(built: Any) -> list[str]:
    """Digests of the sources of a module and of what it imports, the device's first."""
    module = getattr(built, "mod", built)
    imports = getattr(module, "imports", None) or []
    return [digest(one.inspect_source()) for one in [*imports, module]]


def recorded() -> None:
    """Many compiles in one process, without a word about recording."""
    found: dict[str, Any] = {}
    for kind in ("llvm", "c"):
        seen, lib = watched(lambda kind=kind: tvm.compile(tvm_matmul.module(), target=kind))
        tvm_matmul.check(lib)
        found[kind] = {"seen": seen, "sources": sources(lib)}
    for kind in ({"kind": "cuda", "arch": "sm_80"}, {"kind": "metal"}):
        target = tvm.target.Target(kind, host="c")
        seen, lib = watched(lambda target=target: tvm.compile(bound_to_threads(), target=target))
        found[kind["kind"]] = {"seen": seen, "sources": sources(lib)}
    exported = model()
    seen, _ = watched(lambda: relax.build(exported, target="llvm"))
    found["relax"] = {"seen": seen}

    tuned = [threading.Thread(target=tune, args=(number,)) for number in range(2)]
    for thread in tuned:
        thread.start()
    for thread in tuned:
        thread.join()

    tirx.transform.RemoveNoOp()(
        tvm_matmul.module(name="loose")
    )  # neither in a compile nor in a context
    error = None
    watch = Watch()
    try:
        with PassContext(instruments=[watch]):
            failing(tvm_matmul.module(name="fails"))
    except Exception as raised:
        error = type(raised).__name__
    found["failing"] = {"seen": watch.seen, "error": error}
    print(json.dumps(found))


def tune(number: int) -> None:
    """Small compiles of one thread, in its default context."""
    for turn in range(3):
        candidate = tvm_matmul.module(name=f"candidate_{number}_{turn}", factor=float(turn))
        tvm.compile(candidate, target="c")


def replaceable() -> list[Any]:
    return hooked(tvm.compile, tvm.build, tvm.tirx.build, relax.build)


def switched() -> None:
    """Recording switched on and off by the program: the second of three is recorded."""
    import lt_record as lt

    before = replaceable()
    first = tvm.compile(tvm_matmul.module(), target="c")
    lt.enable(mode="on")
    during = replaceable()
    seen, second = watched(lambda: tvm.compile(tvm_matmul.module(), target="c"))
    lt.disable()
    after = replaceable()
    third = tvm.compile(tvm_matmul.module(), target="c")
    print(
        json.dumps(
            {
                "hooked": during != before,
                "left_over": left_over(before, after),
                "kernels": [(seen, sources(second)[-1])],
                "same": sources(first) == sources(second) == sources(third),
            }
        )
    )


def scale() -> None:
    """Compile to C, and run."""
    a = te.placeholder((3,), name="A")
    func = te.create_prim_func([a, te.compute((3,), lambda i: a[i] * np.float32(2), name="B")])
    lib = tvm.compile(tvm.IRModule({"scale": func.with_attr("global_symbol", "scale")}), target="c")
    out = tvm.runtime.tensor(np.zeros(3, "float32"))
    lib["scale"](tvm.runtime.tensor(np.arange(3, dtype="float32")), out)
    print(json.dumps(out.numpy().tolist()))


if __name__ == "__main__":
    {"recorded": recorded, "switched": switched, "scale": scale}[sys.argv[1]]()
