"""TileLang without compile sessions (before 0.1.14): the functions that compile, wrapped."""

from __future__ import annotations

import sys
from typing import Any

from .. import console
from ..current import Current
from ..patching import patch, patch_functions
from .compile_units import PhaseOf
from .tilelang import TileLang

#: Functions inside of which a compile goes on, the outermost counts.
_COMPILES = (
    ("tilelang.engine.lower", "lower"),
    ("tilelang.engine.lower", "lower_to_host_device_ir"),
    ("tilelang.autotuner.grouped_compile", "compile_grouped_unit_tvm_ffi"),
)
#: Up to 0.1.11 two functions were the pipeline; called as the built-in tracer calls them.
_PHASES = ("LowerAndLegalize", "OptimizeForTarget")
#: What has the pipeline, in one release or the other.
_PIPELINES = {
    ("tilelang.engine.phase", _PHASES[0]),
    ("tilelang.backend.pass_pipeline.pipeline", "PassPipeline"),
}


class TileLangEntryPoints(TileLang):
    """TileLang 0.1.9 to 0.1.13."""

    def install(self, current: Current) -> None:
        super().install(current)
        units = self._units
        wanted = {(module, name): units.entry("lower") for module, name in _COMPILES}
        for number, name in enumerate(_PHASES, 1):
            phase = _named(f"phase{number}_{name}")
            wanted["tilelang.engine.phase", name] = units.entry("lower", phase, new_run=number == 1)
        missing = patch_functions(self._undo, wanted)
        pipeline = units.entry("lower", _pipeline_phase, new_run=True)
        methods = {
            ("tilelang.jit.kernel", "JITKernel", "_compile_and_create_adapter"): units.entry("jit"),
            ("tilelang.backend.pass_pipeline.pipeline", "PassPipeline", "lower"): pipeline,
        }
        for (module, owner, name), wrapper in methods.items():
            found = getattr(sys.modules.get(module), owner, None)
            if hasattr(found, name):
                patch(self._undo, found, name, wrapper)
            else:
                missing.append((module, owner))
        if _COMPILES[0] in missing:
            console.say_once("units", "this TileLang's compiles are not known: none has a name.")
        if _PIPELINES.issubset(missing):
            console.say_once(
                "phases", "this TileLang's pipelines are not known: all its passes are unscoped."
            )


def _named(phase: str) -> PhaseOf:
    return lambda args, kwargs: phase


def _pipeline_phase(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return f"pipeline_{args[0].name}"
