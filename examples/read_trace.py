"""Ask a recorded lowering: what changed the kernel, and where did a text come from?

Needs no TVM and no GPU, only a journal:

    TL_LOWER_TRACE=1 python gemm.py
    python read_trace.py tmp/lower_trace_dir tma_load
"""

import argparse

import lt_render


def main() -> None:
    parser = argparse.ArgumentParser(description="Say what the passes of a lowering did.")
    parser.add_argument("journal", help="a journal, or a directory for its newest")
    parser.add_argument("text", nargs="?", default="__global__", help="what to look for")
    arguments = parser.parse_args()
    trace = lt_render.read(arguments.journal)

    for kernel in trace.kernels:
        changes = trace.changed(kernel)
        print(f"{kernel.name}: {kernel.status}, changed by {len(changes)} passes:")
        for record in changes:
            lines = f"+{record.add_lines} -{record.del_lines}"
            print(f"  {record.index:3} {record.name:40} {lines:>10}  {record.duration} us")
        if changes:
            biggest = max(changes, key=lambda record: record.add_lines + record.del_lines)
            print(f"  biggest change: {biggest.name}")
        found = trace.find(arguments.text, kernel)
        if found.introduced_by is not None:
            print(f"  {arguments.text}: introduced by {found.introduced_by.name}")
        elif found:
            print(f"  {arguments.text}: there from the start")

    if trace.in_flight is not None:
        print(f"The process ended inside {trace.in_flight.name}.")
    print(f"The journal: {trace.state_message}.")


if __name__ == "__main__":
    main()
