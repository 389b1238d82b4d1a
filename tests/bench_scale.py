"""What recording costs as modules grow: by the text that changed, and by what did not."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_recording import HERE, environ_of

from lt_render.load import load
from lt_render.model import Trace

SIZES = (
    ("lines", 1_000),
    ("lines", 10_000),
    ("lines", 100_000),
    ("line", 1_000_000),
    ("functions", 10),
    ("functions", 50),
    ("functions", 150),
)


def run(kind: str, count: int, tracer: str, trace_dir: Path) -> float:
    """Seconds that the passes took in a process of their own."""
    command = [sys.executable, HERE / "scripts" / "large.py", kind, str(count)]
    environ = environ_of(tracer, trace_dir)
    done = subprocess.run(command, env=environ, check=True, capture_output=True, text=True)
    seconds: float = json.loads(done.stdout.splitlines()[-1])["seconds"]
    return seconds


def newest(trace_dir: Path) -> Trace:
    return load(max(trace_dir.rglob("run_*/journal.lt.zst")))


def changed_bytes(trace: Trace) -> int:
    """Bytes of the functions, or of the whole text, that passes changed."""
    total = 0
    for one in trace.passes:
        if one.changed:
            before = set(one.before_text.split("\n\n"))
            total += sum(len(part) for part in one.after_text.split("\n\n") if part not in before)
    return total


def main(rounds: int) -> None:
    print(f"{'module':>16} {'text':>9} {'untraced':>9} {'recorded':>9}", end="")
    print(f" {'cost':>9} {'changed':>9} {'a MB of it':>10} {'a pass without':>15}")
    for kind, count in SIZES:
        with tempfile.TemporaryDirectory() as scratch:
            trace_dir = Path(scratch) / "traces"
            untraced, recorded = [], []
            for _ in range(rounds):
                untraced.append(run(kind, count, "untraced", trace_dir))
                recorded.append(run(kind, count, "ours", trace_dir))
            trace = newest(trace_dir)
        text = max(len(one.after_text) for one in trace.passes)
        costs = [one.cost / 1e3 for one in trace.passes]
        changed = changed_bytes(trace)
        # The first pass prints a module that nobody has seen before.
        idle = [cost for cost, one in zip(costs, trace.passes, strict=True) if not one.changed][1:]
        printed = changed + len(trace.passes[0].before_text)
        print(
            f"{kind:>9} {count:6} {text / 1e6:6.2f} MB {statistics.median(untraced):7.2f} s"
            f" {statistics.median(recorded):7.2f} s {sum(costs):6.0f} ms {changed / 1e6:6.2f} MB"
            f" {sum(costs) / printed * 1e6:7.0f} ms {statistics.median(idle):12.1f} ms"
        )
    print()


if __name__ == "__main__":
    main(1)
