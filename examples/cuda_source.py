"""Lower a TileLang kernel to CUDA source, with or without a GPU in the machine."""

from __future__ import annotations  # the tensor IR's package has another name before 0.1.12

import tilelang
from tilelang import tvm


def lower_to_cuda(func: tvm.tirx.PrimFunc, arch: str = "sm_90a") -> str:
    """Return the CUDA source TileLang generates for ``func`` on ``arch``."""
    target = tvm.target.Target({"kind": "cuda", "arch": arch})
    # Some passes read the current target, so lower inside the target's scope.
    with target:
        artifact = tilelang.lower(func, target=target, enable_device_compile=False)
    return artifact.kernel_source
