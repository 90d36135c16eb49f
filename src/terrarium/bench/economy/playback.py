"""Recorded games played back: their structures, births and losses, and our workers' minerals."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from terrarium.bench.economy.hands import FRIGHT_LOOPS, MULE_DROP_LOOPS, Hands
from terrarium.bench.economy.recorded import (
    BOT,
    GAS_STRUCTURES,
    HUMAN,
    TOWNHALLS,
    RecordedGame,
    RecordedPlayer,
    RecordedStructure,
)
from terrarium.data.games.melee import Melee
from terrarium.data.maps.expansions import Expansion, find_expansions
from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.library import find_map
from terrarium.engine.simulator import Simulator

OTHER_MAP = "ladder/15"
"""what games are played on whose map is not there: one whose mains have the commonest fields"""
ADDONS = ("TechLab", "Reactor")
GAS_PER_LOOP, GAS_TRIP = 0.1208, 40
"""What a geyser gives to three workers; and from an order to gather there to the first load
(economy.md, 5)."""
SPLITS = {BOT: 8, HUMAN: 16}
"""When who sends the first workers to fields of their own: minerals at loops 160 and 320 of bots
are 45 to 50 and 125 to 130, of humans 35 and 118; the built-in AI does not (economy.md, 3)."""
TOGETHER_LOOPS = 320
"""Workers that die within this time die in the same raid."""
HANDING_SLACK = 40
"""loops that a builder may come late who comes from another site"""
FARTHEST_SITE = 30.0
"""from the start, for sites on maps that are not there"""


@dataclass(frozen=True)
class Gathered:
    """Minerals of one player until one loop, recorded and ours."""

    game: str
    group: str
    map: str
    owner: int
    race: str
    loop: int
    recorded: float
    ours: float
    workers_recorded: int
    workers_ours: int

    @property
    def error(self) -> float:
        """Ours beside the recorded amount, as a fraction of it."""
        return self.ours / self.recorded - 1.0


@dataclass(frozen=True)
class Event:
    """Something that happens in a recorded game."""

    loop: int
    happen: Callable[[], None]


def play_back(
    game: RecordedGame, maps: Mapping[str, GameMap], loops: Sequence[int], seed: int = 0
) -> list[Gathered]:
    """Play one recorded game until the last of `loops`, which are those of reports."""
    is_known = game.map in maps
    played = maps[game.map] if is_known else _substitute(maps)
    players = _in_order_of_starts(game, played) if is_known else list(game.players)
    sim = Simulator(Melee(played, tuple(player.race for player in players)))
    sim.reset(seed)
    spots = find_expansions(played)
    hands: list[Hands] = []
    events: list[Event] = []
    for owner, player in enumerate(players, 1):
        each = Hands(sim, owner, player.race, player.kind, spots)
        start = played.starts[owner - 1]
        moved = player if is_known else _moved(player, start, played, spots)
        hands.append(each)
        events += _events(each, moved, start, SPLITS.get(player.kind))
    result: list[Gathered] = []

    def read() -> None:
        loop = int(sim.ticks[0])
        for owner, (each, player) in enumerate(zip(hands, players, strict=True), 1):
            ours = float(sim.games.accounts["gathered_minerals"][0, owner])
            row = player.loops.index(loop)
            result.append(
                Gathered(
                    game=game.id,
                    group=game.group,
                    map=played.name,
                    owner=owner,
                    race=player.race,
                    loop=loop,
                    recorded=player.minerals[row],
                    ours=ours,
                    workers_recorded=player.workers[row],
                    workers_ours=each.n_workers(),
                )
            )

    events += [Event(loop, read) for loop in loops]
    for event in sorted(events, key=lambda event: event.loop):
        if event.loop > max(loops):
            break
        sim.step(max(0, event.loop - int(sim.ticks[0])))
        event.happen()
    sim.close()
    return result


def _substitute(maps: Mapping[str, GameMap]) -> GameMap:
    """What a game is played on whose map is not there: one of those that are, or one of ours."""
    pairs = (maps[name] for name in sorted(maps) if len(maps[name].starts) == 2)
    return next(pairs, None) or find_map(OTHER_MAP)


def _in_order_of_starts(game: RecordedGame, played: GameMap) -> list[RecordedPlayer]:
    """The players by the start locations of the map."""
    return [
        min(game.players, key=lambda player: math.dist(player.start, start))
        for start in played.starts
    ]


def _moved(
    player: RecordedPlayer, start: Place, played: GameMap, spots: Sequence[Expansion]
) -> RecordedPlayer:
    """The same player on another map: its townhalls at the bases nearest to its start, its other
    structures as far from the start as they were, towards the middle of the map."""
    bases = sorted(
        (spot.place for spot in spots if spot.place not in played.starts),
        key=lambda place: math.dist(place, start),
    )
    to_x, to_y = played.width / 2 - start[0], played.height / 2 - start[1]
    length = math.hypot(to_x, to_y)
    moved, n_bases = [], 0
    for structure in player.structures:
        far = math.dist((structure.x, structure.y), player.start)
        if structure.type in TOWNHALLS and far > FARTHEST_SITE / 2:
            x, y = bases[min(n_bases, len(bases) - 1)]
            n_bases += 1
        else:
            far = min(far, FARTHEST_SITE)
            x, y = start[0] + to_x * far / length, start[1] + to_y * far / length
        moved.append(replace(structure, x=x, y=y))
    return replace(player, start=start, structures=tuple(moved))


def _events(
    hands: Hands, player: RecordedPlayer, start: Place, split: int | None
) -> Iterator[Event]:
    """What a player's hands do when."""
    if split is not None:
        yield Event(split, hands.split_workers)
    for loop in player.births:
        yield Event(loop, hands.add_worker)
    for loop in player.losses:
        alone = sum(abs(other - loop) < TOGETHER_LOOPS for other in player.losses) == 1
        yield Event(loop, lambda alone=alone: hands.lose_worker(alone))  # type: ignore[misc]
        yield Event(loop + FRIGHT_LOOPS, hands.calm_down)
    for loop in player.mules:
        yield Event(loop + MULE_DROP_LOOPS, hands.call_mule)
    for loop, share in _gas_shares(player):
        yield Event(loop, lambda share=share: hands.man_gas(share))  # type: ignore[misc]
    halls = [start]
    built = [
        structure
        for structure in sorted(player.structures, key=lambda each: each.start)
        if not any(addon in structure.type for addon in ADDONS)
    ]
    handed = _handed_on(hands, built, start) if player.race == "Terran" else {}
    for structure in built:
        yield from _building(hands, player.race, structure, halls, handed)
        if structure.type in TOWNHALLS:
            halls.append((structure.x, structure.y))


