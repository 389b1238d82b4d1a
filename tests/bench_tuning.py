"""Kernels for the bench: those of a tuning run, and one of thousands of lines.

``python tests/bench_tuning.py gemm|flash_attention|big|NUMBER`` lowers one of the
examples, the big kernel, or so many tilings of the examples, in this process.
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES))

#: Statements of the big kernel, a line each.
STATEMENTS = 5000


def tilings(number: int) -> list[Any]:
    """So many kernels, all different: two examples with other tiles, stages and sizes."""
    import flash_attention
    import gemm

    tiles = itertools.product((64, 128), (64, 128), (32, 64), (1, 2, 3, 4), (1024, 2048, 4096))
    heads = itertools.product((64, 128), (64, 128), (True, False), (1024, 2048), (4, 8, 16))
    made = [
        (gemm.kernel, {"block_M": m, "block_N": n, "block_K": k, "num_stages": s, "K": size})
        for m, n, k, s, size in tiles
    ]
    made += [
        (
            flash_attention.kernel,
            {"block_N": n, "dim": dim, "causal": causal, "seq_len": size, "heads": number_of},
        )
        for n, dim, causal, size, number_of in heads
    ]
    chosen = random.Random(0).sample(made, number)
    return [make(**sizes) for make, sizes in chosen]


def big() -> Any:
    """One kernel with thousands of statements, from a file: TileLang reads the source of it."""
    statements = "\n".join(
        f"            B[t + {n}] = A[t + {n}] * T.float32({n}) + A[t]" for n in range(STATEMENTS)
    )
    source = f"""import tilelang.language as T

@T.prim_func
def big(A: T.Tensor((1 << 20,), T.float32), B: T.Tensor((1 << 20,), T.float32)):
    with T.Kernel(1, threads=128) as bx:
        for t in T.serial(128):
{statements}
"""
    path = Path(tempfile.mkdtemp()) / "big_kernel.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("big_kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.big


def main(what: str) -> None:
    from cuda_source import lower_to_cuda

    if what.isdigit():
        kernels = tilings(int(what))
    elif what == "big":
        kernels = [big()]
    else:
        kernels = [__import__(what).kernel()]
    for kernel in kernels:
        lower_to_cuda(kernel)


if __name__ == "__main__":
    main(sys.argv[1])
