"""A survey as lines of text: the rate and its interval, the policies, and what was left."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from decade.render import Paper, differences
from decade.rules import Rules
from decade.survey import CHANCE_BITS, Plays, SurveyPolicy
from decade.survey_state import Survey
from decade.wilson import wilson

LABEL = 14
POLICY_NAMES: Mapping[SurveyPolicy, str] = {
    "front": "front first",
    "back": "back first",
    "longest": "longest set",
    "shortest": "shortest set",
    "random": "random player",
    "advise": "by advice",
}


def title(rules: Rules) -> str:
    """Name a rule set: by the preset, or by how it differs from the standard game."""
    return rules.name or differences(rules)


def percent(share: float, *, digits: int = 2) -> str:
    """Print a share; never as 0 % or 100 % unless it is.

    >>> percent(0.33981), percent(1.0), percent(0.999999), percent(0.0000001, digits=3)
    ('33.98 %', '100 %', 'over 99.99 %', 'under 0.001 %')
    """
    least = 10.0**-digits
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    if 100 * share < least / 2:
        return f"under {least:.{digits}f} %"
    if 100 * share > 100 - least / 2:
        return f"over {100 - least:.{digits}f} %"
    return f"{100 * share:.{digits}f} %"


def digits_for(low: float, high: float) -> int:
    """Choose how many digits of a percentage an interval of this width makes worth printing.

    >>> digits_for(0.3369, 0.3428), digits_for(0.0, 1.0)
    (2, 1)
    """
    half = max(100 * (high - low) / 2, 1e-9)
    return max(1, 1 - math.floor(math.log10(half)))


def between(low: float, high: float) -> str:
    """Print an interval.

    >>> between(0.33688, 0.34275)
    '33.69 % to 34.27 %'
    """
    digits = digits_for(low, high)
    return f"{percent(low, digits=digits)} to {percent(high, digits=digits)}"


def one_in(winnable: int, deals: int) -> str:
    """Print odds.

    >>> one_in(2, 100), one_in(0, 100), one_in(9997, 10000)
    ('1 in 50', 'none of them', 'all but 1 in 3,333')
    """
    if not winnable:
        return "none of them"
    odds = deals / winnable
    if odds >= 1000:
        return f"1 in {odds:,.0f}"
    if 1 < odds < 1.01:
        return f"all but {one_in(deals - winnable, deals)}"
    return f"1 in {odds:.4g}"


def survey_lines(survey: Survey, paper: Paper) -> Iterator[str]:
    """Print a survey."""
    tally, rules = survey.tally, survey.plan.rules
    name = paper.style(title(rules), bold=True)
    if not tally.deals:
        yield f"{name}: no deal was decided in the time given"
        return
    low, high = survey.interval
    share = percent(survey.rate or 0.0, digits=digits_for(low, high))
    odds = one_in(tally.winnable, tally.deals)
    yield f"{name}: {share} winnable, {odds} (95 % interval {between(low, high)})"
    rows = {
        "deals": f"{tally.deals:,}: seed {survey.plan.seed}, index {_indices(survey)}",
        "winnable": f"{tally.winnable:,}",
        "unwinnable": f"{tally.unwinnable:,}",
        "unknown": f"{tally.unknown:,}",
    }
    for policy, plays in tally.plays.items():
        rows[POLICY_NAMES[policy]] = _policy(plays)
        if policy == "advise":
            rows[POLICY_NAMES[policy]] += f", of {survey.plan.samples:,} orders a choice"
    if tally.chances:
        mean = percent(tally.chance / (tally.chances << CHANCE_BITS), digits=4)
        rows["random, exact"] = f"{mean}, the mean chance over {tally.chances:,} deals"
    rows["nodes"] = "none: decided without a search"
    if tally.hardest is not None:
        rows["nodes"] = (
            f"{tally.nodes / tally.deals:,.1f} a deal; at most {tally.most:,}"
            f" (deal --seed {survey.plan.seed} --index {tally.hardest})"
        )
    if survey.seconds:
        speed = tally.deals / survey.seconds
        rows["time"] = f"{survey.seconds:,.1f} s, {speed:,.0f} deals a second"
    for label, text in rows.items():
        yield from paper.wrap(f"  {label:{LABEL}}", text.split(" "))
    yield ""
    yield from _histogram(survey, paper)


def _indices(survey: Survey) -> str:
    return ", ".join(
        str(start) if end == start + 1 else f"{start} to {end - 1}" for start, end in survey.ranges
    )


def _policy(plays: Plays) -> str:
    deals = plays.won + plays.lost + plays.draw
    low, high = wilson(plays.won, 0, deals)
    share = percent(plays.won / deals, digits=digits_for(low, high))
    draws = f", {plays.draw:,} draws" if plays.draw else ""
    return f"{share} won, {one_in(plays.won, deals)} ({between(low, high)}){draws}"


def _histogram(survey: Survey, paper: Paper) -> Iterator[str]:
    """Print a bar for each remainder, the longest as long as the paper is wide."""
    target, remaining = survey.plan.rules.target, survey.tally.remaining
    if not remaining:
        return
    most = max(remaining.values())
    column = len(f"{most:,}")
    room = paper.width - 2 - LABEL - column - 2
    mark = "█" if paper.symbols else "#"
    yield paper.style(f"  {'cards left':{LABEL}}{'deals':>{column}}", dim=True)
    for left, count in sorted(remaining.items()):
        label = f"0 to {target}" if target and not left else str(left)
        bar = mark * max(1, round(room * count / most))
        yield f"  {label:>10}{'':{LABEL - 10}}{count:>{column},}  {bar}"


def progress_text(survey: Survey, speed: float) -> str:
    """Print in few words how far a survey is."""
    low, high = survey.interval
    share = percent(survey.rate or 0.0)
    return f"{survey.tally.deals:,} deals {share} ±{50 * (high - low):.2g} % {speed:,.0f}/s"


def summary_lines(surveys: Iterable[Survey], paper: Paper) -> Iterator[str]:
    """Print several surveys, one after the other."""
    for number, survey in enumerate(surveys):
        if number:
            yield ""
        yield from survey_lines(survey, paper)
