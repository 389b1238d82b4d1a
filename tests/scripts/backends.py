"""Lower kernels to the source of every backend that TileLang has and that needs no device."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import elementwise_two_outputs
import gemm
import tilelang
from tilelang import tvm

#: A GEMM is lowered to instructions of the architecture; Metal and WebGPU have none for it.
TARGETS = [
    (gemm, {"kind": "cuda", "arch": "sm_80"}),
    (gemm, {"kind": "cuda", "arch": "sm_89"}),
    (gemm, {"kind": "cuda", "arch": "sm_90a"}),
    (gemm, {"kind": "cuda", "arch": "sm_100a"}),
    (gemm, {"kind": "hip", "mcpu": "gfx942"}),
    (elementwise_two_outputs, {"kind": "metal"}),
    (elementwise_two_outputs, {"kind": "webgpu"}),
]


def main() -> None:
    for module, wanted in TARGETS:
        target = tvm.target.Target(wanted)
        with target:
            source = tilelang.lower(module.kernel(), target=target).kernel_source
        print(*wanted.values(), len(source.splitlines()))


if __name__ == "__main__":
    main()
