"""Node counts of 100 fixed deals of each preset, frozen: the search's effort may not drift unseen.

They are the same on every machine. Where a change of the search is meant to change them,

    python tests/test_nodes.py

writes ``tests/data/nodes.json`` anew, and a line in CHANGELOG.md says so.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from decade import PRESETS, Deal, solve_many
from decade.sources import PACK, seeded_cards

FROZEN = Path(__file__).parent / "data" / "nodes.json"
SEED, DEALS = 1949, 100


def count_nodes(preset: str) -> list[int]:
    """Give the nodes of each deal."""
    values = np.array(Deal(PACK).values(PRESETS[preset].face_values), np.uint8)
    found = solve_many(values[seeded_cards(SEED, 0, DEALS)], preset)
    assert (found.verdict != 2).all()
    return [int(nodes) for nodes in found.nodes]


def test_all_presets_are_frozen() -> None:
    assert list(json.loads(FROZEN.read_text())) == list(PRESETS)


@pytest.mark.parametrize("preset", PRESETS)
def test_nodes(preset: str) -> None:
    frozen, found = json.loads(FROZEN.read_text())[preset], count_nodes(preset)
    assert len(frozen) == DEALS
    changed = [deal for deal in range(DEALS) if frozen[deal] != found[deal]]
    assert not changed, (
        f"{len(changed)} of {DEALS} deals of {preset} take other node counts ({sum(frozen)} in all"
        f" before, {sum(found)} now), the first of them deal {changed[0]} of seed {SEED}. If that"
        " is meant, run `python tests/test_nodes.py` and say so in a line of CHANGELOG.md."
    )


def main() -> None:
    """Write the file anew, a preset a line."""
    rows = (f"{json.dumps(preset)}: {json.dumps(count_nodes(preset))}" for preset in PRESETS)
    FROZEN.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
