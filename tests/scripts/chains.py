"""Programs that run chains of passes with ``lt_record.lower_trace``, and the guide's own.

As in ``api.py``: the argument names one, and each prints one JSON object of what it has seen.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import tilelang
import tvm
from api import (
    BASE,
    cpu_scale,
    elementwise_two_outputs,
    lower_to_cuda,
    module,
    named,
    no_op,
    raises,
    run,
    simplify,
)
from tvm import tirx
from tvm.ir.instrument import pass_instrument
from tvm.ir.transform import PassContext, module_pass

import lt_record as lt


def one_shot() -> Iterator[tuple[str, object]]:
    """Chains of passes, in every mode; what is printed comes between the lines ``== …``."""
    report = BASE.parent / "reports" / "report.html"
    func = cpu_scale.kernel()
    text = str(tvm.IRModule({"main": func}))
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_90a"}, host="c")
    chain = [
        ("Bind", tirx.transform.BindTarget(target)),
        ("Simplify", simplify),
        ("v1.Split", tirx.transform.LowerTVMBuiltin()),
    ]

    def say(word: str) -> None:
        print("==", word, flush=True)

    say("single")
    (one,) = lt.lower_trace(func, simplify)
    yield "single", one | {"before_script": one["before_script"] == text}
    say("chain")
    results = lt.lower_trace(func, chain, mode="both", context=0, html_path=report)
    yield "chain", results
    yield "report", os.path.getsize(report)
    say("pair")
    yield "pair", [one["name"] for one in lt.lower_trace(module(), ("Mine", simplify))]
    say("html")
    lt.lower_trace(module(), [named("x.Same"), no_op], mode="HTML", html_path=report)
    say("captured")
    with contextlib.redirect_stdout(io.StringIO()) as captured:
        lt.lower_trace(module(), [named("Same")])
    yield "captured", captured.getvalue()

    def in_place(mod, ctx):
        mod.update_func(mod.get_global_var("main"), tirx.PrimFunc([], tirx.Evaluate(1)))
        return mod

    say("in place")
    changing = module_pass(in_place, opt_level=0, name="InPlace")
    yield "in place", lt.lower_trace(module(), [changing, raises][:1])[0]
    for mode in ("terminal", "html", "both"):
        say(f"failing {mode}")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(report)
        try:
            lt.lower_trace(func, [simplify, raises], mode=mode, html_path=report)
        except ValueError as error:
            yield f"failing {mode}", [str(error), report.exists()]
    say("unwritable")
    report.parent.joinpath("file").touch()
    nowhere = report.parent / "file" / "report.html"
    for passes in ([simplify], [raises]):
        try:
            lt.lower_trace(func, passes, mode="html", html_path=nowhere)
        except Exception as error:
            yield f"unwritable {len(passes[0].info.name)}", [type(error).__name__, str(error)]
    for arguments in ({"mode": "loud"}, {"context": -1}):
        try:
            lt.lower_trace(func, simplify, **arguments)
        except ValueError as error:
            yield f"wrong {[*arguments]}", str(error)
    try:
        lt.lower_trace(func, ["Simplify"])
    except TypeError as error:
        yield "wrong pass", str(error)

    say("traced")
    lt.enable(trace_dir=BASE / "traced")
    run("Before")
    lt.lower_trace(module(), [simplify, ("Mine", no_op)])
    run("After")
    lt.disable()
    yield "left behind", [n for n in os.listdir(tempfile.gettempdir()) if "lower_trace_" in n]


def guide(path: str) -> Iterator[tuple[str, object]]:
    """The guide's Python, in its order, with the import line changed and nothing else."""
    grabbed: list[tvm.IRModule] = []

    @pass_instrument
    class Grabs:
        def run_before_pass(self, mod, info):
            if str(info.name).endswith("AnnotateDeviceRegions"):
                grabbed.append(mod)

    with PassContext(opt_level=3, instruments=[Grabs()]):
        lower_to_cuda(elementwise_two_outputs.kernel())
    names: dict[str, object] = {
        "tilelang": tilelang,
        "func": grabbed[0],
        "func_a": cpu_scale.kernel(),
        "func_b": cpu_scale.kernel(N=512),
    }
    text = Path(path).read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    imports = 0
    for number, block in enumerate(blocks):
        if "tilelang.compile(...," in block:
            continue  # shows arguments, and compiles nothing
        changed = block.replace(
            "from tilelang.tools import lower_trace as lt", "import lt_record as lt"
        )
        imports += changed != block
        exec(compile(changed, f"block {number}", "exec"), names)
    yield "blocks", [len(blocks), imports]
    yield "results", names["results"]
    yield "sums", [float(sum_of(names[f"kernel{n}"], size)) for n, size in ((1, 1024), (2, 512))]


def sum_of(kernel: object, size: int) -> float:
    import torch

    a = torch.arange(size, dtype=torch.float32)
    b = torch.empty_like(a)
    kernel(a, b)
    return b.sum()


if __name__ == "__main__":
    print(json.dumps(dict(globals()[sys.argv[1]](*sys.argv[2:]))))
