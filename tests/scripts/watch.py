"""A pass instrument of the script's own: what it sees is what a trace of the script must hold."""

from __future__ import annotations

import hashlib
from typing import Any

from tvm.ir.instrument import pass_instrument


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
