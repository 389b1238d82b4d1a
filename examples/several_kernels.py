"""Lower three different kernels, one after another, in a single process."""

import elementwise_two_outputs
import gemm
import rms_norm
from cuda_source import lower_to_cuda


def main() -> None:
    kernels = {
        "gemm": gemm.kernel(M=256, N=256, K=256, num_stages=2),
        "rms_norm": rms_norm.kernel(M=512, N=512),
        "elementwise_two_outputs": elementwise_two_outputs.kernel(M=256, N=512),
    }
    for name, func in kernels.items():
        source = lower_to_cuda(func)
        print(f"{name}: {len(source.splitlines())} lines of CUDA")


if __name__ == "__main__":
    main()
