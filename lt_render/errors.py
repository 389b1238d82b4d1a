"""Failures that are told to the user in one sentence."""

from __future__ import annotations


class RenderError(Exception):
    """A user's mistake or a file that cannot be used: told in one sentence, without traceback."""

    #: Exit code of the command that raises it.
    exit_code = 2


class NotAJournal(RenderError):
    """The file is something else."""


class NewerFormat(RenderError):
    """The journal was written by a newer major version of the format."""


class NotFound(RenderError, KeyError):
    """A trace has no pass or kernel of that name, or several passes."""

    # KeyError's own would put the sentence into quotes.
    __str__ = Exception.__str__


class LimitExceeded(RenderError):
    """A journal asks for more memory than is allowed; journals may come from strangers."""
