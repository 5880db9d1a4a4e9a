"""What ``pytest bench`` prints: one table, a row for each rule set measured, times a deal."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add how often to read the clock."""
    parser.addoption("--rounds", type=int, default=3, help="readings of each program (3)")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Leave pytest-benchmark's own table out: it knows the search alone."""
    config.option.benchmark_quiet = True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    measured = [dict(report.user_properties) for report in reports]
    rows = [properties["speed"] for properties in measured if "speed" in properties]
    if not rows:
        return
    table = [list(rows[0]), *(list(row.values()) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    terminalreporter.section("microseconds a deal")
    for name, *numbers in table:
        cells = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        terminalreporter.line("  ".join([name.ljust(widths[0]), *cells]))
