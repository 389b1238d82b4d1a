"""A chain of passes, run and shown at once: ``lower_trace()``."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from . import console, settings
from .process import loaded_version
from .recorder import Recorder
from .state import Surroundings, Unit

_MODES = ("terminal", "html", "both")
#: As in the built-in tracer.
_PHASE = "lower_trace"
_FUNCTION = "main"

_Step = tuple[str, Callable[[Any], Any]]


def lower_trace(
    func_or_mod: Any,
    passes: Any,
    *,
    mode: str = "terminal",
    context: int = 3,
    html_path: str | os.PathLike[str] = "lower_trace_report.html",
) -> list[dict[str, Any]]:
    """Run passes on a PrimFunc or IRModule, one after the other, and show what each did.

    ``passes`` is a pass, a list of passes, or of ``(name, pass)`` pairs. ``mode`` is
    ``"terminal"`` (prints diffs with ``context`` lines around each change), ``"html"``
    (writes a report to ``html_path``) or ``"both"``. Returns a dictionary a step:
    ``name``, ``before_script``, ``after_script``, ``diff_lines`` (the lines of a
    unified diff), ``insertions``, ``deletions``, ``changed``.

    What a pass raises is raised, after the failure has been shown. Raises
    ``ValueError`` or ``TypeError`` for arguments that make no sense, and
    ``RuntimeError`` if all passes ran but cannot be shown. Tracing, if it is on,
    records the passes as any others.
    """
    wanted = str(mode).strip().lower()
    if wanted not in _MODES:
        raise ValueError(f"mode={mode!r} is none of {', '.join(_MODES)}.")
    if context < 0:
        raise ValueError(f"context={context!r} is less than 0.")
    steps = _named(passes)
    mod = _module(func_or_mod)
    with tempfile.TemporaryDirectory(prefix="lower_trace_") as directory:
        recorder, unit = _recorder(directory)
        results: list[dict[str, Any]] = []
        try:
            for name, one in steps:
                mod = _run(recorder, name, one, mod, results)
            recorder.end_unit(unit, None)
        except BaseException as failure:
            recorder.end_unit(unit, failure)
            try:
                _show(recorder, directory, wanted, context, html_path)
            except RuntimeError as error:
                console.say(f"the failure cannot be shown: {error}")
            raise
        shown = _show(recorder, directory, wanted, context, html_path)
    return [{**result, **more} for result, more in zip(results, shown, strict=True)]


def _named(passes: Any) -> list[_Step]:
    if not isinstance(passes, list | tuple) or _is_pair(passes):
        passes = [passes]
    steps = [tuple(one) if _is_pair(one) else (_name_of(one), one) for one in passes]
    for name, one in steps:
        if not callable(one):
            raise TypeError(f"{name} is no pass: {one!r} cannot be called.")
    return steps


def _is_pair(one: Any) -> bool:
    return isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[0], str)


def _name_of(one: Any) -> str:
    info = getattr(one, "info", None)
    name = getattr(info, "name", None) or getattr(one, "__name__", None) or type(one).__name__
    return str(name).rsplit(".", 1)[-1] or "pass"


def _module(func_or_mod: Any) -> Any:
    from tvm import IRModule

    return func_or_mod if isinstance(func_or_mod, IRModule) else IRModule({_FUNCTION: func_or_mod})


def _recorder(directory: str) -> tuple[Recorder, Unit]:
    """A recorder of these steps only; one that records the process is not concerned."""
    around, unit = Surroundings(), Unit(_PHASE)
    around.phase = lambda: _PHASE
    around.unit = lambda: unit
    wanted = replace(
        settings.default(), mode=settings.RECORD, trace_dir=directory, codegen=None, verify=False
    )
    return Recorder(wanted, loaded_version("tvm") or "", around), unit


def _run(
    recorder: Recorder,
    name: str,
    one: Callable[[Any], Any],
    mod: Any,
    results: list[dict[str, Any]],
) -> Any:
    before = str(mod.script())  # now: a pass may change the module in place
    shown = name.replace(".", "_")  # what comes before a dot is taken for TVM's prefix
    recorder.pass_begins(mod, shown)
    recorder.raise_interruption()
    try:
        mod = one(mod)
        after = str(mod.script())
    except BaseException as error:
        recorder.failed(0, error)
        raise
    recorder.pass_ends(mod, shown)
    recorder.raise_interruption()
    results.append({"name": name, "before_script": before, "after_script": after})
    return mod


def _show(
    recorder: Recorder,
    directory: str,
    mode: str,
    context: int,
    html_path: str | os.PathLike[str],
) -> Iterable[dict[str, Any]]:
    """Have the renderer print and write, and return what it has found out about each step."""
    recorder.close()
    journal = recorder.journal_path
    if journal is None:
        return []  # no passes
    steps = os.path.join(directory, "steps.json")
    options = ["--context", str(context), "--json", steps]
    if mode != "html":
        options.append("--terminal")
    if mode != "terminal":
        options += ["--html", os.path.abspath(html_path)]
    _render([sys.executable, "-m", "lt_render", "steps", journal, *options])
    with open(steps, encoding="utf-8") as file:
        found: list[dict[str, Any]] = json.load(file)
    return found


def _render(command: list[str]) -> None:
    """Run the renderer, which prints where this process does. Raises ``RuntimeError``."""
    environ = {
        # The directory that the script happens to be in has nothing to say in it.
        **os.environ,
        "PYTHONSAFEPATH": "1",
        settings.MODE_VARIABLE: "0",
    }
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
    prints_itself = _is_standard_output(sys.stdout)
    try:
        done = subprocess.run(
            command,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=None if prints_itself else subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
            check=False,
        )
    except OSError as error:
        raise RuntimeError(f"the renderer does not start: {error}") from None
    if done.stdout and sys.stdout is not None:
        sys.stdout.write(done.stdout)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise RuntimeError(said[-1].removeprefix("lt-render: "))


def _is_standard_output(stream: Any) -> bool:
    try:
        return bool(stream.fileno() == 1)
    except (AttributeError, OSError, ValueError, io.UnsupportedOperation):
        return False  # a notebook's, or a test's
