"""Chained matrix multiplies with conflicting fragment layouts: LayoutInference rejects them.

With two warp groups the default warp policy splits the columns of the first
result between the groups, but the second multiply reads whole rows of it as
its left operand. ``policy=T.GemmWarpPolicy.FullRow`` on both multiplies mends it.
"""

import tilelang.language as T
from cuda_source import lower_to_cuda


def kernel(M: int = 1024, block_M: int = 128, width: int = 128):
    """Return ``Out = (A @ B) @ C`` with square ``B`` and ``C`` that fit in one tile."""

    @T.prim_func
    def chained_gemm(
        A: T.Tensor((M, width), T.float16),
        B: T.Tensor((width, width), T.float16),
        C: T.Tensor((width, width), T.float16),
        Out: T.Tensor((M, width), T.float16),
    ):
        with T.Kernel(T.ceildiv(M, block_M), threads=256) as bx:
            A_tile = T.alloc_shared((block_M, width), T.float16)
            B_tile = T.alloc_shared((width, width), T.float16)
            C_tile = T.alloc_shared((width, width), T.float16)
            product = T.alloc_fragment((block_M, width), T.float32)
            product_half = T.alloc_fragment((block_M, width), T.float16)
            acc = T.alloc_fragment((block_M, width), T.float32)

            T.copy(A[bx * block_M, 0], A_tile)
            T.copy(B, B_tile)
            T.copy(C, C_tile)
            T.clear(product)
            T.gemm(A_tile, B_tile, product)
            T.copy(product, product_half)
            T.clear(acc)
            T.gemm(product_half, C_tile, acc)
            T.copy(acc, Out[bx * block_M, 0])

    return chained_gemm


def main() -> None:
    source = lower_to_cuda(kernel())
    print(f"failing_pass: {len(source.splitlines())} lines of CUDA")


if __name__ == "__main__":
    main()
