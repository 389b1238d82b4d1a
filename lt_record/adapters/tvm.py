"""TVM without TileLang: its build functions are the compiles, their pipelines the phases."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..current import Current
from ..patching import Undo, patch_functions
from .base import Adapter
from .compile_units import CompileUnits, Wrapper, target_of

#: The pipeline that goes by the target, and the phase where none is told.
_DEFAULT = "default"

#: The package of the tensor IR: its name has changed with 0.25.
_TENSOR_IR = ("tvm.tirx", "tvm.tir")


class TVM(Adapter):
    """TVM 0.25 and later, and what TileLang brings along."""

    def __init__(self) -> None:
        self._undo: Undo = []
        self._current: Current | None = None

    def install(self, current: Current) -> None:
        self._current = current
        units = self._units = CompileUnits(current)
        current.around.unit = units.unit
        wanted = {
            ("tvm.driver.build_module", "compile"): units.entry("tvm.compile"),
            ("tvm.driver.build_module", "build"): units.entry("tvm.build"),
            ("tvm.relax.vm_build", "build"): units.entry("relax.build", _relax_phase),
        }
        for package in _TENSOR_IR:
            build = units.entry(f"{package[4:]}.build", _tensor_ir_phase)
            wanted[f"{package}.build", "build"] = build
            # Before TVM 0.25, and TileLang's own TVM: functions of this name; since then
            # a pipeline has its own.
            for name in ("finalize_host", "finalize_device"):
                wanted[f"{package}.pipeline", f"{name}_passes"] = units.next_phase(name)
            wanted[f"{package}.compilation_pipeline", "get_tir_pipeline"] = _finalizers(units)
        patch_functions(self._undo, wanted)

    def remove(self) -> None:
        while self._undo:
            self._undo.pop()()
        if self._current is not None:
            self._current.around.unit = lambda: None

    def compiles_source(self, ffi_name: str) -> bool:
        """C source stays source until it is exported or run; others are a module of their own."""
        return ffi_name == "target.build.c"


def _finalizers(units: CompileUnits) -> Wrapper:
    """Have the passes that finalize host and device code begin phases of their own."""
    host, device = units.next_phase("finalize_host"), units.next_phase("finalize_device")

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def get_tir_pipeline(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            if isinstance(found, tuple) and len(found) == 3:
                found = found[0], host(found[1]), device(found[2])
            return found

        return get_tir_pipeline

    return wrap


def _relax_phase(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return "pipeline_relax"


def _tensor_ir_phase(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Name the pipeline of ``build(mod, target, pipeline)``: by its target, as TileLang does."""
    pipeline = kwargs.get("pipeline", (*args, None, None, None)[2])
    if isinstance(pipeline, str) and pipeline != _DEFAULT:
        return f"pipeline_{pipeline}"
    target = target_of(args, kwargs)
    return f"pipeline_{_DEFAULT if target is None else target.kind.name}"
