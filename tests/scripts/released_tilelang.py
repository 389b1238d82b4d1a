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
from tvm.ir.transform import Pass, PassContext
from watch import Watch, digest

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


def hooked() -> list[Any]:
    """Everything that recording may replace."""
    import tvm_ffi
    from tilelang.jit import JITKernel
    from tvm_ffi.registry import list_global_func_names

    codegens = [name for name in list_global_func_names() if name.startswith("target.build.")]
    return [
        Pass.__call__,
        PassContext.__init__,
        PassContext.override_instruments,
        tilelang.lower,
        sys.modules["tilelang.engine.lower"].lower,
        JITKernel.__init__,
        tvm.compile,
        *(tvm_ffi.get_global_func(name).__chandle__() for name in sorted(codegens)),
    ]


def switched() -> None:
    """Recording switched on and off by the program: the second of three kernels is recorded."""
    import lt_record as lt

    before = hooked()
    _, first = lower(elementwise_two_outputs.kernel())
    lt.enable(mode="on")
    during = hooked()
    seen, second = lower(elementwise_two_outputs.kernel())
    lt.disable()
    after = hooked()
    _, third = lower(elementwise_two_outputs.kernel())
    print(
        json.dumps(
            {
                "hooked": during != before,
                "restored": [
                    str(new) for old, new in zip(before, after, strict=True) if old != new
                ],
                "kernels": [(seen, second)],
                "same": first == second == third,
            }
        )
    )


if __name__ == "__main__":
    {"recorded": recorded, "switched": switched}[sys.argv[1]]()
