"""What a viewer needs of a battle: samples of every unit, and all that happens between them."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Terrain
from terrarium.engine.records import Records
from terrarium.engine.tables.plan import ALLY_OWNER

Owner = TypeVar("Owner", int, NDArray[np.int64])


def side_of(owner: Owner) -> Owner:
    """Records tell two armies apart: 0, the allies of player 1, and 1, the enemies of player 2."""
    return owner - ALLY_OWNER


OUTCOMES = ("win", "loss", "draw", "timeout", "unknown")
"""How a battle ended for the allies; `timeout`: the time was up before anybody had won."""

STEP = np.dtype([("n_ticks", "i4"), ("n_commands", "i4")])

GIVEN = np.dtype(
    [
        ("step", "i4"),
        ("slot", "i2"),
        ("kind", "u1"),  # codes.MOVE to codes.CAST
        ("target", "i2"),  # slot, or NO_UNIT
        ("x", "f8"),
        ("y", "f8"),
        ("queued", "?"),
        ("ability", "i2"),  # row of the rules, in Frames of Frames.skills; NO_ABILITY = none
    ]
)
"""A command that was given before a step."""

WHY = np.dtype(
    [
        ("step", "i4"),
        ("slot", "i2"),
        ("reason", "u2"),  # row of the record's reasons, which hold "" for none
    ]
)
"""From this step on a unit has this reason for what it does, as its player says."""

SAMPLE = np.dtype(
    [
        ("kind", "u2"),  # row of Frames.types
        ("side", "u1"),
        ("alive", "?"),
        ("attacking", "?"),  # winds up or swings back
        ("fired", "?"),  # since the sample before
        ("healing", "?"),
        ("cloaked", "?"),
        ("rooted", "?"),  # cannot move
        ("disarmed", "?"),  # cannot attack
        ("silenced", "?"),  # cannot use abilities
        ("untouchable", "?"),  # can be neither targeted nor hurt
        ("lifted", "?"),  # counts as air
        ("seen_by_allies", "?"),
        ("seen_by_enemies", "?"),
        ("x", "f4"),
        ("y", "f4"),
        ("facing", "f4"),  # radians, counterclockwise from east
        ("hp", "f4"),
        ("hp_max", "f4"),  # with upgrades and buffs
        ("shield", "f4"),
        ("energy", "f4"),
        ("inside", "i2"),  # the carrier that it is in: lives, though it is not `alive` to the map
        ("target", "i2"),  # whom it attacks or heals
        ("order", "u1"),
        ("order_skill", "i2"),  # row of Frames.skills where the order is codes.CAST
        ("order_target", "i2"),
        ("order_x", "f4"),
        ("order_y", "f4"),
    ]
)

MISSILE = np.dtype(
    [
        ("sample", "i4"),
        ("side", "u1"),
        ("skill", "i2"),  # row of Frames.skills; NO_ABILITY = of a weapon
        ("x", "f4"),
        ("y", "f4"),
        ("dx", "f4"),  # until the next sample
        ("dy", "f4"),
    ]
)

DEATH = np.dtype(
    [
        ("tick", "i4"),
        ("slot", "i2"),
        ("kind", "u2"),
        ("side", "u1"),
        ("killer", "i2"),  # slot, or NO_UNIT where nobody in particular did it
        ("x", "f4"),
        ("y", "f4"),
    ]
)

SPAN_KINDS = ("buff", "cast", "morph", "lock", "area", "fall", "summon")
"""What lasts for a while. `fall`: something comes down there, like a bile; `summon`: a unit
appears there."""

SPAN = np.dtype(
    [
        ("what", "u1"),  # row of SPAN_KINDS
        ("skill", "i2"),  # row of Frames.skills
        ("side", "u1"),
        ("slot", "i2"),  # whose it is: who carries the buff, casts, or laid the area
        ("target", "i2"),  # at whom it is aimed, with whom an area moves; NO_UNIT = nobody
        ("tick", "i4"),  # when it began
        ("until", "i4"),  # the first tick at which it is over
        ("ticks", "f4"),  # how long it was to last; 0 = nobody knows
        ("x", "f4"),  # where it is or is aimed at, unless a target says so
        ("y", "f4"),
    ]
)

NO_UPGRADES: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True)
class About:
    """Which battle it is, and what it was played by."""

    title: str
    outcome: str
    """one of OUTCOMES, as the allies see it"""
    seed: int
    """the engine's, 0 to 2**64 - 1"""
    scenario: str
    scenario_title: str
    scenario_version: int
    ruleset: str
    ruleset_version: int
    rules_version: int
    package_version: str
    n_slots: int
    fog: bool = False
    """sides see only what their units see"""
    upgrades: tuple[tuple[str, ...], tuple[str, ...]] = NO_UPGRADES
    """what each side had at the beginning; of those with levels the highest"""


@dataclass(frozen=True)
class UnitType:
    """What is drawn of a unit type."""

    name: str
    radius: float
    hp: float
    shield: float
    energy: float
    reach: float
    """longest range of its weapons, or else of its healing, from the edge of its body"""
    sight: float
    flying: bool
    burrowed: bool = False
    form_of: str = ""
    """the type of which this is the burrowed or the planted form, like a sieged tank"""
    cargo: int = 0
    """room for passengers"""


SKILL_EFFECTS = ("", "boost", "guard", "harm")


@dataclass(frozen=True)
class Skill:
    """What is drawn of an ability, a buff or an area."""

    name: str
    radius: float = 0.0
    effect: str = ""
    """one of SKILL_EFFECTS: what a buff does to whoever carries it"""


@dataclass(frozen=True, eq=False)
class Frames:
    """A battle in samples; the first one is its beginning, the last one its end."""

    about: About
    terrain: Terrain
    types: tuple[UnitType, ...]
    skills: tuple[Skill, ...]
    reasons: tuple[str, ...]
    ticks: NDArray[np.int64]  # [T] when each sample was taken
    units: Records  # [T, U] SAMPLE
    missiles: Records  # [M] MISSILE, in the order of their samples
    deaths: Records  # [D] DEATH, in their order
    spans: Records  # [K] SPAN, in the order in which they began
    steps: Records  # [S] STEP
    commands: Records  # [C] GIVEN, in the order of their steps
    whys: Records  # [Y] WHY, in the order of their steps

    def strength(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Life with shields, and the number of the living: [T, side] each."""
        units = self.units
        lives = units["alive"] | (units["inside"] >= 0)
        life = (units["hp"].astype(np.float64) + units["shield"]) * lives  # [T, U]
        mine = [units["side"] == side for side in (0, 1)]
        return (
            np.stack([(life * own).sum(axis=1) for own in mine], axis=1),
            np.stack([(lives & own).sum(axis=1) for own in mine], axis=1),
        )

    def step_ticks(self) -> NDArray[np.int64]:
        """[S + 1] the tick at which each step begins, and the last one ends."""
        ends = np.cumsum(self.steps["n_ticks"], dtype=np.int64)
        ticks: NDArray[np.int64] = np.concatenate([np.zeros(1, np.int64), ends]) + self.ticks[0]
        return ticks
