"""Three-way merge of sources, by git's own merge."""

from __future__ import annotations

import tempfile

import pygit2

_BLOB = pygit2.enums.FileMode.BLOB


def merge(baseline: bytes, working: bytes, generated: bytes) -> tuple[bytes, bool]:
    """Merge an edit into newly generated source; return the result and whether it is clean.

    All three are UTF-8. Where both changed the same lines, the result holds git's
    conflict markers.
    """
    with tempfile.TemporaryDirectory(prefix="lt-render-") as scratch:
        repository = pygit2.init_repository(scratch, bare=True)
        ancestor, ours, theirs = (
            pygit2.IndexEntry(name, repository.create_blob(content), _BLOB)
            for name, content in (
                ("baseline", baseline),
                ("edited", working),
                ("generated", generated),
            )
        )
        result = repository.merge_file_from_index(ancestor, ours, theirs, use_deprecated=False)
        return result.contents.encode(), bool(result.automergeable)
