"""Small programs that get in the recorder's way; the argument names the way."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

if sys.argv[1] in ("dump_and_profile", "pool_of_sixteen", "par_compile"):  # what compiles kernels
    import tilelang
else:
    import bare_tvm  # noqa: F401
import tvm
from tvm import tirx
from tvm.ir.instrument import PassTimingInstrument, pass_instrument
from tvm.ir.transform import PassContext, module_pass

import lt_record

simplify = tirx.transform.Simplify()


def module(value: int = 0) -> tvm.IRModule:
    return tvm.IRModule({"main": tirx.PrimFunc([], tirx.Evaluate(value))})


def numbered_passes(numbers: range) -> None:
    """Passes whose texts differ and do not compress."""
    for number in numbers:
        noise = random.Random(number).randbytes(150).hex()
        simplify(tvm.IRModule({"main": module(number)["main"].with_attr("noise", noise)}))


def full_then_free() -> None:
    """A quota is reached, and later raised."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, hard))
    numbered_passes(range(30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    time.sleep(0.1)
    numbered_passes(range(30, 40))


def directory_full_then_free(directory: str) -> None:
    """The same with a real file system: something else fills it, then goes away."""
    numbered_passes(range(3))
    filler = os.path.join(directory, "filler")
    fd = os.open(filler, os.O_WRONLY | os.O_CREAT)
    try:
        while os.write(fd, bytes(4096)):
            pass
    except OSError:
        pass
    numbered_passes(range(3, 30))
    os.close(fd)
    os.unlink(filler)
    time.sleep(0.1)
    numbered_passes(range(30, 40))


def directory_removed(directory: str) -> None:
    numbered_passes(range(5))
    shutil.rmtree(directory)
    numbered_passes(range(5, 10))


def descriptors_closed(victim: str) -> None:
    """As a daemon does; the next file opened gets the journal's descriptor."""
    numbered_passes(range(5))
    os.closerange(3, 256)
    with open(victim, "w") as file:
        numbered_passes(range(5, 10))
        file.write("mine")


def printer_throws() -> None:
    from tvm.runtime import script_printer

    original = script_printer._script

    def broken(mod, config):
        if "broken" in mod["main"].attrs:
            raise ValueError("malformed IR")
        return original(mod, config)

    script_printer._script = broken

    @module_pass(opt_level=0, name="Breaks")
    def breaks(mod, ctx):
        return tvm.IRModule({"main": mod["main"].with_attr("broken", 1)})

    result = simplify(breaks(module()))
    print("broken" in result["main"].attrs)


def instruments() -> None:
    """The user's own instruments, some of which raise; TVM's own beside them."""
    for name in ("enter_pass_ctx", "exit_pass_ctx", "run_before_pass", "run_after_pass"):

        def raises(self, *args):
            raise ValueError("the user's own")

        users = pass_instrument(type("Users", (), {name: raises}))()
        for first in (True, False):
            context = PassContext(instruments=[users] if first else [])
            try:
                with context:
                    if not first:
                        context.override_instruments([*context.instruments, users])
                    simplify(module())
                print(name, first, "ran")
            except Exception as error:
                print(name, first, type(error).__name__, str(error).splitlines()[-1])
    timing = PassTimingInstrument()
    with PassContext(instruments=[timing, tvm.ir.instrument.PrintAfterAll()]):
        simplify(module())
        print("Simplify" in timing.render())
    print(simplify(module())["main"].body)


def dump_and_profile() -> None:
    import elementwise_two_outputs
    from cuda_source import lower_to_cuda

    dump = Path("dump").resolve()
    with PassContext(instruments=[tvm.ir.instrument.DumpIR(dump_dir=str(dump))]):
        print(len(lower_to_cuda(elementwise_two_outputs.kernel())))
    print(len(list(dump.iterdir())))


def interrupted() -> None:
    @module_pass(opt_level=0, name="Interrupted")
    def transform(mod, ctx):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(100):
            time.sleep(0.01)
        return mod

    try:
        transform(module())
    except RuntimeError as error:
        print("KeyboardInterrupt" in str(error))
    raise KeyboardInterrupt


def alarms() -> None:
    """Time-outs by signal, at all moments: each must come out as what it is, exactly once."""

    class Timeout(Exception):
        pass

    def ring(number, frame):
        raise Timeout

    # The journal is opened before: importlib and others swallow what comes
    # while they run their own callbacks.
    numbered_passes(range(1))
    signal.signal(signal.SIGALRM, ring)
    random.seed(5)
    rung = other = 0
    attempts = 300
    for attempt in range(attempts):
        try:
            signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 4e-3))
            until = time.monotonic() + 0.02
            while time.monotonic() < until:
                numbered_passes(range(attempt, attempt + 2))
        except Timeout:
            rung += 1
        except Exception as error:
            other += 1
            print(type(error), error)
    print(rung == attempts, other)


def pool_of_sixteen() -> None:
    """Kernels of different shapes in sixteen threads; prints each one's source's digest."""
    import hashlib

    import rms_norm
    from cuda_source import lower_to_cuda

    functions = [rms_norm.kernel(N=256 * (n + 1)) for n in range(16)]
    with ThreadPoolExecutor(16) as pool:
        sources = list(pool.map(lower_to_cuda, functions))
    for source in sources:
        print(hashlib.sha256(source.encode()).hexdigest())


def par_compile() -> None:
    """TileLang's own pool; the results are run."""
    import cpu_scale
    import torch

    functions = [cpu_scale.kernel(N=256 * (k + 1)) for k in range(8)]
    kernels = tilelang.par_compile(
        functions, num_workers=16, target="c", execution_backend="cython", out_idx=None
    )
    for k, kernel in enumerate(kernels):
        a = torch.arange(256 * (k + 1), dtype=torch.float32)
        b = torch.empty_like(a)
        kernel(a, b)
        print("sum", float(b.sum()))


def toggled() -> None:
    """Recording goes on and off while another thread compiles."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def compile_on() -> None:
        number = 0
        while not stop.is_set():
            try:
                with PassContext(opt_level=3):
                    numbered_passes(range(number, number + 3))
                number += 3
            except BaseException as error:
                failures.append(error)
                return

    thread = threading.Thread(target=compile_on)
    thread.start()
    for _ in range(15):
        lt_record.disable()
        time.sleep(0.02)
        lt_record.enable()
        time.sleep(0.05)
    stop.set()
    thread.join()
    print(failures)


def long_run() -> None:
    """Prints resident memory in kB after 1,000 and after 5,000 passes."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4

    numbered_passes(range(1000))
    before = resident()
    numbered_passes(range(1000, 5000))
    print(before, resident())


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
