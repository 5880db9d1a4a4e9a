"""Pictures of surveys, SVG or PNG: what is left over under one rule set, or the rates of several.

Colours are from Okabe and Ito's palette, which colour-blind people can tell apart; no message rests
on colour alone. matplotlib is an extra and is imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from decade.survey import SURVEY_POLICIES
from decade.survey_state import Survey
from decade.survey_text import digits_for, percent, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOOK = 1 / 50
"""The chance to win that Morehead and Mott-Smith gave in 1949."""
BLUE, ORANGE, VERMILLION, GREEN = "#0072B2", "#E69F00", "#D55E00", "#009E73"
GREY = "#777777"
POLICY_MARKS = {
    "random": ("o", ORANGE, "random player"),
    "longest": ("^", GREEN, "longest set first"),
    "shortest": ("v", VERMILLION, "shortest set first"),
    "front": ("<", "#56B4E9", "front first"),
    "back": (">", "#CC79A7", "back first"),
    "advise": ("D", "black", "by advice"),
}
_SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "decade",  # the same survey, the same file
    "svg.fonttype": "none",  # text stays text, that can be found and read aloud
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}


class PlotError(ValueError):
    """A picture that cannot be drawn."""


def check_path(path: Path) -> None:
    """Refuse a picture that could not be drawn, before hours of counting.

    Raises:
        PlotError: if the name does not end in .svg or .png, its folder does not exist, or
            matplotlib is not installed.
    """
    if path.suffix.lower() not in (".svg", ".png"):
        raise PlotError(f"{path}: a picture is .svg or .png")
    if not path.parent.is_dir():
        raise PlotError(f"{path}: there is no such folder")
    try:
        import matplotlib  # noqa: F401, PLC0415 (slow, and an extra)
    except ImportError as error:
        extra = "pip install 'decade-solver[plot]'"
        raise PlotError(f"--plot needs matplotlib: {extra}") from error


def draw(surveys: Sequence[Survey], path: Path) -> None:
    """Draw one survey's remainders, or several surveys' rates.

    Raises:
        PlotError: if there is nothing to draw, or the file cannot be written.
    """
    from matplotlib import rc_context  # noqa: PLC0415 (slow)
    from matplotlib.figure import Figure  # noqa: PLC0415

    drawn = [survey for survey in surveys if survey.tally.deals]
    if not drawn:
        raise PlotError("there is no deal to draw")
    with rc_context(_SETTINGS):  # type: ignore[arg-type]
        height = 4.2 if len(drawn) == 1 else 1.7 + 0.36 * len(drawn)
        figure = Figure(figsize=(8, height), layout="constrained")
        axes = figure.subplots()
        if len(drawn) == 1:
            _remainders(axes, drawn[0])
        else:
            _rates(axes, drawn)
        dates = {"Date": None} if path.suffix.lower() == ".svg" else {}
        try:
            figure.savefig(path, dpi=150, metadata=dates)
        except OSError as error:
            raise PlotError(f"{path}: cannot be written: {error.strerror or error}") from error


def _remainders(axes: Axes, survey: Survey) -> None:
    """Draw how many deals leave how many cards at best; those without a remainder stand behind."""
    tally, rules = survey.tally, survey.plan.rules
    shares = {left: 100 * count / tally.deals for left, count in tally.remaining.items()}
    won = percent(survey.rate or 0.0, digits=digits_for(*survey.interval))
    axes.bar([0], [shares.pop(0, 0.0)], color=BLUE, width=0.8, label=f"winnable: {won}")
    most = max(shares, default=0)
    ticks = {left: str(left) for left in range(5, most + 1, 5)}
    ticks[0] = f"0 to {rules.target}" if rules.target else "0"
    label = "unwinnable, by the fewest cards left"
    if rules.recycle:
        shares, label = {2: 100 * tally.unwinnable / tally.deals}, "unwinnable"
        most, ticks[2] = 2, "not won"
    style: dict[str, Any] = {"width": 0.8, "edgecolor": "white", "linewidth": 0}
    axes.bar(list(shares), list(shares.values()), color=ORANGE, hatch="///", label=label, **style)
    if tally.unknown:
        most += 2
        ticks[most] = "?"
        share = 100 * tally.unknown / tally.deals
        axes.bar([most], [share], color=GREY, hatch="...", label="unknown", **style)
    axes.set_xlim(-1, most + 1)
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.set_xlabel("cards left at best")
    axes.set_ylabel("share of deals (%)")
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.set_title(f"{title(rules)}: what is left of {tally.deals:,} random deals", loc="left")
    axes.legend(frameon=False)


def _rates(axes: Axes, surveys: Sequence[Survey]) -> None:
    """Draw each rule set's rate with its interval, the policies', and the book's."""
    ordered = sorted(surveys, key=lambda survey: survey.rate or 0.0)
    for row, survey in enumerate(ordered):
        low, high = survey.interval
        rate = survey.rate or 0.0
        axes.barh(row, 100 * rate, color=BLUE, height=0.7, label="" if row else "can be won")
        axes.errorbar(
            100 * rate,
            row,
            xerr=[[100 * (rate - low)], [100 * (high - rate)]],
            color="black",
            capsize=3,
            linewidth=1.2,
        )
        axes.text(101.5, row, percent(rate, digits=min(3, digits_for(low, high))), va="center")
    axes.axvline(100 * BOOK, color="white", linewidth=4)  # keeps it apart from the bars
    label = "the book of 1949: 1 in 50"
    axes.axvline(100 * BOOK, color="black", linestyle=(0, (4, 2)), label=label)
    played = [policy for policy in SURVEY_POLICIES if any(policy in s.tally.plays for s in ordered)]
    for place, policy in enumerate(played):
        mark, colour, name = POLICY_MARKS[policy]
        lift = 0.5 * (place / max(1, len(played) - 1) - 0.5) if len(played) > 1 else 0.0
        rows = [row for row, survey in enumerate(ordered) if policy in survey.tally.plays]
        axes.plot(
            [100 * ordered[row].tally.plays[policy].won / ordered[row].tally.deals for row in rows],
            [row + lift for row in rows],
            mark,
            color=colour,
            markeredgecolor="white",
            markeredgewidth=0.8,
            markersize=8,
            clip_on=False,
            zorder=4,
            label=name,
        )
    axes.set_yticks(range(len(ordered)), [title(survey.plan.rules) for survey in ordered])
    axes.set_xlim(0, 100)
    axes.set_ylim(-0.6, len(ordered) - 0.4)
    axes.set_xlabel("share of random deals (%), with 95 % intervals")
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    deals = {survey.tally.deals for survey in ordered}
    each = f"{min(deals):,} deals {'each' if len(deals) == 1 else 'or more each'}"
    axes.set_title(f"How often 10-20-30 can be won ({each})", loc="left")
    handles, labels = axes.get_legend_handles_labels()
    first = labels.index("can be won")
    order = [first, *(at for at in range(len(labels)) if at != first)]
    axes.figure.legend(
        [handles[at] for at in order],
        [labels[at] for at in order],
        loc="outside lower center",
        ncols=3,
        frameon=False,
    )
