"""The command line: a verb and its arguments; rendering where no verb is named."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from .commands import COMMANDS, Command
from .commands.render import RenderCommand
from .errors import RenderError
from .terminal import complain
from .version import GENERATOR


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``lt-render``; return its exit code.

    0: done, a journal that ended early included. 2: bad usage, or a file that
    is no journal. 3: a damaged journal.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except RenderError as error:
        complain(str(error))
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has gone (| head); nothing is left to tell it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        complain(f"{error.strerror or error}{place}")
        return 2
    except KeyboardInterrupt:
        return 130


def _run(arguments: list[str]) -> int:
    verbs = {command.verb(): command for command in COMMANDS}
    command_type: type[Command] = RenderCommand
    if arguments and arguments[0] in verbs:
        command_type = verbs[arguments.pop(0)]
    elif not arguments or arguments[0] in ("-h", "--help"):
        print(_overview(verbs))
        return 0 if arguments else 2
    elif arguments[0] in ("-V", "--version"):
        print(GENERATOR)
        return 0
    command = command_type()
    parser = argparse.ArgumentParser(
        prog=f"lt-render {command_type.verb()}",
        description=command_type.help_text(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.prepare_parser(parser)
    return command.run(parser.parse_args(arguments))


def _overview(verbs: dict[str, type[Command]]) -> str:
    lines = [
        "usage: lt-render [VERB] JOURNAL… [options]",
        "",
        "Renders journals of lowering traces. Without a verb it renders.",
        "",
    ]
    shown = {verb: command for verb, command in verbs.items() if not command.hidden}
    lines += [f"  {verb:10} {command.summary()}" for verb, command in shown.items()]
    lines += ["", "lt-render VERB --help tells more about one; --version tells the version."]
    return "\n".join(lines)
