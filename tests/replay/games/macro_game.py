"""Two players of a whole game, led by a small script of commands: what tests record."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from terrarium.data.games.melee import TOWNHALLS, WORKERS, Melee
from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.replay.games.game_record import GameRecord, GameRecorder, Kind

THINK_TICKS = 24
STEP_TICKS = 4
FIRST_ATTACK, NEXT_ATTACK = 22 * 200, 22 * 75
EARLY_TICKS = 18_000
"""So long armies meet in the middle of the map, and leave the bases alone."""
MAX_WORKERS, MAX_BASES = 66, 4
SUPPLY = {"Terran": "supply_depot", "Protoss": "pylon", "Zerg": "overlord"}
GAS = {"Terran": "refinery", "Protoss": "assimilator", "Zerg": "extractor"}
SCHEDULE = {
    "Terran": (
        *("barracks", "factory", "barracks", "engineering_bay", "barracks", "starport", "factory"),
        *("barracks", "armory", "barracks", "barracks", "factory"),
    ),
    "Protoss": (
        *("gateway", "cybernetics_core", "gateway", "forge", "gateway", "robotics_facility"),
        *("gateway", "twilight_council", "gateway", "stargate", "gateway", "gateway"),
    ),
    "Zerg": ("spawning_pool", "roach_warren", "evolution_chamber", "hydralisk_den"),
}
PRODUCTS = {
    "barracks": ("marine",),
    "factory": ("hellion",),
    "starport": ("viking_fighter",),
    "engineering_bay": ("terran_infantry_weapons_level1", "terran_infantry_armors_level1"),
    "gateway": ("stalker", "zealot"),
    "robotics_facility": ("immortal",),
    "stargate": ("phoenix",),
    "forge": ("protoss_ground_weapons_level1", "protoss_ground_armors_level1"),
    "evolution_chamber": ("zerg_missile_weapons_level1", "zerg_ground_armors_level1"),
}
LARVA = ("roach", "zergling")
MORE = {"Terran": "barracks", "Protoss": "gateway"}


@dataclass
class Player:
    """What a player of the script keeps in mind."""

    owner: int
    race: str
    home: Place
    foe: Place
    bases: list[Place]
    spots: list[Place]
    done: int = 0
    attacks_at: int = FIRST_ATTACK
    names: dict[int, str] = field(default_factory=dict)
    """of its living units, by slot"""


class MacroGame:
    """A game in which everything is done by commands."""

    def __init__(
        self, where: str | GameMap = "ladder/3", races: tuple[str, str] = ("Terran", "Zerg")
    ) -> None:
        self.map = find_map(where) if isinstance(where, str) else where
        self.sim = Simulator(Melee(self.map, races))
        places = [expansion.place for expansion in find_expansions(self.map)]
        starts = self.map.starts
        self.players = [
            Player(k + 1, race, starts[k], starts[1 - k], _nearest(places, starts[k])[1:5], [])
            for k, race in enumerate(races)
        ]
        for player in self.players:
            player.spots = self._spots(player.home)

    def _spots(self, home: Place) -> list[Place]:
        """Free squares around a start, the nearest first."""
        free = self.map.buildable()
        found = [
            (float(x), float(y))
            for y in range(4, self.map.height - 4, 4)
            for x in range(4, self.map.width - 4, 5)
            if free[y - 2 : y + 2, x - 2 : x + 3].all()
        ]
        return [place for place in _nearest(found, home) if 6 < _apart(place, home) < 34]

    def play(self, ticks: int, recorder: GameRecorder | None = None) -> None:
        end = int(self.sim.ticks[0]) + ticks
        while self.sim.ticks[0] < end:
            for player in self.players:
                self._think(player)
            stop = min(end, int(self.sim.ticks[0]) + THINK_TICKS)
            while self.sim.ticks[0] < stop:
                self.sim.step(min(STEP_TICKS, stop - int(self.sim.ticks[0])))
                if recorder is not None:
                    recorder.note()

    def _think(self, player: Player) -> None:
        sim, units = self.sim, self.sim.units[0]
        mine = (units["tag"] > 0) & units["alive"] & (units["owner"] == player.owner)
        player.names = {int(u): sim.names[units["kind"][u]] for u in np.flatnonzero(mine)}
        workers = self._those(player, WORKERS[player.race])
        self._produce(player, len(workers))
        if workers:
            self._build(player, workers)
            self._gather(player, workers)
        self._fight(player)

    def _those(self, player: Player, name: str) -> list[int]:
        return [u for u, known in player.names.items() if known == name]

    def _produce(self, player: Player, n_workers: int) -> None:
        sim, account = self.sim, self.sim.games.accounts[0, player.owner]
        room = float(account["supply_cap"] - account["supply_used"])
        for n, u in enumerate(self._those(player, "larva")):
            wanted = "overlord" if room < 6 and n == 0 else "drone"
            if n_workers >= 18 + 14 * (n % 2) and room >= 6:
                wanted = LARVA[int(sim.players["vespene"][0, player.owner] < 25)]
            sim.produce(0, u, wanted)
        for u, name in player.names.items():
            if sim.games.producers["n_items"][0, u] > 1:
                continue
            if name == TOWNHALLS[player.race] and player.race != "Zerg" and n_workers < MAX_WORKERS:
                sim.produce(0, u, WORKERS[player.race])
            for product in PRODUCTS.get(name, ()):
                sim.produce(0, u, product)

    def _build(self, player: Player, workers: list[int]) -> None:
        sim, tick = self.sim, int(self.sim.ticks[0])
        purse, account = sim.players[0, player.owner], sim.games.accounts[0, player.owner]
        builder = workers[tick // THINK_TICKS % len(workers)]
        cap, room = account["supply_cap"], account["supply_cap"] - account["supply_used"]
        halls = self._those(player, TOWNHALLS[player.race])
        n_gas = len(self._those(player, GAS[player.race]))
        if cap < 200 and room < 8 and player.race != "Zerg" and purse["minerals"] >= 100:
            self._place(player, builder, SUPPLY[player.race])
        elif tick % (20 * THINK_TICKS) == 0 and len(halls) < min(MAX_BASES, 1 + tick // 3000):
            sim.build(0, builder, TOWNHALLS[player.race], player.bases[0])
            player.bases.append(player.bases.pop(0))
        elif halls and n_gas < 2 * len(halls) and tick % (12 * THINK_TICKS) == 0:
            self._tap(player, builder, halls[-1])
        elif self._is_due(player, tick) and purse["minerals"] >= 200:
            player.done += self._place(player, builder, SCHEDULE[player.race][player.done])
        elif purse["minerals"] >= 600 and player.race != "Zerg":
            self._place(player, builder, MORE[player.race])

    def _is_due(self, player: Player, tick: int) -> bool:
        return player.done < len(SCHEDULE[player.race]) and tick > 1000 + 900 * player.done

    def _place(self, player: Player, builder: int, name: str) -> bool:
        """Send a worker to the nearest place that it was not sent to before."""
        for spot in player.spots:
            if self.sim.can_place(0, player.owner, name, spot) == "Success":
                self.sim.build(0, builder, name, spot)
                player.spots.remove(spot)
                player.spots.append(spot)
                return True
        return False

    def _tap(self, player: Player, builder: int, hall: int) -> None:
        """A structure on the nearest geyser that is free."""
        units = self.sim.units[0]
        is_gas = self.sim.rules.types["resource"][units["kind"]] == codes.VESPENE
        free = np.flatnonzero(is_gas & units["alive"] & (units["owner"] == 0))
        away = np.hypot(*(units[c][free] - units[c][hall] for c in "xy"))
        if len(free) and away.min() < 11:
            self.sim.build(0, builder, GAS[player.race], target=int(free[away.argmin()]))

    def _gather(self, player: Player, workers: list[int]) -> None:
        """Idle workers go to the fields of their townhalls, and three to each geyser."""
        sim, units = self.sim, self.sim.units[0]
        idle = [u for u in workers if units["n_orders"][u] == 0]
        halls = self._those(player, TOWNHALLS[player.race])
        ready = [u for u in halls if not units["status"][u] & codes.UNFINISHED]
        minerals = sim.rules.types["resource"][units["kind"]] == codes.MINERALS
        fields = np.flatnonzero(minerals & units["alive"])
        for u in idle if ready and len(fields) else ():
            hall = ready[u % len(ready)]
            away = np.hypot(*(units[c][fields] - units[c][hall] for c in "xy"))
            sim.order(0, u, codes.GATHER, target=int(fields[away.argmin()]))
        targets = sim.games.orders["target"][0, :, 0]
        for gas in self._those(player, GAS[player.race]):
            n_here = sum(int(targets[u]) == gas for u in workers)
            if n_here < 3 and not units["status"][gas] & codes.UNFINISHED:
                sim.order(0, workers[(gas + n_here) % len(workers)], codes.GATHER, target=gas)

    def _fight(self, player: Player) -> None:
        """The army gathers before its base, and goes to the enemy from time to time."""
        sim, units, tick = self.sim, self.sim.units[0], int(self.sim.ticks[0])
        attacks = tick >= player.attacks_at
        player.attacks_at += NEXT_ATTACK * attacks
        (x, y), (foe_x, foe_y) = player.home, player.foe
        camp = x + 0.25 * (foe_x - x), y + 0.25 * (foe_y - y)
        middle = (x + foe_x) / 2, (y + foe_y) / 2
        aim = middle if tick < EARLY_TICKS else player.foe
        types = sim.rules.types
        for u, name in player.names.items():
            kind = units["kind"][u]
            if name == WORKERS[player.race] or not types["mobile"][kind]:
                continue
            strays = _apart((units["x"][u], units["y"][u]), camp) > 12
            if attacks and types["n_weapons"][kind]:
                sim.order(0, u, codes.ATTACK_MOVE, aim)
            elif units["n_orders"][u] == 0 and types["n_weapons"][kind] and strays:
                sim.order(0, u, codes.ATTACK_MOVE, camp)


def _apart(a: Place, b: Place) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def _nearest(places: list[Place], home: Place) -> list[Place]:
    return sorted(places, key=lambda place: _apart(place, home))


@cache
def macro_record(
    ticks: int,
    kind: Kind = "light",
    where: str = "ladder/3",
    races: tuple[str, str] = ("Terran", "Zerg"),
) -> GameRecord:
    """A game of the script."""
    game = MacroGame(where, races)
    recorder = GameRecorder(game.sim, 0, kind)
    game.play(ticks, recorder)
    return recorder.record("A game of two scripts", ("victory", "defeat"), ("Macro", "Rival"))
