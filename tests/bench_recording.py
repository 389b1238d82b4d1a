"""What recording costs, beside the built-in tracer, in one interleaved run.

Each measurement is a fresh process that lowers one example kernel a few times;
the tracers take turns, so that the machine's moods reach all of them alike.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
KERNELS = ("gemm", "flash_attention")
TRACERS: dict[str, dict[str, str]] = {
    "untraced": {},
    "ours": {"TL_LOWER_TRACE": "1"},
    "built-in": {"TL_LOWER_TRACE": "html", "LT_RECORD": "0"},
}
#: Lowerings a process; the first pays for what is loaded lazily and is left out.
LOWERINGS = 6


def lower(kernel: str) -> None:
    """In the measured process: lower, and print seconds and peak memory as JSON."""
    sys.path.insert(0, str(HERE.parent / "examples"))
    module = __import__(kernel)
    from cuda_source import lower_to_cuda

    function = module.kernel()
    seconds = []
    for _ in range(LOWERINGS):
        begun = time.perf_counter()
        lower_to_cuda(function)
        seconds.append(time.perf_counter() - begun)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds[1:], "peak": peak / 1024}))


def environ_of(tracer: str, trace_dir: Path) -> dict[str, str]:
    """The environment in which a process is traced by ``tracer`` into ``trace_dir``."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("TL_LOWER", "LT_"))}
    return clean | TRACERS[tracer] | {"TL_LOWER_TRACE_DIR": str(trace_dir)}


def measure(kernel: str, tracer: str, scratch: Path) -> dict[str, Any]:
    trace_dir = scratch / "traces"
    shutil.rmtree(trace_dir, ignore_errors=True)
    command = [sys.executable, __file__, kernel]
    environ = environ_of(tracer, trace_dir)
    done = subprocess.run(command, env=environ, check=True, capture_output=True, text=True)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith('{"seconds"')]
    result: dict[str, Any] = json.loads(line)
    files = [path for path in trace_dir.rglob("*") if path.is_file() and not path.is_symlink()]
    result["bytes"] = sum(path.stat().st_size for path in files) / LOWERINGS
    if tracer == "ours":
        result["render"] = render(trace_dir, scratch / "rendered")
    return result


def render(trace_dir: Path, output: Path) -> float:
    """Seconds that ``lt-render`` takes, from the shell, for one lowering's share."""
    (journal,) = [p for p in trace_dir.rglob("journal.lt.zst") if not p.is_symlink()]
    begun = time.perf_counter()
    command = [sys.executable, "-m", "lt_render", journal, "-o", output]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begun


def start_up() -> tuple[float, float]:
    """Seconds of the start-up hook with the variable off, and of Python's whole start."""
    hooks = [Path(entry) / "lower_trace.pth" for entry in sys.path]
    hook = next(path for path in hooks if path.exists())
    code = compile(hook.read_text(), str(hook), "exec")
    os.environ.pop("TL_LOWER_TRACE", None)
    begun = time.perf_counter()
    for _ in range(10_000):
        exec(code, {})
    hook_seconds = (time.perf_counter() - begun) / 10_000
    starts = []
    for _ in range(10):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", ""], check=True)
        starts.append(time.perf_counter() - begun)
    return hook_seconds, statistics.median(starts)


def main(rounds: int) -> None:
    hook, python = start_up()
    print(f"start-up with the variable off: hook {hook * 1e6:.1f} µs of {python * 1e3:.1f} ms\n")
    for kernel in KERNELS:
        results: dict[str, list[dict[str, Any]]] = {tracer: [] for tracer in TRACERS}
        with tempfile.TemporaryDirectory() as scratch:
            for _ in range(rounds):
                for tracer, runs in results.items():
                    runs.append(measure(kernel, tracer, Path(scratch)))
        report(kernel, results)


def report(kernel: str, results: dict[str, list[dict[str, Any]]]) -> None:
    def median(tracer: str, key: str) -> float:
        values = [run[key] for run in results[tracer]]
        flat = [x for value in values for x in (value if isinstance(value, list) else [value])]
        return statistics.median(flat)

    untraced, ours, builtin = (median(tracer, "seconds") for tracer in TRACERS)
    print(f"{kernel} ({len(results['ours'])} rounds of {LOWERINGS - 1} lowerings)")
    for tracer in TRACERS:
        print(
            f"  {tracer:9} lowering {median(tracer, 'seconds') * 1e3:7.0f} ms"
            f"   peak {median(tracer, 'peak'):6.0f} MiB"
            f"   left behind {median(tracer, 'bytes') / 1e3:8.1f} kB a lowering"
        )
    print(f"  rendering {LOWERINGS} lowerings: {median('ours', 'render') * 1e3:.0f} ms")
    print(f"  lowering, ours to untraced:        {ours / untraced:.2f}   (to reach: 1.30)")
    added = (ours - untraced) / (builtin - untraced)
    print(f"  added, ours to the built-in:       {added:.3f}  (to reach: 0.100)")
    ratio = median("built-in", "bytes") / median("ours", "bytes")
    print(f"  bytes, the built-in to ours:       {ratio:.0f}    (to reach: 200)")
    extra = median("ours", "peak") - median("untraced", "peak")
    print(f"  peak memory, ours above untraced:  {extra:.1f} MiB (to reach: 20)\n")


if __name__ == "__main__":
    lower(sys.argv[1])
