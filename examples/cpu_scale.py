"""Scale and shift a vector on the CPU: compile to C, run, and check against torch."""

import tilelang
import tilelang.language as T
import torch


def kernel(N: int = 1024, block: int = 256):
    """Return ``B[i] = A[i] * 2.0 + 1.0`` for the ``c`` target."""

    @T.prim_func
    def scale(A: T.Tensor((N,), T.float32), B: T.Tensor((N,), T.float32)):
        # A CPU kernel has blocks but no threads: each block is a serial loop.
        with T.Kernel(T.ceildiv(N, block)) as bx:
            for i in T.serial(block):
                B[bx * block + i] = A[bx * block + i] * 2.0 + 1.0

    return scale


def main() -> None:
    compiled = tilelang.compile(kernel(), target="c", execution_backend="cython")
    a = torch.arange(1024, dtype=torch.float32)
    b = torch.empty_like(a)
    compiled(a, b)
    torch.testing.assert_close(b, a * 2.0 + 1.0)
    print(f"B[:4] = {b[:4].tolist()}")


if __name__ == "__main__":
    main()
