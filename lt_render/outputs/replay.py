"""One pass to be run again under TVM: its input as a file, and a script that runs it.

The journal has no arguments of passes. What TileLang's pipelines give them is
told here; where the text of the output tells more, that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jinja2

from .. import files
from ..errors import RenderError
from ..model import Pass
from ..terminal import printable

_TEMPLATES = Path(__file__).parent / "templates" / "replay"
#: What reads printed IR: no module of this package, which never imports TVM.
_HELPER = "tir_text.py"
INPUT, OUTPUT, ERROR, SCRIPT = "input.tir", "expected.tir", "expected_error.txt", "replay.py"
#: What the script writes.
REPLAYED = "output.tir"
#: The input of an earlier pass, where that of the pass leaves out its metadata.
START = "start.tir"

_METADATA = 'metadata["'

_FUNCTION = re.compile(r'^    def (\w+)\(|"global_symbol": "(\w+)"', re.MULTILINE)
_TARGET = '"target": T.target('
#: Names of passes that are nobody's: a Python function that was given none.
_UNNAMED = frozenset({"", "pass_fn", "transform", "_transform", "_function"})


def write(one: Pass, directory: Path) -> list[Path]:
    """Write what runs ``one`` again into ``directory``; return the files.

    Raises :class:`RenderError` where the input is not in the journal.
    """
    if one.before is None:
        raise RenderError(f"{one.label} ({one.index}) cannot be extracted: {one.note}.")
    contents = {INPUT: one.before_text, _HELPER: (_TEMPLATES / f"{_HELPER}.txt").read_text("utf-8")}
    if _output(one) is not None:
        contents[OUTPUT] = one.trace.text(_output(one))
    if one.error_msg:
        contents[ERROR] = f"{one.error_msg}\n"
    earlier = _makers_of_metadata(one)
    if earlier:
        contents[START] = earlier[0].before_text
    contents[SCRIPT] = _script(one, earlier)
    directory.mkdir(parents=True, exist_ok=True)
    for name in {INPUT, OUTPUT, ERROR, START, REPLAYED} - contents.keys():
        (directory / name).unlink(missing_ok=True)  # of another pass
    for name, text in contents.items():
        files.write(directory / name, text.encode("utf-8", "surrogatepass"))
    return [directory / name for name in sorted(contents)]


def _output(one: Pass) -> int | None:
    """The number of the text that comes out; of a codegen what was generated, not an edit."""
    return one.generated if one.is_codegen else one.after


def _makers_of_metadata(one: Pass) -> list[Pass]:
    """The passes to run first, for an input whose text leaves out metadata; none if it does not.

    The first of them has a text that is whole.
    """
    if _METADATA not in one.before_text:
        return []
    earlier: list[Pass] = []
    for other in reversed(one.trace.passes[: one.trace.passes.index(one)]):
        if other.unit is not one.unit or other.parent is not one.parent or other.is_codegen:
            continue
        if other.before is None or other.failed:
            return []
        if other.changed or other.name not in _UNNAMED:
            earlier.insert(0, other)
        if _METADATA not in other.before_text:
            return earlier
    return []


def _script(one: Pass, earlier: Sequence[Pass]) -> str:
    environment = jinja2.Environment(  # a program, not HTML: what is put in is escaped here
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    process = one.trace.process
    versions = ", ".join(
        f"{label} {process[key]}"
        for label, key in (("TileLang", "tilelang"), ("TVM", "tvm"), ("Python", "python"))
        if process.get(key)
    )
    return environment.get_template(f"{SCRIPT}.j2").render(
        title=printable(f"{one.full_name}, pass {one.index} of {one.trace.script}: {versions}"),
        remarks=[printable(remark) for remark in _remarks(one, earlier)],
        start=START if earlier else INPUT,
        earlier=[_call(other) for other in earlier],
        call=_call(one),
        context=_context(one),
        expected=None if _output(one) is None else OUTPUT,
    )


def _call(one: Pass) -> str:
    return ", ".join((ascii(one.full_name), *_arguments(one)))


def _remarks(one: Pass, earlier: Sequence[Pass]) -> list[str]:
    remarks = []
    if one.name in _UNNAMED:
        remarks.append("A Python pass without a name of its own: put it in the place of named().")
    if one.full_name in _ARGUMENTS:
        remarks.append("The journal has no arguments of passes: these are TileLang's usual ones.")
    if earlier:
        remarks.append(f"{INPUT} leaves out its layouts: the passes that made them run first.")
    elif _METADATA in one.before_text:
        remarks.append(f"{INPUT} leaves out its layouts: strings stand in their place.")
    if one.error_msg:
        remarks.append(f"It failed ({ERROR}).")
    elif one.failed:
        remarks.append("The process ended inside of it.")
    return remarks


def _context(one: Pass) -> str:
    """The ``with`` of the compile: its target and pass configs."""
    managers = []
    target = _decoded(one.target or one.unit.target)
    if target is not None:
        managers.append(f"tvm.target.Target({_literal(target)})")
    managers.append(f"tvm.transform.PassContext(config={_literal(one.unit.configs)})")
    return ", ".join(managers)


def _decoded(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return text


def _literal(value: Any) -> str:
    """``value`` as Python, whatever it holds."""
    if isinstance(value, dict):
        inside = (f"{str(key)!a}: {_literal(one)}" for key, one in value.items())
        return "{" + ", ".join(inside) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    plain = value is None or isinstance(value, (bool, int, float, str))
    return ascii(value) if plain else ascii(str(value))


# --- arguments ----------------------------------------------------------------------


def _arguments(one: Pass) -> Sequence[str]:
    known = _ARGUMENTS.get(one.full_name)
    return () if known is None else known(one)


def _thread_sync(one: Pass) -> Sequence[str]:
    """The scopes in the order in which the pipelines have them: TileLang's two, TVM's three."""
    scopes = ("shared", "shared.dyn", "warp")[: 2 if one.full_name.startswith("tl.") else 3]
    return (ascii(scopes[_turn(one) % len(scopes)]),)


def _turn(one: Pass) -> int:
    """How many passes of that name its compile ran before it."""
    return sum(
        other.full_name == one.full_name and other.unit is one.unit
        for other in one.trace.passes[: one.trace.passes.index(one)]
    )


def _bound_target(one: Pass) -> Sequence[str]:
    """The target that the output has bound: with its host, unlike the compile's."""
    _, found, rest = one.after_text.partition(_TARGET)
    try:
        target = json.JSONDecoder().raw_decode(rest)[0] if found else _decoded(one.unit.target)
    except (ValueError, RecursionError):
        target = None
    return () if target is None else (f"tvm.target.Target({_literal(target)})",)


