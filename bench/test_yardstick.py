"""The C++ yardstick against the compiled search: programs that share nothing, on the same deals.

A comparison of speed is worth something only if both do the same work, so verdicts and remainders
must agree; and each is a witness for the other.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from programs import Task, Values, compile_yardstick, make_deals, yardstick_rules

from decade import PRESETS, Discard, Reach, Rules, solve_many

SEED = 1949


@pytest.fixture(scope="module")
def yardstick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile it once."""
    try:
        return compile_yardstick(tmp_path_factory.mktemp("yardstick"))
    except FileNotFoundError:
        pytest.skip("there is no g++")


def agree(yardstick: Path, values: Values, rules: Rules, node_limit: int | None = None) -> int:
    """Compare the answers to all deals that can be decided, and say how many those are."""
    found = solve_many(values, rules, node_limit=node_limit)
    decided = found.verdict != 2
    values = values[decided]
    told = "\n".join(" ".join(map(str, deal)) for deal in values.tolist())
    command = [str(yardstick), *yardstick_rules(rules)]
    done = subprocess.run(command, input=told, text=True, check=True, stdout=subprocess.PIPE)
    answers = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(answers) == len(values)
    ours = zip(found.verdict[decided].tolist(), found.remaining[decided].tolist(), strict=True)
    for deal, answer, (won, remaining) in zip(values.tolist(), answers, ours, strict=True):
        # The first win found need not be the one that leaves least.
        both_win = won and answer[0] and max(remaining, answer[1]) <= rules.target
        assert both_win or answer == (won, remaining), f"{rules} {deal}"
    return len(values)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str, yardstick: Path) -> None:
    """Each preset, on one pack."""
    task = Task(PRESETS[name], deals=200, seed=SEED)
    assert agree(yardstick, make_deals(task, 0, task.deals), task.rules) == task.deals


@pytest.mark.parametrize("name", ["decade", "loop", "pysol", "seven-up"])
def test_two_packs(name: str, yardstick: Path) -> None:
    """The longest deals there are."""
    task = Task(PRESETS[name], deals=50, seed=SEED, packs=2)
    assert agree(yardstick, make_deals(task, 0, task.deals), task.rules) == task.deals


def draw(r: random.Random) -> tuple[Rules, Values]:
    """Draw rules of any kind, and a few short deals for them."""
    least = r.choice([1, 2, 2, 3])
    piles = r.choice([1, 1, 1, 2, 3, 5])
    discard = r.choice([Discard.FORCED, Discard.FORCED, Discard.OPTIONAL])
    totals = [10, 20, 30] if r.random() < 0.5 else r.sample(range(3, 40), r.randint(1, 4))
    rules = Rules(
        totals=tuple(totals),
        min_cards=least,
        max_cards=r.choice([None, None, least, least + 2, 6]),
        wrap=r.random() < 0.4,
        reach=r.choice(list(Reach)),
        piles=piles,
        opening=r.choice([1, 2, 3, 4, 60]),
        discard=discard,
        recycle=piles > 1 and discard is Discard.FORCED and r.random() < 0.3,
        target=r.choice([0, 0, 0, 3]),
    )
    cards = r.randint(1, 12 if discard is Discard.OPTIONAL or rules.recycle else 24)
    deals = [[min(r.randint(1, 13), 10) for _ in range(cards)] for _ in range(8)]
    return rules, np.array(deals, np.uint8)


def test_random_rules(yardstick: Path) -> None:
    """Rules that no preset has; under some of them there are deals that nothing can finish."""
    compared = 0
    for seed in range(SEED, SEED + 400):
        rules, values = draw(random.Random(seed))
        compared += agree(yardstick, values, rules, node_limit=50_000)
    assert compared > 3000
