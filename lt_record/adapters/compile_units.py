"""Compile units where the compiler tells of none: the outermost call of an entry point is one."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from ..current import Current
from ..phases import pipeline
from ..signals import tried
from ..state import Unit

_unit: ContextVar[Unit | None] = ContextVar("lt_record_unit", default=None)

#: A function of the compiler, to be replaced by one around it.
Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]
#: Tells a pipeline's phase by the arguments of the function that runs it.
PhaseOf = Callable[[tuple[Any, ...], dict[str, Any]], str]


class CompileUnits:
    """Wrappers that begin and end compile units and phases."""

    def __init__(self, current: Current) -> None:
        self._current = current

    @staticmethod
    def unit() -> Unit | None:
        """The compile that the caller is inside of."""
        return _unit.get()

    def entry(
        self, name: str, phase_of: PhaseOf | None = None, *, new_run: bool = False
    ) -> Wrapper:
        """Have a function begin compile ``name``, unless one is going on, and a phase in it.

        ``new_run``: the phase gets a number of its own, and not that of the compile.
        """

        def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(original)
            def entry(*args: Any, **kwargs: Any) -> Any:
                if not self._current.recorder.active:
                    return original(*args, **kwargs)
                with self._compile(name):
                    self._tell_target(args, kwargs)
                    with self._phase(phase_of, new_run, args, kwargs):
                        return original(*args, **kwargs)

            return entry

        return wrap

    def next_phase(self, phase: str) -> Wrapper:
        """Have a call of a function end the phase that it is made in, and begin another."""

        def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(original)
            def begin(*args: Any, **kwargs: Any) -> Any:
                unit = _unit.get()
                if unit is not None and unit.run_prefix is not None:
                    # Whoever runs the phase around takes this one back as well.
                    pipeline.set((None, unit.run_prefix + phase))
                return original(*args, **kwargs)

            return begin

        return wrap

    @contextlib.contextmanager
    def _compile(self, name: str) -> Iterator[None]:
        if self._current.around.unit() is not None:
            yield
            return
        unit = Unit(name)
        token = _unit.set(unit)
        failure: BaseException | None = None
        try:
            yield
        except BaseException as error:
            failure = error
            raise
        finally:
            _unit.reset(token)
            self._current.recorder.end_unit(unit, failure)
            if failure is None:
                self._current.recorder.raise_interruption()

    @staticmethod
    def _tell_target(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        unit = _unit.get()
        if unit is not None and unit.target is None:
            target = tried(lambda: target_of(args, kwargs), None)
            unit.target = None if target is None else str(target)

    @contextlib.contextmanager
    def _phase(
        self,
        phase_of: PhaseOf | None,
        new_run: bool,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Iterator[None]:
        # Only in units of ours: a compiler that tells of its compiles tells of phases as well.
        unit = _unit.get()
        if phase_of is None or unit is None:
            yield
            return
        if new_run or unit.run_prefix is None:
            unit.run_prefix = self._current.recorder.run_prefix()
        token = pipeline.set((None, unit.run_prefix + tried(lambda: phase_of(args, kwargs), "?")))
        try:
            yield
        finally:
            pipeline.reset(token)


def target_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The target that a function of a module, or function, and a target was called with.

    Left out it is the current one. Raises where that is none that TVM knows.
    """
    from tvm.target import Target

    given = kwargs.get("target", (*args, None, None)[1])
    if given is None:
        return Target.current(allow_none=True)
    return given if isinstance(given, Target) else Target(given)
