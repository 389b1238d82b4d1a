"""The README's table of supported releases, out of what their tests' results say.

``release_table.py RESULTS`` writes it anew, from one JUnit file a release;
``--check RELEASE`` says whether the row that stands there is what the tests have proved.
"""

from __future__ import annotations

import argparse
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
#: A column, and the test that proves it.
COLUMNS = {
    "passes": "test_passes",
    "nesting": "test_nesting",
    "phases": "test_phases",
    "compiles": "test_compiles",
    "failure": "test_failure",
    "codegen": "test_codegen",
    "disable": "test_disable",
}
TITLES = {"tilelang": "TileLang", "tvm": "TVM"}


def row(results: Path) -> str:
    """The row of the release whose tests left ``results``."""
    package, number = results.stem.split("-")
    passed = {
        case.get("name")
        for case in ElementTree.parse(results).iter("testcase")
        if not any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
    }
    marks = ["✓" if test in passed else "✕" for test in COLUMNS.values()]
    return f"| {TITLES[package]} {number} | {' | '.join(marks)} |"


def table(directory: Path) -> list[str]:
    found = sorted(
        directory.glob("*.xml"), key=lambda path: (path.stem.split("-")[0], numbers(path))
    )
    return [
        f"| | {' | '.join(COLUMNS)} |",
        "| --- |" + " --- |" * len(COLUMNS),
        *map(row, found),
    ]


def numbers(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.stem)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--check", metavar="RELEASE")
    arguments = parser.parse_args()
    text = README.read_text()
    if arguments.check is not None:
        proved = row(arguments.results / f"{arguments.check}.xml")
        if proved in text.splitlines():
            return 0
        print(f"README.md says something else than was proved:\n{proved}", file=sys.stderr)
        return 1
    start, rest = text.split("<!-- releases -->\n", 1)
    _, end = rest.split("<!-- /releases -->", 1)
    lines = "\n".join(table(arguments.results))
    README.write_text(f"{start}<!-- releases -->\n{lines}\n<!-- /releases -->{end}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
