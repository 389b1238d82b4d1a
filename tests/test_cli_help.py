"""Help that cannot drift from the code, and completion in real shells."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from synthetic import Writer

from lt_render.cli import main
from lt_render.commands import COMMANDS, Command
from lt_render.commands.base import parser_of
from lt_render.commands.render import RenderCommand

VERBS = [command for command in COMMANDS if not command.hidden]
Capture = pytest.CaptureFixture[str]


def examples(command: type[Command]) -> list[list[str]]:
    """The commands that a verb's help gives as examples, without what they are piped into."""
    text = command.help_text().partition("Example")[2]
    lines = re.findall(r"lt-render .*", text)
    found = []
    for line in lines:
        words = shlex.shlex(line, posix=True, punctuation_chars="|>&)")
        words.whitespace_split = True
        taken = []
        for word in words:
            if word[0] in "|>&)":
                break
            taken.append(word)
        found.append(taken[1:])
    return found


@pytest.mark.parametrize("command", VERBS, ids=lambda command: command.verb())
def test_each_verb_has_help_with_examples_that_work(command: type[Command]) -> None:
    text = command.help_text()
    assert command.summary().endswith(".") and len(command.summary()) < 80
    assert "xit code" in text and max(map(len, text.splitlines())) <= 88
    verbs = {one.verb(): one for one in COMMANDS}
    shown = [(verbs.get(words[0], RenderCommand), words) for words in examples(command)]
    assert command in [verb for verb, _ in shown]
    for verb, words in shown:
        parser_of(verb).parse_args(words[words[0] == verb.verb() :])


def test_help_is_to_be_had_in_three_ways(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    assert main(["help"]) == 0 and capsys.readouterr().out == overview
    for command in VERBS:
        assert f"\n  {command.verb():10} {command.summary()}\n" in overview
    for words in (["help", "log"], ["log", "--help"]):
        with pytest.raises(SystemExit) as exit_:
            main(words)
        assert exit_.value.code == 0
        assert "usage: lt-render log" in capsys.readouterr().out


def test_what_nobody_reads_is_no_error(gemm_journal: Path) -> None:
    """GIVEN a reader that has gone, a closed or a full standard output THEN no traceback."""
    command = (
        f"{shlex.quote(sys.executable)} -m lt_render log --all {shlex.quote(str(gemm_journal))}"
    )
    for rest, code, told in (
        (" | head -n 1", 0, ""),
        (" >&-", 0, ""),
        (" > /dev/full", 2, "lt-render: No space left on device\n"),
    ):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command + rest],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, told), rest


# --- completion -------------------------------------------------------------------------

#: Completes each argument, a command line; the lines of each answer, joined.
BASH = """
eval "$(lt-render completion bash)"
compopt() { :; }
for line; do
    IFS='|' read -ra COMP_WORDS <<< "$line"
    [[ $line == *'|' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _lt_render
    (IFS=,; echo "${COMPREPLY[*]}")
done
"""


@pytest.fixture(scope="module")
def path_with_us(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A search path on which ``lt-render`` is this one."""
    directory = tmp_path_factory.mktemp("bin")
    program = directory / "lt-render"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m lt_render "$@"\n')
    program.chmod(0o755)
    return f"{directory}:{os.environ['PATH']}"


def in_shell(path: str, *command: str) -> list[str]:
    done = subprocess.run(
        command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_bash_completes(gemm_journal: Path, path_with_us: str) -> None:
    journal = str(gemm_journal)
    cases = {
        "lo": "log",
        "show|--gen": "--generated",
        f"show|{journal}|LowerTileO": "LowerTileOp",
        f"diff|-U|2|{journal}|BindTarget|codegen/": "codegen/codegen",
        f"show|{journal[:-3]}": journal,
        f"log|{journal}|--kernel|": "gemm",
        f"show|{journal}|BindTarget|{journal[:-3]}": journal,
    }
    lines = [f"lt-render|{line}" for line in cases]
    got = in_shell(path_with_us, "bash", "-c", BASH, "bash", *lines)
    assert dict(zip(cases, got, strict=True)) == cases


def test_a_name_from_a_stranger_completes_nothing(tmp_path: Path, path_with_us: str) -> None:
    writer = Writer(tmp_path / "journal.lt.zst")
    for name in ("$(touch owned)", "fine", "a b", "`x`", "fi\nne"):
        writer.end(writer.begin(name, None), None)
    writer.close({})
    line = f"lt-render|show|{tmp_path}|"
    assert in_shell(path_with_us, "bash", "-c", BASH, "bash", line) == ["fine"]
    assert not Path("owned").exists()


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_completes(gemm_journal: Path, path_with_us: str) -> None:
    script = "lt-render completion fish | source; complete -C $argv[1]"
    got = in_shell(path_with_us, "fish", "-c", script, f"lt-render show {gemm_journal} LowerTi")
    assert "LowerTileOp" in got


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_reads_the_script(path_with_us: str) -> None:
    script = 'compdef() { print "$@"; }; eval "$(lt-render completion zsh)"; functions _lt_render'
    assert in_shell(path_with_us, "zsh", "-f", "-c", script)[0] == "_lt_render lt-render"
