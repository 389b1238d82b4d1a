"""What is installed, and which way imports may go."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from conftest import clean_environ

import lt_record
import lt_render
from lt_record import settings

RECORD = Path(lt_record.__file__).parent
RENDER = Path(lt_render.__file__).parent


def modules_of(package: Path) -> list[str]:
    return [
        ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(package.rglob("*.py"))
        if path.name != "__main__.py"
    ]


def imports_of(package: Path) -> set[str]:
    """Top-level names of everything that a package's files import, wherever in the file."""
    found = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(str(node.module).partition(".")[0])
    return found


def loaded_by(modules: list[str]) -> set[str]:
    """Top-level modules that a fresh Python has loaded after importing ``modules``."""
    code = (
        f"import json, sys; [__import__(m) for m in {modules!r}]; print(json.dumps([*sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=clean_environ(), check=True, capture_output=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


def test_the_recorder_imports_the_standard_library_msgpack_and_zstandard() -> None:
    third_party = loaded_by(modules_of(RECORD)) - set(sys.stdlib_module_names)
    baseline = loaded_by([]) - set(sys.stdlib_module_names)
    compiled_in = {name for name in third_party if "cython" in name}
    assert third_party - baseline - compiled_in == {"lt_record", "msgpack", "zstandard"}


def test_the_recorder_never_imports_the_renderer() -> None:
    assert "lt_render" not in imports_of(RECORD)


def test_the_renderer_never_imports_a_compiler() -> None:
    forbidden = {"tvm", "tvm_ffi", "tilelang", "torch"}
    assert not imports_of(RENDER) & forbidden
    assert not loaded_by(modules_of(RENDER)) & forbidden


@pytest.mark.parametrize("package", ["lt_record", "lt_render"])
def test_the_wheel_carries_types_and_data(package: str) -> None:
    files = {str(path) for path in metadata.files("lower-trace") or []}
    if any("_editable_impl" in path for path in files):
        pytest.skip("installed for development: the files are the checkout's")
    assert f"{package}/py.typed" in files
    assert "lower_trace.pth" in files
    assert "lt_record/FORMAT.md" in files
    assert "lt_render/outputs/templates/js/start.js" in files


def test_requirements_leave_the_compilers_to_the_user() -> None:
    required = metadata.requires("lower-trace") or []
    always = {line.partition(">")[0].strip() for line in required if "extra ==" not in line}
    assert always == {"msgpack", "zstandard", "jinja2", "pygit2", "rich"}


def test_the_start_up_hook_knows_the_same_values_for_off() -> None:
    (hook,) = [path for path in sys.path if (Path(path) / "lower_trace.pth").exists()]
    line = (Path(hook) / "lower_trace.pth").read_text()
    (tuple_node,) = [node for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Tuple)]
    assert ast.literal_eval(tuple_node) == settings.OFF


@pytest.mark.parametrize("command", [["lt-render"], [sys.executable, "-m", "lt_render"]])
def test_both_ways_to_start_the_renderer(command: list[str]) -> None:
    binaries = Path(sys.executable).parent
    command = [
        str(binaries / command[0]) if command[0] == "lt-render" else command[0],
        *command[1:],
    ]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"lower-trace {lt_record.__version__}\n"
