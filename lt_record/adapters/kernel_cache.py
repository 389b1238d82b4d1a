"""TileLang's kernel caches while tracing: every kernel is lowered, no edit is kept.

A kernel out of a cache runs no pass, so it would show nothing and take up no
edit. While tracing

- the caches on disk (kernels and auto-tuning) are not read, so that each process
  lowers each of its kernels once;
- a kernel in memory is lowered again if it was compiled before the tracing, or the
  ``with lt_record.trace()`` block, began, or if its edit has changed since;
- a kernel compiled from an edit is not stored on disk, and is forgotten when
  tracing ends. Others are stored as ever.

Tracing may end in the middle of a compile. Then the edited kernel of that compile
is still kept out of the caches.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ..current import Current
from ..outcome import Compiled
from ..patching import Undo, patch

#: Where a kernel keeps what its codegens compiled.
_MARK = "_lower_trace_compiled"
#: A decorated function with more kernels than this has its files looked at every
#: so often, and not with each of its calls.
_MANY_KERNELS = 8
_LOOK_SECONDS = 0.05


class _Thread(threading.local):
    #: Whether the kernel that this thread has compiled last is one of edited source.
    edited = False


class KernelCaches:
    """The hooks into one TileLang's caches."""

    def __init__(self, current: Current) -> None:
        self._current = current
        self._thread = _Thread()
        self._undo: Undo = []
        #: Kernels compiled from edits, and whoever may remember a kernel.
        self._edited: list[weakref.ref[Any]] = []
        self._holders: dict[int, weakref.ref[Any]] = {}
        self._looked = 0.0
        self._seen: Any = None
        self._changes = 0
        #: By decorated function, at which of the changes its kernels were looked at.
        self._checked: dict[int, int] = {}
        #: Keys of the kernels on disk that were lowered all the same.
        self.passed_over: set[str] = set()
        self._lock = threading.RLock()
        #: Look-ups that are under way, in all threads.
        self._running = 0
        self._removed = False
        self._unshadow: Callable[[], None] | None = None

    def install(self) -> None:
        """Hook into the caches that this TileLang has."""
        from tilelang import env
        from tilelang.cache.kernel_cache import KernelCache
        from tilelang.jit import JITImpl, JITKernel

        patch(self._undo, JITKernel, "__init__", self._kernel_init)
        patch(self._undo, KernelCache, "cached", self._cached)
        patch(self._undo, KernelCache, "_load_kernel_from_disk", self._load_kernel_from_disk)
        patch(self._undo, JITImpl, "__call__", self._call)
        self._shadow(env, "is_cache_enabled", self._is_cache_enabled(env.is_cache_enabled))
        # Kept apart: the last compile under way takes it out.
        self._unshadow = self._undo.pop()
        if hasattr(env, "is_autotune_cache_disabled"):
            self._shadow(env, "is_autotune_cache_disabled", lambda: True)

    def remove(self) -> None:
        """Take out the hooks, and forget every kernel that was compiled from an edit."""
        self._removed = True
        while self._undo:
            self._undo.pop()()
        self._unshadow_unless_running()
        self._forget_edited()

    def _forget_edited(self) -> None:
        for kernel in [reference() for reference in list(self._edited)]:
            for holder in [reference() for reference in list(self._holders.values())]:
                _forget(holder, kernel)

    def _unshadow_unless_running(self) -> None:
        with self._lock:
            if self._running == 0 and self._unshadow is not None:
                self._unshadow()
                self._unshadow = None

    @contextlib.contextmanager
    def _under_way(self) -> Iterator[None]:
        """Around each look-up of a kernel: finishes the removal if tracing ends meanwhile."""
        with self._lock:
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
            if self._removed:
                self._unshadow_unless_running()
                self._forget_edited()

    # --- a kernel, and what its codegens compiled ---------------------------------------

    def _kernel_init(self, original: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(original)
        def __init__(kernel: Any, *args: Any, **kwargs: Any) -> None:
            thread = self._current.around.thread
            outer, compiled = thread.compiled, list[Compiled]()
            thread.compiled = compiled
            try:
                original(kernel, *args, **kwargs)
            finally:
                thread.compiled = outer
            kernel.__dict__[_MARK] = self._current.layer.since, compiled
            self._thread.edited = any(one.edit is not None for one in compiled)
            if self._thread.edited:
                self._edited.append(weakref.ref(kernel))

        return __init__

    def _is_current(self, kernel: Any) -> bool:
        """Whether a kernel was lowered while tracing, and lowering it now would give the same."""
        since, compiled = getattr(kernel, _MARK, (None, []))
        if since is not self._current.layer.since:
            return False
        still = self._current.recorder.edits.still_compiled_from
        return all(still(one.owner, one.generated, one.edit) for one in compiled)

    # --- the cache of tilelang.compile --------------------------------------------------

    def _cached(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def cached(cache: Any, *args: Any, **kwargs: Any) -> Any:
            self._hold(cache)
            outer, self._thread.edited = self._thread.edited, False
            with self._under_way():
                try:
                    kernel = original(cache, *args, **kwargs)
                    if self._current.recorder.active and not self._is_current(kernel):
                        _forget(cache, kernel)
                        kernel = original(cache, *args, **kwargs)
                    return kernel
                finally:
                    self._thread.edited = outer

        return cached

    def _load_kernel_from_disk(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def _load_kernel_from_disk(cache: Any, key: str, *args: Any, **kwargs: Any) -> Any:
            if not self._current.recorder.active:
                return original(cache, key, *args, **kwargs)
            if os.path.isdir(cache._get_cache_path(key)):
                self.passed_over.add(key)
            return None

        return _load_kernel_from_disk

    def _is_cache_enabled(self, original: Callable[[], bool]) -> Callable[[], bool]:
        # Asked before a kernel is looked up, and again before it is stored.
        return lambda: original() and not self._thread.edited

    # --- what @tilelang.jit remembers -----------------------------------------------------

    def _call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def __call__(function: Any, *args: Any, **kwargs: Any) -> Any:
            if self._current.recorder.active:
                self._look_at(function)
            try:
                return original(function, *args, **kwargs)
            finally:
                if self._removed:
                    self._forget_edited()

        return __call__

    def _look_at(self, function: Any) -> None:
        """Have a decorated function forget the kernels that are to be lowered again."""
        self._hold(function)
        kernels = list(function._kernel_cache.values())
        if not kernels or not self._files_changed(function, len(kernels)):
            return
        for kernel in kernels:
            if not self._is_current(kernel):
                _forget(function, kernel)

    def _files_changed(self, function: Any, kernels: int) -> bool:
        """Whether files of generated source have changed since the last look at a function."""
        now = time.monotonic()
        if kernels <= _MANY_KERNELS or now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            seen = self._current.layer.since, self._current.recorder.edits.versions()
            self._changes += seen != self._seen
            self._seen = seen
        last = self._checked.get(id(function))
        self._checked[id(function)] = self._changes
        return last != self._changes

    # --- holders and patches ------------------------------------------------------------

    def _hold(self, holder: Any) -> None:
        key = id(holder)
        if key not in self._holders:
            self._holders[key] = weakref.ref(holder, lambda _: self._let_go(key))

    def _let_go(self, key: int) -> None:
        self._holders.pop(key, None)
        self._checked.pop(key, None)

    def _shadow(self, owner: Any, name: str, value: Any) -> None:
        """Shadow a method of one object."""
        setattr(owner, name, value)

        def undo() -> None:
            if owner.__dict__.get(name) is value:  # and not that of a later tracing
                delattr(owner, name)

        self._undo.append(undo)


def _forget(holder: Any, kernel: Any) -> None:
    """Have a cache, or a decorated function, forget a kernel."""
    for name in ("_memory_cache", "_kernel_cache", "_tuner_cache"):
        kernels = getattr(holder, name, None)
        if isinstance(kernels, dict):
            for key in [key for key, value in list(kernels.items()) if value is kernel]:
                kernels.pop(key, None)
    call_forms = getattr(holder, "_call_form_cache", None)
    if call_forms is not None:
        call_forms.clear()
