"""Modules that are large: ``lines N``, ``line N`` (characters) or ``functions N`` (layers).

Prints, as JSON, the seconds that the passes took and digests of inputs and outputs.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import tilelang  # noqa: F401, it brings TVM along
from tvm import IRModule, relax, tirx
from tvm.ir.transform import PassContext
from tvm.relax.frontend import nn
from tvm.script import tirx as T
from tvm.target import Target
from watch import Watch


def lines(count: int) -> IRModule:
    """A loop that is unrolled to so many lines."""

    @T.prim_func
    def unrolled(A: T.Buffer((count,), "float32")):
        for i in T.unroll(count, annotations={"pragma_unroll_explicit": True}):
            A[i] = A[i] * T.float32(2) + T.Cast("float32", i)

    return IRModule({"unrolled": unrolled.with_attr("global_symbol", "unrolled")})


def line(count: int) -> IRModule:
    """A string literal of so many characters."""
    return IRModule({"long": tirx.PrimFunc([], tirx.Evaluate(tirx.StringImm("x" * count)))})


def functions(count: int) -> IRModule:
    """A model of so many layers, no two of which share a function."""

    class Layers(nn.Module):
        def __init__(self) -> None:
            self.layers = nn.ModuleList([nn.Linear(8 + i, 9 + i) for i in range(count)])

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                x = nn.op.relu(layer(x))
            return x

    return Layers().export_tvm({"forward": {"x": nn.spec.Tensor((4, 8), "float32")}})[0]


def lower(mod: IRModule) -> IRModule:
    if any(isinstance(func, relax.Function) for _, func in mod.functions_items()):
        with Target("c"):
            mod = relax.get_pipeline("default_build")(mod)
    transform = tirx.transform
    for one in (
        transform.Simplify(),
        transform.UnrollLoop(),
        transform.RemoveNoOp(),
        transform.NarrowDataType(32),
        transform.VectorizeLoop(),
        transform.StorageRewrite(),
        transform.RemoveNoOp(),
    ):
        mod = one(mod)
    return mod


def main() -> None:
    kind, count, *watched = sys.argv[1:]
    mod = {"lines": lines, "line": line, "functions": functions}[kind](int(count))
    watch = Watch()
    with PassContext(instruments=[watch] if watched else []):
        begun = time.perf_counter()
        lower(mod)
        seconds = time.perf_counter() - begun
    print(json.dumps({"seconds": seconds, "seen": watch.seen}))


if __name__ == "__main__":
    main()
