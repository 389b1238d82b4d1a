"""TileLang with compile sessions (``tilelang.instrumentation``, 0.1.14 and later)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..current import Current
from ..phases import pipeline
from ..state import Unit
from .tilelang import TileLang

#: The name under which the built-in tracer registers. A tool of ours in its
#: place takes it out, should the script have switched it on.
_TOOL_NAME = "lower_trace"


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

        builds = current.around.unit  # TVM's own, which TileLang has on board

        def unit() -> Unit | None:
            session = api.current_compile_pass_instrumentation()
            tool = _tool_of(session, tool_type)
            return builds() if tool is None else tool.unit_of(session)

        self._replaced = _registered(api)
        self._factory = tool_type
        api.register_pass_instrumentation_tool(_TOOL_NAME, tool_type)
        current.around.unit = unit

    def session_tool(self) -> Any:
        return None if self._factory is None else self._factory()

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


def _tool_of(session: Any, tool_type: type) -> Any:
    """The session's tool of ours, the first if there are two; ``None`` where there is none."""
    return None if session is None else session.find_tool(tool_type)


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
            session = api.current_compile_pass_instrumentation()
            if _tool_of(session, type(self)) not in (self, None):
                yield  # the entry point has brought a second one
                return
            token = pipeline.set((base_phase, current.recorder.run_prefix() + base_phase))
            try:
                yield
            finally:
                pipeline.reset(token)

        def finish(self, error: BaseException | None) -> None:
            if self._unit is not None:
                current.recorder.end_unit(self._unit, error)
            current.recorder.raise_interruption()

    return CompileUnit
