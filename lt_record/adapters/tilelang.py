"""What the releases of TileLang have in common: their kernel caches and their codegens."""

from __future__ import annotations

from typing import Any

from .. import console
from ..current import Current
from ..hooks import default_codegen_role
from .kernel_cache import KernelCaches
from .tvm import TVM

#: Codegens whose source a backend compiles, beside those called ``…_without_compile``.
_SOURCE_ONLY = frozenset(
    f"target.build.{name}"
    for name in (
        "tilelang_c",
        "tilelang_cpp",
        "tilelang_webgpu",
        "tilelang_ascend",
        "webgpu",
    )
)


class TileLang(TVM):
    """Any TileLang; a family adds where its compiles and phases begin and end."""

    def __init__(self) -> None:
        super().__init__()
        self._caches: KernelCaches | None = None

    def install(self, current: Current) -> None:
        super().install(current)
        caches = KernelCaches(current)
        try:
            caches.install()
        except (ImportError, AttributeError, KeyError) as error:
            caches.remove()
            console.say_once(
                "cache",
                "TileLang's kernel caches are used as they are, and hide the passes of "
                f"kernels in them ({type(error).__name__}: {error}).",
            )
        else:
            self._caches = caches

    def remove(self) -> None:
        if self._caches is not None:  # and stays, for what it has counted
            self._caches.remove()
        super().remove()

    def passed_over(self) -> int:
        return 0 if self._caches is None else len(self._caches.passed_over)

    def codegen_role(self, ffi_name: str, target: Any) -> str:
        if ffi_name.startswith("target.build.tilelang_"):
            return "host" if ffi_name.endswith("_host") else "device"
        return default_codegen_role(ffi_name, target)

    def compiles_source(self, ffi_name: str) -> bool:
        return ffi_name.endswith("_without_compile") or ffi_name in _SOURCE_ONLY
