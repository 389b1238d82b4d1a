"""Matrix multiply whose weights are packed int4, dequantised tile by tile."""

import tilelang.language as T
from cuda_source import lower_to_cuda


def kernel(
    M: int = 512,
    N: int = 1024,
    K: int = 1024,
    block_M: int = 64,
    block_N: int = 128,
    block_K: int = 64,
    num_stages: int = 2,
):
    """Return ``C = A @ (scale * (B - 8))^T`` for one fp16 scale per output channel.

    A byte of ``B_packed`` holds two unsigned 4-bit weights with zero point 8,
    the even column in the low half.
    """

    @T.prim_func
    def dequant_gemm(
        A: T.Tensor((M, K), T.float16),
        B_packed: T.Tensor((N, K // 2), T.uint8),
        scale: T.Tensor((N,), T.float16),
        C: T.Tensor((M, N), T.float16),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_M, block_K), T.float16)
            packed_tile = T.alloc_shared((block_N, block_K // 2), T.uint8)
            B_tile = T.alloc_shared((block_N, block_K), T.float16)
            acc = T.alloc_fragment((block_M, block_N), T.float32)

            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, k * block_K], A_tile)
                T.copy(B_packed[bx * block_N, k * (block_K // 2)], packed_tile)
                for i, j in T.Parallel(block_N, block_K):
                    byte = T.cast(packed_tile[i, j // 2], T.int32)
                    nibble = (byte >> (j % 2 * 4)) & 0xF
                    B_tile[i, j] = T.cast(nibble - 8, T.float16)
                T.gemm(A_tile, B_tile, acc, transpose_B=True)

            # The scale is constant along K, so it can wait until the sum is complete.
            for i, j in T.Parallel(block_M, block_N):
                acc[i, j] *= scale[bx * block_N + j]
            T.copy(acc, C[by * block_M, bx * block_N])

    return dequant_gemm


def main() -> None:
    source = lower_to_cuda(kernel())
    print(f"dequant_gemm: {len(source.splitlines())} lines of CUDA")


if __name__ == "__main__":
    main()
