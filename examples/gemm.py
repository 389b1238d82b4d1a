"""Half-precision matrix multiply with a software-pipelined loop over K."""

import tilelang.language as T
from cuda_source import lower_to_cuda


def kernel(
    M: int = 1024,
    N: int = 1024,
    K: int = 1024,
    block_M: int = 128,
    block_N: int = 128,
    block_K: int = 32,
    num_stages: int = 3,
):
    """Return ``C = A @ B`` with fp16 operands and fp32 accumulation."""

    @T.prim_func
    def gemm(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((K, N), T.float16),
        C: T.Tensor((M, N), T.float16),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_M, block_K), T.float16)
            B_tile = T.alloc_shared((block_K, block_N), T.float16)
            acc = T.alloc_fragment((block_M, block_N), T.float32)

            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, k * block_K], A_tile)
                T.copy(B[k * block_K, bx * block_N], B_tile)
                T.gemm(A_tile, B_tile, acc)
            T.copy(acc, C[by * block_M, bx * block_N])

    return gemm


def main() -> None:
    source = lower_to_cuda(kernel())
    print(f"gemm: {len(source.splitlines())} lines of CUDA")


if __name__ == "__main__":
    main()
