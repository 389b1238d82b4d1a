"""The recorder: turns what happens in a compile into the journal's records.

Knows nothing of TVM's hooks; ``hooks`` and the adapters call it.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

from . import format
from .guard import Guard
from .redaction import redact_paths
from .settings import Settings
from .signals import reraise_a_signals
from .snapshot import Unprintable
from .state import Frame, ThreadState, Unit
from .store import Store

UNSCOPED = "unscoped"
CODEGEN = "codegen"

OK = "ok"
FAILED = "failed"

#: Said of a pass that never came back although no exception was seen.
DID_NOT_COMPLETE = "the pass did not complete"


class Recorder:
    """Writes one process's journal. Its methods never raise ``Exception``.

    ``phase``, ``unit`` and ``configs`` tell the current phase, compile unit and
    pass configs of the calling thread; ``target`` the target.
    """

    def __init__(self, settings: Settings, tvm_version: str) -> None:
        self.settings = settings
        self._tvm_version = tvm_version
        self.phase: Callable[[], str | None] = lambda: None
        self.unit: Callable[[], Unit | None] = lambda: None
        self.target: Callable[[], str | None] = lambda: None
        self.configs: Callable[[], dict[str, Any]] = dict
        self._store = Store(settings, tvm_version)
        self._generation = 0
        self._guard = Guard(self.keep_interruption)
        self.start_afresh()

    def start_afresh(self) -> None:
        """Forget everything, the journal too: a forked child's belongs to its parent."""
        self._store.abandon()
        self._store = Store(self.settings, self._tvm_version)
        self._generation += 1
        self.active = True
        self.thread = ThreadState()
        self._lock = threading.RLock()
        self._clock_zero = time.perf_counter_ns()
        self._numbers = itertools.count()
        self._indices = itertools.count()
        self._units = itertools.count()
        self._pipelines = itertools.count(1)
        self._cost = 0
        self.passes = 0
        self.kernels = 0
        #: In a verifying run: prints that would have been skipped, and how many
        #: of them gave another text.
        self.skippable = 0
        self.differed = 0

    # --- compile units and phases ------------------------------------------------

    def new_unit(self, name: str | None) -> Unit:
        """Begin a compile unit; it is recorded once something runs in it."""
        return Unit(next(self._units), name)

    def end_unit(self, unit: Unit, error: BaseException | None) -> None:
        """End a compile unit, close what it left open and checkpoint the journal."""
        with self._guard:
            thread = self.thread
            depth = next(
                (at for at, frame in enumerate(thread.stack) if frame.unit is unit),
                len(thread.stack),
            )
            self._fail_from(depth, error)
            if unit.recorded_in == self._generation:
                unit.recorded_in = None
                self._store.append(
                    format.UNIT_END,
                    {
                        "unit": unit.number,
                        "status": OK if error is None else FAILED,
                        **self._error_fields(error),
                        "t": self._now(),
                    },
                )
                self._store.checkpoint()
            thread.snapshots.clear()

    def pipeline_phase(self, base: str) -> str:
        """Name the pipeline that begins now: ``run2_…`` from the second one on."""
        run = next(self._pipelines)
        return base if run == 1 else f"run{run}_{base}"

    # --- passes ---------------------------------------------------------------------

    def pass_begins(self, mod: Any, name: str) -> None:
        """Record a pass and its input, before it runs."""
        entered = time.perf_counter_ns()
        with self._guard:
            frame = self._push(name, next(self._indices), mod)
            phase = CODEGEN if self.thread.codegens else self.phase() or UNSCOPED
            with self._lock:
                self.passes += 1
            fields = {"index": frame.index, "name": name, "phase": phase}
            self._begin(frame, format.PASS, entered, mod, fields)

    def pass_ends(self, mod: Any, name: str) -> None:
        """Record a pass's output."""
        left = time.perf_counter_ns()
        with self._guard:
            stack = self.thread.stack
            depth = next((at for at in reversed(range(len(stack))) if stack[at].name == name), None)
            if depth is None:
                return  # begun before the recorder was there
            self._fail_from(depth + 1, None)  # inner ones whose exception was swallowed
            frame = stack[depth]
            after, print_error = self._text(mod)
            self._end(
                frame,
                format.PASS_END,
                left,
                {
                    "status": OK,
                    "after": None if after == frame.before else after,
                    **print_error,
                },
            )

    def failed(self, depth: int, error: BaseException) -> None:
        """Record that an exception came out of the passes above ``depth``."""
        with self._guard:
            self._fail_from(depth, error)

    def raise_interruption(self) -> None:
        """Raise what a signal brought while the recorder was at work, if it did.

        To be called where Python code has called the compiler.
        """
        interruption, self.thread.interruption = self.thread.interruption, None
        if interruption is not None:
            raise interruption

    def keep_interruption(self, error: BaseException) -> None:
        """Keep what a signal raised for :meth:`raise_interruption`."""
        self.thread.interruption = error

    # --- codegen ---------------------------------------------------------------------

    def codegen_begins(self, mod: Any, ffi_name: str, role: str, target: str) -> int:
        """Record a codegen and its input; return the depth to end it with."""
        entered = time.perf_counter_ns()
        depth = len(self.thread.stack)
        with self._guard:
            frame = self._push(ffi_name, None, mod)
            fields = {"name": ffi_name, "role": role, "target": target}
            self._begin(frame, format.CODEGEN, entered, mod, fields)
        self.thread.codegens += 1
        return depth

    def codegen_ends(
        self, depth: int, source: str | None, error: BaseException | None, missing: str = ""
    ) -> None:
        """Record a codegen's source, why there is none, or its failure."""
        left = time.perf_counter_ns()
        self.thread.codegens = max(0, self.thread.codegens - 1)
        with self._guard:
            self._fail_from(depth + 1, error)
            if len(self.thread.stack) <= depth:
                return
            frame = self.thread.stack[depth]
            # Numbered after the passes inside it, as the built-in tracer does.
            frame.index = next(self._indices)
            texts = self._store.texts
            number = None if source is None or texts is None else texts.store(source)
            self._end(
                frame,
                format.CODEGEN_END,
                left,
                {
                    "index": frame.index,
                    "status": OK if error is None else FAILED,
                    **self._error_fields(error),
                    "source": number,
                    **({"source_error": missing} if missing else {}),
                },
            )

    # --- frames ------------------------------------------------------------------------

    def _push(self, name: str, index: int | None, mod: Any) -> Frame:
        thread = self.thread
        unit = self.unit()
        if unit is None:
            unit = thread.loose = thread.loose or self.new_unit(None)
        # On the stack before anything can go wrong: its end will look for it.
        frame = Frame(next(self._numbers), index, name, unit)
        thread.stack.append(frame)
        if unit.recorded_in != self._generation:
            self._record_unit(unit, mod)
        return frame

    def _place_of(self, frame: Frame) -> format.Record:
        stack = self.thread.stack
        depth = len(stack) - 1
        return {
            "pass": frame.number,
            "parent": stack[depth - 1].number if depth else None,
            "depth": depth,
            "unit": frame.unit.number,
            "thread": threading.get_native_id(),
        }

    def _begin(
        self, frame: Frame, kind: str, entered: int, mod: Any, fields: format.Record
    ) -> None:
        frame.before, missing = self._text(mod)
        self._store.append(
            kind,
            {
                **self._place_of(frame),
                **fields,
                "before": frame.before,
                **missing,
                "t": self._now(),
            },
        )
        frame.begun = time.perf_counter_ns()
        self._account(frame, frame.begun - entered)

    def _end(self, frame: Frame, kind: str, left: int, fields: format.Record) -> None:
        wall = max(0, left - frame.begun) if frame.begun else 0
        self._store.append(
            kind,
            {
                "pass": frame.number,
                **fields,
                "duration": max(0, wall - frame.inner_cost) // 1000,
                "cost": (frame.cost + time.perf_counter_ns() - left) // 1000,
            },
        )
        self._account(frame, time.perf_counter_ns() - left)
        stack = self.thread.stack
        if frame in stack:
            del stack[stack.index(frame) :]

    def _account(self, frame: Frame, cost: int) -> None:
        frame.cost += cost
        with self._lock:
            self._cost += cost
        for outer in self.thread.stack:
            if outer is frame:
                break
            outer.inner_cost += cost

    def _fail_from(self, depth: int, error: BaseException | None) -> None:
        """Close the frames above ``depth``, innermost first, as failed."""
        stack = self.thread.stack
        left = time.perf_counter_ns()
        while len(stack) > depth:
            frame = stack[-1]
            fields: format.Record = {"status": FAILED, **self._error_fields(error)}
            if error is None:
                fields["error"] = DID_NOT_COMPLETE
            if frame.index is None:  # a codegen
                fields |= {"index": next(self._indices), "source": None}
                self._end(frame, format.CODEGEN_END, left, fields)
            else:
                self._end(frame, format.PASS_END, left, fields | {"after": None})

    # --- records -----------------------------------------------------------------------

    def _record_unit(self, unit: Unit, mod: Any) -> None:
        unit.recorded_in = self._generation
        if unit.name is not None:
            with self._lock:
                self.kernels += 1
        current = threading.current_thread()
        self._store.append(
            format.UNIT,
            {
                "unit": unit.number,
                "name": unit.name,
                "kernels": _function_names(mod),
                "target": _tried(self.target, None),
                "configs": _tried(self.configs, {}),
                "thread": threading.get_native_id(),
                "thread_name": current.name,
                "t": self._now(),
            },
        )

    def _text(self, mod: Any) -> tuple[int | None, format.Record]:
        """Return the number of ``mod``'s text, and what is to be said where there is none."""
        texts = self._store.texts
        if texts is None:
            return None, {}
        try:
            if self.settings.verify:
                number, same = self.thread.snapshots.verified_text_id(mod, texts)
                self.skippable += same is not None
                self.differed += same is False
            else:
                number = self.thread.snapshots.text_id(mod, texts)
            return number, {"text_lost": True} if number is None else {}
        except Unprintable as error:
            return None, {"print_error": str(error)}

    def _error_fields(self, error: BaseException | None) -> format.Record:
        if error is None:
            return {}
        message = _tried(lambda: str(error), "")
        if self.settings.redact:
            message = redact_paths(message)
        return {"error": message, "error_type": type(error).__name__}

    def _now(self) -> int:
        """Microseconds since the trace began."""
        return (time.perf_counter_ns() - self._clock_zero) // 1000

    # --- the journal -------------------------------------------------------------------

    @property
    def journal_path(self) -> str | None:
        """Path of the journal, once there is one."""
        return self._store.path

    @property
    def journal_size(self) -> int:
        """Bytes of the journal so far."""
        return self._store.size

    @property
    def unavailable(self) -> bool:
        """Whether no journal could be opened."""
        return self._store.unavailable

    def close(self) -> None:
        """End the journal; nothing is recorded afterwards."""
        with self._guard:
            if not self.active:
                return
            self.active = False
            verified = {"skippable": self.skippable, "differed": self.differed}
            self._store.close(
                {
                    "passes": self.passes,
                    "kernels": self.kernels,
                    "cost": self._cost // 1000,
                    **(verified if self.settings.verify else {}),
                    "t": self._now(),
                }
            )


def _tried(call: Callable[[], Any], default: Any) -> Any:
    try:
        return call()
    except Exception as error:
        reraise_a_signals(error)
        return default


def _function_names(mod: Any) -> Any:
    return _tried(lambda: [str(var.name_hint) for var in mod.get_global_vars()], [])
