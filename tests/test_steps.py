"""A play step by step is the play that the rules replay, and its words say what happens."""

from __future__ import annotations

import random

import pytest

from decade import PRESETS, Deal, Rules, solve
from decade.drawing import LAYOUTS, table_lines, words_line
from decade.play import POLICIES, Game, IllegalMove, Move, play_policy, replay_steps
from decade.render import Paper, width_of
from decade.sources import seeded_deal
from decade.stepper import moved, screen
from decade.steps import Steps

PAPER = Paper()


def some_rules(chance: random.Random) -> Rules:
    """Draw rules of any kind."""
    piles = chance.choice((1, 1, 2, 3, 7))
    recycle = piles > 1 and chance.random() < 0.3
    low = chance.randint(1, 3)
    return Rules(
        totals=tuple(chance.sample(range(5, 31), chance.randint(1, 4))),
        min_cards=low,
        max_cards=chance.choice((None, low, low + 1)),
        wrap=chance.random() < 0.5,
        reach=chance.choice(("any", "top", "ends")),  # type: ignore[arg-type]
        piles=piles,
        opening=chance.randint(1, 5),
        discard="forced" if recycle else chance.choice(("forced", "optional")),  # type: ignore[arg-type]
        recycle=recycle,
        target=chance.choice((0, 0, 3)),
    )


def check_steps(deal: Deal, rules: Rules, moves: tuple[Move, ...]) -> None:
    """Hold the steps of a play to the engine, move by move."""
    game = Game(deal.values(rules.face_values), rules)
    steps = Steps.of(deal, rules, moves)
    assert steps.states[0].position == game.start()
    taken: list[Move] = []
    for index, state in enumerate(steps.states):
        position = state.position
        on_table = [card for pile in position.piles for card in pile]
        everywhere = [*position.stock, *on_table, *state.discards]
        assert sorted(everywhere) == list(range(len(deal)))
        if state.going is not None:
            legal = {game.move(position, run): run for run in game.legal_sets(position)}
            pile, cards, total = state.going
            move = Move(position.dealt, pile, tuple(sorted(cards)), total)
            assert list(cards) == [card for card in position.piles[pile] if card in cards]
            after = steps.states[index + 1]
            assert after.position == game.take(position, legal[move])
            assert after.taken == state.going
            taken.append(move)
        elif index < len(steps.states) - 1:
            after = steps.states[index + 1]
            assert after.position == game.deal(position)
            assert after.dealt == position.stock[0]
            assert after.discards == state.discards
    assert tuple(taken) == moves
    *_, (end, _) = replay_steps(game.values, rules, moves)
    assert steps.states[-1].position == end
    for index in range(len(steps.states)):
        assert steps.words(index, lambda card: str(deal.cards[card])).endswith(".")


@pytest.mark.parametrize("name", PRESETS)
def test_solutions_under_all_presets(name: str, seed: int) -> None:
    for index in range(5):
        deal = seeded_deal(seed, index)
        result = solve(deal, name, node_limit=100_000)
        if result.remaining is not None:
            check_steps(deal, result.rules, result.moves)


@pytest.mark.parametrize("name", PRESETS)
def test_plays_by_policies_under_all_presets(name: str, seed: int) -> None:
    for index, policy in enumerate(POLICIES):
        deal, rules = seeded_deal(seed, 100 + index), PRESETS[name]
        played = play_policy(deal.values(rules.face_values), rules, policy, seed=seed)
        if played.outcome != "draw":
            check_steps(deal, rules, played.moves)


def test_random_rules(seed: int) -> None:
    chance = random.Random(f"steps {seed}")
    for _ in range(150):
        rules = some_rules(chance)
        cards = seeded_deal(seed, chance.randrange(1000)).cards
        deal = Deal(cards[: chance.randint(1, 20)])
        played = play_policy(deal.values(), rules, "random", seed=chance.randrange(1000))
        if played.outcome != "draw":
            check_steps(deal, rules, played.moves)


def test_an_illegal_play_is_refused() -> None:
    with pytest.raises(IllegalMove, match="move 1"):
        Steps.of(Deal.parse("4 6 9"), Rules(), [Move(3, 0, (1, 2), 15)])


def said(deal: str, rules: Rules, moves: list[Move]) -> list[str]:
    steps = Steps.of(Deal.parse(deal), rules, moves)
    return [
        steps.words(index, lambda card: str(steps.deal.cards[card]))
        for index in range(len(steps.states))
    ]


