"""The commands, one module each; the verb is the module's name."""

from .base import Command
from .render import RenderCommand
from .verify import VerifyCommand

#: All commands, in the order in which help lists them.
COMMANDS: tuple[type[Command], ...] = (RenderCommand, VerifyCommand)

__all__ = ["COMMANDS", "Command"]
