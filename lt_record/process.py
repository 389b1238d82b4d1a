"""The facts about a process that its journal opens with."""

from __future__ import annotations

import getpass
import os
import platform
import re
import socket
import sys
import time

from . import __version__
from .format import VERSION, Record

#: The environment variables that a journal may hold; never the whole environment.
#: Names that look like a secret are left out even so.
_ENV_PREFIXES = ("TL_", "TILELANG_", "TVM_", "LT_RECORD")
_ENV_NAMES = (
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "CUDA_PATH",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "ROCM_HOME",
    "ROCM_PATH",
    "NVCC_APPEND_FLAGS",
)
_SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|KEY|CREDENTIAL", re.IGNORECASE)


def describe(script: str, tvm_version: str) -> Record:
    """Return the fields of the ``process`` record."""
    return {
        "format": list(VERSION),
        "recorder": __version__,
        "python": platform.python_version(),
        "tvm": tvm_version,
        "tilelang": loaded_version("tilelang"),
        "platform": platform.platform(),
        "host": socket.gethostname(),
        "user": _user(),
        "pid": os.getpid(),
        "ppid": os.getppid(),
        "started": time.time_ns(),
        "script": script,
        "argv": [str(argument) for argument in getattr(sys, "argv", None) or []],
        "executable": sys.executable or "",
        "cwd": _cwd(),
        "env": {
            name: value
            for name, value in sorted(os.environ.items())
            if (name.startswith(_ENV_PREFIXES) or name in _ENV_NAMES) and not _SECRET.search(name)
        },
    }


def loaded_version(module: str) -> str | None:
    """``__version__`` of a module, if it has been imported."""
    version = getattr(sys.modules.get(module), "__version__", None)
    return None if version is None else str(version)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # differs between Pythons
        return ""


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
