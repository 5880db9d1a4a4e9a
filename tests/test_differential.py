"""The compiled search against the plain solver, on random rules and random decks.

A deck is a list of point values, so anything goes: values beyond a byte, totals beyond the search's
bit set, sums around what the kernel for straight lines takes. A deck that the two disagree on is
made smaller while they still do, and kept as a line of ``regressions.jsonl``, where it is run for
ever. The seed of each case is printed, and ``DECADE_SEED`` set to it makes it the first case drawn.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import decade
from decade.play import Move, replay
from decade.reference import Plain, solve_plain
from decade.rules import Discard, Rules
from decade_ext.search import Search, Stop

REGRESSIONS = Path(__file__).parent / "regressions.jsonl"
CASES = 3_150
COMPARED = 3_000
NODE_LIMIT = 10_000
"""What random cases may cost; plain Python takes seconds for those beyond, so they are skipped."""
MEMOS = (0, 1, 7, 64)
MOST_CARDS = 24

MakeSearch = Callable[..., Search]
Found = tuple[int, int, int, list[tuple[int, int, tuple[int, ...]]], Any, str | None]


def draw_values(r: random.Random) -> list[int]:
    """Draw a deck: few or many values, small or beyond a byte and beyond the search's bit set."""
    scale = r.choice([4, 10, 10, 10, 10, 13, 13, 40, 64, 300, 5000])
    count = r.randint(1, MOST_CARDS)
    if scale <= 13:
        return [min(r.randint(1, scale + 3), scale) for _ in range(count)]
    kinds = [r.randint(1, scale) for _ in range(r.randint(1, 5))]
    return [r.choice(kinds) for _ in range(count)]


def draw_totals(r: random.Random, values: Sequence[int]) -> list[int]:
    """Draw totals: usual ones, or such that the deck's neighbours make."""
    if max(values) <= 13 and r.random() < 0.75:
        usual = [5, 7, 9, 10, 11, 13, 15, 19, 20, 21, 25, 29, 30, 35]
        return r.choice([[10, 20, 30], r.sample(usual, r.randint(1, 4))])
    starts = [r.randrange(len(values)) for _ in range(r.randint(1, 4))]
    return [sum(values[start : start + r.randint(1, 4)]) for start in starts]


def draw_rules(r: random.Random, values: Sequence[int]) -> Rules:
    """Draw forced rules under which the deck has something to do."""
    piles = r.choice([1, 1, 1, 1, 2, 3, 4, 5])
    recycle = piles > 1 and r.random() < 0.25
    least = r.choice([1, 2, 2, 2, 3])
    return Rules(
        totals=tuple(draw_totals(r, values)),
        min_cards=least,
        max_cards=r.choice([None, None, least, least + 1, 5]),
        wrap=r.random() < 0.4,
        reach=decade.Reach(r.choice(["any", "any", "top", "ends"])),
        piles=piles,
        opening=r.choice([1, 2, 3, 3, 4, 6, 30]),
        recycle=recycle,
        target=r.choice([0, 0, 0, 1, 2, 5]),
    )


def has_sets(rules: Rules, values: Sequence[int]) -> bool:
    """Say whether some neighbours make a set if the piles are dealt to in turn."""
    for first in range(rules.piles):
        pile = values[first :: rules.piles]
        for start in range(len(pile)):
            for end in range(start + rules.min_cards, len(pile) + 1):
                if sum(pile[start:end]) in rules.totals:
                    return True
    return False


def draw(seed: int) -> tuple[Rules, list[int]]:
    """Draw a case, mostly one in which sets can be taken."""
    r = random.Random(seed)
    for _ in range(r.randint(1, 10)):
        values = draw_values(r)
        rules = draw_rules(r, values)
        if has_sets(rules, values):
            break
    return rules, values


def left_by(rules: Rules, values: Sequence[int], moves: Sequence[Any]) -> int:
    """Replay a play as the search gives it."""
    play = [
        Move(dealt, pile, cards, sum(values[card] for card in cards))
        for dealt, pile, cards in moves
    ]
    return replay(values, rules, play)


