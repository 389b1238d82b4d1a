"""What recording and the report cost, beside the built-in tracer, in one interleaved run.

``python tests/bench.py [options] [recording] [scale] [report]`` prints medians and
ratios, with what is to be reached, and asserts nothing.
"""

from __future__ import annotations

import argparse

import bench_recording
import bench_report
import bench_scale


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="recording, scale, report; all, if none is named")
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement")
    parser.add_argument("--kernels", type=int, default=100, help="of the tuning run")
    parser.add_argument(
        "--builtin-kernels",
        type=int,
        default=20,
        help="of the tuning run under the built-in tracer, which is slow",
    )
    options = parser.parse_args()
    parts = options.parts or ["recording", "scale", "report"]
    if unknown := set(parts) - {"recording", "scale", "report"}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if "recording" in parts:
        bench_recording.main(options.rounds)
    if "scale" in parts:
        bench_scale.main(options.rounds)
    if "report" in parts:
        bench_report.main(options.rounds, options.kernels, options.builtin_kernels)


if __name__ == "__main__":
    main()
