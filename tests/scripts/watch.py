"""A pass instrument of the script's own: what it sees is what a trace of the script must hold."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import tvm_ffi
from tvm.ir.instrument import pass_instrument
from tvm.ir.transform import Pass, PassContext
from tvm_ffi.registry import list_global_func_names


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pass_instrument
class Watch:
    """Keeps each pass's name, depth, and digests of its input and output."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self._open: list[dict[str, Any]] = []

    def run_before_pass(self, mod: Any, info: Any) -> None:
        one = {
            "name": str(info.name),
            "depth": len(self._open),
            "before": digest(str(mod)),
            "after": None,
        }
        self.seen.append(one)
        self._open.append(one)

    def run_after_pass(self, mod: Any, info: Any) -> None:
        self._open.pop()["after"] = digest(str(mod))


def hooked(*functions: Any) -> list[Any]:
    """Everything that recording may replace: of TVM, and ``functions`` of the compiler's."""
    codegens = sorted(name for name in list_global_func_names() if name.startswith("target.build."))
    return [
        Pass.__call__,
        PassContext.__init__,
        PassContext.override_instruments,
        *functions,
        *(tvm_ffi.get_global_func(name).__chandle__() for name in codegens),
    ]


def left_over(before: Sequence[Any], after: Sequence[Any]) -> list[str]:
    """What was not put back."""
    return [str(new) for old, new in zip(before, after, strict=True) if old != new]
