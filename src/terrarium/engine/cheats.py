"""Cheats: what changes a game without any unit's doing. Records of them make games that were
changed by hand repeatable."""

from enum import IntEnum

import numpy as np

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.games.melee import Melee
from terrarium.engine import codes
from terrarium.engine.kernels.setup.begin import create
from terrarium.engine.kernels.setup.placing import place
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator, quiet_wraparound


class CheatKind(IntEnum):
    """What a cheat does."""

    SWITCH = 0
    """turns a bit of PLAYER.cheats over: `what`"""
    GIVE = 1
    """`x` minerals and `y` vespene"""
    UPGRADE = 2
    """the next level of every upgrade of the player's race"""
    CREATE = 3
    """`amount` units of the type in row `what`, of `owner`, around a point"""
    KILL = 4
    """the unit `tag`"""
    SET_VITAL = 5
    """energy, life or shields of the unit `tag`, as `what` says; 0 = the most it can have"""
    CREATE_PASSIVE = 6
    """CREATE, of units that never pick a target themselves: SMAC's agents"""


CHEAT = np.dtype(
    [
        ("kind", "i8"),  # CheatKind
        ("player", "i8"),  # who cheats
        ("what", "i8"),
        ("owner", "i8"),
        ("tag", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("amount", "f8"),
    ],
    align=True,
)
ENERGY, LIFE, SHIELDS = 1, 2, 3
"""The vitals, by the numbers of the API."""
MOST_CREATED = 200
"""units by one cheat"""
MOST_VALUE = 1e6
SWITCHES = (
    codes.SHOWS_MAP
    | codes.CONTROLS_ENEMIES
    | codes.NEEDS_NO_SUPPLY
    | codes.PAYS_NOTHING
    | codes.IS_UNHURT
    | codes.HAS_NO_COOLDOWNS
    | codes.NEEDS_NO_TECH
    | codes.BUILDS_FAST
)
"""the bits that can be turned over"""
PLACE_RINGS = 12
"""How many cells around its point a structure may be put, where that is taken."""


def is_sound(cheats: Records, sim: Simulator) -> bool:
    """Can each of these cheats be carried out in a game? Files and other processes may say
    anything."""
    if not len(cheats):
        return True
    limits = {
        "kind": (0, len(CheatKind) - 1),
        "player": (1, sim.n_players),
        "what": (0, max(SWITCHES, len(sim.names) - 1)),
        "owner": (0, sim.n_players),
        "tag": (0, 2**62),
        "x": (-MOST_VALUE, MOST_VALUE),
        "y": (-MOST_VALUE, MOST_VALUE),
        "amount": (0, MOST_VALUE),
    }
    # Written so that NaN, which compares false with everything, is refused as well.
    inside = all(
        low <= cheats[name].min() and cheats[name].max() <= high
        for name, (low, high) in limits.items()
    )
    created = cheats[np.isin(cheats["kind"], (CheatKind.CREATE, CheatKind.CREATE_PASSIVE))]
    switched = cheats[cheats["kind"] == CheatKind.SWITCH]
    return inside and bool(
        (created["what"] < len(sim.names)).all()
        and (created["amount"] <= MOST_CREATED).all()
        and (switched["what"] & ~SWITCHES == 0).all()
    )


def cheat(sim: Simulator, e: int, cheats: Records) -> None:
    """Carry out sound cheats in their order; what is impossible is left out, as the game does."""
    for entry in cheats:
        _CARRIED_OUT[CheatKind(int(entry["kind"]))](sim, e, entry)


def _switch(sim: Simulator, e: int, entry: Records) -> None:
    player, bits = int(entry["player"]), int(entry["what"])
    flags = sim.players["cheats"]
    flags[e, player] ^= bits
    switched_off = bits & ~int(flags[e, player])
    if switched_off & codes.SHOWS_MAP and sim.games.visibility.shape[2] and _has_fog(sim, e):
        seen = sim.games.watchers[e, player] > 0
        sim.games.visibility[e, player] = np.where(seen, codes.VISIBLE, codes.EXPLORED)
    if bits & codes.HAS_NO_COOLDOWNS and not switched_off & bits:
        own = sim.units["owner"][e] == player
        sim.games.skills["ready"][e, own] = 0
        if sim.games.producers.shape[1]:
            sim.games.producers["cooldown"][e, own] = 0.0


def _has_fog(sim: Simulator, e: int) -> bool:
    return bool(sim.games.clock["fog"][e, 0])


def _give(sim: Simulator, e: int, entry: Records) -> None:
    purse = sim.players[e, int(entry["player"])]
    purse["minerals"] += entry["x"]
    purse["vespene"] += entry["y"]


def _upgrade(sim: Simulator, e: int, entry: Records) -> None:
    player, facts = int(entry["player"]), _facts(sim)
    race = sim.setup.races[player - 1] if isinstance(sim.setup, Melee) else None
    levels = sim.players["levels"][e, player].copy()
    for name, upgrade in facts.upgrades.items():
        row = sim.rules.upgrades[sim.known.upgrades[name]]
        if not upgrade.at or race not in (None, upgrade.race):
            continue
        if row["tech"] or levels[row["family"]] == row["level"] - 1:
            sim.research(e, player, name)


def _facts(sim: Simulator) -> RuleSet:
    setup = sim.setup
    return setup.facts if isinstance(setup, Melee) else load_ruleset(setup.rules)


def _create(sim: Simulator, e: int, entry: Records) -> None:
    row, owner = int(entry["what"]), int(entry["owner"])
    width, height = (int(n) for n in sim.ground.size[:2])
    x = min(max(float(entry["x"]), 0.0), width - 0.5)
    y = min(max(float(entry["y"]), 0.0), height - 0.5)
    passive = entry["kind"] == CheatKind.CREATE_PASSIVE
    on_grid = sim.rules.types["footprint"][row] >= 0 and "footprints" in sim.layers
    with quiet_wraparound():
        for _ in range(int(entry["amount"])):
            if on_grid:
                _place(sim, e, row, owner, x, y)
            elif create(sim.handles[e], row, owner, x, y, bool(passive)) < 0:
                return  # no slot is left


def _place(sim: Simulator, e: int, row: int, owner: int, x: float, y: float) -> None:
    """A structure at the place nearest to a point, ring by ring."""
    for ring in range(PLACE_RINGS + 1):
        cells = range(-ring, ring + 1)
        around = [(i, j) for i in cells for j in cells if max(abs(i), abs(j)) == ring]
        for i, j in sorted(around, key=lambda cell: (cell[0] ** 2 + cell[1] ** 2, cell)):
            if place(sim.handles[e], row, owner, x + i, y + j) >= -1:  # -1: no slot is left
                return


def _kill(sim: Simulator, e: int, entry: Records) -> None:
    units = sim.units[e]
    units["hp"][_living(sim, e, int(entry["tag"]))] = 0.0


def _set_vital(sim: Simulator, e: int, entry: Records) -> None:
    units, wanted = sim.units[e], float(entry["amount"])
    for u in np.flatnonzero(_living(sim, e, int(entry["tag"]))).tolist():
        row = sim.rules.types[int(units["kind"][u])]
        most = {
            ENERGY: ("energy", float(row["energy_max"])),
            LIFE: ("hp", float(units["hp_max"][u])),
            SHIELDS: ("shield", float(row["shields"])),
        }
        if int(entry["what"]) in most:
            field, maximum = most[int(entry["what"])]
            units[field][u] = min(wanted, maximum) if wanted > 0.0 else maximum


def _living(sim: Simulator, e: int, tag: int) -> Records:
    units = sim.units[e]
    return units["alive"] & (units["tag"] == tag)


_CARRIED_OUT = {
    CheatKind.SWITCH: _switch,
    CheatKind.GIVE: _give,
    CheatKind.UPGRADE: _upgrade,
    CheatKind.CREATE: _create,
    CheatKind.CREATE_PASSIVE: _create,
    CheatKind.KILL: _kill,
    CheatKind.SET_VITAL: _set_vital,
}
