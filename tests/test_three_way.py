"""The decision about edited source: every row of the guide's table, and what is identical."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lt_record.three_way import (
    COMPILES_WORKING_COPY,
    CONFLICT,
    INIT,
    INIT_BACKUP,
    PATCHED,
    REGENERATED,
    SYNCED,
    UNCHANGED,
    decide,
    identical,
)

OLD, NEW, EDITED = b"int a = 2;\n", b"int a = 4;\n", b"int a = 3;\n"


@pytest.mark.parametrize(
    ("baseline", "working", "generated", "tag"),
    [
        pytest.param(OLD, OLD, OLD, UNCHANGED, id="no change"),
        pytest.param(OLD, OLD, NEW, REGENERATED, id="codegen changed only"),
        pytest.param(OLD, EDITED, OLD, PATCHED, id="user edited only"),
        pytest.param(OLD, NEW, NEW, SYNCED, id="both changed, working is latest"),
        pytest.param(OLD, EDITED, NEW, CONFLICT, id="both changed, working is not latest"),
        pytest.param(None, None, NEW, INIT, id="first run"),
        pytest.param(None, EDITED, NEW, INIT_BACKUP, id="exists without baseline"),
        pytest.param(OLD, None, OLD, REGENERATED, id="deleted"),
        pytest.param(OLD, b"", OLD, REGENERATED, id="emptied"),
        pytest.param(OLD, b" \n\n", NEW, REGENERATED, id="emptied but for blanks"),
        pytest.param(None, b"\n", NEW, INIT, id="empty without baseline"),
        pytest.param(OLD, OLD.rstrip() + b"  \r\n\n", OLD, UNCHANGED, id="blanks at the end"),
        pytest.param(OLD, b"\xef\xbb\xbf" + OLD, OLD, UNCHANGED, id="a byte order mark"),
        pytest.param(OLD, OLD.replace(b" ", b"  "), OLD, PATCHED, id="blanks within"),
        pytest.param(b"a\nb\n", b"a\r\nb\r\n", b"a\nb\n", PATCHED, id="CRLF"),
    ],
)
def test_rows(baseline: bytes | None, working: bytes | None, generated: bytes, tag: str) -> None:
    assert decide(baseline, working, generated) == tag


_texts = st.sampled_from([b"", b" \n", b"a", b"a\n", b"a \n\n", b"\xef\xbb\xbfa", b"b", b"c\n"])


@given(st.none() | _texts, st.none() | _texts, _texts)
def test_nothing_but_an_edit_is_compiled_and_no_edit_is_overwritten_without_backup(
    baseline: bytes | None, working: bytes | None, generated: bytes
) -> None:
    tag = decide(baseline, working, generated)
    if tag in COMPILES_WORKING_COPY:
        assert baseline is not None and working is not None and working.strip()
        assert not identical(working, baseline)
        # Only code that was generated again, or is generated now, takes an edit's place.
        assert identical(generated, baseline) or identical(generated, working)
    if tag in (REGENERATED, INIT):  # the rows that overwrite without a backup
        assert working is None or not working.strip() or identical(working, baseline or b"")