def compare(search: Search, rules: Rules, values: Sequence[int]) -> str:
    """Say in what the search differs from the plain solver, counting plays or not; '' if in none.

    A recycling deal that the search wins is proved by its play: plain Python tries the sets in
    another order and may take for ever to come upon a win.
    """
    plain: Plain | None = None
    for count in {not rules.recycle, False}:
        verdict, remaining, _, moves, counts, limit = search.solve(values, count=count)
        if limit is not None:
            return f"stopped by {limit}"
        if remaining >= 0 and left_by(rules, values, moves) != remaining:
            return f"the play leaves {left_by(rules, values, moves)}, not {remaining}"
        if verdict == 1 and not 0 <= remaining <= (0 if rules.recycle else rules.target):
            return f"won with {remaining} remaining, target {rules.target}"
        if verdict == 1 and rules.recycle:
            continue
        plain = plain or solve_plain(values, rules, count=not rules.recycle)
        if verdict != plain.winnable:
            return f"verdict {verdict}, plain {plain}"
        if verdict == 0 and remaining != (-1 if rules.recycle else plain.remaining):
            return f"{remaining} remaining, plain {plain}"
        if remaining < 0 and moves:
            return f"a play that means nothing: {moves}"
        if count and counts != (plain.lines, plain.winning_lines, plain.random_win):
            return f"counts {counts}, plain {plain}"
    return ""


def differs(make_search: MakeSearch, rules: Rules, values: Sequence[int]) -> str:
    try:
        return compare(make_search(rules), rules, values)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def shrink(make_search: MakeSearch, rules: Rules, values: list[int]) -> list[int]:
    """Leave cards out, one by one, while the two still differ."""
    place = 0
    while place < len(values) and len(values) > 1:
        fewer = values[:place] + values[place + 1 :]
        if differs(make_search, rules, fewer):
            values, place = fewer, 0
        else:
            place += 1
    return values


def report(make_search: MakeSearch, rules: Rules, values: list[int], seed: int) -> str:
    """Keep a case that differs, made small, and say how to see it again."""
    small = shrink(make_search, rules, values)
    why = differs(make_search, rules, small)
    line = json.dumps({"rules": rules.to_dict(), "values": small, "why": f"seed {seed}: {why}"})
    with REGRESSIONS.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    again = f"DECADE_SEED={seed} python -m pytest {Path(__file__).name} -k random_rules -x"
    return f"{why}\nnow in {REGRESSIONS.name}: {line}\nagain: {again}"


def cases(first: int, number: int) -> Iterator[tuple[int, Rules, list[int]]]:
    for seed in range(first, first + number):
        yield (seed, *draw(seed))


def test_random_rules_and_decks(make_search: MakeSearch, seed: int) -> None:
    skipped = compared = 0
    for case_seed, rules, values in cases(seed, CASES):
        searches = [make_search(rules, node_limit=NODE_LIMIT) for _ in range(2 - rules.recycle)]
        if any(s.solve(values, count=bool(i))[5] for i, s in enumerate(searches)):
            skipped += 1
            continue
        why = differs(make_search, rules, values)
        assert not why, report(make_search, rules, values, case_seed)
        compared += 1
    print(f"{compared} compared, {skipped} skipped, from seed {seed} on")
    assert compared >= COMPARED
    assert skipped < CASES / 100


def test_the_draw_has_everything(seed: int) -> None:
    drawn = [(rules, values) for _, rules, values in cases(seed, CASES)]
    wishes: list[Callable[[Rules, list[int]], Any]] = [
        lambda rules, values: rules.recycle and rules.wrap,
        lambda rules, values: max(values) > 255 and len(set(values)) > 1,
        lambda rules, values: max(rules.totals) > 4096,
        lambda rules, values: rules.totals[0] < 4096 < rules.totals[-1],
        lambda rules, values: max(rules.totals) in (61, 62, 63) and rules.piles == 1,
        lambda rules, values: rules.totals[0] % 2 and not rules.wrap,
        lambda rules, values: rules.min_cards == 1 and rules.piles > 1,
        lambda rules, values: rules.max_cards == rules.min_cards == 3,
        lambda rules, values: rules.opening > len(values) > 10,
        lambda rules, values: rules.piles > len(values) > 1,
        lambda rules, values: rules.reach == "ends" and rules.wrap and rules.piles > 1,
        lambda rules, values: rules.target and rules.recycle,
        lambda rules, values: len(values) == MOST_CARDS,
    ]
    for wanted in wishes:
        assert sum(bool(wanted(*case)) for case in drawn) >= 5


