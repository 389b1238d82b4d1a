"""Matrix multiply on TVM alone, without TileLang: compile, run, and check against numpy."""

import sys

import numpy as np
import tvm
from tvm import te


def module(n: int = 64, name: str = "matmul", factor: float = 1.0) -> tvm.IRModule:
    """Return ``C = factor * A @ B`` for fp32 matrices of ``n`` by ``n``."""
    a, b = (te.placeholder((n, n), name=one) for one in "AB")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j] * factor, axis=k), name="C")
    return tvm.IRModule({name: te.create_prim_func([a, b, c]).with_attr("global_symbol", name)})


def check(compiled: tvm.runtime.Executable, n: int = 64) -> None:
    """Run ``matmul`` on random matrices. Raises ``AssertionError`` where it is wrong."""
    a, b = (np.random.rand(n, n).astype("float32") for _ in "ab")
    c = tvm.runtime.tensor(np.zeros((n, n), "float32"))
    compiled["matmul"](tvm.runtime.tensor(a), tvm.runtime.tensor(b), c)
    np.testing.assert_allclose(c.numpy(), a @ b, rtol=1e-4)


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else "llvm"
    check(tvm.compile(module(), target=target))
    print(f"matmul for {target}: right")


if __name__ == "__main__":
    main()
