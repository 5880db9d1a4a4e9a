"""Deals: what is read, what is printed, and every slip of the hand that is caught."""

from __future__ import annotations

import pickle
import random
from itertools import product

import pytest

from decade.cards import MAX_CARDS, Card, Deal, DealError, show

PACK = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
RANK_SPELLINGS = {
    **{str(rank): rank for rank in range(1, 14)},
    **dict(zip("ATJQK", (1, 10, 11, 12, 13), strict=True)),
    **dict(zip("atjqk", (1, 10, 11, 12, 13), strict=True)),
}
SUIT_SPELLINGS = dict(zip("CDHScdhs♣♦♥♠", "CDHS" * 3, strict=True))


def error_of(text: str, **options: object) -> DealError:
    with pytest.raises(DealError) as caught:
        Deal.parse(text, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return caught.value


def test_every_spelling_of_every_card() -> None:
    for (rank, number), (suit, letter) in product(RANK_SPELLINGS.items(), SUIT_SPELLINGS.items()):
        assert Card.parse(rank + suit) == Card(number, letter)
    for rank, number in RANK_SPELLINGS.items():
        assert Card.parse(rank) == Card(number, None, any_ten=rank == "10")


@pytest.mark.parametrize(
    ("token", "printed"),
    [("10", "10"), ("t", "T"), ("10s", "TS"), ("1", "A"), ("13♦", "KD"), ("q", "Q"), ("7c", "7C")],
)
def test_cards_print_as_they_parse(token: str, printed: str) -> None:
    card = Card.parse(token)
    assert str(card) == printed
    assert Card.parse(printed) == card


@pytest.mark.parametrize("suit", "♣♦♥♠")
def test_a_suit_drawn_as_emoji_is_that_suit(suit: str) -> None:
    assert Card.parse(f"9{suit}\ufe0f") == Card.parse(f"9{suit}")


@pytest.mark.parametrize(
    ("token", "hint"),
    [
        ("4X", "'X' is not a suit"),
        ("4♡", "'♡' is not a suit"),
        ("10O", "'O' is not a suit"),
        ("5ſ", "'ſ' is not a suit"),
        ("AK", "'K' is not a suit"),
        ("14", "no rank '14'"),
        ("0", "no rank '0'"),
        ("100", "no rank '100'"),
        ("14H", "no rank '14'"),
        ("XH", "no rank 'X'"),
        ("H4", "the rank comes first: write 4H"),
        ("d10", "the rank comes first: write 10D"),
        ("♠k", "the rank comes first: write K♠"),
        ("4H5C", "several cards run together"),
        ("10H2D9", "several cards run together"),
        ("H", "not a card"),
        ("joker", "not a card"),
        ("4HH", "no rank '4H'"),
        ("-3", "not a card"),
        ("٤", "not a card"),
        ("\u212a", "not a card"),
        ("4\ufe0f", "is not a suit"),
        ("H\ufe0f", "not a card"),
    ],
)
def test_a_bad_token_is_named_with_its_place_and_the_slip(token: str, hint: str) -> None:
    error = error_of(f"AC 2C, {token} 3C")
    assert (error.token, error.position) == (token, 3)
    assert hint in error.reason
    assert str(error).startswith("card 3: ")
    with pytest.raises(DealError) as alone:
        Card.parse(token)
    assert (alone.value.token, alone.value.position) == (token, None)


def test_an_empty_token_is_no_card() -> None:
    with pytest.raises(DealError, match="not a card"):
        Card.parse("")


@pytest.mark.parametrize("token", ["x" * 100_000, "9" * 100_000, "4" + "é" * 5000 + "H"])
def test_long_tokens_are_shown_shortened(token: str) -> None:
    error = error_of(token)
    assert error.token == token
    assert len(str(error)) < 250


@pytest.mark.parametrize("token", ["\x1b[31m", "4\x00", "\u202e4H", "\ufeff4H", "\x07", "\ud800"])
def test_unprintable_tokens_are_shown_escaped(token: str) -> None:
    error = error_of(token)
    assert error.token == token
    assert str(error).isprintable()


def test_errors_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(error_of("4H 4X")))
    assert (error.token, error.position) == ("4X", 2)
    assert str(error) == str(error_of("4H 4X"))


