"""RMS normalisation: each row divided by its root mean square, times a weight."""

import tilelang.language as T
from cuda_source import lower_to_cuda


def kernel(M: int = 4096, N: int = 1024, block_M: int = 4, eps: float = 1e-6):
    """Return ``Y[i, :] = X[i, :] / sqrt(mean(X[i, :]^2) + eps) * W``."""

    @T.prim_func
    def rms_norm(
        X: T.Tensor((M, N), T.float16),
        W: T.Tensor((N,), T.float16),
        Y: T.Tensor((M, N), T.float16),
    ):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            x = T.alloc_fragment((block_M, N), T.float32)
            squares = T.alloc_fragment((block_M, N), T.float32)
            inv_rms = T.alloc_fragment((block_M,), T.float32)

            T.copy(X[bx * block_M, 0], x)
            for i, j in T.Parallel(block_M, N):
                squares[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squares, inv_rms, dim=1)
            for i in T.Parallel(block_M):
                inv_rms[i] = T.rsqrt(inv_rms[i] / N + eps)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = x[i, j] * inv_rms[i] * W[j]
            T.copy(x, Y[bx * block_M, 0])

    return rms_norm


def main() -> None:
    source = lower_to_cuda(kernel())
    print(f"rms_norm: {len(source.splitlines())} lines of CUDA")


if __name__ == "__main__":
    main()
