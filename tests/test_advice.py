"""Advice: against the plain solver in every order of the unseen cards, and what it must not see."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import decade
from decade import Card, Discard, Position, Rules, RulesError, advise
from decade.adviser import WON, Adviser, Choice, play_by_advice, sampled_decks, words_for
from decade.cli import cli
from decade.play import Game, Standing
from decade.reference import solve_plain
from decade.rules import PRESETS, Reach
from decade.sources import seeded_deal

TABLE = "4 8 3 3 J 6 4"


def random_rules(r: random.Random) -> Rules:
    piles = r.choice((1, 1, 2, 3))
    low = r.choice((1, 2, 2))
    recycle = piles > 1 and r.random() < 0.3
    return Rules(
        totals=tuple(sorted(r.sample(range(4, 16), r.randint(2, 4)))),
        min_cards=low,
        max_cards=r.choice((None, None, low + 1)),
        wrap=r.random() < 0.4,
        reach=r.choice((Reach.ANY, *Reach)),
        piles=piles,
        opening=r.randint(1, 3),
        discard=Discard.FORCED if recycle else r.choice(list(Discard)),
        recycle=recycle,
        target=0 if recycle else r.choice((0, 1)),
    )


def random_position(r: random.Random, rules: Rules, unseen: int) -> Position:
    """Lay out a few cards of low ranks, each pile with some."""
    sizes = tuple(r.randint(1, 6 // rules.piles + 1) for _ in range(rules.piles))
    cards = [Card(rank) for rank in range(1, 8) for _ in range(4)]
    chosen = tuple(r.sample(cards, sum(sizes) + unseen))
    return Position(chosen, None, 1, sizes, r.randrange(rules.piles))


def wins_plainly(game: Game, state: Standing, choice: Choice) -> bool:
    """Say whether the game can be won after a choice, by trying everything."""
    if choice is not None:
        state = game.take(state, choice)
    elif game.rules.discard is Discard.OPTIONAL:
        if not state.stock:
            return game.won(state)
        state = game.deal(state)
    if game.cleared(state) or not state.cards:
        return game.won(state)
    values = [game.values[card] for card in state.cards]
    return solve_plain(values, game.rules, layout=state.layout).winnable


@pytest.mark.parametrize("seed", range(3))
def test_choices_are_weighed_as_the_plain_solver_does(seed: int) -> None:
    r, compared, kinds = random.Random(seed), 0, set()
    while compared < 40:
        rules = random_rules(r)
        position = random_position(r, rules, r.randint(0, 3))
        values = position.values()
        game = Game(values, rules, position.layout)
        state, adviser = game.start(), Adviser(rules)
        choices = adviser.choices(game, state)
        lying = len(values) - len(state.stock)
        orders = [(*values[:lying], *rest) for rest in permutations(values[lying:])]
        decks = np.array(orders, np.uint8)
        for choice in choices:
            plain = [
                wins_plainly(Game(order, rules, position.layout), state, choice) for order in orders
            ]
            found = adviser.weigh(game, state, choice, decks)
            about = f"{seed=}: {position.table!r}, {position.stock!r}, {choice}, {rules}"
            assert (found == WON).tolist() == plain, about
        compared += len(choices) > 1
        kinds.add((rules.discard, rules.piles > 1, rules.recycle))
    assert len(kinds) >= 4


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(discard=Discard.OPTIONAL),
        Rules(wrap=True, reach=Reach.TOP, discard=Discard.OPTIONAL),
        Rules(piles=2, wrap=True, reach=Reach.TOP),
        Rules(piles=2, discard=Discard.OPTIONAL, target=1),
    ],
)
def test_estimates_are_near_the_mean_over_all_orders(rules: Rules) -> None:
    r, uncertain = random.Random(7), 0
    while uncertain < 2:
        cards = [Card(rank) for rank in (1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10)]
        sizes = (5,) if rules.piles == 1 else (3, 2)
        position = Position(tuple(r.sample(cards, 9)), None, 1, sizes, r.randrange(rules.piles))
        advice = advise(position, rules, samples=2000, seed=uncertain)
        if len(advice.options) < 2:
            continue
        values = position.values()
        state = Game(values, rules, position.layout).start()
        orders = list(permutations(values[5:]))
        sure = True
        for option in advice.options:
            wins = 0
            for order in orders:
                game = Game((*values[:5], *order), rules, position.layout)
                runs = {game.move(state, run): run for run in game.legal_sets(state)}
                choice = None if option.move is None else runs[option.move]
                wins += wins_plainly(game, state, choice)
            exact = wins / len(orders)
            assert abs(option.chance - exact) < 5 * option.error
            sure = sure and exact in (0, 1)
        uncertain += not sure


def test_the_stock_is_never_seen() -> None:
    deal = seeded_deal(3, 5)
    table, stock = deal.cards[:9], list(deal.cards[9:])
    advices = []
    for seed in range(3):
        random.Random(seed).shuffle(stock)
        position = Position((*table, *stock), None, 1, (9,), 0)
        advices.append(advise(position, "pysol", samples=50).to_dict())
    assert advices[0] == advices[1] == advices[2]
    assert advices[0] == advise(position.table, "pysol", samples=50).to_dict()  # the rest of a pack
    words = [words_for(1, 2, 3) for _ in range(2)]
    one = sampled_decks((9, 1, 2, 3, 4), (1, 2, 3, 4), words[0], 20)
    other = sampled_decks((9, 4, 2, 1, 3), (1, 2, 3, 4), words[1], 20)
    assert one.tolist() == other.tolist()
    assert {tuple(sorted(row)) for row in one.tolist()} == {(1, 2, 3, 4, 9)}
    assert one[:, 0].tolist() == [9] * 20


def test_orders_are_uniform_and_do_not_depend_on_pieces() -> None:
    words = words_for(4)
    pieces = [sampled_decks((1, 2, 3, 4), (1, 2, 3), words, size) for size in (1, 2, 5997)]
    decks = np.concatenate(pieces)
    once = sampled_decks((1, 3, 2, 4), (1, 2, 3), words_for(4), 6000)
    assert decks.tolist() == once.tolist()
    orders, counts = np.unique(decks, axis=0, return_counts=True)
    assert len(orders) == 6
    assert abs(counts - 1000).max() < 150


def test_a_seed_and_a_number_of_samples_make_the_advice() -> None:
    first = advise(TABLE, samples=1500, seed=5)
    assert first == advise(TABLE, samples=1500, seed=5, seconds=600)
    assert first.samples == 1500
    assert first.options != advise(TABLE, samples=1500, seed=6).options
    assert [option.chance for option in first.options] == sorted(
        (option.chance for option in first.options), reverse=True
    )


def test_time_ends_it() -> None:
    began = time.monotonic()
    advice = advise("4 6 9 2 | 5 3 | 8 K", Rules(piles=3), seconds=0.2)
    assert time.monotonic() - began < 2
    assert advice.samples > 1
    slow = Rules(piles=7, discard=Discard.OPTIONAL)
    with pytest.raises(decade.AdviceError, match="not one order"):
        advise("4 6 A|5|2|9|9|8|8", slow, seconds=0.01)


def test_what_is_unseen() -> None:
    assert advise("4H 8C 10", samples=1).unseen == 49
    assert advise("4H 8C 10", seen="9 9, K", samples=1).unseen == 46
    assert advise("4H 8C 10", packs=2, samples=1).unseen == 101
    tens = "10 10 10 10 10 K K K K Q Q Q Q J J"  # one ten-valued card is left
    others = " ".join(f"{rank} " * 4 for rank in (1, 2, 3, 4, 6, 7, 8, 9))
    assert advise("5 5", seen=tens, samples=20) == advise(
        "5 5", seen=tens, unseen=f"J 5 5 {others}", samples=20
    )


def test_the_rest_is_known() -> None:
    advice = advise("9 A 9 A", unseen="")
    assert (advice.samples, advice.best.chance, advice.best.error) == (1, 1.0, 0.0)
    assert advise("K 9", unseen="", rules="pysol").options == ()
    leave = advise("9 A", unseen="", rules="pysol").options[-1]
    assert (leave.move, leave.chance) == (None, 0.0)


def test_leaving_comes_first_where_waiting_cannot_lose() -> None:
    advice = advise("4 6", "pysol", unseen="2 8", samples=10)
    assert [option.chance for option in advice.options] == [1.0, 1.0]
    assert advice.best.move is None
    loop = Rules(discard=Discard.OPTIONAL, wrap=True, reach=Reach.TOP)
    assert advise("4 6", loop, unseen="2 8", samples=10).best.move is not None


def test_under_recycle_seen_cards_lie_under_the_unseen_ones() -> None:
    rules = Rules(piles=2, recycle=True, totals=(10,), opening=1)
    (first,) = advise("4 | 7", rules, unseen="6", seen="3 9").options
    (other,) = advise("4 | 7", rules, unseen="6", seen="9 3").options
    assert (first.move, first.exact, first.chance, other.chance) == (None, True, 1.0, 0.0)
    for option, stock in ((first, "6 3 9"), (other, "6 9 3")):
        position = Position.of("4 | 7", stock)
        plain = solve_plain(position.values(), rules, layout=position.layout)
        assert plain.winnable == (option.chance == 1)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ("4 4 4 4 4", {}, "the rank 4 occurs 5 times"),
        ("4H 8", {"seen": "4H"}, "4H occurs 2 times, as cards 1 and 3"),
        ("4 8", {"seen": "X"}, "card 3: 'X'"),
        ("4 8", {"unseen": "4 4 4 4"}, "the rank 4 occurs 5 times"),
        ("4 8 | 3", {}, "the table has 2 piles, but the rules have 1"),
        ("4 8", {"next": 1}, "there is no pile 1"),
        ("4 8", {"packs": 3}, "packs is 1 or 2"),
        ("4 8", {"seed": -1}, "is no seed"),
        ("4 8", {"samples": 0}, "samples must be"),
        ("4 8", {"node_limit": 0}, "node_limit"),
        (Position.of("4 8", "5"), {"unseen": "5"}, "no unseen cards with it"),
    ],
)
def test_what_cannot_be_asked(table: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        advise(table, **options)


def test_rules_that_no_array_takes() -> None:
    with pytest.raises(RulesError, match="at most 255"):
        advise("4 8", Rules(totals=(300,), face_values=(300, 1, 1), min_cards=1))


def test_orders_that_a_limit_leaves_open_are_losses() -> None:
    free, tight = (advise("9 2 5 A", "loop", samples=60, node_limit=n) for n in (None, 1))
    assert tight.best.unknown > 0
    assert tight.best.wins <= free.best.wins
    assert free.best.unknown == 0


# playing by advice


def test_a_play_by_advice_keeps_to_the_rules_and_takes_what_is_best() -> None:
    """Where all that is unseen is known to be alike, the advice is exact, and the play is best."""
    for name in ("decade", "loop", "pysol"):
        rules, r = PRESETS[name], random.Random(3)
        for _ in range(30):
            values = [r.randint(1, 10) for _ in range(8)] + [5] * 6
            won, left = play_by_advice(Adviser(rules), values, 5, 0, 0)
            assert left <= 14
            if won:
                assert left == 0
                assert solve_plain(values, rules).winnable


@pytest.mark.parametrize("rules", [PRESETS["pysol"], PRESETS["seven-up"]])
def test_who_may_wait_wins_all_that_can_be_won(rules: Rules) -> None:
    values = [list(seeded_deal(2, index).values(rules.face_values)) for index in range(60)]
    played = [play_by_advice(Adviser(rules), deal, 3, 0, 0)[0] for deal in values]
    verdicts = decade.solve_many(np.array(values, np.uint8), rules).verdict
    assert played == (verdicts == WON).tolist()


# the command


def call(*args: str, status: int = 0) -> str:
    result = CliRunner().invoke(cli, ["advise", *args], prog_name="decade")
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


def test_the_command_prints_the_choices_and_the_assumption() -> None:
    text = call("--table", TABLE, "--seen", "K K 9 A", "--samples", "500")
    advice = advise(TABLE, seen="K K 9 A", samples=500)
    assert text.startswith("take ")
    assert "500 orders of 41 unseen cards, rules decade, seed 0" in text
    for option in advice.options:
        assert f"{100 * option.chance:.2f} %" in text
        assert f"{100 * option.error:.2f} %" in text
    assert "[J 6 4]" in text
    assert "clairvoyant play" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--table", "4 6 2"), "no choice: 4 6 must be taken"),
        (("--table", "4 7 2"), "no choice: no set can be taken, and a card must be dealt"),
        (("--table", "4 7 2", "--unseen", ""), "the game is over"),
        (("--table", "4 6", "--rules", "pysol"), "leave what lies"),
        (("--table", "4 6 K", "--unseen", ""), "this is what perfect play comes to"),
        (("--table", "9 2 5 A", "--rules", "loop", "--node-limit", "1"), "orders open, as losses"),
        (("--table", "4 6 A|5|2|9|9|8|8", "--rules", "seven-piles", "--next", "1"), "pile 1: ["),
    ],
)
def test_what_the_command_says(args: tuple[str, ...], said: str) -> None:
    assert said in " ".join(call(*args, "--samples", "20").split())


def test_json() -> None:
    data = json.loads(call("--table", TABLE, "--samples", "50", "--seed", "3", "--json"))
    assert data == json.loads(json.dumps(advise(TABLE, samples=50, seed=3).to_dict()))
    assert data["choices"][0]["set"]
    assert "sees the stock" in data["assumes"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--seen", "4"), "Missing option '--table'"),
        (("--table", "4 4 4 4 4"), "the rank 4 occurs 5 times"),
        (("--table", "4 8", "--seed", "-1"), "is no seed"),
        (("--table", "4 8", "--time", "x"), "is not a time"),
        (("--table", "4 8", "--rules", "seven-piles"), "the table has 1 pile"),
        (
            ("--table", "4 6 A|5|2|9|9|8|8", "--piles=7", "--discard=optional", "--time=0.01"),
            "not one order",
        ),
    ],
)
def test_wrong_use(args: tuple[str, ...], message: str) -> None:
    assert message in call(*args, status=2)


def test_ctrl_c_ends_it() -> None:
    program = [sys.executable, "-m", "decade", "advise", "--table", TABLE, "--samples", "900000000"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        time.sleep(1.5)
        running.send_signal(signal.SIGINT)
        sent = time.monotonic()
        out, err = running.communicate(timeout=30)
    assert time.monotonic() - sent < 2.0
    assert (running.returncode, out, err) == (130, b"", b"interrupted\n")