def regressions() -> list[Any]:
    with REGRESSIONS.open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    return [pytest.param(case, id=f"{n}-{case['why'][:40]}") for n, case in enumerate(cases, 1)]


@pytest.mark.parametrize("case", regressions())
def test_regression(case: dict[str, Any], make_search: MakeSearch) -> None:
    rules = Rules.from_dict(case["rules"])
    assert not differs(make_search, rules, case["values"])
    full = make_search(rules).solve(case["values"])
    for few in MEMOS:
        search = make_search(rules, memo_entries=few, node_limit=NODE_LIMIT)
        answer = search.solve(case["values"])
        if answer[5] is None:
            assert answer[:2] == full[:2]


@pytest.mark.parametrize("cards", [25, 36, 52, 78, 104])
def test_long_straight_lines(cards: int, make_search: MakeSearch, seed: int) -> None:
    """Sums on both sides of what the kernel for straight lines takes, and totals likewise."""
    for case_seed in range(seed, seed + 30):
        r = random.Random(f"{cards} {case_seed}")
        most = r.choice([9, 10, 12, 20, 45, 62])
        values = [min(r.randint(1, most + most // 3), most) for _ in range(cards)]
        totals = r.sample(range(most // 2 + 1, min(3 * most, 66)), r.randint(1, 3))
        rules = Rules(
            totals=tuple(totals),
            min_cards=r.choice([1, 2, 2, 3]),
            max_cards=r.choice([None, None, 4]),
            opening=r.choice([1, 3, 12]),
        )
        if make_search(rules, node_limit=2_000).solve(values, count=True)[5] is None:
            why = differs(make_search, rules, values)
            assert not why, report(make_search, rules, values, case_seed)


@pytest.mark.parametrize("total", [*range(250, 262), *range(1146, 1158)])
def test_lines_that_just_fit_their_kernel(total: int, make_search: MakeSearch) -> None:
    """255 and 1151 are the greatest sums that fit: the first sets of these lines end close by."""
    ends = {(62,): [31, 31], (40, 62): [22, 18, 22], (5, 61, 62): [2, 3, 57]}
    for totals, end in ends.items():
        middle, sixties = (total - sum(end)) % 60 + 60, (total - sum(end)) // 60 - 1
        values = [*[60] * sixties, 33, middle - 33, *end]
        assert sum(values) == total
        for more in ([], [4, 58, 3, 2, 60, 1, 1], [62, 63, 62, 31, 31]):
            rules = Rules(totals=totals)
            assert not differs(make_search, rules, [*values, *more])
            assert not differs(make_search, rules, [*values, *more][::-1])


@pytest.mark.parametrize("total", range(122, 134))
def test_piles_that_just_fit_their_kernel(total: int, make_search: MakeSearch) -> None:
    """127 is the greatest sum of two words; the other pile stays as it is."""
    for wrap in (False, True):
        for end in ([31, 31], [22, 18, 22], [2, 3, 57]):
            values = [55, total - 55 - sum(end), *end, 40, 60, 2]
            deal = [value for pair in zip(values, [63] * 9, strict=False) for value in pair]
            assert not differs(make_search, Rules(totals=(40, 62), piles=2, wrap=wrap), deal)


@pytest.mark.parametrize("pile_seed", [1, 4, 267])
def test_more_lines_than_the_kernel_for_piles_takes(
    pile_seed: int, make_search: MakeSearch
) -> None:
    """The first pile can lie in 1,300 to 2,400 ways when it goes live; the other one is stuck."""
    r = random.Random(pile_seed)
    deal = [value for _ in range(26) for value in (r.randint(1, 9), 16)]
    rules = Rules(totals=(6, 10, 15), piles=2, opening=26)
    assert not differs(make_search, rules, deal)
    assert not differs(make_search, rules, deal[:-1])


def test_face_values_beyond_a_byte(seed: int) -> None:
    """Through the front door: cards, rules with their own face values, results."""
    skipped = 0
    for case_seed in range(seed, seed + 300):
        r = random.Random(f"faces {case_seed}")
        faces = r.choice([(255, 256, 257), (300, 900, 4096), (4000, 5000, 10**6), (7, 3, 3)])
        tokens = [*r.sample("A23456789TJQK", r.randint(2, 5)), *"KKJ"]
        tokens = [r.choice(tokens) for _ in range(r.randint(1, 15))]
        tokens = [token for i, token in enumerate(tokens) if tokens[:i].count(token) < 4]
        deal = decade.Deal.parse(" ".join(tokens), face_values=faces)
        values = deal.values(faces)
        rules = Rules.from_dict(
            draw_rules(r, values).to_dict()
            | {"face_values": faces, "totals": [sum(values[:2]), *draw_totals(r, values)]}
        )
        result = decade.solve(deal, rules, node_limit=2_000)
        if result.verdict is decade.Verdict.UNKNOWN:
            skipped += 1
            continue
        winnable = result.verdict is decade.Verdict.WINNABLE
        if result.remaining is not None:
            assert decade.verify(deal, rules, result.moves) == result.remaining
            assert winnable == (result.remaining <= rules.target)
        if not (winnable and rules.recycle):
            plain = solve_plain(values, rules)
            assert winnable == plain.winnable, f"seed {case_seed}"
            assert winnable or result.remaining == plain.remaining, f"seed {case_seed}"
    assert skipped < 9


def test_memo_on_off_and_small_agree(make_search: MakeSearch, seed: int) -> None:
    """Also where another kernel than that with the memo decides, which then finds another play."""
    compared = 0
    for case_seed in range(seed, seed + 1_500):
        rules, values = draw(case_seed)
        values = values[: 7 if rules.recycle else 14]
        full: Found = make_search(rules, node_limit=NODE_LIMIT).solve(values)
        for few in MEMOS:
            small: Found = make_search(rules, memo_entries=few, node_limit=3_000).solve(values)
            if full[5] is None and small[5] is None:
                assert small[0] == full[0], f"memo of {few}, seed {case_seed}"
                if full[0] == 0 or not rules.target:
                    assert small[1] == full[1], f"memo of {few}, seed {case_seed}"
                if rules.recycle or rules.discard is Discard.OPTIONAL:
                    assert small[3] == full[3], f"memo of {few}, seed {case_seed}"
                    assert small[2] >= full[2], f"memo of {few}, seed {case_seed}"
                elif small[1] >= 0:
                    assert left_by(rules, values, small[3]) == small[1], f"seed {case_seed}"
                compared += 1
    assert compared >= 5_500


def test_a_memo_of_a_million_keys_is_exact(make_search: MakeSearch) -> None:
    """Of so many keys some share a hash of 32 bits; none may be taken for another.

    All states of these deals are explored, and each set that can be taken in one is a node. So
    their number is the deal's own, whatever order they come in and however they are written down:
    the kernel for straight lines and the other one, which counts plays, must agree on it, and a
    loop dealt backwards is the same loop. A state taken for a known one would leave out its nodes.
    """
    pack = [min(rank, 10) for rank in range(1, 14)] * 4
    random.Random(3).shuffle(pack)
    values = pack[:51]
    assert sum(values) % 10  # so that there is no win that ends the search
    line = make_search(Rules(opening=52)).solve(values)
    tree = make_search(Rules(opening=52)).solve(values, count=True)
    assert line[:3] == tree[:3]
    assert line[2] > 400_000
    loop = Rules(opening=52, wrap=True)
    assert make_search(loop).solve(values)[2] == make_search(loop).solve(values[::-1])[2] > 10**6


def test_solve_and_solve_many_agree(make_search: MakeSearch, seed: int) -> None:
    """All deals of one rule set by the array and one by one, with a search that is used again."""
    for case_seed in range(seed, seed + 150):
        r = random.Random(f"many {case_seed}")
        rules, _ = draw(case_seed)
        cards = r.randint(1, 20)
        deals = np.array(
            [[r.randint(1, r.choice([10, 255])) for _ in range(cards)] for _ in range(30)], np.uint8
        )
        many = decade.solve_many(deals, rules, node_limit=2_000)
        search = make_search(rules, node_limit=2_000)
        for deal, *answer in zip(deals.tolist(), *(a.tolist() for a in many), strict=True):
            assert search.solve(deal)[:3] == tuple(answer), f"seed {case_seed}: {rules}, {deal}"


def test_suits_do_not_matter(seed: int) -> None:
    """Which of the equal cards lies where changes nothing, not even the effort."""
    for case_seed in range(seed, seed + 60):
        r = random.Random(f"suits {case_seed}")
        rules = list(decade.PRESETS.values())[r.choice([0, 1, 2, 3, 4, 5, 6, 9, 10])]
        pack = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
        deal = r.sample(pack, r.choice([12, 30, 52]))
        suits = {rank: r.sample("CDHS", 4) for rank in "A23456789TJQK"}
        other = [card[0] + suits[card[0]]["CDHS".index(card[1])] for card in deal]
        plain_ranks = [card[0] for card in deal]
        results = [
            decade.solve(" ".join(cards), rules, node_limit=50_000)
            for cards in (deal, other, plain_ranks)
        ]
        for result in results[1:]:
            assert result.verdict is results[0].verdict, f"seed {case_seed}"
            assert result.moves == results[0].moves, f"seed {case_seed}"
            assert result.nodes == results[0].nodes, f"seed {case_seed}"


def random_deals(seed: int, deals: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    pack = np.array([min(rank, 10) for rank in range(1, 14)] * 4, np.uint8)
    return np.random.default_rng(seed).permuted(np.tile(pack, (deals, 1)), axis=1)


@pytest.mark.parametrize("name", ["decade", "loop", "seven-piles", "ten-twenty-thirty"])
def test_threads_do_not_matter(name: str, seed: int) -> None:
    deals = random_deals(seed, 9_000)  # three portions
    one = decade.solve_many(deals, name, node_limit=150)
    for threads in (2, 4, 9):
        several = decade.solve_many(deals, name, node_limit=150, threads=threads)
        for a, b in zip(one, several, strict=True):
            np.testing.assert_array_equal(a, b)


# Recycles for hours: a position hardly ever recurs.
ENDLESS = Rules(totals=(20,), min_cards=1, wrap=True, piles=2, opening=1, recycle=True)
ENDLESS_VALUES = (6, 3, 8, 5, 13, 13, 2, 13, 12, 4, 3, 3, 6, 12, 13, 8, 4, 2, 5, 5, 12, 9, 9)


def test_searches_overlap_in_time(make_search: MakeSearch) -> None:
    """While two searches that would not end run in threads, a third runs from start to end here.

    Did a search hold the interpreter's lock, this thread would not get a turn before the others hit
    their node limit, and they would no longer be running.
    """
    stop = Stop()
    started = [threading.Event(), threading.Event()]
    ended: list[object] = []

    def run(event: threading.Event) -> None:
        search = make_search(ENDLESS, stop=stop, node_limit=3_000_000)
        event.set()
        try:
            ended.append(search.solve(ENDLESS_VALUES))
        except KeyboardInterrupt:
            ended.append("stopped")

    threads = [threading.Thread(target=run, args=(event,)) for event in started]
    for thread in threads:
        thread.start()
    for event in started:
        assert event.wait(20)
    result = decade.solve("KC KH 4D 6S")
    running = [thread.is_alive() for thread in threads]
    stop.set()
    for thread in threads:
        thread.join(20)
    assert (str(result.verdict), running) == ("winnable", [True, True])
    assert ended == ["stopped", "stopped"]


def test_solve_in_parallel_threads_gives_the_same(seed: int) -> None:
    pack = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
    r = random.Random(seed)
    deals = [" ".join(r.sample(pack, 52)) for _ in range(40)]
    alone = [decade.solve(deal, "nine-columns", node_limit=20_000) for deal in deals]
    found: list[list[decade.Result]] = [[], []]

    def run(results: list[decade.Result]) -> None:
        results += [decade.solve(deal, "nine-columns", node_limit=20_000) for deal in deals]

    threads = [threading.Thread(target=run, args=(results,)) for results in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for results in found:
        assert [(r.verdict, r.moves, r.nodes) for r in results] == [
            (r.verdict, r.moves, r.nodes) for r in alone
        ]
