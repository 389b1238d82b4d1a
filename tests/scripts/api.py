"""Programs that use ``import lt_record as lt``; the arguments name some, run one by one.

Each records below a directory of its own, and prints what it has seen as a JSON object.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import cpu_scale
import elementwise_two_outputs
import tilelang
import torch
import tvm
import tvm_ffi
from cuda_source import lower_to_cuda
from tilelang.cache.kernel_cache import KernelCache
from tilelang.env import env
from tilelang.instrumentation import pass_phase, pass_pipeline, session
from tilelang.jit import JITImpl, JITKernel
from tilelang.jit.adapter.libgen import LibraryGenerator
from tvm import tirx
from tvm.ir.transform import Pass, PassContext, Sequential, module_pass

import lt_record as lt

simplify = tirx.transform.Simplify()
no_op = tirx.transform.RemoveNoOp()
BASE = Path(os.environ["TL_LOWER_TRACE_DIR"])


def module(value: int = 0) -> tvm.IRModule:
    return tvm.IRModule({"main": tirx.PrimFunc([], tirx.Evaluate(value))})


def named(name: str, act: Callable[[], object] = lambda: None) -> Pass:
    """A pass that changes nothing, and acts."""

    def transform(mod, ctx):
        act()
        return mod

    return module_pass(transform, opt_level=0, name=name)


def run(name: str, act: Callable[[], object] = lambda: None) -> None:
    named(name, act)(module())


@module_pass(opt_level=0, name="Raises")
def raises(mod, ctx):
    raise ValueError("no such layout")


def hooks() -> dict[str, object]:
    """Everything that the hooks and the adapters patch, by name."""
    names = [n for n in tvm_ffi.registry.list_global_func_names() if n.startswith("target.build.")]
    found: dict[str, object] = {name: tvm.get_global_func(name) for name in names}
    for owner in (PassContext, Pass, KernelCache, JITImpl, JITKernel):
        found |= {f"{owner.__name__}.{key}": value for key, value in vars(owner).items()}
    found |= {f"env.{key}": value for key, value in vars(env).items()}
    found |= {f"tool {key}": value for key, value in session._tool_factories.items()}
    found |= {f"finder {n}": value for n, value in enumerate(sys.meta_path)}
    return found


def different(before: dict[str, object]) -> list[str]:
    after = hooks()
    names = sorted(before.keys() ^ after.keys())
    for name in before.keys() & after.keys():
        one, other = before[name], after[name]
        same = one.same_as(other) if hasattr(one, "same_as") else one is other
        if not same:
            names.append(name)
    return names + [str(item) for item in PassContext.current().instruments]


def switching() -> Iterator[tuple[str, object]]:
    before = hooks()
    for mode in ("loud", "", None, "Off", 0):
        try:
            lt.enable(mode=mode)
            yield f"mode {mode}", different(before)
        except ValueError as error:
            yield f"mode {mode}", str(error)

    lt.enable(trace_dir=BASE / "one")
    run("One")
    lt.enable()
    lt.enable(mode="record", trace_dir=str(BASE / "one"))
    lt.enable(mode=" ON ")
    run("StillOne")
    yield "instruments", len(PassContext.current().instruments)
    yield "hooked", len(different(before)) > 10
    lt.enable(trace_dir=BASE / "two")
    run("Two")
    lt.reset()
    lt.reset()
    run("TwoReset")
    lt.enable(codegen_output=None)
    lt.enable()
    run("NoFiles")
    lt.disable()
    yield "after disable", different(before)
    run("Off")
    lt.reset()
    lt.disable()

    with lt.trace(trace_dir=BASE / "block") as t:
        yield "journal before", t.journal
        run("Inside")
        yield "journal inside", t.journal
    yield "journal after", t.journal
    yield "after block", different(before)
    run("Off")
    with lt.trace() as nothing:
        pass
    with lt.trace(mode=None) as nothing:
        run("Off")
    yield "journal of nothing", nothing.journal

    lt.enable(trace_dir=BASE / "outer")
    run("Outer")
    with lt.trace(trace_dir=BASE / "inner"):
        run("Inner")
        try:
            with lt.trace(trace_dir=BASE / "innermost"):
                run("Innermost")
                raise KeyError
        except KeyError:
            run("InnerAgain")
    run("OuterAgain")
    with lt.trace(trace_dir=BASE / "given-up"):
        run("Given")
        lt.disable()
        run("Off")
    yield "after disable inside", different(before)
    run("Off")

    # The script's own use of the built-in tracer comes back.
    session.register_pass_instrumentation_tool("lower_trace", hooks)
    mine = hooks()
    lt.enable(trace_dir=BASE / "one")
    yield "built-in replaced", session._tool_factories["lower_trace"] is not hooks
    lt.disable()
    yield "built-in back", different(mine)
    session.unregister_pass_instrumentation_tool("lower_trace")

    # Two threads, each inside a block of its own, and one that is inside none.
    barrier = threading.Barrier(3)

    def work(name: str) -> None:
        with lt.trace(trace_dir=BASE / name):
            barrier.wait()
            for _ in range(20):
                run(name.title())
            barrier.wait()

    threads = [threading.Thread(target=work, args=(name,)) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    barrier.wait()
    run("Elsewhere")
    barrier.wait()
    for thread in threads:
        thread.join()
    # The last block was left by another thread than this one, whose default context
    # nobody else can get at: it keeps an instrument, which does nothing any more.
    run("Off")
    yield "after threads", different(before)[:-1]


def instruments() -> Iterator[tuple[str, object]]:
    before = hooks()
    ours = lt.instrument()
    yield "one", ours.same_as(lt.instrument())
    run("Unseen")
    with PassContext(opt_level=3, instruments=[ours]):
        Sequential([simplify, no_op], name="Both")(module())
        try:
            raises(module())
        except ValueError:
            pass
        with lt.phase("tuning"):
            run("Labelled")
    run("Unseen")
    # Beside a recording of everything, nothing is there twice.
    lt.enable()
    with PassContext(opt_level=3, instruments=[ours]):
        run("Once")
    run("Once")
    with lt.trace(trace_dir=BASE / "block"), PassContext(instruments=[ours]):
        run("InBlock")
    with PassContext(instruments=[lt.instrument()]):
        run("Once")
    lt.disable()
    yield "after disable", different(before)
    with PassContext(instruments=[ours]):
        run("Unseen")
    with lt.trace(trace_dir=BASE / "while off") as t:
        mine = lt.instrument()
    run("Unseen")
    with PassContext(instruments=[mine]):
        run("Mine")
    yield "nothing in the block", t.journal
    lt.disable()
    yield "after all", different(before)


def phases() -> Iterator[tuple[str, object]]:
    def build_with_passes(mod, target):
        simplify(mod)
        return no_op(mod)

    tvm_ffi.register_global_func("target.build.with_passes", build_with_passes)
    lt.enable()
    tvm.get_global_func("target.build.with_passes")(module(), tvm.target.Target("c"))
    with lt.phase("a"):
        run("A")
        with lt.phase("b"):
            run("B")
        try:
            with lt.phase("c"):
                raises(module())
        except ValueError:
            pass
        run("AgainA")
        with pass_pipeline("p"):
            run("Pipeline")
            with lt.phase("d"):
                run("D")
                with pass_phase("own"):
                    run("Own")
                with pass_pipeline("p"):
                    run("PipelineInside")
            run("PipelineAgain")
        thread = threading.Thread(target=run, args=("Thread",))
        thread.start()
        thread.join()
        run("LastA")
    run("Unscoped")
    # What fails leaves its phase behind, and its codegen.
    build = tvm.get_global_func("target.build.tilelang_c")
    with pass_pipeline("q"):
        try:
            build(module(), tvm.target.Target("c"))
        except Exception:
            pass
        run("AfterCodegen")
        try:
            raises(module())
        except ValueError:
            pass
    run("UnscopedAgain")
    with lt.phase("kernel"):
        lower_to_cuda(elementwise_two_outputs.kernel())
        run("AfterKernel")
    lt.disable()
    yield from ()


def middle() -> Iterator[tuple[str, object]]:
    """Called from inside of passes, and while other threads compile."""
    before = hooks()
    lt.enable(trace_dir=BASE / "passes")
    both = Sequential([named("Resets", lt.reset), simplify], name="Around")
    both(module())
    run("Moves", lambda: lt.enable(trace_dir=BASE / "moved"))
    run("Moved")

    def block() -> None:
        with lt.trace(trace_dir=BASE / "inside a pass"):
            run("InBlock")

    Sequential([named("Blocks", block), simplify], name="AroundBlock")(module())

    def fail() -> None:
        lt.reset()
        raise ValueError("after a reset")

    try:
        run("Fails", fail)
    except ValueError as error:
        yield "error", str(error)
    run("Last", lt.disable)
    yield "after disable", different(before)
    run("Off", lambda: lt.enable(trace_dir=BASE / "late"))
    run("Late")
    lt.disable()

    # Real compiles, whose journal is changed under them.
    functions = [elementwise_two_outputs.kernel(M=256, N=256 * n) for n in (1, 2)]
    with lt.trace(trace_dir=BASE / "whole"):
        sources = [digest(lower_to_cuda(function)) for function in functions]
    lt.enable(trace_dir=BASE / "compiles")
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(lower_to_cuda, function) for function in functions]
        switches = 0
        while not all(future.done() for future in done):
            lt.reset()
            with lt.trace(trace_dir=BASE / "compiles"):
                time.sleep(0.01)
            switches += 1
            time.sleep(0.01)
    lt.disable()
    yield "same sources", [digest(future.result()) for future in done] == sources
    yield "switches", switches
    yield "after switches", different(before)
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(lower_to_cuda, function) for function in functions]
        while not all(future.done() for future in done):
            lt.enable(trace_dir=BASE / "toggled")
            time.sleep(0.02)
            lt.disable()
    yield "same when toggled", [digest(future.result()) for future in done] == sources
    yield "after toggling", different(before)


def scaled(kernel: object) -> float:
    """What ``cpu_scale``'s kernel makes of 1."""
    a, b = torch.ones(1024), torch.empty(1024)
    kernel(a, b)
    return float(b[0])


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def kernels() -> Iterator[tuple[str, object]]:
    """Kernels that memory holds: lowered once a block, and not again after a reset."""
    function = cpu_scale.kernel()

    def compiled() -> object:
        return tilelang.compile(function, target="c", execution_backend="cython")

    first = compiled()
    with lt.trace(trace_dir=BASE / "block") as one:
        second = compiled()
        yield "held", compiled() is second and second is not first
    with lt.trace(trace_dir=BASE / "block") as two:
        compiled()
    lt.enable(trace_dir=BASE / "on")
    compiled()
    lt.reset()
    compiled()
    lt.disable()
    yield "journals", [one.journal, two.journal]

    # Recording ends between the codegen of an edited kernel and the cache.
    working = BASE / "edited.cpp"
    source = second.get_kernel_source()
    working.write_text(source.replace("2.0", "3.0"))
    Path(f"{working}.original").write_text(source)
    compile_lib = LibraryGenerator.compile_lib

    def switch_off(*args: object, **kwargs: object) -> object:
        lt.disable()
        return compile_lib(*args, **kwargs)

    before = hooks()
    cache = Path(os.environ["TILELANG_CACHE_DIR"])
    yield "was stored", len([*cache.rglob("*.so")])
    shutil.rmtree(cache)
    LibraryGenerator.compile_lib = switch_off
    lt.enable(trace_dir=BASE / "edited", codegen_output=working)
    edited = compiled()
    LibraryGenerator.compile_lib = compile_lib
    yield "stored", len([*cache.rglob("*.so")])
    yield "edited", [scaled(kernel) for kernel in (edited, compiled())]
    yield "after an edit", different(before)

    # Without compile sessions of our own doing, as ``tilelang.lower`` is called directly.
    lt.enable(trace_dir=BASE / "direct", codegen_output=BASE / "shared.cpp")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lower_to_cuda, [elementwise_two_outputs.kernel(N=n) for n in (256, 512)]))
    lt.disable()


if __name__ == "__main__":
    TRACES = BASE
    for program in sys.argv[1:]:
        BASE = TRACES / program
        os.environ["TL_LOWER_TRACE_DIR"] = str(BASE)
        print(json.dumps(dict(globals()[program]())))