def test_words() -> None:
    loop = said("9 2 5 A 3", PRESETS["loop"], list(solve("9 2 5 A 3", "loop").moves))
    assert loop[0] == "5 cards lie face down in the stock."
    assert loop[4] == "A is dealt to the loop. 9 and A total 10 and go next."
    assert loop[5] == "9 and A leave the loop, 10 in all."
    assert loop[7] == (
        "2, 5 and 3 leave the loop, 10 in all. The game is won: no card is left on the table."
    )
    single = said("K 4 2", PRESETS["face-up"], [Move(3, 0, (0,), 10)])
    assert single[3] == "2 is dealt to the line. K totals 10 and goes next."
    assert single[4] == "K leaves the line, 10 in all. The game ends with 2 cards left."
    target = said("K", Rules(target=4), [])
    assert target[0] == "1 card lies face down in the stock."
    assert target[1].endswith("The game is won with 1 card left, 4 or fewer being enough.")


def test_words_of_several_piles() -> None:
    rules = Rules(piles=2, opening=2, recycle=True)
    moves = [Move(3, 0, (0, 2), 10), Move(5, 1, (1, 3, 4), 20)]
    words = said("4 3 6 8 9", rules, moves)
    assert words[4] == (
        "4 and 6 leave pile 1, 10 in all, and go under the stock. "
        "Pile 1 is empty and out of the game."
    )
    assert words[7].endswith(
        "The game is won: no card is left on the table, with 5 cards still in the stock."
    )
    optional = Rules(piles=2, opening=1, discard="optional")  # type: ignore[arg-type]
    words = said("4 3 6 8", optional, [Move(4, 0, (0, 2), 10)])
    assert words[4] == "8 is dealt to pile 2. 4 and 6 of pile 1 total 10 and go next."


@pytest.mark.parametrize("symbols", [True, False])
@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("name", PRESETS)
def test_drawings_fit(name: str, width: int, *, symbols: bool) -> None:
    paper = Paper(width=width, symbols=symbols)
    deal, rules = seeded_deal(2, 0), PRESETS[name]
    played = play_policy(deal.values(rules.face_values), rules, "longest")
    if played.outcome == "draw":
        pytest.skip("the play goes on for ever")
    steps = Steps.of(deal, rules, played.moves)
    layouts = LAYOUTS if rules.piles == 1 and not rules.wrap else LAYOUTS[:1]
    for index, state in enumerate(steps.states):
        for layout in layouts:
            lines = [*words_line(steps, index, paper), *table_lines(steps, index, paper, layout)]
            assert max(map(width_of, lines)) <= width
            text = "\n".join(lines)
            assert symbols or text.isascii()
            assert bool(state.going) == ("[" in text)


def test_a_loop_is_drawn_closed_and_a_packet_in_layers() -> None:
    loop = Steps.of(Deal.parse("9 2 5 A 3"), PRESETS["loop"], solve("9 2 5 A 3", "loop").moves)
    assert list(table_lines(loop, 4, PAPER, "table")) == [
        "  stock  1 card",
        "   loop  ╭▸ [9] 2 5 [A] ╮",
        "         ╰──────────────╯",
        "   gone  0 cards",
    ]
    line = Steps.of(Deal.parse("K K 4 6"), Rules(), solve("K K 4 6").moves)
    packet = Paper(width=40, symbols=False)
    assert list(table_lines(line, 4, packet, "hand")) == [
        "         +-----------------------------+",
        "   line  | 4                           |",
        "         +-----------------------------+",
        "   deck  | #                           |",
        "         +-----------------------------+",
        "  under  | K K                         |",
        "         +-----------------------------+",
        "         1 card face down, 2 cards gone",
    ]


def test_a_screen_has_the_pile_in_question() -> None:
    rules = Rules(piles=52, opening=1)
    deal = seeded_deal(3, 0)
    steps = Steps.of(deal, rules, solve(deal, rules).moves)
    for index, state in enumerate(steps.states):
        rows = screen(steps, index, PAPER, "table", head=["head"], rows=24)
        assert len(rows) <= 24
        assert rows[-1].startswith("q: quit")
        if state.dealt is not None:
            assert any(row.strip().startswith(f"pile {state.position.last + 1} ") for row in rows)
    assert len(screen(steps, 30, PAPER, "table", head=["head"], rows=4)) == 4


def test_where_actions_lead() -> None:
    steps = Steps.of(Deal.parse("K K 4 6"), Rules(), solve("K K 4 6").moves)
    assert [bool(state.going) for state in steps.states] == [False] * 3 + [True, False, True, False]
    assert [moved(steps, 0, "next"), moved(steps, 6, "next"), moved(steps, 0, "back")] == [1, 6, 0]
    assert [moved(steps, at, "next set") for at in (0, 3, 5, 6)] == [3, 5, 6, 6]
    assert [moved(steps, at, "set before") for at in (6, 5, 3, 0)] == [5, 3, 0, 0]
    assert [moved(steps, 4, "first"), moved(steps, 4, "last"), moved(steps, 4, "")] == [0, 6, 4]
