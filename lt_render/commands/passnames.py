"""``lt-render passnames``: what a shell completes a pass with."""

from __future__ import annotations

import argparse
import re

from ..journals import newest_journal
from ..stream import PassStream
from .base import Command

#: What a shell takes as it is. A name with anything else in it is not completed: a
#: journal may come from a stranger.
_HARMLESS = re.compile(r"[\w./+-]+")


class PassnamesCommand(Command):
    """Print the names that begin with PREFIX of the passes of a journal, one a line.

    Names with their phase where PREFIX holds a slash. Made for shells that complete.
    """

    hidden = True

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--kernels", action="store_true", help="names of kernels instead")
        parser.add_argument("journal", metavar="JOURNAL", help="a journal")
        parser.add_argument("prefix", nargs="?", default="", metavar="PREFIX", help="a beginning")

    def run(self, arguments: argparse.Namespace) -> int:
        prefix = arguments.prefix
        names: set[str] = set()
        for one in PassStream(newest_journal(arguments.journal)).passes():
            if arguments.kernels:
                names.update(one.unit.kernels)
            else:
                names.add(one.label if "/" in prefix else one.name)
        for name in sorted(names):
            if name.startswith(prefix) and _HARMLESS.fullmatch(name):
                print(name)
        return 0
