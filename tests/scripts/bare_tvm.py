"""TileLang's own TVM, without importing TileLang, or torch: in a fraction of the time.

For whatever is not about TileLang.
"""

import importlib.util
import os
import sys

_tilelang = importlib.util.find_spec("tilelang")
assert _tilelang is not None and _tilelang.submodule_search_locations
_root = _tilelang.submodule_search_locations[0]
sys.path.insert(0, f"{_root}/3rdparty/tvm/python")
os.environ["TVM_LIBRARY_PATH"] = f"{_root}/lib"
sys.modules["torch"] = None  # tvm_ffi would import it

import tvm  # noqa: E402, F401

del sys.modules["torch"]
