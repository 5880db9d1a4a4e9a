"""Games that are gone on with: the search against the plain solver, and how they are read."""

from __future__ import annotations

import json
import random

import pytest

import decade
from decade.play import Game, Layout, Move, replay, replay_steps
from decade.position import Position
from decade.reference import solve_plain
from decade.rules import PRESETS, Discard, Reach, Rules
from decade.solver import Result, solve, verify
from decade.sources import seeded_deal

CASES = 1500


def random_rules(r: random.Random) -> Rules:
    """Make a rule set, mostly small piles and totals that few cards reach."""
    piles = r.choice((1, 1, 2, 3, 4))
    low = r.choice((1, 2, 2, 3))
    recycle = piles > 1 and r.random() < 0.3
    return Rules(
        totals=tuple(sorted(r.sample(range(4, 22), r.randint(1, 4)))),
        min_cards=low,
        max_cards=r.choice((None, None, low, low + 1)),
        wrap=r.random() < 0.4,
        reach=r.choice(list(Reach)),
        piles=piles,
        opening=r.randint(1, 4),
        discard=Discard.FORCED if recycle else r.choice(list(Discard)),
        recycle=recycle,
        target=0 if recycle else r.choice((0, 0, 2)),
    )


def random_layout(r: random.Random, rules: Rules, cards: int) -> Layout:
    """Lay some of the cards out, whether a play can lead there or not."""
    left = r.randint(0, cards)
    sizes = [0] * rules.piles
    for _ in range(left):
        sizes[r.randrange(rules.piles)] += 1
    return Layout(tuple(sizes), r.randrange(rules.piles))


@pytest.mark.parametrize("seed", range(4))
def test_the_search_goes_on_as_the_plain_solver_does(seed: int) -> None:
    r = random.Random(seed)
    for case in range(CASES // 4):
        rules = random_rules(r)
        cards = tuple(r.choices([decade.Card(rank) for rank in range(1, 8)], k=r.randint(1, 8)))
        layout = random_layout(r, rules, len(cards))
        position = Position(cards, None, 2, layout.sizes, layout.next)
        plain = solve_plain(position.values(), rules, layout=layout)
        found = solve(position, rules)
        about = f"{seed=}, {case=}: {position.table!r}, {position.stock!r}, {layout}, {rules}"
        assert (found.verdict.value == "winnable") is plain.winnable, about
        if rules.target == 0 or not plain.winnable:
            assert found.remaining == plain.remaining, about
        if found.remaining is not None:
            assert verify(position, rules, found.moves) == found.remaining, about


@pytest.mark.parametrize("name", PRESETS)
def test_the_positions_of_a_play_are_as_the_deal_says(name: str) -> None:
    """Where the best play leads, the game is as good as it was."""
    rules = PRESETS[name]
    results = (solve(seeded_deal(3, index), rules) for index in range(100))
    result = next(result for result in results if result.remaining is not None)
    deal = result.deal
    states = [
        state
        for state, _ in replay_steps(deal.values(rules.face_values), rules, result.moves)
        if all(count >= rules.opening for count in state.received) and any(state.piles)
    ]
    assert states or name == "face-up"
    for state in states[:: max(1, len(states) // 5)]:
        order = [card for pile in state.piles for card in pile] + list(state.stock)
        cards = tuple(deal.cards[card] for card in order)
        sizes, after = tuple(map(len, state.piles)), (state.last + 1) % rules.piles
        gone_on = solve(Position(cards, None, 1, sizes, after), rules)
        assert (gone_on.verdict, gone_on.remaining) == (result.verdict, result.remaining)


def test_a_position_is_read_and_printed() -> None:
    position = Position.of("4h 8C|10,3 ||", "kS 2", next=2)
    assert position.table == "4H 8C | 10 3 |  |"
    assert position.stock == "KS 2"
    assert position.layout == Layout((2, 2, 0, 0), 2)
    assert Position.of(position.table, position.stock, next=2) == position
    assert Position.of("", "4 6").layout == Layout((0,), 0)


@pytest.mark.parametrize(
    ("table", "stock", "message"),
    [
        ("4 8 | 3 X", "5", "card 4: 'X'"),
        ("4 8 # 3", "5", "card 3: '#'"),
        ("4 8", "5 Z", "card 4: 'Z'"),
        ("4H 8 4", "4H", "card 4: '4H'.*4H occurs 2 times"),
        ("4 4", "4 4 4", "the rank 4 occurs 5 times"),
        (" | ", "", "from 1 to 104 cards"),
        ("2 " * 60, "3 " * 60, "from 1 to 104 cards"),
    ],
)
def test_what_is_no_position_is_an_error(table: str, stock: str, message: str) -> None:
    with pytest.raises(decade.DealError, match=message):
        Position.of(table, stock)


@pytest.mark.parametrize(
    ("table", "following", "rules", "message"),
    [
        ("4 8 | 3", 0, "decade", "the table has 2 piles, but the rules have 1"),
        ("4 8", 0, "seven-piles", "the table has 1 pile, but the rules have 7"),
        ("4 8", 1, "decade", "there is no pile 1: they go from 0 to 0"),
        ("4 8", -1, "decade", "there is no pile -1"),
    ],
)
def test_a_position_must_fit_the_rules(
    table: str, following: int, rules: str, message: str
) -> None:
    with pytest.raises(decade.DealError, match=message):
        solve(Position.of(table, "5", next=following), rules)


def test_a_result_keeps_its_position() -> None:
    position = Position.of("4 8 3 | 3 J 6", "4 9 K", next=1)
    result = solve(position, Rules(piles=2), count=True)
    data = json.loads(result.to_json())
    assert (data["table"], data["stock"], data["next"]) == ("4 8 3 | 3 J 6", "4 9 K", 1)
    assert Result.from_json(result.to_json()) == result
    plain = solve_plain(position.values(), Rules(piles=2), layout=position.layout, count=True)
    assert result.counts is not None
    assert result.counts.lines == plain.lines
    for change in ({"next": "1"}, {"table": 4}, {"stock": "4 9 9"}):
        with pytest.raises(ValueError, match=r"table and stock|deal must"):
            Result.from_dict(data | change)


def test_sets_that_lie_in_another_pile_wait_for_it() -> None:
    rules = Rules(piles=2)
    position = Position.of("4 6 | 7", "2 5", next=0)  # the first pile's turn is still to come
    result = solve(position, rules)
    assert result.moves == (Move(4, 0, (0, 1), 10),)
    assert result.remaining == 3
    assert replay(position.values(), rules, result.moves, position.layout) == 3
    assert solve(Position.of("4 6 | 7", "2 5", next=1), rules).moves[0].dealt == 3
    assert (
        Game(position.values(), rules, position.layout).legal_sets(
            Game(position.values(), rules, position.layout).start()
        )
        == []
    )
