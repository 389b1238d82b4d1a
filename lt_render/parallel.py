"""The same work on many journals, in as many processes as there are cores."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Generic, TypeVar

from .errors import RenderError

Job = TypeVar("Job")
Result = TypeVar("Result")

#: Jobs that are begun ahead for each process: their results wait for the ones before.
_AHEAD = 4


class Died(RenderError):
    """The process that did a job was killed, for want of memory as a rule."""


def add_jobs_argument(parser: argparse.ArgumentParser) -> None:
    """Declare ``-j``, for :func:`in_order`."""
    parser.add_argument(
        "-j",
        "--jobs",
        type=_positive,
        default=usable_cores(),
        metavar="N",
        help="how many processes may work at a time (default: one for each usable core)",
    )


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[Job], Result], jobs: Sequence[Job], processes: int
) -> Iterator[Result | RenderError]:
    """Yield what ``work`` makes of each job, in the order of ``jobs``.

    A :class:`RenderError` is yielded in the place of its job's result, and stops no
    other job; so is :class:`Died`. No more than a few results per process are held.
    One job, or one process, needs no process of its own.
    """
    if min(processes, len(jobs)) <= 1:
        for job in jobs:
            yield _Work(work)(job)
        return
    coming = deque(jobs)
    waiting: deque[tuple[Job, Future[Result | RenderError]]] = deque()
    pool = _pool(processes)
    try:
        while coming or waiting:
            try:
                while coming and len(waiting) < _AHEAD * processes:
                    waiting.append((coming[0], pool.submit(_Work(work), coming[0])))
                    coming.popleft()
                result = waiting[0][1].result()
            except BrokenProcessPool:
                # Any of those that were running may have done it: one by one it shows.
                for job, _ in waiting:
                    yield _alone(work, job)
                waiting.clear()
                pool = _pool(processes)
                continue
            waiting.popleft()
            yield result
    except BaseException:
        # Ctrl-C, or a reader that has gone: what is half done is of no use.
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _Work(Generic[Job, Result]):
    """Does the work, and gives a :class:`RenderError` back instead of raising it."""

    def __init__(self, work: Callable[[Job], Result]) -> None:
        self._work = work

    def __call__(self, job: Job) -> Result | RenderError:
        try:
            return self._work(job)
        except RenderError as error:
            return error
        except OSError as error:
            place = f": {error.filename}" if error.filename else ""
            return RenderError(f"{error.strerror or error}{place}")


def _alone(work: Callable[[Job], Result], job: Job) -> Result | RenderError:
    with _pool(1) as pool:
        try:
            return pool.submit(_Work(work), job).result()
        except BrokenProcessPool:
            return Died(f"the process that worked on {job} was killed: has it run out of memory?")


def _pool(processes: int) -> ProcessPoolExecutor:
    # A fork has everything imported; elsewhere it is not safe.
    method = "fork" if sys.platform == "linux" else None
    return ProcessPoolExecutor(processes, multiprocessing.get_context(method), _dies_at_once)


def _dies_at_once() -> None:
    """Have Ctrl-C end a worker without a word: its parent says what is to be said."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _positive(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError
    return number
