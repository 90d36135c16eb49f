"""Two players of a whole game, led by a small script: what tests record."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from terrarium.data.games.melee import TOWNHALLS, WORKERS, Melee
from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import PlacementError, Simulator
from terrarium.replay.games.game_record import GameRecord, GameRecorder, Kind

THINK_TICKS = 24
STEP_TICKS = 4
SUPPLY = {"Terran": "supply_depot", "Protoss": "pylon", "Zerg": "creep_tumor_queen"}
SCHEDULE = {
    "Terran": ("barracks", "barracks", "factory", "barracks", "barracks", "engineering_bay",
               "factory", "barracks", "armory", "starport", "barracks", "factory"),
    "Protoss": ("gateway", "cybernetics_core", "gateway", "gateway", "forge", "robotics_facility",
                "gateway", "gateway", "twilight_council", "stargate", "gateway", "gateway"),
    "Zerg": ("spawning_pool", "roach_warren", "evolution_chamber"),
}  # fmt: skip
PRODUCTS = {
    "barracks": ("marine",),
    "factory": ("hellion",),
    "starport": ("viking_fighter",),
    "engineering_bay": ("terran_infantry_weapons_level1", "terran_infantry_armors_level1"),
    "gateway": ("stalker", "zealot"),
    "robotics_facility": ("immortal",),
    "stargate": ("phoenix",),
    "forge": ("protoss_ground_weapons_level1", "protoss_ground_armors_level1"),
}
HATCHED = ("drone", "zergling", "drone", "roach", "zergling", "drone", "roach", "overlord")
"""What a Zerg player of the script gets one after the other: it has no larvae here."""
MAX_WORKERS = 66
ATTACK_TICKS = 22 * 150


@dataclass
class Player:
    """What a player of the script keeps in mind."""

    owner: int
    race: str
    home: Place
    foe: Place
    bases: list[Place]
    done: int = 0
    hatched: int = 0
    attacks_at: int = ATTACK_TICKS
    spots: list[Place] = field(default_factory=list)


class MacroGame:
    """Structures are put on the map by hand, and paid for; all else are commands."""

    def __init__(
        self,
        where: str | GameMap = "ladder/3",
        by_hand: bool = True,
        races: tuple[str, str] = ("Terran", "Protoss"),
    ) -> None:
        self.map = find_map(where) if isinstance(where, str) else where
        self.sim = Simulator(Melee(self.map, races), layers=("footprints",))
        self.by_hand = by_hand
        places = [expansion.place for expansion in find_expansions(self.map)]
        starts = self.map.starts
        self.players = [
            Player(k + 1, race, starts[k], starts[1 - k], self._near(places, starts[k]))
            for k, race in enumerate(races)
        ]
        for player in self.players:
            player.spots = self._building_spots(player.home)

    @staticmethod
    def _near(places: list[Place], home: Place) -> list[Place]:
        return sorted(places, key=lambda p: np.hypot(p[0] - home[0], p[1] - home[1]))[1:6]

    def _building_spots(self, home: Place) -> list[Place]:
        """Free squares around a start, the nearest first."""
        free = self.map.buildable()
        found = []
        for y in range(4, self.map.height - 4, 5):
            for x in range(4, self.map.width - 4, 5):
                away = np.hypot(x - home[0], y - home[1])
                if 7 < away < 40 and free[y - 2 : y + 2, x - 2 : x + 2].all():
                    found.append((away, (float(x), float(y))))
        return [place for _, place in sorted(found)]

    def play(self, ticks: int, recorder: GameRecorder | None = None) -> None:
        end = int(self.sim.ticks[0]) + ticks
        while self.sim.ticks[0] < end:
            for player in self.players:
                self.think(player)
            stop = min(end, int(self.sim.ticks[0]) + THINK_TICKS)
            while self.sim.ticks[0] < stop:
                self.sim.step(min(STEP_TICKS, stop - int(self.sim.ticks[0])))
                if recorder is not None:
                    recorder.note()

    def think(self, player: Player) -> None:
        sim = self.sim
        units = sim.units[0]
        mine = np.flatnonzero(
            (units["tag"] > 0) & units["alive"] & (units["owner"] == player.owner)
        )
        names = {int(u): sim.names[units["kind"][u]] for u in mine}
        if self.by_hand:
            self._build(player, names)
        n_workers = sum(name == WORKERS[player.race] for name in names.values())
        for u, name in names.items():
            if units["status"][u] & codes.UNFINISHED or sim.games.producers["n_items"][0, u] > 1:
                continue
            if name == TOWNHALLS[player.race] and n_workers < MAX_WORKERS:
                sim.produce(0, u, WORKERS[player.race])
            for product in PRODUCTS.get(name, ()):
                sim.produce(0, u, product)
        self._send(player, names, units)
        if not self.by_hand:
            self._raid(player, names)

    def _raid(self, player: Player, names: dict[int, str]) -> None:
        """One worker after the other goes to fight, by commands alone."""
        workers = [u for u, name in names.items() if name == WORKERS[player.race]]
        if workers:
            who = workers[int(self.sim.ticks[0]) // THINK_TICKS % len(workers)]
            self.sim.order(0, who, codes.ATTACK_MOVE, player.foe)
            self.sim.order(0, who, codes.MOVE, player.home, queued=True)

    def _build(self, player: Player, names: dict[int, str]) -> None:
        purse, account = self.sim.players[0, player.owner], self.sim.games.accounts[0, player.owner]
        tick, cap = int(self.sim.ticks[0]), account["supply_cap"]
        if cap < 200 and cap - account["supply_used"] < 12 and purse["minerals"] >= 100:
            self._place(player, SUPPLY[player.race], 100.0)
        due = [player.done * 1400 + 1200 < tick, player.done < len(SCHEDULE[player.race])]
        if all(due) and purse["minerals"] >= 150:
            self._place(player, SCHEDULE[player.race][player.done], 150.0)
            player.done += 1
        if player.race == "Zerg" and purse["minerals"] >= 100 and tick % (3 * THINK_TICKS) == 0:
            self._hatch(player, names)
        n_halls = sum(name == TOWNHALLS[player.race] for name in names.values())
        if player.bases and tick > 3000 * n_halls and purse["minerals"] >= 400:
            place = player.bases.pop(0)
            purse["minerals"] -= 400.0
            self._try(TOWNHALLS[player.race], player.owner, place)

    def _hatch(self, player: Player, names: dict[int, str]) -> None:
        halls = [u for u, name in names.items() if name == TOWNHALLS["Zerg"]]
        if halls and len(names) < 150:
            x, y = (float(self.sim.units[c][0, halls[player.hatched % len(halls)]]) for c in "xy")
            self.sim.create(0, HATCHED[player.hatched % len(HATCHED)], player.owner, x + 4.0, y)
            self.sim.players["minerals"][0, player.owner] -= 75.0
            player.hatched += 1

    def _place(self, player: Player, name: str, cost: float) -> None:
        while player.spots:
            if self._try(name, player.owner, player.spots.pop(0)):
                self.sim.players["minerals"][0, player.owner] -= cost
                return

    def _try(self, name: str, owner: int, at: Place) -> bool:
        try:
            self.sim.place(0, name, owner, *at)
        except PlacementError:
            return False
        return True

    def _send(self, player: Player, names: dict[int, str], units: Records) -> None:
        """Idle workers to the nearest field, and the army to the enemy from time to time."""
        sim, tick = self.sim, int(self.sim.ticks[0])
        attacks = tick >= player.attacks_at
        if attacks:
            player.attacks_at += ATTACK_TICKS
        is_field = (sim.rules.types["resource"][units["kind"]] == codes.MINERALS) & units["alive"]
        fields = np.flatnonzero(is_field)
        halls = [u for u, name in names.items() if name == TOWNHALLS[player.race]]
        for u, name in names.items():
            idle = units["n_orders"][u] == 0
            if name == WORKERS[player.race]:
                if idle and halls:
                    hall = halls[u % len(halls)]
                    away = np.hypot(*(units[c][fields] - units[c][hall] for c in "xy"))
                    sim.order(0, u, codes.GATHER, target=int(fields[away.argmin()]))
            elif (
                sim.rules.types["n_weapons"][units["kind"][u]]
                and sim.rules.types["mobile"][units["kind"][u]]
            ):
                if attacks:
                    sim.order(0, u, codes.ATTACK_MOVE, player.foe)
                elif idle and tick % 120 == 0:
                    home, foe = np.array(player.home), np.array(player.foe)
                    gather = home + 0.2 * (foe - home)
                    if np.hypot(units["x"][u] - gather[0], units["y"][u] - gather[1]) > 12:
                        sim.order(0, u, codes.ATTACK_MOVE, tuple(gather))


@cache
def macro_record(ticks: int, kind: Kind = "light", where: str = "ladder/3") -> GameRecord:
    """A game of the script; with an exact record nothing is built by hand."""
    game = MacroGame(where, by_hand=kind == "light")
    recorder = GameRecorder(game.sim, 0, kind)
    game.play(ticks, recorder)
    return recorder.record("A game of two scripts", ("victory", "defeat"), ("Macro", "Rival"))
