"""Surveys: counts that depend on rules, seed and indices alone; intervals; files; stop rules."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import runpy
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decade.cards import NumberError
from decade.cluster import threads
from decade.play import POLICIES, Policy
from decade.reference import solve_plain
from decade.rules import PRESETS, Discard, Rules
from decade.solver import solve_many
from decade.sources import seeded_deal
from decade.survey import (
    MARK,
    Plan,
    SurveyError,
    Tally,
    count_deals,
    point_values,
    search_mark,
)
from decade.survey_run import Goal, run
from decade.survey_state import Survey, join, load, merge, missing, save
from decade.wilson import wilson
from decade_ext.search import Stop

CHECK = Path(__file__).parent / "data" / "survey_check.json"
RICH: tuple[Policy, ...] = ("longest", "random")


def figures(survey: Survey) -> dict[str, Any]:
    """Give all that must not depend on who counted, or when."""
    data = survey.to_dict()
    del data["seconds"], data["deals_per_second"]
    return data


def surveyed(plan: Plan, goal: Goal, *, workers: int = 1, begun: Survey | None = None) -> Survey:
    with threads(workers) as crew:
        return run(begun or Survey(plan), goal, crew, lambda _: None, stop=Stop())


@pytest.mark.parametrize("name", ["decade", "loop", "seven-piles", "pysol", "ends", "seven-up"])
def test_counts_are_those_of_the_deals(name: str) -> None:
    rules, seed, start = PRESETS[name], 7, 1000
    deals = [seeded_deal(seed, start + at) for at in range(100)]
    values = np.array([deal.values(rules.face_values) for deal in deals], np.uint8)
    found = solve_many(values, rules)
    plan = Plan.of(rules, seed, policies=POLICIES)
    tally = count_deals(plan, start, start + 100).tally
    assert tally.deals == 100
    assert tally.winnable == (found.verdict == 1).sum()
    assert tally.unwinnable == (found.verdict == 0).sum()
    least = np.where(found.verdict == 1, 0, found.remaining)
    assert tally.remaining == Counter(least.tolist())
    assert (tally.nodes, tally.most) == (found.nodes.sum(), found.nodes.max())
    hardest = start + int(found.nodes.argmax()) if found.nodes.max() else None
    assert tally.hardest == hardest
    for plays in tally.plays.values():
        assert plays.won + plays.lost + plays.draw == 100
        assert plays.won <= tally.winnable


def test_exact_chances_are_those_of_the_plain_solver() -> None:
    rules = PRESETS["decade"]
    tally = count_deals(Plan.of(rules, 3, random_win=12), 4, 20).tally
    exact = Fraction(0)
    for values in point_values(rules, 3, 4, 8).tolist():
        exact += solve_plain(values, rules, count=True).random_win or 0
    assert tally.chances == 8
    assert 0 <= exact - Fraction(tally.chance, 2**96) < Fraction(8, 2**96)


def test_chances_are_left_out_where_plays_cannot_be_counted() -> None:
    assert Plan.of(PRESETS["pysol"], 1, random_win=10).random_win == 0
    assert Plan.of(PRESETS["nine-columns"], 1, random_win=10).random_win == 0
    limited = count_deals(Plan.of(PRESETS["loop"], 1, random_win=5, node_limit=1), 0, 5).tally
    assert limited.unknown + limited.unwinnable == 5
    assert limited.chances < 5


def test_unknown_where_a_limit_was_hit() -> None:
    plan = Plan.of(PRESETS["seven-piles"], 1, node_limit=20)
    whole = count_deals(Plan.of(PRESETS["seven-piles"], 1), 0, 500).tally
    tally = count_deals(plan, 0, 500).tally
    assert tally.unknown > 0
    assert tally.most == 20
    assert sum(tally.remaining.values()) == 500 - tally.unknown
    low, high = Survey(plan, ((0, 500),), tally).interval
    assert low < whole.winnable / 500 < high
    assert tally.winnable <= whole.winnable <= tally.winnable + tally.unknown


def test_any_blocks_in_any_order_make_the_same_tally(seed: int) -> None:
    generator = random.Random(seed)
    for name in ("decade", "ten-twenty-thirty", "ends"):
        plan = Plan.of(PRESETS[name], 5, policies=RICH, random_win=100)
        cuts = [0, *sorted(generator.sample(range(1, 300), 6)), 300]
        parts = list(itertools.pairwise(cuts))
        generator.shuffle(parts)
        survey = Survey(plan)
        for start, end in parts:
            survey = survey.counted(start, end, count_deals(plan, start, end).tally)
        assert survey.ranges == ((0, 300),)
        assert survey.tally == count_deals(plan, 0, 300).tally
    with pytest.raises(SurveyError, match="deals 10 to 19 are in both"):
        survey.counted(10, 20, Tally())


def test_workers_and_extensions_make_no_difference() -> None:
    plan = Plan.of(PRESETS["decade"], 2, policies=RICH, random_win=50)
    once = surveyed(plan, Goal(first=3, deals=5000), workers=2)
    tenth = surveyed(plan, Goal(first=3, deals=500))
    more = surveyed(plan, Goal(first=3, deals=5000), begun=tenth)
    assert figures(once) == figures(more)
    assert once.ranges == ((3, 5003),)


def test_precision_stops_at_the_same_deal_whoever_counts() -> None:
    plan = Plan.of(PRESETS["decade"], 4)
    goal = Goal(precision=0.009)
    once = surveyed(plan, goal)
    assert figures(once) == figures(surveyed(plan, goal, workers=3))
    half = Survey(plan, ((0, 777),), count_deals(plan, 0, 777).tally)
    assert figures(once) == figures(surveyed(plan, goal, workers=2, begun=half))
    deals = once.tally.deals
    assert deals % MARK == 0
    low, high = once.interval
    before = count_deals(plan, 0, deals - MARK).tally
    low_before, high_before = wilson(before.winnable, 0, deals - MARK)
    assert (high - low) / 2 <= 0.009 < (high_before - low_before) / 2
    capped = surveyed(plan, Goal(deals=100, precision=0.009))
    assert capped.tally.deals == 100
    assert surveyed(plan, Goal(precision=0.3), begun=once) == once


def test_time_gives_the_first_deals() -> None:
    plan = Plan.of(PRESETS["loop"], 4)
    survey = surveyed(plan, Goal(seconds=0.3), workers=2)
    deals = survey.tally.deals
    assert survey.ranges == ((0, deals),)
    assert survey.tally.winnable == count_deals(plan, 0, deals).tally.winnable


def test_a_survey_that_has_other_deals_is_not_gone_on_with() -> None:
    plan = Plan.of(PRESETS["decade"], 4)
    begun = surveyed(plan, Goal(first=10, deals=10))
    for goal in (Goal(deals=15), Goal(first=11, deals=100)):
        with pytest.raises(SurveyError, match="the deals 10 to 19 already"):
            surveyed(plan, goal, begun=begun)
    for goal in (Goal(precision=0.1), Goal(seconds=1)):
        with pytest.raises(SurveyError, match="fill the gaps"):
            surveyed(plan, goal, begun=begun)
    assert figures(surveyed(plan, Goal(deals=30), begun=begun)) == figures(
        surveyed(plan, Goal(deals=30))
    )


def test_ranges() -> None:
    assert join([(5, 9)], [(0, 5), (20, 30)]) == ((0, 9), (20, 30))
    with pytest.raises(SurveyError, match="deals 8 to 8 are in both"):
        join([(0, 9)], [(8, 12)])
    assert list(missing(((3, 5), (8, 9)), 0, 10)) == [(0, 3), (5, 8), (9, 10)]
    assert list(missing(((0, 10),), 0, 10)) == []


def test_files_and_merging(tmp_path: Path) -> None:
    plans = [Plan.of(PRESETS[name], 9, policies=RICH, random_win=30) for name in ("loop", "ends")]
    whole = [surveyed(plan, Goal(deals=60)) for plan in plans]
    save(tmp_path / "a", [surveyed(plan, Goal(deals=20)) for plan in plans])
    save(tmp_path / "b", [surveyed(plan, Goal(first=40, deals=20)) for plan in reversed(plans)])
    save(tmp_path / "c", [surveyed(plan, Goal(first=20, deals=20)) for plan in plans])
    groups = [load(tmp_path / name) for name in "abc"]
    assert list(map(figures, merge(groups))) == list(map(figures, whole))
    assert merge(groups[:2])[0].ranges == ((0, 20), (40, 60))
    with pytest.raises(SurveyError, match="in both"):
        merge([*groups, groups[0]])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda plan: dataclasses.replace(plan, seed=1), "another seed: 9, not 1"),
        (lambda plan: dataclasses.replace(plan, node_limit=5), "node limit: none, not 5"),
        (lambda plan: dataclasses.replace(plan, policies=()), "other policies: front, not none"),
        (lambda plan: dataclasses.replace(plan, search="x"), "counts nodes differently"),
        (lambda plan: dataclasses.replace(plan, rules=PRESETS["loop"]), "decade, not loop"),
        (lambda plan: dataclasses.replace(plan, random_win=2), "below 0, not 2"),
    ],
)
def test_what_does_not_go_together(change: Callable[[Plan], Plan], reason: str) -> None:
    plan = Plan.of(PRESETS["decade"], 9, policies=("front",))
    with pytest.raises(SurveyError, match=reason):
        Survey(plan).merged(Survey(change(plan)))


def test_a_worker_of_another_version_is_refused() -> None:
    plan = dataclasses.replace(Plan.of(PRESETS["decade"], 1), search="0")
    with pytest.raises(SurveyError, match="another version"):
        count_deals(plan, 0, 1)
    assert search_mark(PRESETS["decade"]) != search_mark(PRESETS["loop"])


@pytest.mark.parametrize(
    "change",
    [
        {"winnable": 6},
        {"winnable": -1},
        {"deals": "10"},
        {"ranges": [[0, 10], [5, 6]]},
        {"ranges": 3},
        {"remaining": {"x": 1}},
        {"policies": {"best": {}}},
        {"random_win": {"below": 3, "deals": 3, "sum": "1"}},
        {"rules": "decades"},
        {"hardest": 3},
        {"seconds": None},
    ],
)
def test_files_that_hold_no_survey(change: dict[str, Any], tmp_path: Path) -> None:
    data = surveyed(Plan.of(PRESETS["decade"], 9), Goal(deals=10)).to_dict()
    assert Survey.from_dict(json.loads(json.dumps(data))).to_dict() == data
    (tmp_path / "a").write_text(json.dumps(data | change))
    with pytest.raises(SurveyError, match="/a: "):
        load(tmp_path / "a")


@pytest.mark.parametrize("text", ["", "[]", "{", "7", "\x00", '{"rules": "decade"}'])
def test_files_that_are_no_json(text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(text)
    with pytest.raises(SurveyError, match="/a: "):
        load(tmp_path / "a")


def test_one_file_has_one_survey_of_each_rule_set(tmp_path: Path) -> None:
    survey = surveyed(Plan.of(PRESETS["decade"], 9), Goal(deals=10))
    save(tmp_path / "a", [survey, survey])
    with pytest.raises(SurveyError, match="two surveys of decade"):
        load(tmp_path / "a")


def test_plans_that_are_refused() -> None:
    rules = PRESETS["decade"]
    for seed in (-1, 2**63, True):
        with pytest.raises(NumberError):
            Plan.of(rules, seed)
    with pytest.raises(ValueError, match="no policy"):
        Plan.of(rules, 1, policies=("best",))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="node_limit"):
        Plan.of(rules, 1, node_limit=0)
    with pytest.raises(ValueError, match="random_win"):
        Plan.of(rules, 1, random_win=-1)
    with pytest.raises(SurveyError, match="at most 255"):
        Plan.of(Rules(totals=(300,), face_values=(300, 1, 1), min_cards=1), 1)


def test_values_beyond_the_greatest_total() -> None:
    huge = Rules(face_values=(10**9, 31, 10), discard=Discard.OPTIONAL)
    values = point_values(huge, 1, 0, 1)
    assert sorted(values[0].tolist())[-9:] == [10, *[31] * 8]


def test_the_figures_are_those_of_the_plain_solver() -> None:
    """The records were made by plain Python; see docs/check_odds.py."""
    for record in json.loads(CHECK.read_text()):
        plan = Plan.of(Rules.of(record["rules"]), record["seed"])
        tally = count_deals(plan, 0, min(record["deals"], 2000)).tally
        if record["deals"] > 2000:  # in blocks, so that what failed is told apart
            tally = tally + count_deals(plan, 2000, record["deals"]).tally
        assert (tally.deals, tally.winnable) == (record["deals"], record["winnable"])
        remaining = {str(left): count for left, count in sorted(tally.remaining.items())}
        assert remaining == record["remaining"], record["rules"]


def test_the_independent_solvers_are_right_on_small_decks() -> None:
    """What docs/check_odds.py has beside the plain solver, which tries everything."""
    script = runpy.run_path(str(CHECK.parents[2] / "docs" / "check_odds.py"))
    generator = random.Random(4)
    won = 0
    for _ in range(400):
        size = generator.choice([2, 3, 4])
        at_ends = {"wrap": True, "reach": "ends", "min_cards": size, "max_cards": size}
        straight = {"min_cards": generator.choice([1, 2, 3]), "max_cards": None}
        for fields in (at_ends, straight):
            totals = generator.choice([(10, 20, 30), (5, 10, 15), (7, 11)])
            target = generator.randrange(4)
            given = {"discard": "optional", "totals": totals, "target": target, "opening": 1}
            rules = Rules.from_dict(given | fields)
            values = [generator.randint(1, 10) for _ in range(generator.randint(1, 10))]
            plain = solve_plain(values, rules, least=True)
            winnable, left = script["decide"](values, rules)
            assert winnable == plain.winnable, (values, rules)
            assert plain.winnable or left == plain.remaining, (values, rules)
            won += plain.winnable
    assert 100 < won < 700
