"""Lowers every example kernel, for several architectures, in one process."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import dequant_gemm
import elementwise_two_outputs
import flash_attention
import gemm
import rms_norm
from cuda_source import lower_to_cuda

for module in (gemm, flash_attention, rms_norm, dequant_gemm, elementwise_two_outputs):
    lower_to_cuda(module.kernel(), "sm_90a")
for module in (gemm, rms_norm, elementwise_two_outputs):
    lower_to_cuda(module.kernel(), "sm_80")
