"""The recorder: turns what happens in a compile into the journal's records.

Knows nothing of TVM's hooks; ``hooks`` and the adapters call it.
"""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

from . import console, format
from .edits import Edit, Edits
from .guard import Guard
from .outcome import Outcome
from .redaction import error_fields
from .settings import Settings
from .signals import tried
from .snapshot import Unprintable
from .state import Frame, Surroundings, ThreadMemory, ThreadState, Unit, function_names
from .store import Store

UNSCOPED = "unscoped"
CODEGEN = "codegen"

OK = "ok"
FAILED = "failed"

#: Said of a pass that never came back although no exception was seen.
DID_NOT_COMPLETE = "the pass did not complete"


class Recorder:
    """Writes one journal. Its methods never raise ``Exception``.

    What begins is recorded by the recorder in charge (see ``current``), what ends
    by the one that it began with.
    """

    def __init__(
        self, settings: Settings, tvm_version: str, around: Surroundings | None = None
    ) -> None:
        self.settings = settings
        self.around = around or Surroundings()
        self.tvm_version = tvm_version
        self._store = Store(settings, tvm_version)
        self._guard = Guard(self.keep_interruption)
        self.start_afresh()

    @property
    def thread(self) -> ThreadState:
        """What the calling thread is in the middle of."""
        return self.around.thread

    def start_afresh(self) -> None:
        """Forget everything, the journal too: a forked child's belongs to its parent."""
        self._store.abandon()
        self._store = Store(self.settings, self.tvm_version)
        self.edits = Edits(lambda: self._store.codegen_path)
        #: Stands for the journal.
        self._journal_mark = object()
        self.active = True
        self._memory = ThreadMemory()
        self._lock = threading.RLock()
        self._clock_zero = time.perf_counter_ns()
        self._numbers = itertools.count()
        self._indices = itertools.count()
        self._units = itertools.count()
        self._runs = itertools.count(1)
        self._cost = 0
        self.passes = 0
        self.kernels = 0
        #: In a verifying run: prints that would have been skipped, and how many
        #: of them gave another text.
        self.skippable = 0
        self.differed = 0

    # --- compile units and phases ------------------------------------------------

    def end_unit(self, unit: Unit, error: BaseException | None) -> None:
        """End a compile unit, close what it left open and checkpoint the journal."""
        with self._guard:
            thread = self.thread
            depth = next(
                (at for at, frame in enumerate(thread.stack) if frame.unit is unit),
                len(thread.stack),
            )
            self._fail_from(depth, error)
            for mark, (recorder, number) in unit.recorded.items():
                recorder._unit_ends(mark, number, error)
            unit.recorded.clear()

    def _unit_ends(self, mark: object, number: int, error: BaseException | None) -> None:
        if mark is not self._journal_mark:
            return  # a journal of the process that this one was forked from
        self._store.append(
            format.UNIT_END,
            {
                "unit": number,
                "status": OK if error is None else FAILED,
                **error_fields(error, self.settings),
                "t": self._now(),
            },
        )
        self._store.checkpoint()
        self._memory.snapshots.clear()

    def run_prefix(self) -> str:
        """Begin a pipeline; return what its phase's name begins with, ``run2_`` for the second."""
        run = next(self._runs)
        return "" if run == 1 else f"run{run}_"

    # --- passes ---------------------------------------------------------------------

    def pass_begins(self, mod: Any, name: str) -> bool:
        """Record a pass and its input, before it runs.

        Returns false if the journal was closed meanwhile: the pass is for the one that
        has taken its place.
        """
        entered = time.perf_counter_ns()
        with self._guard:
            frame = self._push(name, next(self._indices), mod)
            phase = CODEGEN if self.thread.codegens else self.around.phase() or UNSCOPED
            fields = {"index": frame.index, "name": name, "phase": phase}
            if not self._begin(frame, format.PASS, entered, mod, fields):
                return False
            with self._lock:
                self.passes += 1
        return True

    def pass_ends(self, mod: Any, name: str) -> None:
        """Record a pass's output."""
        left = time.perf_counter_ns()
        with self._guard:
            stack = self.thread.stack
            depth = next((at for at in reversed(range(len(stack))) if stack[at].name == name), None)
            if depth is None:
                return  # begun before the recorder was there
            self._fail_from(depth + 1, None)  # inner ones whose exception was swallowed
            stack[depth].recorder._pass_ends(stack[depth], left, mod)

    def _pass_ends(self, frame: Frame, left: int, mod: Any) -> None:
        # Closed meanwhile: only the frame is to be taken off.
        after, print_error = self._text(mod) if self.active else (None, {})
        after = None if after == frame.before else after
        self._end(frame, format.PASS_END, left, {"status": OK, "after": after, **print_error})

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

    def codegen_begins(self, mod: Any, ffi_name: str, role: str, target: str) -> int | None:
        """Record a codegen and its input; return the depth to end it with.

        ``None`` if the journal was closed meanwhile, as for :meth:`pass_begins`.
        """
        entered = time.perf_counter_ns()
        depth = len(self.thread.stack)
        with self._guard:
            frame = self._push(ffi_name, None, mod)
            fields = {"name": ffi_name, "role": role, "target": target}
            if not self._begin(frame, format.CODEGEN, entered, mod, fields):
                return None
        self.thread.codegens += 1
        return depth

    def edit_of(self, depth: int, source: str, role: str) -> Edit | None:
        """Return what the files of edited source say of the codegen begun at ``depth``."""
        with self._guard:
            if depth < len(self.thread.stack):
                return self.edits.find(self.thread.stack[depth].owner(role), source)
        return None

    def codegen_ends(self, depth: int, outcome: Outcome) -> None:
        """Record what came of a codegen."""
        left = time.perf_counter_ns()
        self.thread.codegens = max(0, self.thread.codegens - 1)
        with self._guard:
            self._fail_from(depth + 1, outcome.error)
            if len(self.thread.stack) <= depth:
                return
            frame = self.thread.stack[depth]
            # Numbered after the passes inside it, as the built-in tracer does.
            frame.index = next(self._indices)
            self._note_edit(frame, outcome)
            self._end(
                frame,
                format.CODEGEN_END,
                left,
                {
                    "index": frame.index,
                    "status": OK if outcome.error is None else FAILED,
                    **error_fields(outcome.error, self.settings),
                    **outcome.fields(self._stored),
                },
            )

    def _note_edit(self, frame: Frame, outcome: Outcome) -> None:
        """Say on stderr what became of an edit, and tell those who watch the compile."""
        if outcome.source is not None and self.thread.compiled is not None:
            self.thread.compiled.append(outcome.compiled(frame.owner(outcome.role)))
        message = outcome.message()
        if message:
            console.say(f"{CODEGEN}/{frame.index:02d}_{CODEGEN}: {message}")
        if outcome.injected:
            with self._lock:
                self.edits.compiled += 1

    def _stored(self, text: str | None) -> int | None:
        texts = self._store.texts
        return None if text is None or texts is None else texts.store(text)

    # --- frames ------------------------------------------------------------------------

    def _push(self, name: str, index: int | None, mod: Any) -> Frame:
        thread = self.thread
        unit = self.around.unit()
        if unit is None:
            unit = self._memory.loose = self._memory.loose or Unit(None)
        # On the stack before anything can go wrong: its end will look for it.
        frame = Frame(self, next(self._numbers), index, name, unit)
        thread.stack.append(frame)
        if self._journal_mark not in unit.recorded:
            self._record_unit(unit, mod)
        return frame

    def _place_of(self, frame: Frame) -> format.Record:
        # What another journal holds is nobody's parent in this one.
        outer = [one for one in self.thread.stack[:-1] if one.recorder is self]
        return {
            "pass": frame.number,
            "parent": outer[-1].number if outer else None,
            "depth": len(outer),
            "unit": frame.unit.recorded[self._journal_mark][1],
            "thread": threading.get_native_id(),
        }

    def _begin(
        self, frame: Frame, kind: str, entered: int, mod: Any, fields: format.Record
    ) -> bool:
        frame.before, missing = self._text(mod)
        recorded = self._store.append(
            kind,
            {
                **self._place_of(frame),
                **fields,
                "before": frame.before,
                **missing,
                "t": self._now(),
            },
        )
        if not recorded and not self.active:
            self.thread.stack.remove(frame)
            return False
        frame.begun = time.perf_counter_ns()
        self._account(frame, frame.begun - entered)
        return True

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
            fields: format.Record = {"status": FAILED, **error_fields(error, self.settings)}
            if error is None:
                fields["error"] = DID_NOT_COMPLETE
            if frame.index is None:  # a codegen
                fields |= {"index": next(self._indices), "source": None}
                self._end(frame, format.CODEGEN_END, left, fields)
            else:
                self._end(frame, format.PASS_END, left, fields | {"after": None})

    # --- records -----------------------------------------------------------------------

    def _record_unit(self, unit: Unit, mod: Any) -> None:
        number = next(self._units)
        unit.recorded[self._journal_mark] = self, number
        if unit.name is not None:
            with self._lock:
                self.kernels += 1
        # Only at first: in the middle of a compile a kernel has become two functions.
        unit.kernels = unit.kernels or function_names(mod)
        current = threading.current_thread()
        self._store.append(
            format.UNIT,
            {
                "unit": number,
                "name": unit.name,
                "kernels": unit.kernels,
                "target": unit.target or tried(self.around.target, None),
                "configs": tried(self.around.configs, dict[str, Any]()),
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
                number, same = self._memory.snapshots.verified_text_id(mod, texts)
                self.skippable += same is not None
                self.differed += same is False
            else:
                number = self._memory.snapshots.text_id(mod, texts)
            return number, {"text_lost": True} if number is None else {}
        except Unprintable as error:
            return None, {"print_error": str(error)}

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

    @property
    def rendered(self) -> bool:
        """Whether a viewer has rendered the closed journal."""
        return self._store.rendered

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
