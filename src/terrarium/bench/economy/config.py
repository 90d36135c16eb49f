"""What `terrarium bench economy` is asked for; loads nothing, so that help is quick."""

from dataclasses import dataclass

from terrarium.errors import TerrariumError

REPORT_LOOPS = 160
"""from one report of a recorded game to the next"""


@dataclass(frozen=True)
class EconomyBenchConfig:
    """Which recorded games are played back, and until when."""

    games: str
    """a JSON file of recorded games"""
    maps: str | None = None
    """folder of maps: *.toml, or folders with a recorded game_info and observation"""
    loops: tuple[int, ...] = (1600, 3200, 6400)
    """when minerals are compared: multiples of 160"""
    only: tuple[str, ...] = ()
    """ids of games; default: all"""

    def __post_init__(self) -> None:
        for loop in self.loops:
            if loop < REPORT_LOOPS or loop % REPORT_LOOPS:
                raise TerrariumError(
                    f"loops: {loop} is no multiple of {REPORT_LOOPS}, and games report only then"
                )
