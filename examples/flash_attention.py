"""Flash attention forward: online softmax over key blocks, pipelined."""

import math

import tilelang.language as T
from cuda_source import lower_to_cuda


def kernel(batch=1, heads=8, seq_len=1024, dim=64, causal=True, block_M=128, block_N=128):
    """Return ``Out = softmax(Q @ K^T / sqrt(dim)) @ V``; both blocks must divide ``seq_len``."""
    shape = (batch, heads, seq_len, dim)
    inf = T.infinity(T.float32)
    # exp2 is one GPU instruction, so fold log2(e) into the softmax scale.
    scale = math.log2(math.e) / math.sqrt(dim)

    @T.prim_func
    def flash_attention(
        Q: T.Tensor(shape, T.float16),
        K: T.Tensor(shape, T.float16),
        V: T.Tensor(shape, T.float16),
        Out: T.Tensor(shape, T.float16),
    ):
        with T.Kernel(seq_len // block_M, heads, batch, threads=256) as (bx, h, b):
            Q_tile = T.alloc_shared((block_M, dim), T.float16)
            K_tile = T.alloc_shared((block_N, dim), T.float16)
            V_tile = T.alloc_shared((block_N, dim), T.float16)
            scores = T.alloc_fragment((block_M, block_N), T.float32)
            probs = T.alloc_fragment((block_M, block_N), T.float16)
            acc = T.alloc_fragment((block_M, dim), T.float32)
            row_max = T.alloc_fragment((block_M,), T.float32)
            old_max = T.alloc_fragment((block_M,), T.float32)
            row_sum = T.alloc_fragment((block_M,), T.float32)
            block_sum = T.alloc_fragment((block_M,), T.float32)

            T.copy(Q[b, h, bx * block_M, 0], Q_tile)
            T.clear(acc)
            T.clear(row_sum)
            T.fill(row_max, -inf)

            # A causal query block needs no key past its own last row.
            key_end = (bx + 1) * block_M if causal else seq_len
            for k in T.Pipelined(T.ceildiv(key_end, block_N), num_stages=2):
                T.copy(K[b, h, k * block_N, 0], K_tile)
                # Whole rows per warp, as the second GEMM reads its left operand.
                T.clear(scores)
                T.gemm(Q_tile, K_tile, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                if causal:
                    for i, j in T.Parallel(block_M, block_N):
                        seen = bx * block_M + i >= k * block_N + j
                        scores[i, j] = T.if_then_else(seen, scores[i, j], -inf)

                T.copy(row_max, old_max)
                T.reduce_max(scores, row_max, dim=1, clear=False)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2((scores[i, j] - row_max[i]) * scale)
                T.reduce_sum(scores, block_sum, dim=1)

                # Rescale what was accumulated under the old maximum.
                for i in T.Parallel(block_M):
                    old_max[i] = T.exp2((old_max[i] - row_max[i]) * scale)
                    row_sum[i] = row_sum[i] * old_max[i] + block_sum[i]
                for i, j in T.Parallel(block_M, dim):
                    acc[i, j] *= old_max[i]

                T.copy(scores, probs)
                T.copy(V[b, h, k * block_N, 0], V_tile)
                T.gemm(probs, V_tile, acc, policy=T.GemmWarpPolicy.FullRow)

            for i, j in T.Parallel(block_M, dim):
                acc[i, j] /= row_sum[i]
            T.copy(acc, Out[b, h, bx * block_M, 0])

    return flash_attention


def main() -> None:
    source = lower_to_cuda(kernel())
    print(f"flash_attention: {len(source.splitlines())} lines of CUDA")


if __name__ == "__main__":
    main()
