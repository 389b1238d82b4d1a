"""Lowers the kernels of ``examples/several_kernels.py`` once more, with the change that is named.

``passes``: the GEMM without warp specialization; the RMS norm with a pass more that
marks its functions, and one that does nothing. ``kernels``: the GEMM with a stage
more, the RMS norm for another GPU, and the third under another name.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import elementwise_two_outputs
import gemm
import rms_norm
import tilelang
from cuda_source import lower_to_cuda
from tilelang import tvm


@tvm.transform.module_pass(opt_level=0, name="MarkFunctions")
def mark_functions(mod: Any, _: Any) -> Any:
    for name, function in mod.functions.items():
        mod.update_func(name, function.with_attr("marked", 1))
    return mod


@tvm.transform.module_pass(opt_level=0, name="LookAround")
def look_around(mod: Any, _: Any) -> Any:
    return mod


@contextlib.contextmanager
def around(name: str, run: Callable[[Any, Any], Any]) -> Iterator[None]:
    """Have ``run`` called with TileLang's pass and the module in the place of the pass."""
    make = getattr(tilelang.transform, name)
    setattr(tilelang.transform, name, lambda *given: lambda mod: run(make(*given), mod))
    try:
        yield
    finally:
        setattr(tilelang.transform, name, make)


def passes() -> None:
    with tvm.transform.PassContext(config={"tl.disable_warp_specialized": True}):
        lower_to_cuda(gemm.kernel(M=256, N=256, K=256, num_stages=2))
    with (
        around("HoistNonRestrictParams", lambda one, mod: one(mark_functions(mod))),
        around("LowerOpaqueBlock", lambda one, mod: one(look_around(mod))),
    ):
        lower_to_cuda(rms_norm.kernel(M=512, N=512))
    lower_to_cuda(elementwise_two_outputs.kernel(M=256, N=512))


def kernels() -> None:
    lower_to_cuda(gemm.kernel(M=256, N=256, K=256, num_stages=3))
    lower_to_cuda(rms_norm.kernel(M=512, N=512), arch="sm_80")
    renamed = elementwise_two_outputs.kernel(M=256, N=512)
    lower_to_cuda(renamed.with_attr("global_symbol", "added_and_taken"))


if __name__ == "__main__":
    {"passes": passes, "kernels": kernels}[sys.argv[1]]()
