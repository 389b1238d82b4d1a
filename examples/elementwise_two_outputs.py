"""Elementwise sum and difference of two matrices, written to two outputs."""

import tilelang.language as T
from cuda_source import lower_to_cuda


def kernel(M: int = 1024, N: int = 1024, block_M: int = 32, block_N: int = 128):
    """Return ``Sum = A + B`` and ``Diff = A - B`` in one pass over the operands."""

    @T.prim_func
    def sum_and_difference(
        A: T.Tensor((M, N), T.float32),
        B: T.Tensor((M, N), T.float32),
        Sum: T.Tensor((M, N), T.float32),
        Diff: T.Tensor((M, N), T.float32),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            for i, j in T.Parallel(block_M, block_N):
                row = by * block_M + i
                col = bx * block_N + j
                Sum[row, col] = A[row, col] + B[row, col]
                Diff[row, col] = A[row, col] - B[row, col]

    return sum_and_difference


def main() -> None:
    source = lower_to_cuda(kernel())
    print(f"elementwise_two_outputs: {len(source.splitlines())} lines of CUDA")


if __name__ == "__main__":
    main()
