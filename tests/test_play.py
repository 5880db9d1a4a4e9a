"""The rules engine sentence by sentence, on positions small enough to be worked out by hand.

Decks are lists of point values, so that a 5 and a 5 can be any cards; cards are named by their
places from 0.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

import decade
from decade.play import (
    POLICIES,
    Game,
    IllegalMove,
    Move,
    Policy,
    Standing,
    play_policy,
    replay,
    replay_steps,
)
from decade.reference import solve_plain
from decade.rules import Rules

K = 10
OPTIONAL = decade.Discard.OPTIONAL
TOP, ENDS = decade.Reach.TOP, decade.Reach.ENDS


def plays(values: Sequence[int], rules: Rules) -> set[tuple[tuple[int, int, tuple[int, ...]], ...]]:
    """List all plays of a small deal that does not recycle, as (dealt, pile, cards) a set."""
    game = Game(values, rules)
    found = set()

    def explore(position: Standing, moves: tuple[tuple[int, int, tuple[int, ...]], ...]) -> None:
        if game.may_end(position):
            found.add(moves)
        if game.cleared(position):
            return
        legal = game.legal_sets(position)
        for run in legal:
            move = game.move(position, run)
            explore(game.take(position, run), (*moves, (move.dealt, move.pile, move.cards)))
        if position.stock and (not legal or rules.discard is OPTIONAL):
            explore(game.deal(position), moves)

    explore(game.start(), ())
    return found


def laid(values: Sequence[int], rules: Rules, dealt: int) -> Standing:
    """Deal so many cards without taking anything, whatever the rules say of that."""
    game = Game(values, rules)
    position = game.start()
    for _ in range(dealt):
        position = game.deal(position)
    return position


def sets(values: Sequence[int], rules: Rules, dealt: int | None = None) -> set[tuple[int, ...]]:
    """List the legal sets after so many cards (all by default), each named by its cards."""
    game = Game(values, rules)
    position = laid(values, rules, len(values) if dealt is None else dealt)
    runs = game.legal_sets(position)
    named = {game.move(position, run).cards for run in runs}
    assert len(named) == len(runs), "a set is listed twice"
    return named


# 1. A turn deals the top card of the stock to the end of the next pile in rotation.


def test_cards_go_to_the_piles_in_rotation() -> None:
    game = Game([1, 2, 3, 4, 5], Rules(piles=3))
    position = game.start()
    assert position == ((0, 1, 2, 3, 4), ((), (), ()), (0, 0, 0), -1, 0)
    assert laid([1, 2, 3, 4, 5], Rules(piles=3), 5) == ((), ((0, 3), (1, 4), (2,)), (2, 2, 1), 1, 5)
    assert laid([1, 2, 3], Rules(), 3) == ((), ((0, 1, 2),), (3,), 0, 3)
    assert laid([1] * 9, Rules(piles=4), 9).piles == ((0, 4, 8), (1, 5), (2, 6), (3, 7))


# 2. The pile is live once it has received `opening` cards in all.


def test_the_opening_exception() -> None:
    """Of K K 5 the set is the first two: no set needs the card with which the line goes live."""
    assert sets([K, K, 5], Rules()) == {(0, 1)}
    assert plays([K, K, 5], Rules()) == {((3, 0, (0, 1)),)}
    assert plays([K, K, 5, 5], Rules()) == {((3, 0, (0, 1)), (4, 0, (2, 3)))}
    # From the fourth card on, the new card is in every set.
    last = plays([1, K, 2, K, 8], Rules())
    assert last == {((5, 0, (2, 3, 4)),), ((5, 0, (1, 2, 3, 4)),)}


def test_a_pile_is_not_live_before_its_opening() -> None:
    assert sets([4, 6, 1], Rules(), 2) == set()
    assert sets([4, 6, 1], Rules(), 3) == {(0, 1)}
    assert sets([4, 6, 1], Rules(opening=2), 2) == {(0, 1)}
    two = Rules(piles=2, opening=2)
    assert sets([4, 1, 6, 9, 1], two, 3) == {(0, 2)}  # pile 0 has its two
    assert sets([4, 1, 6, 9, 1], two, 4) == {(1, 3)}  # then pile 1


def test_cards_received_in_all_count_not_those_that_lie_there() -> None:
    """A live pile stays live when sets leave it with fewer cards than its opening."""
    values = [K, K, 5, 5, 4, 6]
    steps = list(replay_steps(values, Rules(), [Move(*m) for m in FULL_CLEAR]))
    assert [len(step.position.piles[0]) for step in steps] == [3, 2, 2, 0]


FULL_CLEAR: list[tuple[int, int, tuple[int, ...], int]] = [
    (3, 0, (0, 1), 20),
    (4, 0, (2, 3), 10),
    (6, 0, (4, 5), 10),
]


def test_when_the_stock_is_empty_every_pile_is_live() -> None:
    assert sets([4, 6], Rules()) == {(0, 1)}
    assert sets([4, 6, 1], Rules(opening=52)) == {(0, 1)}
    assert sets([4, 6, 1], Rules(opening=52), 2) == set()
    assert sets([K], Rules(min_cards=1)) == {(0,)}
    assert sets([K, 1, 9], Rules(min_cards=1, piles=2)) == {(0,)}
    assert play_policy([4, 6], Rules(), "front").outcome == "won"


# 3. The discard phase.


def test_forced_concerns_only_the_pile_that_just_got_the_card() -> None:
    rules = Rules(piles=2, opening=1)
    values = [4, 9, 6, 1, 2, 2]
    assert sets(values, rules, 3) == {(0, 2)}
    assert sets(values, rules, 4) == {(1, 3)}  # and not the 4 6, had it been left lying
    assert sets(values, rules, 6) == {(0, 2), (1, 3)}  # unless the stock is empty


def test_the_last_discard_phase_covers_all_piles_until_none_holds_a_set() -> None:
    values, rules = [4, 3, 6, 7], Rules(piles=2, opening=9)
    first, second = (4, 0, (0, 2)), (4, 1, (1, 3))
    assert plays(values, rules) == {(first, second), (second, first)}
    plain = solve_plain(values, rules, count=True)
    assert (plain.lines, plain.winning_lines, plain.random_win) == (2, 2, Fraction(1))


def test_a_set_must_be_taken_but_the_player_chooses_which() -> None:
    # 4 6 4: the pair at the front, or the pair at the back.
    assert plays([4, 6, 4], Rules()) == {((3, 0, (0, 1)),), ((3, 0, (1, 2)),)}
    assert () in plays([4, 6, 4], Rules(discard=OPTIONAL))


def test_the_phase_goes_on_while_the_pile_holds_a_set() -> None:
    # Taking 9 1 makes 4 and 6 neighbours.
    assert plays([4, 9, 1, 6], Rules(opening=4)) >= {((4, 0, (1, 2)), (4, 0, (0, 3)))}
    assert plays([4, 9, 1, 6], Rules(totals=(10,), opening=4)) == {
        ((4, 0, (1, 2)), (4, 0, (0, 3))),
    }


def test_optional_sets_of_any_live_pile_in_any_order_or_none() -> None:
    rules = Rules(piles=2, opening=2, discard=OPTIONAL, totals=(10,))
    values = [4, 3, 6, 7, 1]
    first, second = (0, (0, 2)), (1, (1, 3))
    found = plays(values, rules)
    assert {tuple(move[1:] for move in play) for play in found} == {
        (),
        (first,),
        (second,),
        (first, second),
        (second, first),
    }
    assert ((5, 0, (0, 2)), (5, 1, (1, 3))) in found  # both may wait
    assert ((3, 0, (0, 2)), (5, 1, (1, 3))) in found
    assert ((4, 1, (1, 3)), (4, 0, (0, 2))) in found
    assert all(move[0] >= 4 for play in found for move in play if move[1] == 1)  # live from its 2nd


def test_optional_piles_that_are_not_live_may_not_be_taken_from() -> None:
    rules = Rules(piles=2, opening=3, discard=OPTIONAL)
    assert sets([4, 3, 6, 7, 1, 9, 9], rules, 4) == set()
    assert sets([4, 3, 6, 7, 1, 9, 9], rules, 5) == {(0, 2)}
    assert sets([4, 3, 6, 7, 1, 9, 9], rules, 6) == {(0, 2), (1, 3)}


def test_what_is_covered_is_asked_afresh_after_every_set() -> None:
    """A set that refills the empty stock ends the phase for piles that are not dealt to last."""
    rules = Rules(piles=2, opening=1, recycle=True)
    values = [4, 3, 6, 7]
    game = Game(values, rules)
    position = laid(values, rules, 4)
    assert {game.move(position, run).cards for run in game.legal_sets(position)} == {(0, 2), (1, 3)}
    for run in game.legal_sets(position):
        after = game.take(position, run)
        assert after.stock == game.move(position, run).cards
        # pile 1 was dealt to last, so its set must still go; pile 0's may not any more
        still = {game.move(after, more).cards for more in game.legal_sets(after)}
        assert still == ({(1, 3)} if run.pile == 0 else set())


def test_liveness_is_asked_afresh_too() -> None:
    rules = Rules(piles=2, opening=3, recycle=True)
    values = [4, 3, 6, 7]
    game = Game(values, rules)
    position = laid(values, rules, 4)
    assert len(game.legal_sets(position)) == 2  # the stock is empty
    for run in game.legal_sets(position):
        assert game.legal_sets(game.take(position, run)) == []  # it is not, and neither has had 3


def test_the_rotation_goes_on_after_the_pile_dealt_to_last() -> None:
    """Not after the pile that a set was taken from."""
    rules = Rules(piles=3, opening=1, discard=OPTIONAL)
    values = [4, 1, 1, 6, 1, 5]
    game = Game(values, rules)
    position = laid(values, rules, 5)
    (run,) = game.legal_sets(position)
    assert run.pile == 0
    after = game.deal(game.take(position, run))
    assert after.last == 2


# 4. A legal set.


def test_cards_in_a_set() -> None:
    values = [5, 5, K, K]
    assert sets(values, Rules()) == {(0, 1), (0, 1, 2), (0, 1, 2, 3), (2, 3)}
    assert sets(values, Rules(max_cards=2)) == {(0, 1), (2, 3)}
    assert sets(values, Rules(max_cards=3)) == {(0, 1), (2, 3), (0, 1, 2)}
    assert sets(values, Rules(min_cards=3)) == {(0, 1, 2), (0, 1, 2, 3)}
    assert sets(values, Rules(min_cards=4, max_cards=4)) == {(0, 1, 2, 3)}
    assert sets(values, Rules(min_cards=1, max_cards=1)) == {(2,), (3,)}
    assert sets(values, Rules(min_cards=5)) == set()


def test_totals() -> None:
    assert sets([3, 4, 7], Rules(totals=(7,))) == {(0, 1)}
    assert sets([3, 4, 7], Rules(totals=(7, 14))) == {(0, 1), (0, 1, 2)}
    assert sets([3, 4, 7], Rules(totals=(11, 10**9))) == {(1, 2)}


def test_taking_a_set_closes_the_gap() -> None:
    game = Game([1, 2, K, 3, 4], Rules(min_cards=1))
    position = laid(game.values, game.rules, 5)
    runs = {game.move(position, run).cards: run for run in game.legal_sets(position)}
    assert set(runs) == {(2,), (0, 1, 2, 3, 4)}
    after = game.take(position, runs[2,])
    assert after.piles == ((0, 1, 3, 4),)
    assert [game.move(after, run).cards for run in game.legal_sets(after)] == [(0, 1, 3, 4)]


def test_equal_values_on_different_cards_make_different_sets() -> None:
    assert plays([5, 5, 5], Rules()) == {((3, 0, (0, 1)),), ((3, 0, (1, 2)),)}


def test_wrap_makes_the_last_card_a_neighbour_of_the_first() -> None:
    values = [4, 1, 1, 6]
    assert sets(values, Rules()) == set()
    assert sets(values, Rules(wrap=True)) == {(0, 3)}
    assert sets([6, 3, 1, K, K, 2, 8], Rules(wrap=True, max_cards=3)) == {
        (0, 1, 2),
        (3, 4),
        (5, 6),
        (4, 5, 6),
    }
    assert sets([2, 2, 9, 9, 9, 6], Rules(wrap=True, totals=(10,))) == {(0, 1, 5)}
    assert sets([6, 9, 9, 9, 2, 2], Rules(wrap=True, totals=(10,))) == {(0, 4, 5)}
    assert sets([2, 2, 1, 1, 1, 6], Rules(wrap=True)) == {(0, 1, 5), (0, 3, 4, 5)}


def test_runs_over_the_seam_obey_the_number_of_cards() -> None:
    values = [2, 2, 1, 1, 1, 6]
    assert sets(values, Rules(wrap=True, max_cards=2)) == set()
    assert sets(values, Rules(wrap=True, min_cards=3, max_cards=3)) == {(0, 1, 5)}
    assert sets(values, Rules(wrap=True, min_cards=4)) == {(0, 3, 4, 5)}
    assert sets(values, Rules(wrap=True, min_cards=5)) == set()


def test_the_whole_loop_is_one_set() -> None:
    for reach in decade.Reach:
        assert sets([2, 3, 5], Rules(wrap=True, reach=reach)) == {(0, 1, 2)}
        assert sets([4, 6], Rules(wrap=True, reach=reach)) == {(0, 1)}
        assert sets([K], Rules(wrap=True, reach=reach, min_cards=1)) == {(0,)}
    # Were it a set for each place it could start at, a random player would find it more often.
    plain = solve_plain([2, 3, 5], Rules(wrap=True), count=True)
    assert (plain.lines, plain.random_win) == (1, Fraction(1))


def test_two_cards_of_a_loop_are_neighbours_once() -> None:
    assert sets([5, 5], Rules(wrap=True)) == {(0, 1)}
    assert sets([5, 5, 5], Rules(wrap=True)) == {(0, 1), (1, 2), (0, 2)}


REACHED: list[tuple[decade.Reach, bool, set[tuple[int, ...]]]] = [
    (decade.Reach.ANY, False, {(0, 1), (2, 3), (4, 5), (1, 2), (3, 4)}),
    (TOP, False, {(4, 5)}),
    (ENDS, False, {(0, 1), (4, 5)}),
    (decade.Reach.ANY, True, {(0, 1), (2, 3), (4, 5), (1, 2), (3, 4), (0, 5)}),
    (TOP, True, {(4, 5), (0, 5)}),
    (ENDS, True, {(0, 1), (4, 5), (0, 5)}),
]


@pytest.mark.parametrize(("reach", "wrap", "expected"), REACHED)
def test_reach(reach: decade.Reach, wrap: bool, expected: set[tuple[int, ...]]) -> None:
    rules = Rules(totals=(10,), reach=reach, wrap=wrap)
    assert sets([5] * 6, rules) == expected


def test_first_and_last_are_of_the_pile_as_it_now_lies() -> None:
    """A loop too has a first and a last card, also after its ends have gone."""
    rules = Rules(totals=(10,), reach=TOP, wrap=True, opening=5)
    # 5 4 6 1 5: the seam's two go, then 1 is last.
    assert plays([5, 4, 6, 1, 5], rules) == {((5, 0, (0, 4)),)}
    rules = Rules(totals=(10,), reach=ENDS, opening=5)
    assert plays([5, 4, 6, 1, 5], rules) == {()}
    assert plays([5, 5, 6, 4, 3], rules) == {((5, 0, (0, 1)), (5, 0, (2, 3)))}


# 5. Elimination.


def test_an_emptied_live_pile_is_passed_over() -> None:
    rules = Rules(piles=3, opening=2, totals=(10,))
    values = [1, 4, 2, 1, 6, 2, 3, 8, 9, 9]
    game = Game(values, rules)
    position = laid(values, rules, 5)
    (run,) = game.legal_sets(position)
    position = game.take(position, run)
    assert [game.eliminated(position, pile) for pile in range(3)] == [False, True, False]
    lasts = []
    for _ in range(4):
        position = game.deal(position)
        lasts.append(position.last)
    assert lasts == [2, 0, 2, 0]
    assert position.received == (4, 2, 3)
    assert position.piles[1] == ()


def test_clearing_all_piles_wins_at_once_with_stock_left() -> None:
    rules = Rules(piles=2, opening=2)
    values = [4, 3, 6, 7, 1, 1, 1]
    played = play_policy(values, rules, "front")
    assert (played.outcome, played.dealt, played.remaining) == ("won", 4, 0)
    assert plays(values, rules) == {((3, 0, (0, 2)), (4, 1, (1, 3)))}
    assert replay(values, rules, played.moves) == 0
    plain = solve_plain(values, rules)
    assert (plain.winnable, plain.remaining) == (True, 0)


def test_piles_never_dealt_to_are_not_eliminated() -> None:
    rules = Rules(piles=3, min_cards=1, opening=1)
    game = Game([K, K], rules)
    position = game.start()
    assert not any(game.eliminated(position, pile) for pile in range(3))
    for _ in range(2):
        position = game.deal(position)
        position = game.take(position, *game.legal_sets(position))
    assert [game.eliminated(position, pile) for pile in range(3)] == [True, True, False]
    assert not game.cleared(position)
    assert game.may_end(position)
    assert game.won(position)  # by rule 6: nothing is left
    longer = play_policy([K, K, 9, K], rules, "front")  # the third pile gets the rest
    assert (longer.outcome, longer.dealt, longer.remaining) == ("lost", 4, 1)


def test_a_single_line_that_is_emptied_stays_in_play() -> None:
    game = Game([K, 4, 6], Rules(opening=1, min_cards=1))
    position = game.deal(game.start())
    position = game.take(position, *game.legal_sets(position))
    assert position.piles == ((),)
    assert not game.eliminated(position, 0)
    assert not game.cleared(position)
    played = play_policy([K, 4, 6], game.rules, "front")
    assert (played.outcome, played.dealt, len(played.moves)) == ("won", 3, 2)


# 6. The end, the remainder and the target.


def test_a_play_ends_when_the_stock_is_empty_and_nothing_is_taken() -> None:
    game = Game([1, 2, 3], Rules())
    assert [game.may_end(laid([1, 2, 3], Rules(), dealt)) for dealt in range(4)] == [
        False,
        False,
        False,
        True,
    ]
    assert not Game([4, 6], Rules()).may_end(laid([4, 6], Rules(), 2))
    rules = Rules(discard=OPTIONAL)
    assert Game([4, 6], rules).may_end(laid([4, 6], rules, 2))


def test_the_target() -> None:
    values = [1, 2, 4, 6]
    assert play_policy(values, Rules(), "front").outcome == "lost"
    assert play_policy(values, Rules(target=1), "front").outcome == "lost"
    assert play_policy(values, Rules(target=2), "front").outcome == "won"
    assert play_policy(values, Rules(target=2), "front").remaining == 2


def test_the_target_never_ends_a_play_early() -> None:
    played = play_policy([K, K, 5, 1, 1, 1], Rules(target=1), "front")
    assert (played.outcome, played.dealt, played.remaining) == ("lost", 6, 4)


# 7. Recycling.


def test_discards_go_under_the_stock_in_the_order_they_lay() -> None:
    rules = Rules(piles=2, opening=1, recycle=True, wrap=True, totals=(10,))
    values = [1, 9, 3, 9, 4, 9, 2, 7, 7]
    game = Game(values, rules)
    position = laid(values, rules, 7)
    assert position.piles[0] == (0, 2, 4, 6)
    runs = {game.move(position, run).cards: run for run in game.legal_sets(position)}
    assert runs.keys() == {(0, 2, 4, 6)}
    assert game.take(position, runs[0, 2, 4, 6]).stock == (7, 8, 0, 2, 4, 6)
    rules = Rules(piles=2, opening=1, recycle=True, wrap=True, totals=(7,))
    game = Game(values, rules)
    runs = {game.move(position, run).cards: run for run in game.legal_sets(position)}
    assert runs.keys() == {(0, 4, 6), (2, 4)}
    after = game.take(position, runs[0, 4, 6])  # 4 2 round the seam to 1
    assert after.stock == (7, 8, 0, 4, 6)  # but the 1 lay first
    assert after.piles[0] == (2,)


def test_a_card_keeps_its_number_when_it_comes_round_again() -> None:
    rules = Rules(piles=2, opening=1, recycle=True)
    moves = [Move(3, 0, (0, 2), 10), Move(4, 1, (1, 3), 10)]
    assert replay([4, 3, 6, 7], rules, moves) == 0
    # 4 6 goes, and the 4 comes round on top of the ace and the five in the other pile.
    moves = [Move(3, 0, (0, 2), 10), Move(5, 1, (0, 1, 3), 10)]
    assert replay([4, 1, 6, 5], rules, moves) == 0


def test_recycling_is_lost_when_a_card_must_be_dealt_and_there_is_none() -> None:
    rules = Rules(piles=2, recycle=True, opening=1)
    played = play_policy([1, 2, 3], rules, "front")
    assert (played.outcome, played.dealt, played.remaining) == ("lost", 3, 3)
    plain = solve_plain([1, 2, 3], rules)
    assert (plain.winnable, plain.remaining) == (False, None)


def test_recycling_wins_by_clearing_only() -> None:
    rules = Rules(piles=2, recycle=True, opening=1, target=3)
    assert play_policy([1, 2, 3], rules, "front").outcome == "lost"
    assert not solve_plain([1, 2, 3], rules).winnable
    one_pile_used = Rules(piles=2, recycle=True, opening=1, min_cards=1)
    # K is taken and comes round to pile 1, is taken again: both are emptied.
    played = play_policy([K], one_pile_used, "front")
    assert (played.outcome, played.dealt, played.remaining) == ("won", 2, 0)
    assert [move.cards for move in played.moves] == [(0,), (0,)]
    assert replay([K], one_pile_used, played.moves) == 0


def test_a_position_that_recurs_is_a_draw() -> None:
    """Pile 0 is out at once; then a king comes and goes for ever, on top of the ace in pile 1."""
    rules = Rules(piles=2, opening=1, recycle=True, totals=(10,), min_cards=1)
    played = play_policy([K, 1, K], rules, "front")
    # After card 2 the stock is K K and after card 3 again: other kings, but the same values.
    assert (played.outcome, played.dealt, played.remaining) == ("draw", 3, 1)
    plain = solve_plain([K, 1, K], rules)
    assert (plain.winnable, plain.remaining) == (False, None)


@pytest.mark.parametrize("opening", [1, 2, 3, 7])
def test_a_position_tells_cards_received_only_up_to_the_opening(opening: int) -> None:
    """A king comes and goes on top of the ace, which has had one more card each time.

    The stock is empty when it comes, so that the pile is live whatever its opening.
    """
    rules = Rules(piles=2, opening=opening, recycle=True, totals=(10,), min_cards=1)
    played = play_policy([1, K], rules, "front")
    assert (played.outcome, played.dealt, played.remaining) == ("draw", opening + 2, 1)
    plain = solve_plain([1, K], rules)
    assert (plain.winnable, plain.remaining) == (False, None)


def test_the_acm_rules_order_of_discards() -> None:
    """1996 problem A: prefers first two and last, then first and last two, then the last three."""
    acm = decade.PRESETS["ten-twenty-thirty"]
    one_pile = Rules.from_dict(acm.to_dict() | {"piles": 1, "recycle": False, "opening": 6})
    all_three = [5, 2, 3, 5, 2, 3]  # 2+1: 5 2 .. 3; 1+2: 5 .. 2 3; 0+3: 5 2 3
    assert sets(all_three, one_pile) == {(0, 1, 5), (0, 4, 5), (3, 4, 5)}
    assert first_set(all_three, one_pile, "front") == (0, 1, 5)
    assert first_set([5, 9, 3, 5, 2, 3], one_pile, "front") == (0, 4, 5)
    assert first_set([9, 9, 3, 5, 2, 3], one_pile, "front") == (3, 4, 5)
    assert first_set(all_three, one_pile, "back") == (3, 4, 5)
    assert first_set([5, 2, 3, 9, 2, 3], one_pile, "back") == (0, 4, 5)


# Fixed policies.


def first_set(values: Sequence[int], rules: Rules, policy: Policy) -> tuple[int, ...]:
    return play_policy(values, rules, policy).moves[0].cards


FIRST_SETS: list[tuple[list[int], dict[str, Any], dict[str, tuple[int, ...]]]] = [
    # A pair at the front, a pair at the back, three and four cards in between.
    (
        [4, 6, 1, 2, 3, 4, 5, 5],
        {"totals": (10,)},
        {"front": (0, 1), "back": (6, 7), "longest": (2, 3, 4, 5), "shortest": (0, 1)},
    ),
    # Neither touches the front: the tie goes to more cards.
    (
        [1, 5, 5, K, 1],
        {},
        {"front": (1, 2, 3), "back": (1, 2, 3), "longest": (1, 2, 3), "shortest": (1, 2)},
    ),
    # As many cards: further to the front.
    (
        [1, 5, 5, 5, 1],
        {},
        {"front": (1, 2), "back": (1, 2), "longest": (1, 2), "shortest": (1, 2)},
    ),
    # The front policy goes by cards from the front on, not by all cards of the set.
    (
        [5, 5, 7, 1, 1, 1],
        {"totals": (10,), "wrap": True},
        {"front": (0, 1), "longest": (2, 3, 4, 5), "shortest": (0, 1)},
    ),
    # Round the seam two of the three lie in front; one lies at the back.
    (
        [1, 1, 3, 2, 6, 8],
        {"totals": (10,), "wrap": True},
        {"front": (0, 1, 5), "back": (0, 1, 5), "longest": (0, 1, 5), "shortest": (0, 1, 5)},
    ),
    # Nothing can be taken.
    ([1, 1, 1], {}, {}),
    # The whole pile takes as much from the front as from the back.
    ([5, 5, 5, 5], {}, {"front": (0, 1, 2, 3), "back": (0, 1, 2, 3), "shortest": (0, 1)}),
]


@pytest.mark.parametrize(("values", "changes", "expected"), FIRST_SETS)
def test_policies(
    values: list[int], changes: dict[str, Any], expected: dict[Policy, tuple[int, ...]]
) -> None:
    rules = Rules(opening=52, **changes)
    for policy, cards in expected.items():
        assert first_set(values, rules, policy) == cards, policy
    if not expected:
        assert play_policy(values, rules, "front").moves == ()


def test_a_set_at_the_front_and_the_same_number_from_the_front_goes_by_more_cards() -> None:
    # Round the seam: (5, 0) has one card in front, and so has (4, 5, 0).
    rules = Rules(opening=6, wrap=True, totals=(10, 20))
    values = [4, 1, 1, 1, K, 6]
    assert sets(values, rules) == {(0, 5), (0, 4, 5)}
    expected: dict[Policy, tuple[int, ...]]
    expected = {"front": (0, 4, 5), "shortest": (0, 5), "longest": (0, 4, 5)}
    for policy, cards in expected.items():
        assert first_set(values, rules, policy) == cards


def test_the_leftmost_pile_comes_first() -> None:
    values, rules = [4, 1, 6, 2, 9, 3, 9, 4], Rules(piles=2, opening=9, totals=(10,))
    for policy in POLICIES[:4]:
        played = play_policy(values, rules, policy)
        assert [(move.pile, move.cards) for move in played.moves] == [
            (0, (0, 2)),
            (1, (1, 3, 5, 7)),
        ]


def test_random_is_uniform_over_the_sets_and_repeatable() -> None:
    values, rules = [5, 5, 5, 5, 1, 1], Rules(totals=(10,))
    one = [play_policy(values, rules, "random", seed=seed) for seed in range(600)]
    again = [play_policy(values, rules, "random", seed=seed) for seed in range(600)]
    assert one == again
    firsts = [played.moves[0].cards for played in one]
    # After card 3 there are two sets.
    assert {firsts.count(cards) for cards in set(firsts)} <= set(range(240, 361))
    assert set(firsts) == {(0, 1), (1, 2)}
    two_piles = Rules(piles=2, opening=9, totals=(10,))
    picked = {
        play_policy([4, 3, 6, 7], two_piles, "random", seed=s).moves[0].pile for s in range(40)
    }
    assert picked == {0, 1}


def test_there_is_no_other_policy() -> None:
    with pytest.raises(ValueError, match="front, back, longest, shortest, random"):
        play_policy([K], Rules(), "middle")  # type: ignore[arg-type]


def test_policies_play_by_the_rules(seed: int) -> None:
    for case_seed in range(seed, seed + 200):
        r = random.Random(case_seed)
        rules = r.choice(list(decade.PRESETS.values()))
        values = [min(r.randint(1, 13), 10) for _ in range(r.randint(1, 30))]
        for policy in POLICIES:
            played = play_policy(values, rules, policy, seed=case_seed)
            if played.outcome == "draw":
                with pytest.raises(IllegalMove, match=r"must be taken|stops"):
                    replay(values, rules, played.moves[:-1])
                continue
            assert replay(values, rules, played.moves) == played.remaining, f"seed {case_seed}"
            if played.outcome == "won":
                assert played.remaining <= (0 if rules.recycle else rules.target)
            else:
                assert rules.recycle or played.remaining > rules.target


# Replay.


def test_replay_leaves_what_it_leaves() -> None:
    assert replay([1, 2, 3], Rules(), []) == 3
    assert replay([K, K, 5], Rules(), [Move(3, 0, (0, 1), 20)]) == 1
    assert replay([K, K, 5, 5, 4, 6], Rules(), [Move(*move) for move in FULL_CLEAR]) == 0


def test_replay_steps_show_the_piles_before_each_set_is_taken() -> None:
    steps = list(replay_steps([K, K, 5, 5], Rules(), (Move(*move) for move in FULL_CLEAR[:2])))
    assert [step.move for step in steps] == [*(Move(*move) for move in FULL_CLEAR[:2]), None]
    assert [step.position.piles for step in steps] == [((0, 1, 2),), ((2, 3),), ((),)]
    assert [step.position.stock for step in steps] == [(3,), (), ()]


PLAY = [Move(*move) for move in FULL_CLEAR]
ILLEGAL: list[tuple[list[Move], int, str]] = [
    ([], 0, "a set must be taken after card 3 is dealt"),
    (PLAY[:1], 1, "a set must be taken after card 4 is dealt"),
    (PLAY[:2], 2, "the play stops where a set must be taken"),
    ([PLAY[1]], 0, "a set must be taken after card 3 is dealt"),
    ([PLAY[0], PLAY[0]], 1, "no legal set of pile 0"),
    ([PLAY[0], Move(2, 0, (2, 3), 10)], 1, "when 2 cards have been dealt"),
    ([Move(-1, 0, (0, 1), 20)], 0, "when -1 cards have been dealt"),
    ([*PLAY, Move(6, 0, (), 0)], 3, "no legal set of pile 0"),
    ([*PLAY, Move(7, 0, (4, 5), 10)], 3, "when 7 cards have been dealt"),
    ([Move(3, 0, (0, 1), 10)], 0, "total 20, not 10"),
    ([Move(3, 0, (0, 2), 15)], 0, r"cards \[0, 2\] are no legal set of pile 0"),
    ([Move(3, 1, (0, 1), 20)], 0, "no legal set of pile 1"),
    ([Move(3, -1, (0, 1), 20)], 0, "no legal set of pile -1"),
    ([Move(3, 0, (1, 0), 20)], 0, "no legal set"),
    ([Move(3, 0, (0, 0, 1), 30)], 0, "no legal set"),
    ([Move(3, 0, (0, 6), 20)], 0, r"no card 6 in a deal of 6 \(counted from 0\)"),
    ([Move(3, 0, (-6, 1), 20)], 0, "no card -6"),
    ([PLAY[0], Move(6, 0, (4, 5), 10)], 1, "a set must be taken after card 4 is dealt"),
    ([Move(10**9, 0, (0, 1), 20)], 0, "a set must be taken after card 3 is dealt"),
]


@pytest.mark.parametrize(("moves", "index", "reason"), ILLEGAL)
def test_illegal_moves(moves: list[Move], index: int, reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason) as caught:
        replay([K, K, 5, 5, 4, 6], Rules(), moves)
    assert caught.value.index == index
    assert str(caught.value) == f"move {index + 1}: {caught.value.reason}"
    assert isinstance(caught.value, ValueError)


def test_optional_discards_may_be_left_lying() -> None:
    rules = Rules(discard=OPTIONAL, opening=1)
    assert replay([K, K, 5], rules, []) == 3
    assert replay([K, K, 5, 5], rules, [Move(4, 0, (0, 1), 20)]) == 2
    with pytest.raises(IllegalMove, match="when 5 cards have been dealt"):
        replay([K, K, 5, 5], rules, [Move(5, 0, (0, 1), 20)])


def test_nothing_is_dealt_after_a_win() -> None:
    rules = Rules(piles=2, opening=2)
    moves = [Move(3, 0, (0, 2), 10), Move(4, 1, (1, 3), 10)]
    values = [4, 3, 6, 7, 4, 6]
    assert replay(values, rules, moves) == 0
    with pytest.raises(IllegalMove, match="when 6 cards have been dealt") as caught:
        replay(values, rules, [*moves, Move(6, 0, (4, 5), 10)])
    assert caught.value.index == 2


# Moves as data.


def test_moves_as_objects() -> None:
    move = Move(6, 0, (0, 4, 5), 20)
    assert move.to_dict() == {"dealt": 6, "pile": 0, "cards": [0, 4, 5], "total": 20}
    assert Move.from_dict(move.to_dict()) == move
    assert hash(Move.from_dict(move.to_dict())) == hash(move)


GOOD = {"dealt": 6, "pile": 0, "cards": [0, 4, 5], "total": 20}
BAD_MOVES: list[object] = [
    None,
    [],
    "move",
    5,
    {},
    {key: GOOD[key] for key in ("dealt", "pile", "cards")},
    GOOD | {"more": 1},
    GOOD | {"cards": "045"},
    GOOD | {"cards": 4},
    GOOD | {"cards": None},
    GOOD | {"cards": [0, 4.0, 5]},
    GOOD | {"cards": [0, True, 5]},
    GOOD | {"cards": [[0], 4, 5]},
    GOOD | {"dealt": "6"},
    GOOD | {"dealt": 6.0},
    GOOD | {"pile": False},
    GOOD | {"pile": None},
    GOOD | {"total": [20]},
]


@pytest.mark.parametrize("data", BAD_MOVES, ids=str)
def test_what_is_no_move(data: object) -> None:
    with pytest.raises(ValueError, match="move"):
        Move.from_dict(data)
