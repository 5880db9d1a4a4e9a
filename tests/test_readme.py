"""The README does what it says: its console sessions and Python examples print what they show."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from decade.render import differences
from decade.rules import PRESET_NOTES, PRESETS

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def sessions() -> list[tuple[str, str]]:
    """Give each command of the console blocks, and what it is said to print."""
    command = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
    return [found for block in blocks("console") for found in command.findall(block)]


def in_shell(command: str, path: Path) -> str:
    """Run a command as a person would, with the installed program in reach; errors come too."""
    scripts = Path(sysconfig.get_path("scripts"))
    if not (scripts / "decade").exists():  # built in place, not installed
        (path / "decade").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m decade "$@"\n')
        (path / "decade").chmod(0o755)
        scripts = path
    drop = ("COLUMNS", "NO_COLOR", "FORCE_COLOR")
    env = {key: value for key, value in os.environ.items() if key not in drop}
    env |= {"PATH": f"{scripts}{os.pathsep}{env['PATH']}", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env=env,
        timeout=120,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize(("command", "printed"), sessions())
def test_console_sessions_print_what_they_show(command: str, printed: str, tmp_path: Path) -> None:
    assert in_shell(command, tmp_path) == printed


def test_the_first_command_installs_and_solves(tmp_path: Path) -> None:
    install, solve = blocks("sh")[0].splitlines()[0].split(" && ")
    assert install == "pip install ."
    assert in_shell(solve, tmp_path).startswith("winnable: ")


def test_the_second_command_installs_and_tests() -> None:
    assert blocks("sh")[0].splitlines()[1] == 'pip install ".[test]" && pytest'


def test_python_examples() -> None:
    examples = doctest.DocTestParser().get_doctest(
        "".join(blocks("python")), {}, README.name, str(README), 0
    )
    assert len(examples.examples) > 10
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_the_table_has_all_rule_sets() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \|$", TEXT, re.MULTILINE)
    assert rows == [
        (name, differences(rules), PRESET_NOTES[name]) for name, rules in PRESETS.items()
    ]
