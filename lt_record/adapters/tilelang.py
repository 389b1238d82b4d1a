"""TileLang with compile sessions (``tilelang.instrumentation``, 0.1.14 and later)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import console
from ..current import Current
from ..hooks import default_codegen_role
from ..phases import pipeline
from ..state import Unit
from .base import Adapter
from .kernel_cache import KernelCaches

#: The name under which the built-in tracer registers. A tool of ours in its
#: place takes it out, should the script have switched it on.
_TOOL_NAME = "lower_trace"

#: Codegens whose source a backend compiles, beside those called ``…_without_compile``.
_SOURCE_ONLY = frozenset(
    f"target.build.{name}"
    for name in (
        "tilelang_c",
        "tilelang_cpp",
        "tilelang_webgpu",
        "tilelang_ascend",
        "webgpu",
    )
)


def adapter() -> Adapter:
    """Return the adapter for the TileLang that is imported."""
    try:
        from tilelang import instrumentation
    except ImportError:
        return TileLang()
    return TileLangSessions(instrumentation)


class TileLang(Adapter):
    """TileLang without compile sessions."""

    def __init__(self) -> None:
        self._caches: KernelCaches | None = None

    def install(self, current: Current) -> None:
        caches = KernelCaches(current)
        try:
            caches.install()
        except (ImportError, AttributeError, KeyError) as error:
            caches.remove()
            console.say_once(
                "cache",
                "TileLang's kernel caches are used as they are, and hide the passes of "
                f"kernels in them ({type(error).__name__}: {error}).",
            )
        else:
            self._caches = caches

    def remove(self) -> None:
        if self._caches is not None:  # and stays, for what it has counted
            self._caches.remove()

    def passed_over(self) -> int:
        return 0 if self._caches is None else len(self._caches.passed_over)

    def codegen_role(self, ffi_name: str, target: Any) -> str:
        if ffi_name.startswith("target.build.tilelang_"):
            return "host" if ffi_name.endswith("_host") else "device"
        return default_codegen_role(ffi_name, target)

    def compiles_source(self, ffi_name: str) -> bool:
        return ffi_name.endswith("_without_compile") or ffi_name in _SOURCE_ONLY


class TileLangSessions(TileLang):
    """TileLang whose compile sessions tell where a compile begins and ends."""

    def __init__(self, instrumentation: Any) -> None:
        super().__init__()
        self._api = instrumentation
        self._factory: Any = None
        #: The script's own use of the built-in tracer, to be given back.
        self._replaced: Any = None

    def install(self, current: Current) -> None:
        super().install(current)
        api = self._api
        tool_type = _tool_type(api, current)

        def unit() -> Unit | None:
            session = api.current_compile_pass_instrumentation()
            tool = session.find_tool(tool_type) if session is not None else None
            return None if tool is None else tool.unit_of(session)

        self._replaced = _registered(api)
        self._factory = tool_type
        api.register_pass_instrumentation_tool(_TOOL_NAME, tool_type)
        current.around.unit = unit

    def remove(self) -> None:
        super().remove()
        if _registered(self._api) is not self._factory:
            return  # the script has switched the built-in tracer on since then
        if self._replaced is None:
            self._api.unregister_pass_instrumentation_tool(_TOOL_NAME)
        else:
            self._api.register_pass_instrumentation_tool(_TOOL_NAME, self._replaced)


def _registered(api: Any) -> Any:
    """The tool that is registered under the built-in tracer's name; ``None`` where none is."""
    session = getattr(api, "session", None)
    return getattr(session, "_tool_factories", {}).get(_TOOL_NAME)


def _tool_type(api: Any, current: Current) -> type:
    class CompileUnit(api.PassInstrumentationTool):  # type: ignore[misc, unused-ignore]
        """One session's compile unit. The instrument comes with the PassContext instead."""

        def __init__(self) -> None:
            self._unit: Unit | None = None

        def unit_of(self, session: Any) -> Unit:
            if self._unit is None:
                self._unit = Unit(str(session.name or ""))
            return self._unit

        @contextlib.contextmanager
        def pipeline_scope(self, base_phase: str) -> Iterator[None]:
            token = pipeline.set((base_phase, current.recorder.pipeline_phase(base_phase)))
            try:
                yield
            finally:
                pipeline.reset(token)

        def finish(self, error: BaseException | None) -> None:
            if self._unit is not None:
                current.recorder.end_unit(self._unit, error)
            current.recorder.raise_interruption()

    return CompileUnit
