"""`terrarium demo`: one battle in the terminal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import tyro
from rich.table import Table

from terrarium.cli.tables import TICKS_PER_S, army_text, new_table, open_console
from terrarium.data.battles.scenarios import load_scenario
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.demo import Moment

# The engine has its own MAX_SEED; asking it would load numba.
MAX_SEED = 2**63 - 1
TICKS_PER_S_PLAYED = 22.4  # at the speed "faster", at which the game is played
BAR_CELLS = 12


@dataclass(frozen=True)
class Demo:
    """Play one battle and print its course.

    A script leads the passive allies: the weakest enemy in range, else the nearest.

    Example:  terrarium demo smac/MMM2 --seed 7
    """

    scenario: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[SCENARIO]")] = (
        "smac/2s3z"
    )
    """a scenario, or a scenario file of your own; see: terrarium list scenarios"""
    seed: int = 0
    """which battle: the same seed plays the same battle"""

    def __post_init__(self) -> None:
        if not 0 <= self.seed <= MAX_SEED:
            raise TerrariumError(f"seed is {self.seed}; allowed are 0 to {MAX_SEED}")

    def run(self) -> None:
        scenario = load_scenario(self.scenario)
        from terrarium.demo import outcome, play
        from terrarium.engine.simulator import Simulator

        sim = Simulator(scenario)
        sim.reset(self.seed)
        moments, engine_s = play(sim)
        console = open_console(piped_width=80)
        console.print(f"{scenario.name}, seed {self.seed}: {scenario.title}\n")
        console.print(_course_table(moments, "█░" if console.encoding.startswith("utf") else "#."))
        ticks = int(sim.ticks[0])
        speed = ticks / max(engine_s, 1e-9) / TICKS_PER_S_PLAYED
        console.print(
            f"\n{outcome(sim)}\n{ticks:,} ticks in {1e3 * engine_s:.1f} ms: "
            f"{speed:,.0f} times as fast as the game is played."
        )


def _course_table(moments: Sequence["Moment"], cells: str) -> Table:
    """The moments in which something changed."""
    table = new_table()
    table.add_column("time", justify="right")
    table.add_column("allies", style="green", no_wrap=True)
    table.add_column("enemies", style="red", no_wrap=True)
    table.add_column("allies lose", style="green")
    table.add_column("enemies lose", style="red")
    shown = None
    for moment in moments:
        bars = [_bar(*side, cells) for side in zip(moment.life, moment.n_alive, strict=True)]
        if bars != shown or moment is moments[-1]:
            table.add_row(f"{moment.tick / TICKS_PER_S:.1f} s", *bars, *map(army_text, moment.lost))
        shown = bars
    return table


def _bar(share: float, n_alive: int, cells: str) -> str:
    n_full = min(BAR_CELLS, math.ceil(share * BAR_CELLS))
    return cells[0] * n_full + cells[1] * (BAR_CELLS - n_full) + f" {n_alive:>2}"
