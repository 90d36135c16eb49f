"""A fixed game of Zerg against Protoss with eggs, injects, cocoons, tumors, warp-ins and chrono
boosts under way; run by the tests in other modes."""

import json
import sys

from terrarium.data.games.melee import Melee
from terrarium.data.maps.library import find_map
from terrarium.engine.simulator import Simulator

SHORT, LONG = 60, 700
SEED = 5
ZERG, PROTOSS = 1, 2


def new_game(
    n_envs: int = 1, threads: int = 1, races: tuple[str, str] = ("Zerg", "Protoss")
) -> Simulator:
    return Simulator(Melee(find_map("flat_64"), races), n_envs, threads, slots=300)


def prepare(sim: Simulator, e: int) -> dict[str, int]:
    """More than a game begins with, in one game of a batch; the slots by name."""
    x, y = 60.5, 60.5
    sim.players["minerals"][e, 1:] = sim.players["vespene"][e, 1:] = 3_000.0
    made = {
        "queen": sim.create(e, "queen", ZERG, 18.0, 24.0),
        "roach": sim.create(e, "roach", ZERG, 26.0, 26.0),
        "pool": sim.place(e, "spawning_pool", ZERG, 24.5, 24.5),
        "warren": sim.place(e, "roach_warren", ZERG, 28.5, 20.5),
        "pylon": sim.place(e, "pylon", PROTOSS, x - 6.0, y - 6.0),
        "gateway": sim.place(e, "gateway", PROTOSS, x - 10.0, y - 6.0),
        "gate": sim.place(e, "warp_gate", PROTOSS, x - 6.0, y - 10.0),
        "one": sim.create(e, "high_templar", PROTOSS, x - 14.0, y - 14.0),
        "other": sim.create(e, "dark_templar", PROTOSS, x - 18.0, y - 14.0),
        "carrier": sim.create(e, "carrier", PROTOSS, 34.0, 30.0),
    }
    for k in range(3):
        sim.create(e, "overlord", ZERG, 16.0 + 3 * k, 30.0)
        sim.place(e, "pylon", PROTOSS, 40.0 + 4 * k, 44.0)
    sim.units["energy"][e, made["queen"]] = 60.0
    sim.research(e, PROTOSS, "warp_gate_research")
    return made


def command(sim: Simulator, e: int, made: dict[str, int], tick: int) -> None:
    """What the players order in the loops that are multiples of ten."""
    halls = {owner: _first(sim, e, owner) for owner in (ZERG, PROTOSS)}
    larvae = [u for u in range(300) if sim.units["alive"][e, u] and _is(sim, e, u, "larva")]
    if tick == 10:
        sim.use(e, made["queen"], "inject_larva", target=halls[ZERG])
        sim.produce(e, made["roach"], "ravager")
        sim.produce(e, halls[ZERG], "lair")
        sim.produce(e, halls[PROTOSS], "probe")
        sim.use(e, halls[PROTOSS], "chrono_boost", target=halls[PROTOSS])
        sim.produce(e, made["gate"], "zealot", at=(58.0, 52.5))
        sim.produce(e, made["one"], "archon", target=made["other"])
        for larva, unit in zip(larvae, ("drone", "zergling", "overlord"), strict=False):
            sim.produce(e, larva, unit)
    elif tick == 40:
        sim.build(e, made["queen"], "creep_tumor_queen", (24.5, 19.5))
    elif tick % 100 == 0:
        for larva in larvae:
            sim.produce(e, larva, "zergling")


def _first(sim: Simulator, e: int, owner: int) -> int:
    return int(next(u for u in range(300) if sim.units["owner"][e, u] == owner))


def _is(sim: Simulator, e: int, u: int, unit: str) -> bool:
    return bool(sim.units["kind"][e, u] == sim.rows[unit])


def play(
    sim: Simulator, n_ticks: int, first: int = 0, made: dict[str, int] | None = None
) -> dict[str, int]:
    """Play all games of a batch alike."""
    if made is None:
        sim.reset([SEED] * sim.n_envs)
        all_made = [prepare(sim, e) for e in range(sim.n_envs)]
        made = all_made[0]
    for tick in range(first, n_ticks, 10):
        for e in range(sim.n_envs):
            command(sim, e, made, tick)
        sim.step(10)
    return made


def lone_digest(n_ticks: int) -> str:
    sim = new_game()
    play(sim, n_ticks)
    return sim.digest()


if __name__ == "__main__":
    json.dump(lone_digest(int(sys.argv[1])), sys.stdout)
