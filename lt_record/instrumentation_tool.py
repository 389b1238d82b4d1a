"""What TileLang's announced entry-point group ``tilelang.instrumentation_tools`` loads.

The group's loader is expected to register the factory named there with
``register_pass_instrumentation_tool``. Where the start-up hook has not run (a
directory on ``PYTHONPATH`` has no ``.pth`` files), this is what starts recording;
where it has, this adds nothing.
"""

from __future__ import annotations

from typing import Any

from . import startup


def create() -> Any:
    """Return the tool of one compile session: a ``tilelang`` ``PassInstrumentationTool``.

    It does nothing unless ``TL_LOWER_TRACE`` asks for recording.
    """
    from tilelang.instrumentation import PassInstrumentationTool

    if not startup.decided:  # once: what the script switches off stays off
        startup.start()
    if startup.current() is not None:
        from . import recording

        tool = recording.session_tool()
        if tool is not None:
            return tool
    return PassInstrumentationTool()
