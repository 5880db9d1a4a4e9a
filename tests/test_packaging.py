"""What is installed is whole: the version, the program, types for those who import it."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import decade
import decade_ext.search

ROOT = Path(__file__).parent.parent
PACKAGE = Path(decade.__file__).parent
EXTENSION = Path(decade_ext.search.__file__)


@pytest.fixture
def installed() -> metadata.Distribution:
    """Give the installed distribution; there is none where the extension was built in place."""
    try:
        return metadata.distribution("decade-solver")
    except metadata.PackageNotFoundError:
        pytest.skip("not installed")


def test_the_version_is_told_once(installed: metadata.Distribution) -> None:
    assert installed.version == decade.__version__


def test_the_program_is_installed(installed: metadata.Distribution) -> None:
    (program,) = installed.entry_points.select(group="console_scripts")
    assert (program.name, program.value) == ("decade", "decade.cli:main")


def test_types_are_installed() -> None:
    assert (PACKAGE / "py.typed").exists()
    assert (EXTENSION.parent / "py.typed").exists()
    assert (EXTENSION.parent / "search.pyi").exists()


def test_the_search_is_compiled() -> None:
    assert EXTENSION.suffix == ".so"


def test_what_python_may_call_of_the_package_is_there() -> None:
    assert all(hasattr(decade, name) for name in decade.__all__)


@pytest.mark.parametrize("how", [["-c", "import decade.cli as cli; cli.main()"], ["-m", "decade"]])
def test_it_starts_in_a_checkout_whose_sources_are_not_compiled(how: list[str]) -> None:
    # There Python finds decade_ext/ of the checkout before the installed package.
    done = subprocess.run(
        [sys.executable, *how, "solve", "-q", "KC KH 4D 6S"], cwd=ROOT, timeout=60, check=False
    )
    assert done.returncode == 0
