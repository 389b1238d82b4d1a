"""The interface of an adapter, and what holds for TVM without TileLang."""

from __future__ import annotations

from typing import Any

from ..hooks import default_codegen_role
from ..recorder import Recorder


class Adapter:
    """Tells the recorder about compile units and phases, where the release has them."""

    def install(self, recorder: Recorder) -> None:
        """Hook into the release."""

    def remove(self) -> None:
        """Undo :meth:`install`."""

    def codegen_role(self, ffi_name: str, target: Any) -> str:
        """Tell whether a codegen makes ``host`` or ``device`` code."""
        return default_codegen_role(ffi_name, target)

    def cached_kernels(self) -> int:
        """Count the kernels that a cache served or holds in this process."""
        return 0
