"""Surveys of a player who takes advice: the same figures whoever counts, and kept as others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from decade.adviser import Adviser, play_by_advice
from decade.cli import cli
from decade.rules import PRESETS, Discard
from decade.sources import seeded_deal
from decade.survey import SAMPLES, Plan, SurveyError, count_deals
from decade.survey_state import Survey, load, save
from decade_ext.search import Stop


def survey(*args: str | Path, status: int = 0) -> str:
    result = CliRunner().invoke(cli, ["survey", *map(str, args)])
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


def figures(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    del found["seconds"], found["deals_per_second"]
    return found


@pytest.mark.parametrize("name", ["decade", "loop", "seven-piles", "pysol", "optional piles"])
def test_plays_are_those_of_the_deals_one_by_one(name: str) -> None:
    rules = PRESETS.get(name) or replace(PRESETS["seven-piles-loop"], discard=Discard.OPTIONAL)
    limit = None if name in PRESETS else 300
    plan = Plan.of(rules, 4, policies=("advise",), samples=7, node_limit=limit)
    deals = 12 if name in PRESETS else 1
    tally = count_deals(plan, 5, 5 + deals).tally
    plays = tally.plays["advise"]
    adviser = Adviser(rules, node_limit=limit)
    ends = [
        play_by_advice(adviser, seeded_deal(4, index).values(rules.face_values), 7, 4, index)
        for index in range(5, 5 + deals)
    ]
    assert plays.won == sum(won for won, _ in ends)
    assert plays.won + plays.lost == deals
    assert sum(left * count for left, count in plays.remaining.items()) == sum(
        left for _, left in ends
    )
    if limit is None:
        assert plays.won <= tally.winnable
    if name == "pysol":
        assert plays.won == tally.winnable


def test_blocks_and_workers_make_no_difference() -> None:
    plan = Plan.of(PRESETS["decade"], 6, policies=("advise", "random"), samples=20)
    whole = count_deals(plan, 0, 60).tally
    parts = [count_deals(plan, *part).tally for part in ((37, 60), (0, 1), (1, 37))]
    assert parts[0] + parts[1] + parts[2] == whole
    options = ("--seed", "6", "--deals", "60", "--policy", "advise", "--samples", "20", "--json")
    one, two = (figures(survey(*options, "--workers", workers)) for workers in "12")
    assert one == two
    assert one["samples"] == 20
    assert one["policies"]["advise"]["won"] == whole.plays["advise"].won > 0


def test_advice_wins_more_than_chance() -> None:
    plan = Plan.of(PRESETS["loop"], 0, policies=("advise", "random"), samples=30)
    tally = count_deals(plan, 0, 150).tally
    assert tally.plays["random"].won < tally.plays["advise"].won <= tally.winnable


def test_a_checkpoint_is_gone_on_with(tmp_path: Path) -> None:
    options = ("--policy", "advise", "--samples", "9", "--json")
    kept = ("--checkpoint", tmp_path / "a")
    survey("--deals", "10", *options, *kept)
    assert figures(survey("--deals", "30", *options, *kept)) == figures(
        survey("--deals", "30", *options)
    )
    assert "advice is from 9 orders, not 100" in survey(
        "--deals", "40", "--policy", "advise", *kept, status=2
    )
    (read,) = load(tmp_path / "a")
    save(tmp_path / "b", [read])
    assert load(tmp_path / "b") == [read]
    assert read.plan.samples == 9
    with pytest.raises(SurveyError, match="from 9 orders, not 8"):
        read.merged(Survey(replace(read.plan, samples=8)))


def test_the_report_says_how_many_orders(tmp_path: Path) -> None:
    text = survey("--deals", "30", "--policy", "advise", "--samples", "5")
    (line,) = [line for line in text.splitlines() if "by advice" in line]
    assert "won, " in line
    assert "of 5 orders a choice" in " ".join(text.split())
    survey("--deals", "30", "loop", "decade", "--policy", "advise", "--plot", tmp_path / "a.svg")
    assert "by advice" in (tmp_path / "a.svg").read_text()


def test_what_it_is_not_for() -> None:
    assert "without recycle" in survey("nine-columns", "--policy", "advise", status=2)
    assert "--samples is for" in survey("--samples", "5", status=2)
    with pytest.raises(ValueError, match="samples must be"):
        Plan.of(PRESETS["decade"], 1, policies=("advise",), samples=0)
    assert Plan.of(PRESETS["decade"], 1, policies=("random",), samples=5).samples == 0
    assert Plan.of(PRESETS["decade"], 1, policies=("advise",)).samples == SAMPLES


def test_it_stops_when_told_to() -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        count_deals(Plan.of(PRESETS["pysol"], 1, policies=("advise",)), 0, 5, stop=stop)
