"""A TileLang of which nothing is where the adapters look for it, but for ``lower``.

``broken``: one whose sessions are there, and take no tools.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import elementwise_two_outputs
import tilelang.backend.pass_pipeline.pipeline as pipelines
import tilelang.instrumentation
from cuda_source import lower_to_cuda

import lt_record

if "broken" in sys.argv:
    del tilelang.instrumentation.register_pass_instrumentation_tool
else:
    find_spec = importlib.util.find_spec
    importlib.util.find_spec = lambda name, package=None: (
        None if name == "tilelang.instrumentation" else find_spec(name, package)
    )
    del pipelines.PassPipeline, tilelang.instrumentation.current_pass_phase
lt_record.enable(mode="on")
lower_to_cuda(elementwise_two_outputs.kernel())
