"""The commands, one module each; the verb is the module's name."""

from .base import Command
from .blame import BlameCommand
from .compare import CompareCommand
from .completion import CompletionCommand
from .diff import DiffCommand
from .export import ExportCommand
from .extract import ExtractCommand
from .follow import FollowCommand
from .grep import GrepCommand
from .index import IndexCommand
from .log import LogCommand
from .passnames import PassnamesCommand
from .render import RenderCommand
from .show import ShowCommand
from .steps import StepsCommand
from .verify import VerifyCommand

#: All commands, in the order in which help lists them.
COMMANDS: tuple[type[Command], ...] = (
    RenderCommand,
    FollowCommand,
    LogCommand,
    ShowCommand,
    DiffCommand,
    GrepCommand,
    BlameCommand,
    CompareCommand,
    IndexCommand,
    ExportCommand,
    ExtractCommand,
    VerifyCommand,
    CompletionCommand,
    PassnamesCommand,
    StepsCommand,
)

__all__ = ["COMMANDS", "Command"]
