"""The interface of an adapter, and what holds where nothing is known of a release."""

from __future__ import annotations

from typing import Any

from ..current import Current
from ..hooks import default_codegen_role, default_compiles_source


class Adapter:
    """Tells the recorder about compile units and phases, where the release has them."""

    def install(self, current: Current) -> None:
        """Hook into the release."""

    def remove(self) -> None:
        """Undo :meth:`install`."""

    def codegen_role(self, ffi_name: str, target: Any) -> str:
        """Tell whether a codegen makes ``host`` or ``device`` code."""
        return default_codegen_role(ffi_name, target)

    def compiles_source(self, ffi_name: str) -> bool:
        """Whether the source that a codegen gives is what the backend compiles later on."""
        return default_compiles_source(ffi_name)

    def session_tool(self) -> Any:
        """A tool for one of TileLang's compile sessions, where there are such."""
        return None

    def passed_over(self) -> int:
        """Count the kernels that a cache on disk holds and that were lowered all the same."""
        return 0
