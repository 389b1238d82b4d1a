"""The recorder's journal, opened with the first record: nothing lowered leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any

from . import console, format, place, process
from .codegen_files import PLAIN_NAME
from .journal import JournalWriter
from .redaction import redact_process
from .settings import RECORD, Settings
from .snapshot import Texts
from .viewer import Viewer


class Store:
    """One process's journal and the texts in it; says once on stderr what goes wrong."""

    def __init__(self, settings: Settings, tvm_version: str) -> None:
        self._settings = settings
        self._tvm_version = tvm_version
        self._lock = threading.RLock()
        self._journal: JournalWriter | None = None
        self._texts: Texts | None = None
        self._viewer: Viewer | None = None
        self._closed = False
        #: Name of the program, once the journal is open.
        self.script = ""
        #: Whether no journal could be opened.
        self.unavailable = False

    @property
    def path(self) -> str | None:
        """Path of the journal, once there is one."""
        return None if self._journal is None else self._journal.path

    @property
    def size(self) -> int:
        """Bytes of the journal so far."""
        return 0 if self._journal is None else self._journal.size

    @property
    def rendered(self) -> bool:
        """Whether a viewer has rendered the closed journal."""
        return self._viewer is not None and self._viewer.has_rendered

    @property
    def codegen_path(self) -> str | None:
        """Path of the plain working copy of generated source; ``None`` where none is kept."""
        if self._settings.codegen != "" or not self.script:
            return self._settings.codegen or None
        return os.path.join(self._settings.trace_dir, self.script, PLAIN_NAME)

    @property
    def texts(self) -> Texts | None:
        """The texts of the journal; ``None`` where there can be none."""
        self._open()
        return self._texts

    def append(self, kind: str, fields: format.Record) -> bool:
        """Append a record; return whether it was written."""
        self._open()
        if self._viewer is not None and kind == format.UNIT:
            self._viewer.flush()
        return self._journal is not None and self._journal.append(kind, fields)

    def checkpoint(self) -> None:
        """End the journal's current frame, and let a viewer come so far."""
        if self._journal is not None:
            self._journal.checkpoint()
            if self._viewer is not None:
                self._viewer.show(self._journal.size)

    def close(self, summary: format.Record) -> None:
        """End the journal with ``summary``, and its viewer; nothing is recorded afterwards."""
        with self._lock:  # another thread may be opening it
            self._closed = True
        if self._journal is not None:
            self._journal.close({**summary, "lost": self._journal.lost})
        if self._viewer is not None:
            self._viewer.finish()

    def abandon(self) -> None:
        """Let go of the journal as it is: it belongs to the parent process."""
        self._closed = True
        if self._journal is not None:
            self._journal.abandon()
        if self._viewer is not None:
            self._viewer.abandon()

    def _open(self) -> None:
        if self._journal is not None or self.unavailable or self._closed:
            return
        with self._lock:
            if self._journal is not None or self.unavailable or self._closed:
                return
            script = self.script = place.script_name()
            try:
                run_dir = place.make_run_dir(self._settings.trace_dir, script)
                self._begin(run_dir, script)
            except OSError as error:
                self.unavailable = True
                console.say_once(
                    "journal",
                    f"not recording: {error.strerror or error}: "
                    f"{error.filename or self._settings.trace_dir}. "
                    "Set TL_LOWER_TRACE_DIR to a directory that can be written.",
                )
                return
            place.link_newest(self._settings.trace_dir, script, run_dir)
            _close_with_multiprocessing()
            if self._settings.mode != RECORD:
                self._viewer = Viewer(os.path.join(run_dir, format.JOURNAL_NAME), self._settings)

    def _begin(self, run_dir: str, script: str) -> None:
        path = os.path.join(run_dir, format.JOURNAL_NAME)
        try:
            journal = JournalWriter(path, fsync=self._settings.fsync, on_error=self._write_failed)
            facts = process.describe(script, self._tvm_version)
            facts["codegen"] = self.codegen_path
            journal.append(
                format.PROCESS, redact_process(facts) if self._settings.redact else facts
            )
            self._texts = Texts(
                lambda number, text: journal.append(format.TEXT, {"text": number, "s": text}),
                lambda: journal.epoch,
            )
            self._journal = journal
        except BaseException:
            # A signal, too: the next record begins anew, and leaves one journal.
            for remove, what in ((os.unlink, path), (os.rmdir, run_dir)):
                with contextlib.suppress(OSError):
                    remove(what)
            raise

    def _write_failed(self, error: OSError) -> None:
        console.say_once(
            "journal",
            f"the journal has a gap: {error.strerror or error}: {self.path}. "
            "The compile goes on; recording resumes when writing works again.",
        )


def _close_with_multiprocessing() -> None:
    """Close the journal of a multiprocessing worker, too, which ends without ``atexit``."""
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None:
        from . import recording

        util.Finalize(None, recording.finish, exitpriority=-100)