def _kept_functions(one: Pass) -> Sequence[str]:
    kept = sorted({name for names in _FUNCTION.findall(one.after_text) for name in names if name})
    return (f'lambda function: function.attrs["global_symbol"] in {_literal(kept)}',)


def _kernel_launch(one: Pass) -> Sequence[str]:
    on_cpu = '"kind": "c"' in (one.unit.target or "").replace('":"', '": "')[:40]
    return ("False",) if on_cpu else ()


def _unless_disabled(one: Pass) -> Sequence[str]:
    return (str(not one.unit.configs.get("tirx.disable_vectorize")),)


def _merging(one: Pass) -> Sequence[str]:
    config = one.unit.configs
    return (
        str(bool(config.get("tl.enable_aggressive_shared_memory_merge"))),
        "16",
        str(bool(config.get("tl.disable_shared_memory_reuse"))),
    )


_ARGUMENTS: dict[str, Callable[[Pass], Sequence[str]]] = {
    **{f"{dialect}.BindTarget": _bound_target for dialect in ("tir", "tirx")},
    **{f"{dialect}.Filter": _kept_functions for dialect in ("tir", "tirx")},
    **{f"{dialect}.NarrowDataType": lambda one: ("32",) for dialect in ("tir", "tirx")},
    **{f"{dialect}.ThreadSync": _thread_sync for dialect in ("tir", "s_tir", "tl")},
    "tl.MaterializeKernelLaunch": _kernel_launch,
    "tl.MergeSharedMemoryAllocations": _merging,
    "tl.VectorizeLoop": _unless_disabled,
}
