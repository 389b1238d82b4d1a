"""A later TileLang, as announced: it registers what the entry points name, then compiles."""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import elementwise_two_outputs
import rms_norm
from cuda_source import lower_to_cuda
from tilelang.instrumentation import register_pass_instrumentation_tool

#: ``own``: under the names that they have; ``twice``: under another one as well.
NAMES, LATE = sys.argv[1], "late" in sys.argv[2:]
if LATE:  # as where the start-up hook has not run
    os.environ["TL_LOWER_TRACE"] = "1"

for point in entry_points(group="tilelang.instrumentation_tools"):
    register_pass_instrumentation_tool(point.name, point.load())
    if NAMES == "twice":
        register_pass_instrumentation_tool(f"{point.name}_again", point.load())

lower_to_cuda(elementwise_two_outputs.kernel())
lower_to_cuda(rms_norm.kernel())
if LATE:
    import lt_record

    lt_record.disable()
    lower_to_cuda(rms_norm.kernel())
