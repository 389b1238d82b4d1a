"""TileLang with compile sessions (``tilelang.instrumentation``, 0.1.14 and later)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from ..hooks import default_codegen_role
from ..recorder import Recorder
from ..state import Unit
from .base import Adapter

#: The name under which the built-in tracer registers. A tool of ours in its
#: place takes it out, should the script have switched it on.
_TOOL_NAME = "lower_trace"

#: The innermost pipeline: TileLang's name for its phase, and ours.
_pipeline: ContextVar[tuple[str, str] | None] = ContextVar("lt_record_pipeline", default=None)


def adapter() -> Adapter:
    """Return the adapter for the TileLang that is imported."""
    try:
        from tilelang import instrumentation
    except ImportError:
        return TileLang()
    return TileLangSessions(instrumentation)


class TileLang(Adapter):
    """TileLang without compile sessions."""

    def codegen_role(self, ffi_name: str, target: Any) -> str:
        if ffi_name.startswith("target.build.tilelang_"):
            return "host" if ffi_name.endswith("_host") else "device"
        return default_codegen_role(ffi_name, target)

    def cached_kernels(self) -> int:
        cache = sys.modules.get("tilelang.cache")
        stores = [
            store
            for name in ("_dispatch_map", "_ascend_dispatch_map")
            for store in (getattr(cache, name, None) or {}).values()
        ]
        memories = {id(store): getattr(store, "_memory_cache", {}) for store in stores}
        return sum(len(memory) for memory in memories.values())


class TileLangSessions(TileLang):
    """TileLang whose compile sessions tell where a compile begins and ends."""

    def __init__(self, instrumentation: Any) -> None:
        self._api = instrumentation

    def install(self, recorder: Recorder) -> None:
        api = self._api
        tool_type = _tool_type(api, recorder)

        def unit() -> Unit | None:
            session = api.current_compile_pass_instrumentation()
            tool = session.find_tool(tool_type) if session is not None else None
            return None if tool is None else tool.unit_of(session)

        def phase() -> str | None:
            current = api.current_pass_phase()
            pipeline = _pipeline.get()
            if pipeline is not None and current == pipeline[0]:
                return pipeline[1]
            return None if current is None else str(current)

        api.register_pass_instrumentation_tool(_TOOL_NAME, tool_type)
        recorder.unit = unit
        recorder.phase = phase

    def remove(self) -> None:
        self._api.unregister_pass_instrumentation_tool(_TOOL_NAME)


def _tool_type(api: Any, recorder: Recorder) -> type:
    class CompileUnit(api.PassInstrumentationTool):  # type: ignore[misc, unused-ignore]
        """One session's compile unit. The instrument comes with the PassContext instead."""

        def __init__(self) -> None:
            self._unit: Unit | None = None

        def unit_of(self, session: Any) -> Unit:
            if self._unit is None:
                self._unit = recorder.new_unit(str(session.name or ""))
            return self._unit

        @contextlib.contextmanager
        def pipeline_scope(self, base_phase: str) -> Iterator[None]:
            token = _pipeline.set((base_phase, recorder.pipeline_phase(base_phase)))
            try:
                yield
            finally:
                _pipeline.reset(token)

        def finish(self, error: BaseException | None) -> None:
            if self._unit is not None:
                recorder.end_unit(self._unit, error)
            recorder.raise_interruption()

    return CompileUnit
