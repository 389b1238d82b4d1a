"""Hooks into TVM: the pass instrument, the contexts that carry it, codegen's FFIs.

Each hook is put in by :meth:`Hooks.install` or :meth:`Hooks.spread` and taken out,
exactly, by :meth:`Hooks.remove`. What differs between releases of TileLang is in ``adapters``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

from . import console
from .codegen_files import DEVICE, HOST
from .current import Current
from .outcome import Outcome
from .patching import Undo, patch
from .recorder import Recorder
from .signals import lost_signal, reraise_a_signals, tried

CODEGEN_PREFIX = "target.build."


class Hooks:
    """All hooks into the TVM that has been imported."""

    def __init__(self, current: Current) -> None:
        self.current = current
        self.instrument: Any = None
        #: Whether every context carries the instrument, and not only those of the
        #: user's that were given it.
        self.everywhere = False
        self._callbacks: frozenset[CodeType] = frozenset()
        #: Called with the FFI's name and the target; tells ``host`` or ``device``.
        self.codegen_role: Callable[[str, Any], str] = default_codegen_role
        #: Called with the FFI's name; tells whether its module's source is compiled later.
        self.compiles_source: Callable[[str], bool] = default_compiles_source
        self._undo: Undo = []
        self._undo_spread: Undo = []
        self._codegens: dict[str, Any] = {}

    def install(self) -> None:
        """Make the instrument, and see the passes that fail in contexts that carry it."""
        from tvm.ir import transform

        self.instrument, self._callbacks = _make_instrument(self.current)
        patch(self._undo, transform.Pass, "__call__", self._pass_call)
        self.current.around.target = _current_target
        self.current.around.configs = _current_configs

    def spread(self) -> None:
        """Put the instrument into this thread's context and into every context to come."""
        if self.everywhere:
            return
        from tvm.ir.transform import PassContext

        self.everywhere = True
        undo = self._undo_spread
        patch(undo, PassContext, "__init__", self._context_init)
        patch(undo, PassContext, "override_instruments", self._context_override_instruments)
        self.arm_thread()

    def withdraw(self) -> None:
        """Undo :meth:`spread`, and take the codegens' wrappers out.

        Other threads' default contexts keep the instrument.
        """
        self.everywhere = False
        for name, original in self._codegens.items():
            _register(name, original)
        self._codegens.clear()
        while self._undo_spread:
            self._undo_spread.pop()()
        from tvm.ir.transform import PassContext

        context = PassContext.current()
        kept = [item for item in context.instruments if not item.same_as(self.instrument)]
        if len(kept) < len(context.instruments):
            context.override_instruments(kept)

    def remove(self) -> None:
        """Take out every hook; other threads' default contexts keep an idle instrument."""
        self.withdraw()
        while self._undo:
            self._undo.pop()()

    # --- contexts -------------------------------------------------------------------

    def arm_thread(self) -> None:
        """Put the instrument into the calling thread's current context."""
        from tvm.ir.transform import PassContext

        self.current.around.thread.armed = True
        context = PassContext.current()
        instruments = list(context.instruments)
        if not self._carried(instruments):
            context.override_instruments([*instruments, self.instrument])

    def _carried(self, instruments: list[Any]) -> bool:
        return any(self.instrument.same_as(item) for item in instruments)

    def _with_ours(self, instruments: Any) -> list[Any]:
        # Last, so that it sees what the user's own instruments leave to the pass.
        listed = list(instruments) if instruments else []
        return listed if self._carried(listed) else [*listed, self.instrument]

    def _context_init(self, original: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(original)
        def __init__(
            context: Any,
            opt_level: Any = 2,
            required_pass: Any = None,
            disabled_pass: Any = None,
            instruments: Any = None,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            try:
                instruments = self._with_ours(instruments)
            except TypeError:
                pass  # not a list: TVM's own complaint is the better one
            original(context, opt_level, required_pass, disabled_pass, instruments, *args, **kwargs)

        return __init__

    def _context_override_instruments(self, original: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(original)
        def override_instruments(context: Any, instruments: Any) -> None:
            try:
                instruments = self._with_ours(instruments)
            except TypeError:
                pass
            original(context, instruments)

        return override_instruments

    # --- passes -----------------------------------------------------------------------

    def _pass_call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        # TVM has no callback for a pass that fails, and its message is known only
        # to the exception; without this, what comes after a swallowed failure
        # would seem to run inside the failed pass. A thread's default context
        # can be armed only from that thread, before its first pass.
        current = self.current

        @functools.wraps(original)
        def __call__(self_: Any, mod: Any) -> Any:
            thread = current.around.thread
            if self.everywhere and not thread.armed:
                self._try_arm_thread()
            depth = len(thread.stack)
            try:
                result = original(self_, mod)
            except BaseException as error:
                lost = lost_signal(error, self._callbacks)
                if len(thread.stack) > depth:
                    current.recorder.failed(depth, lost or error)
                if thread.interruption is not None:
                    current.recorder.raise_interruption()
                if lost is not None:
                    raise lost from None
                raise
            if thread.interruption is not None:
                current.recorder.raise_interruption()
            return result

        return __call__

    def _try_arm_thread(self) -> None:
        self.current.around.thread.armed = True
        try:
            self.arm_thread()
        except Exception as error:
            console.say_once("arm", f"a thread's passes are not recorded: {error}")

    # --- codegen ------------------------------------------------------------------------

    def wrap_codegens(self) -> None:
        """Wrap every codegen FFI that is registered and not wrapped yet."""
        from tvm_ffi import get_global_func
        from tvm_ffi.registry import list_global_func_names

        for name in list_global_func_names():
            if name.startswith(CODEGEN_PREFIX) and name not in self._codegens:
                original = get_global_func(name)
                _register(name, self._codegen(name, original))
                self._codegens[name] = original

    def _codegen(self, name: str, original: Any) -> Callable[..., Any]:
        def codegen(*args: Any) -> Any:
            mod, target = (*args, None, None)[:2]
            role = self.codegen_role(name, target)
            depth: int | None = None
            while depth is None and (recorder := self.current.recorder).active:
                depth = recorder.codegen_begins(mod, name, role, str(target))
            if depth is None:  # recording was switched off after the compiler had got hold of this
                return original(*args)
            result: list[Any] = []
            try:
                # Appended by C code, without a bytecode in between at which a
                # signal could make the result be lost.
                result.extend(map(original, *([argument] for argument in args)))
            except BaseException as error:
                if not result:
                    recorder.codegen_ends(depth, Outcome(error=error, role=role))
                    raise
                recorder.keep_interruption(error)
            module, outcome = result[0], Outcome(role=role)
            try:
                module, outcome = self._with_edit(recorder, name, depth, role, target, result[0])
            except BaseException as error:  # only ever a signal's
                recorder.keep_interruption(error)
            recorder.codegen_ends(depth, outcome)
            return module

        return codegen

    def _with_edit(
        self, recorder: Recorder, name: str, depth: int, role: str, target: Any, module: Any
    ) -> tuple[Any, Outcome]:
        """Return the module to go on with: the generated one, or one of edited source."""
        kind = _kind_of(target)
        source, missing = _source_of(module)
        edit = None
        # Where recording has been switched off meanwhile, nobody keeps an edit out of
        # the kernel cache any more.
        if source is not None and self.current.recorder.active:
            edit = recorder.edit_of(depth, source, role)
        edited = None
        if edit is not None and edit.text is not None and self.compiles_source(name):
            edited = _module_of(edit.text, module)
        outcome = Outcome(
            source=source,
            missing=missing,
            role=role,
            target_kind=kind,
            edit=edit,
            injected=edited is not None,
        )
        return (module if edited is None else edited), outcome


def default_codegen_role(name: str, target: Any) -> str:
    """Tell host code from device code by the FFI's name and the target's kind."""
    return HOST if name.endswith("_host") or _kind_of(target) in ("llvm", "c") else DEVICE


def default_compiles_source(name: str) -> bool:
    """TVM compiles while it generates."""
    return False


def _kind_of(target: Any) -> str:
    return str(getattr(getattr(target, "kind", None), "name", ""))


def _make_instrument(current: Current) -> tuple[Any, frozenset[CodeType]]:
    """Return the instrument and the code of its callbacks."""
    from tvm.ir.instrument import PassInstrument

    class LowerTrace(PassInstrument):  # type: ignore[misc, unused-ignore]
        """Tells the recorder of every pass. Never raises: TVM would abort the compile."""

        def run_before_pass(self, mod: Any, info: Any) -> None:
            while (recorder := current.recorder).active:
                if recorder.pass_begins(mod, str(info.name)):
                    return

        def run_after_pass(self, mod: Any, info: Any) -> None:
            recorder = current.recorder
            if recorder.active:
                recorder.pass_ends(mod, str(info.name))

    callbacks = (LowerTrace.run_before_pass, LowerTrace.run_after_pass)
    return LowerTrace(), frozenset(callback.__code__ for callback in callbacks)


def _register(name: str, function: Any) -> None:
    from tvm_ffi import register_global_func

    register_global_func(name, function, override=True)


def _current_target() -> str | None:
    from tvm.target import Target

    target = Target.current(allow_none=True)
    return None if target is None else str(target)


def _current_configs() -> dict[str, Any]:
    from tvm.ir.transform import PassContext

    return {str(key): _plain(value) for key, value in PassContext.current().config.items()}


def _plain(value: Any) -> bool | int | float | str:
    if isinstance(value, bool | float | str):
        return value
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return value
    return str(value)


def _module_of(source: str, like: Any) -> Any:
    """Return a module of ``source`` in place of one that the compiler generated."""
    from tvm.runtime import _ffi_api

    try:
        form = str(getattr(like, "format", "c") or "c")
        # What the module says it implements; TileLang's say nothing.
        names: list[Any] = tried(lambda: list(like["get_func_names"]()), [])
        return _ffi_api.CSourceModuleCreate(source, form, names, None)
    except Exception as error:
        reraise_a_signals(error)
        console.say_once("inject", f"the edited code cannot be compiled in this TVM: {error}")
        return None


def _source_of(module: Any) -> tuple[str | None, str]:
    """Return a runtime module's source, or why it has none."""
    try:
        inspect = getattr(module, "inspect_source", None) or module.get_source
        return str(inspect()), ""
    except Exception as error:
        reraise_a_signals(error)
        return None, f"{type(error).__name__}: {error}"
