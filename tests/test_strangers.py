"""Journals come from strangers: they get bounded memory, no way out, and no say in the page."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import zstandard
from conftest import Recording
from test_render import page_data, tree

from lt_record import format
from lt_record.journal import JournalWriter
from lt_render.cli import main
from lt_render.load import load

pytest_plugins = ["browser"]


def forged(path: Path, payload: bytes) -> Path:
    """A journal with a valid header and one frame of anything."""
    header = format.encode_header(bytes(8))
    path.write_bytes(header + zstandard.ZstdCompressor(level=19).compress(payload))
    return path


def with_crc(body: bytes) -> bytes:
    import zlib

    return body + b"\xce" + zlib.crc32(body).to_bytes(4, "big")


# A megabyte of zeros compresses to some 50 bytes.
def zeros() -> bytes:
    return b"\x83\xa1n\x00\xa1k\xa4text\xa3bin\xc6" + (2 << 30).to_bytes(4, "big") + bytes(1 << 30)


BOMBS: dict[str, Any] = {
    "a huge string": zeros,
    "nested maps": lambda: with_crc(b"\x83\xa1n\x00\xa1k\xa1x" + b"\xa1a\x81" * 200_000),
    "nested lists": lambda: with_crc(b"\x84\xa1n\x00\xa1k\xa1x\xa1a" + b"\x91" * 5_000_000),
    "a huge count": lambda: with_crc(b"\x84\xa1n\x00\xa1k\xa1x\xa1a\xdd\xff\xff\xff\xff\x01"),
    "a long list": lambda: with_crc(
        b"\x84\xa1n\x00\xa1k\xa1x\xa1a\xdd"
        + (50 << 20).to_bytes(4, "big")
        + bytes(50 << 20)
        + b"\xa3crc"
    ),
    "many texts": lambda: b"".join(
        format.encode_record(n, "text", {"text": n, "s": f"{n}" + " " * (8 << 20)})
        for n in range(160)
    ),
    "many passes": lambda: b"".join(
        format.encode_record(n, "pass", {"pass": n, "index": n}) for n in range(1_000_000)
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_stays_within_bounds(bomb: str, tmp_path: Path) -> None:
    """GIVEN a small file that wants gigabytes THEN memory stays bounded, and it is said."""
    path = forged(tmp_path / "journal.lt.zst", BOMBS[bomb]())
    code = (
        "import sys; from lt_render.cli import main; code = main(sys.argv[1:])\n"
        # Not ru_maxrss: that one counts what the parent had, too.
        "print(*[line for line in open('/proc/self/status') if line.startswith('VmHWM')])\n"
        "sys.exit(code)"
    )
    arguments = ["verify", "--memory-limit", "256", str(path)]
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120
    )
    peak = int(done.stdout.split("VmHWM:")[1].split()[0]) // 1024
    assert peak < 600, f"{peak} MiB"
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr
    if done.returncode == 2:
        (line,) = done.stderr.splitlines()
        assert "raise --memory-limit if you trust it" in line
    else:
        assert "damaged inside" in done.stdout
    assert time.monotonic() - begun < 60


EVIL = [
    "</script><script>document.title='hacked'</script>",
    "<!--<script>",
    "]]>",
    "\u2028\u2029",
    '"><img src=x onerror="document.title=\'hacked\'">',
    "javascript:document.title='hacked'",
    "\u202eright to left\u202c",
    "\x1b[31mred\x1b[0m\x07\x08",
    "\0nul",
    "{{ 7 * 7 }}{% raw %}",
    "' onmouseover='document.title=1",
    "..",
]


def attack(path: Path) -> Path:
    """A journal that is an attack in every place a string can be."""
    evil = " ".join(EVIL)
    writer = JournalWriter(str(path))
    writer.append(
        "process",
        {
            "script": evil,
            "argv": EVIL,
            "host": evil,
            "user": evil,
            "cwd": evil,
            "tvm": evil,
            "env": {text: text for text in EVIL},
            "started": 1 << 63,
            "pid": -1,
        },
    )
    writer.append(
        "unit",
        {"unit": 0, "name": evil, "kernels": EVIL, "target": evil, "configs": {evil: evil}},
    )
    for number, text in enumerate([*EVIL, "\n".join(EVIL)]):
        writer.append("text", {"text": 2 * number, "s": text})
        writer.append("text", {"text": 2 * number + 1, "s": f"{text}\n{text} changed"})
        writer.append(
            "pass",
            {
                "pass": number,
                "unit": 0,
                "index": number,
                "name": text,
                "phase": text,
                "before": 2 * number,
            },
        )
        failed = {"status": "failed", "error": text, "error_type": text, "print_error": text}
        done = {"status": "ok", "after": 2 * number + 1}
        writer.append("pass_end", {"pass": number, **(failed if number % 3 == 2 else done)})
    writer.append("unit_end", {"unit": 0, "status": "failed", "error": evil})
    writer.abandon()
    return path


def test_no_name_leads_outside(tmp_path: Path, capsys) -> None:
    journal = attack(tmp_path / "journal.lt.zst")
    out = tmp_path / "deep" / "er" / "out"
    assert main([str(journal), "-o", str(out)]) == 0
    written = {path for path in tmp_path.rglob("*") if path.is_file() and path != journal}
    assert written and all(out in path.parents for path in written)
    assert len(load(journal).passes) == len(EVIL) + 1
    befores = [path.resolve() for path in out.rglob("*_before.tir")]
    assert len(befores) == len(EVIL) + 1
    told = capsys.readouterr()
    for character in (told.out + told.err).replace("\n", ""):
        assert unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp"), repr(character)


def test_the_page_is_safe_in_a_real_browser(browser: Any, tmp_path: Path) -> None:
    journal = attack(tmp_path / "journal.lt.zst")
    assert main([str(journal), "-o", str(tmp_path / "out")]) == 0
    (report,) = (tmp_path / "out").rglob("run_*/report.html")
    page = browser.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(report.as_uri())
    page.wait_for_selector("#pass-title")
    elements = page.evaluate("document.querySelectorAll('script, img, iframe, object').length")
    page.click("#facts-toggle")
    seen = ""
    for _ in range(len(EVIL) + 1):
        seen += page.inner_text("#app")
        page.keyboard.press("j")
    assert troubles == [] and requests == [report.as_uri()]
    assert "hacked" not in page.title().replace("document.title='hacked'", "")
    assert page.evaluate("document.querySelectorAll('script, img, iframe, object').length") == (
        elements
    )
    assert "document.title='hacked'</script>" in seen  # shown as the text that it is
    for hidden in ("\u202e", "\x1b", "\x07"):
        assert hidden not in seen
    assert "U+202E" in seen and "ESC" in seen
    page.close()


def test_redacting_when_rendering(recordings: dict[str, Recording], tmp_path: Path) -> None:
    journal = recordings["failing_pass"].ours.journal
    process = load(journal).process
    assert main([str(journal), "-o", str(tmp_path), "--redact"]) == 0
    data = page_data(tmp_path / "failing_pass" / "report.html")
    shown = str({key: data[key] for key in ("facts", "state", "units", "title")})
    shown += str([one["error"] + one["note"] for one in data["passes"]])
    assert "Layout infer conflict" in shown and process["tilelang"] in shown
    for secret in (process["host"], process["cwd"], process["argv"][0], "TL_LOWER_TRACE", "/"):
        assert secret not in shown.replace(" // ", " ").replace(" / ", " "), secret


def test_redacting_when_recording(trace_dir: Path) -> None:
    from conftest import SCRIPTS, run_python

    run = run_python([SCRIPTS / "one_pass.py"], trace_dir, TL_LOWER_TRACE_REDACT="1")
    process = run.trace.process
    assert process["redacted"] is True and process["tvm"]
    assert not process.keys() & {"host", "user", "cwd", "argv", "executable", "env"}
    decoded = subprocess.run(["zstd", "-dc", run.journal], capture_output=True, check=True).stdout
    for secret in (str(trace_dir), sys.executable, "TL_LOWER_TRACE"):
        assert secret.encode() not in decoded


def test_a_killed_render_leaves_the_old_or_the_new(
    recordings: dict[str, Recording], tmp_path: Path
) -> None:
    """GIVEN a rendered run WHEN the next render dies at any moment THEN nothing is half."""
    whole = recordings["several_kernels"].ours.journal.read_bytes()
    journal = tmp_path / "gemm" / ".run_records" / "run_20260101_000000_000000_1" / "journal.lt.zst"
    journal.parent.mkdir(parents=True)

    def rendered(data: bytes) -> dict[str, dict[str, bytes]]:
        journal.write_bytes(data)
        assert main([str(journal)]) == 0
        pieces = {"report.html": {"": (journal.parent / "report.html").read_bytes()}}
        for phase in journal.parent.iterdir():
            if phase.is_dir():
                pieces[phase.name] = tree(phase)
        return pieces

    new = rendered(whole)
    shutil.rmtree(journal.parent / "codegen")
    old = rendered(whole[: len(whole) // 2])
    journal.write_bytes(whole)
    for moment in range(12):
        process = subprocess.Popen([sys.executable, "-m", "lt_render", str(journal)])
        time.sleep(0.25 + moment * 0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        report = (journal.parent / "report.html").read_bytes()
        assert report in (old["report.html"][""], new["report.html"][""])
        for phase in journal.parent.iterdir():
            if phase.is_dir() and not phase.name.startswith("."):
                assert tree(phase) in (old.get(phase.name), new.get(phase.name))
    for left in journal.parent.glob(".lt-render-*"):
        os.utime(left, (0, 0))
    assert rendered(whole) == new  # and what was left behind is swept away


def test_a_full_disk_leaves_the_old_report(gemm_journal: Path, tmp_path: Path, capsys) -> None:
    assert main([str(gemm_journal), "-o", str(tmp_path)]) == 0
    before = tree(tmp_path)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    capsys.readouterr()
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limit[1]))
    try:
        assert main([str(gemm_journal), "-o", str(tmp_path)]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert "File too large" in capsys.readouterr().err
    assert tree(tmp_path) == before