def _gas_shares(player: RecordedPlayer) -> Iterator[tuple[int, float]]:
    """From which loops on how full of workers the finished structures on geysers were: what came
    until a report, as a share of what they give with three workers from their first trip on."""
    done = [s for s in player.structures if s.type in GAS_STRUCTURES and s.finish is not None]
    reports = list(zip(player.loops, player.gas, strict=True))
    for (since, before), (loop, gas) in pairwise(reports):
        ends = [(s.finish or 0, s.death if s.death is not None else loop) for s in done]
        times = (min(end, loop) - max(since, finish + GAS_TRIP) for finish, end in ends)
        could = GAS_PER_LOOP * sum(max(0, time) for time in times)
        if could > 0.0:
            yield max(0, since - GAS_TRIP), min(1.0, (gas - before) / could)


def _handed_on(
    hands: Hands, built: Sequence[RecordedStructure], start: Place
) -> dict[RecordedStructure, RecordedStructure]:
    """What the builder of a structure builds next: who is near when it is finished need not come
    from the fields."""
    found: dict[RecordedStructure, RecordedStructure] = {}
    for structure in built:
        place = structure.x, structure.y
        leaves = structure.start - hands.travel_loops(math.dist(place, start))
        for done in built:
            if done.finish is None or done in found or not leaves <= done.finish:
                continue
            if done.finish + hands.travel_loops(math.dist(place, (done.x, done.y))) <= (
                structure.start + HANDING_SLACK
            ):
                found[done] = structure
                break
    return found


def _building(
    hands: Hands,
    race: str,
    structure: RecordedStructure,
    halls: Sequence[Place],
    handed: Mapping[RecordedStructure, RecordedStructure],
) -> Iterator[Event]:
    """From the moment its builder sets out to the end of a structure."""
    if structure not in handed.values():
        near = min(math.dist((structure.x, structure.y), hall) for hall in halls)
        leaves = max(0, structure.start - hands.travel_loops(near))
        yield Event(leaves, lambda: hands.send_builder(structure))
    ends = [loop for loop in (structure.finish, structure.death) if loop is not None]
    free = structure.start
    if race == "Terran":
        free = min(ends) if ends else math.inf  # type: ignore[assignment]
    if structure in handed:
        yield Event(free, lambda: hands.hand_builder_on(structure, handed[structure]))
    else:
        yield Event(free, lambda: hands.release_builder(structure, consumed=race == "Zerg"))
    if structure.finish is None:
        # Drones of what was cancelled are there again, in every record, without a birth.
        if race == "Zerg" and structure.death is not None:
            yield Event(structure.death, lambda: hands.return_builder(structure))
        return
    if structure.type in TOWNHALLS:
        yield Event(structure.finish, lambda: hands.add_townhall(structure))
        if structure.death is not None:
            yield Event(structure.death, lambda: hands.remove_townhall(structure))
    elif structure.type in GAS_STRUCTURES:
        yield Event(structure.finish, hands.add_gas)