@pytest.mark.parametrize(
    "arguments",
    [(0,), (14,), (True,), (4.0,), ("4",), (10**5000,), (4, "X"), (4, "h"), (4, "CD"), (4, 1)],
)
def test_cards_that_are_none(arguments: tuple[object, ...]) -> None:
    with pytest.raises(DealError):
        Card(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(("rank", "suit", "any_ten"), [(9, None, True), (10, "H", True)])
def test_only_a_plain_ten_is_any_ten(rank: int, suit: str | None, any_ten: bool) -> None:
    with pytest.raises(DealError, match="any_ten"):
        Card(rank, suit, any_ten)


def test_separators_and_comments() -> None:
    text = "\t4h,8C ,\r\n 10, # a ten, any\n#KS\r♠ ".replace("♠", "k♠") + "\u00a0Qd,,"
    assert str(Deal.parse(text)) == "4H 8C 10 KS QD"


def test_a_deal_keeps_order_and_counts() -> None:
    deal = Deal.parse("KS 10 AH TD J", name="x")
    assert len(deal) == 5
    assert deal.values() == (10, 10, 1, 10, 10)
    assert deal.values((11, 12, 13)) == (13, 10, 1, 10, 11)
    assert deal.name == "x"


def test_equality_is_of_cards_and_lists_are_taken() -> None:
    assert Deal.parse("4H", name="a") == Deal.parse("4♥") == Deal([Card(4, "H")])  # type: ignore[arg-type]
    assert hash(Deal.parse("4H", name="a")) == hash(Deal.parse("4h"))
    assert Deal.parse("T") != Deal.parse("10")


@pytest.mark.parametrize("text", ["", " ,\n, ", "# 4H 5C"])
def test_no_cards(text: str) -> None:
    error = error_of(text)
    assert "from 1 to 104 cards" in str(error)
    assert "none" in str(error)
    with pytest.raises(DealError, match="none"):
        Deal(()).check()


def test_sizes() -> None:
    assert len(Deal.parse(" ".join(PACK))) == 52
    assert len(Deal.parse(" ".join(PACK * 2))) == MAX_CARDS
    assert len(Deal.parse(" ".join([*PACK, "4H"]))) == 53
    error = error_of(" ".join([*PACK, *PACK, "4H"]))
    assert "104" in str(error)
    assert "105" in str(error)
    with pytest.raises(DealError, match="105"):
        Deal((Card(10, None, any_ten=True),) * 105).check()
    assert "more than the 52 of one pack" in str(error_of(" ".join([*PACK, "4H"]), packs=1))


@pytest.mark.parametrize("packs", [0, -1, 3, True, 1.0, "1", 10**5000], ids=show)
def test_packs_is_one_or_two(packs: object) -> None:
    assert "packs is 1 or 2" in str(error_of("4H", packs=packs))


def test_a_card_twice_is_named_with_all_its_places() -> None:
    error = error_of("AC 4h KD 4♥ 2C 4H")
    assert (error.token, error.position) == ("4H", 4)
    assert str(error) == (
        "card 4: '4H': 4H occurs 3 times, as cards 2, 4 and 6, but one pack has only 1"
    )
    assert "cards 1 and 3" in str(error_of("10S 9S TS"))


def test_two_packs_hold_a_card_twice() -> None:
    assert len(Deal.parse("4H 4H", packs=2)) == 2
    error = error_of("4H 9C 4H 4H", packs=2)
    assert error.position == 4
    assert "cards 1, 3 and 4, but two packs have only 2" in str(error)
    assert "cards 1, 53 and 54" in str(error_of(" ".join([*PACK, PACK[0], PACK[0]])))


@pytest.mark.parametrize("packs", [1, 2])
@pytest.mark.parametrize("rank", "A23456789TJQK")
def test_a_rank_occurs_four_times_a_pack(rank: str, packs: int) -> None:
    most = 4 * packs
    Deal.parse(f"{rank} " * most, packs=packs)
    error = error_of(f"{rank} " * (most + 1), packs=packs)
    assert (error.token, error.position) == (rank, most + 1)
    assert f"the rank {rank} occurs {most + 1} times" in str(error)
    assert ", ".join(map(str, range(1, most + 1))) in str(error)


def test_suits_and_plain_ranks_count_together() -> None:
    Deal.parse("AC AD AH A")
    assert "cards 1, 3, 4, 5 and 6" in str(error_of("AC 2C AD A A AS"))


@pytest.mark.parametrize("packs", [1, 2])
def test_plain_tens_stand_for_any_ten_valued_card(packs: int) -> None:
    Deal.parse("10 " * 16 * packs, packs=packs)
    Deal.parse("10 " * 4 * packs + "T J Q K " * 3 * packs, packs=packs)
    error = error_of("2C " + "10 " * (4 * packs + 1) + "T J Q K " * 3 * packs, packs=packs)
    assert (error.token, error.position) == ("K", 16 * packs + 2)
    assert f"(10 T J Q K) occurs {16 * packs + 1} times, as cards 2, 3" in str(error)
    assert f"only {16 * packs}" in str(error)


def test_named_ten_valued_cards_stay_at_four() -> None:
    for rank in "TJQK":
        error = error_of(f"10 {rank} {rank}H {rank} {rank} {rank}")
        assert error.position == 6
        assert ("plain 10 may be" in str(error)) == (rank == "T")


def test_a_plain_ten_is_the_rank_ten_with_other_face_values() -> None:
    seven_up = (11, 12, 13)
    deal = Deal.parse("10 10 TH T J J J J K", face_values=seven_up)
    assert Deal.parse(str(deal), face_values=seven_up) == deal
    error = error_of("10 10 TH T 10", face_values=seven_up)
    assert (error.token, error.position) == ("10", 5)
    assert "the rank T occurs 5 times" in str(error)
    Deal.parse("10 10 TH T 10", face_values=[10, 10, 10])
    with pytest.raises(DealError, match="the rank T"):
        Deal.parse("10 " * 5).check(face_values=(10, 10, 11))


@pytest.mark.parametrize(
    ("line", "name", "cards"),
    [
        ("4H 8C", "given", "4H 8C"),
        ("first: 4H 8C\n", "first", "4H 8C"),
        ("first:4H 8C", "first", "4H 8C"),
        ("  two words :  4H\t8C  # note: a\tb", "two words", "4H 8C"),
        ("a\t4H 8C\r\n", "a", "4H 8C"),
        ("7\t4H 8C", "7", "4H 8C"),
        ("K\t4H", "K", "4H"),
        ("pysol:12\t4H 8C", "pysol:12", "4H 8C"),
        ("easy, deal 5: x\t4H\t8C", "easy, deal 5: x", "4H 8C"),
        ("a:\t4H\t8C", "a", "4H 8C"),
        ("12:30: 4H", "12:30", "4H"),
        ("12:30:4H", "12:30", "4H"),
        ("4H: 8C", "4H", "8C"),
        ("Ünï ♥\t8C", "Ünï ♥", "8C"),
    ],
)
def test_lines_of_a_deal_file(line: str, name: str, cards: str) -> None:
    deal = Deal.parse_line(line, name="given")
    assert (deal.name, str(deal)) == (name, cards)


@pytest.mark.parametrize("line", [": 4H", ":4H", "\t4H 8C", "   : 4H", "  \t4H"])
def test_an_empty_name(line: str) -> None:
    with pytest.raises(DealError, match="name before the cards is empty"):
        Deal.parse_line(line)


@pytest.mark.parametrize("line", ["4H\t8C\tKD", "4H\t8C", "4H 8C\tKD", "7\t8\t9", "4,5\tKD"])
def test_cards_before_a_tab_are_never_taken_for_a_name(line: str) -> None:
    with pytest.raises(DealError, match="may be a name or cards"):
        Deal.parse_line(line)


@pytest.mark.parametrize("line", ["name:", "name: # 4H", "# name: 4H", "", "\n"])
def test_lines_without_cards(line: str) -> None:
    with pytest.raises(DealError, match="none"):
        Deal.parse_line(line)


def test_a_line_is_one_line_and_positions_count_cards() -> None:
    with pytest.raises(DealError, match="several lines"):
        Deal.parse_line("a: 4H\nb: 5H")
    with pytest.raises(DealError) as caught:
        Deal.parse_line("some name: 4H 4X")
    assert caught.value.position == 2
    with pytest.raises(DealError, match="4H occurs 2 times"):
        Deal.parse_line("a: 4H 4H", packs=1)
    assert len(Deal.parse_line("a: 4H 4H", packs=2)) == 2
    with pytest.raises(DealError, match="the rank T"):
        Deal.parse_line("a: 10 10 10 10 10", face_values=(11, 12, 13))


def test_random_deals_go_round() -> None:
    rng = random.Random(1949)
    for _ in range(500):
        tokens = rng.sample(PACK * 2, rng.randint(53, 104))
        if rng.random() < 0.5:
            tokens = rng.sample(PACK, rng.randint(1, 52))
        tokens = [rng.choice([token, token.lower(), token[0]]) for token in tokens]
        tokens = ["10" if token in ("J", "Q", "K", "T") else token for token in tokens]
        deal = Deal.parse(rng.choice([" ", ",", ", ", "\n"]).join(tokens))
        assert len(deal) == len(tokens)
        assert Deal.parse(str(deal)) == deal
        assert str(Deal.parse(str(deal))) == str(deal)


def test_mutated_deals_end_as_deals_or_deal_errors() -> None:
    seed = 816
    rng = random.Random(seed)
    noise = "A1023JQKTtkCDHS♣♦♥♠ ,:#\t\n\r\x00\x1b\ufe0f\u202e\ud800٤éxX-."
    errors: list[DealError] = []
    for round_number in range(4000):
        text = list(" ".join(rng.sample(PACK * 2, rng.randint(1, 60))))
        for _ in range(rng.randint(0, 4)):
            place = rng.randrange(len(text) + 1)
            text[place : place + rng.randint(0, 3)] = rng.choices(noise, k=rng.randint(0, 3))
        parse = rng.choice([Deal.parse, Deal.parse_line])
        try:
            deal = parse("".join(text))
        except DealError as error:
            errors.append(error)
        else:
            assert Deal.parse(str(deal)) == deal, (seed, round_number)
    assert 500 < len(errors) < 3900
    assert all(str(error).isprintable() for error in errors)
    assert all(error.position is None or 1 <= error.position <= 104 for error in errors)
