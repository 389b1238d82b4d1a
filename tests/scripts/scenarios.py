"""Small programs that run passes in one particular way; the argument names the way."""

from __future__ import annotations

import sys
import threading

if sys.argv[1] in ("failing_codegen", "disabling"):  # which are about TileLang
    import tilelang  # noqa: F401
else:
    import bare_tvm  # noqa: F401
import tvm
import tvm_ffi
from tvm import tirx
from tvm.ir.instrument import pass_instrument
from tvm.ir.transform import PassContext, Sequential, module_pass

import lt_record

simplify = tirx.transform.Simplify()
no_op = tirx.transform.RemoveNoOp()


def module(value: int = 0) -> tvm.IRModule:
    return tvm.IRModule({"main": tirx.PrimFunc([], tirx.Evaluate(value))})


@module_pass(opt_level=0, name="Raises")
def raises(mod, ctx):
    raise ValueError("no such layout")


@module_pass(opt_level=0, name="Outer")
def outer(mod, ctx):
    return no_op(simplify(mod))


@module_pass(opt_level=0, name="Swallows")
def swallows(mod, ctx):
    try:
        raises(mod)
    except Exception:
        pass
    return simplify(mod)


@module_pass(opt_level=0, name="InPlace")
def in_place(mod, ctx):
    mod.update_func(mod.get_global_var("main"), tirx.PrimFunc([], tirx.Evaluate(1)))
    return mod


@module_pass(opt_level=0, name="OwnContext")
def own_context(mod, ctx):
    with PassContext(opt_level=3):
        return simplify(mod)


def nested() -> None:
    outer(module())
    Sequential([simplify, outer], name="Both")(module())


def swallowed_failure() -> None:
    try:
        Sequential([simplify, raises], name="Both")(module())
    except Exception:
        pass
    simplify(module())
    swallows(module())


def changed_in_place() -> None:
    in_place(module())


def contexts() -> None:
    seen = []

    @pass_instrument
    class Users:
        def run_before_pass(self, mod, info):
            seen.append(str(info.name))

    with PassContext(opt_level=3, instruments=[Users()]) as context:
        simplify(module())
        with PassContext(instruments=context.instruments):  # ours comes along
            no_op(module())
        own_context(module())
        context.override_instruments([Users()])
        no_op(module())
        context.override_instruments([])
        simplify(module())
    simplify(module())
    print(seen)


def should_not_run() -> None:
    @pass_instrument
    class Refuses:
        def should_run(self, mod, info):
            return str(info.name) != "tirx.Simplify"

    with PassContext(instruments=[Refuses()]):
        simplify(module())
        no_op(module())


def threads() -> None:
    def work() -> None:
        for _ in range(20):
            outer(module())

    workers = [threading.Thread(target=work, name=f"worker-{n}") for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def failing_codegen() -> None:
    build = tvm.get_global_func("target.build.tilelang_c")
    try:
        build(module(), tvm.target.Target("c"))
    except Exception as error:
        print(type(error).__name__, error)
    simplify(module())


def disabling() -> None:
    """Prints nothing unless something was not restored."""
    from tilelang.env import env

    lt_record.disable()
    names = [n for n in tvm_ffi.registry.list_global_func_names() if n.startswith("target.build.")]

    def hooks() -> dict[str, object]:
        found = {name: tvm.get_global_func(name) for name in names}
        found |= {f"PassContext.{key}": value for key, value in vars(PassContext).items()}
        found |= {f"Pass.{key}": value for key, value in vars(tvm.ir.transform.Pass).items()}
        found["env"] = vars(env).get("get_lower_trace_mode")
        found["meta_path"] = list(sys.meta_path)
        return found

    before = hooks()
    assert not any("lt_record" in type(finder).__module__ for finder in sys.meta_path)
    lt_record.enable()
    assert len(PassContext.current().instruments) == 1
    simplify(module())
    during = hooks()
    assert during["Pass.__call__"] is not before["Pass.__call__"]
    lt_record.disable()
    no_op(module())
    after = hooks()
    assert before.keys() == after.keys()
    for name, value in before.items():
        same = value.same_as(after[name]) if hasattr(value, "same_as") else value is after[name]
        if not same and value != after[name]:
            print("not restored:", name)
    assert len(PassContext.current().instruments) == 0
    lt_record.enable()
    lt_record.enable()
    simplify(module())


if __name__ == "__main__":
    globals()[sys.argv[1]]()
