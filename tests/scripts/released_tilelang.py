"""Kernels that every release of TileLang compiles, watched from outside; prints JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import elementwise_two_outputs
import failing_pass
import gemm
import tilelang
from tilelang import tvm
from tilelang.jit import JITKernel
from tvm.ir.transform import PassContext
from watch import Watch, digest, hooked, left_over

SM_90A = {"kind": "cuda", "arch": "sm_90a"}


def lower(func: Any) -> tuple[list[dict[str, Any]], str]:
    """Return the passes that the script itself has seen, and the digest of the source."""
    watch, target = Watch(), tvm.target.Target(SM_90A)
    with PassContext(opt_level=3, instruments=[watch]), target:
        source = tilelang.lower(func, target=target).kernel_source
    return watch.seen, digest(source)


def recorded() -> None:
    """Two kernels and one that fails, without a word about recording."""
    kernels = [lower(module.kernel()) for module in (gemm, elementwise_two_outputs)]
    watch, target, error = Watch(), tvm.target.Target(SM_90A), None
    try:
        with PassContext(opt_level=3, instruments=[watch]), target:
            tilelang.lower(failing_pass.kernel(), target=target)
    except Exception as raised:
        error = type(raised).__name__
    print(json.dumps({"kernels": kernels, "failing": watch.seen, "error": error}))


def replaceable() -> list[Any]:
    return hooked(
        tilelang.lower,
        sys.modules["tilelang.engine.lower"].lower,
        JITKernel.__init__,
        tvm.compile,
    )


def switched() -> None:
    """Recording switched on and off by the program: the second of three kernels is recorded."""
    import lt_record as lt

    before = replaceable()
    _, first = lower(elementwise_two_outputs.kernel())
    lt.enable(mode="on")
    during = replaceable()
    seen, second = lower(elementwise_two_outputs.kernel())
    lt.disable()
    after = replaceable()
    _, third = lower(elementwise_two_outputs.kernel())
    print(
        json.dumps(
            {
                "hooked": during != before,
                "left_over": left_over(before, after),
                "kernels": [(seen, second)],
                "same": first == second == third,
            }
        )
    )


if __name__ == "__main__":
    {"recorded": recorded, "switched": switched}[sys.argv[1]]()
