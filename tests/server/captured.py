"""Our first answers on the maps of recorded games, field by field beside the recorded ones."""

import lzma
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from s2clientprotocol import common_pb2, raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.game_plan import GamePlan, ServedMap
from terrarium.server.live_game import LiveGame
from terrarium.server.seats import GameSeat
from terrarium.server.translate.game_info import fill_game_info
from terrarium.server.translate.observation.response import fill_observation
from tests.engine.economy.bases import recorded_map
from tests.shared_facts import CAPTURES

CLOSE = 0.02
"""Heights of the ground are shown in eighths and kept finer by the game."""
IDENTITY = ("tag", "target_unit_tag")
"""numbers that no two games share"""


@cache
def recorded(name: str) -> tuple[api.ResponseGameInfo, api.ResponseObservation]:
    folder = CAPTURES / name
    info = lzma.decompress((folder / "game_info.pb.xz").read_bytes())
    seen = lzma.decompress((folder / "observation.pb.xz").read_bytes())
    return api.ResponseGameInfo.FromString(info), api.ResponseObservation.FromString(seen)


def our_game(name: str) -> LiveGame:
    """A game with the seats and the options of the recorded one, on its map."""
    info, _ = recorded(name)
    served = ServedMap(info.map_name, info.local_map_path, recorded_map(name))
    seats = tuple(
        GameSeat(player.type, player.race_requested, difficulty=player.difficulty)
        for player in info.player_info
    )
    return LiveGame(GamePlan(served, seats, seed=1), 1, info.options)


def answers(name: str) -> tuple[api.ResponseGameInfo, api.ResponseObservation]:
    game = our_game(name)
    info, seen = api.ResponseGameInfo(), api.ResponseObservation()
    fill_game_info(game, info)
    fill_observation(game, api.RequestObservation(), seen)
    return info, seen


class Agreement:
    """How many of how many entries agree, by field, and examples of those that do not."""

    def __init__(self) -> None:
        self.same: Counter[str] = Counter()
        self.all: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = defaultdict(list)

    def add(self, field: str, ours: Any, theirs: Any) -> None:
        self.all[field] += 1
        if is_same(ours, theirs):
            self.same[field] += 1
        elif len(self.examples[field]) < 3:
            self.examples[field].append(f"{ours!r} for {theirs!r}")

    def add_grid(self, field: str, ours: Any, theirs: Any) -> None:
        """Cell by cell."""
        mine, recorded_one = cells(ours), cells(theirs)
        n_same = int((mine == recorded_one).sum()) if mine.shape == recorded_one.shape else 0
        self.all[field] += recorded_one.size
        self.same[field] += n_same

    @property
    def differences(self) -> dict[str, int]:
        return {f: n - self.same[f] for f, n in self.all.items() if n != self.same[f]}

    def table(self) -> str:
        rows = (f"{f}: {self.same[f]} of {n} {self.examples[f] or ''}" for f, n in self.all.items())
        return "\n".join(rows)


def is_same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return abs(ours - theirs) <= CLOSE
    return bool(ours == theirs)


def cells(image: common_pb2.ImageData) -> Any:
    data = np.frombuffer(image.data, np.uint8)
    return np.unpackbits(data) if image.bits_per_pixel == 1 else data


def leaves(message: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The scalar fields that are set in a message, by their paths."""
    for field, value in message.ListFields():
        name = f"{path}{field.name}"
        if field.name in IDENTITY:
            yield name, True
        elif field.type != field.TYPE_MESSAGE:
            yield name, list(value) if field.is_repeated else value
        elif field.is_repeated:
            yield f"{name} (how many)", len(value)
            for entry in value:
                yield from leaves(entry, f"{name}.")
        else:
            yield from leaves(value, f"{name}.")


def compare(agreement: Agreement, what: str, ours: Any, theirs: Any) -> None:
    """Field by field; a field that only one of them has does not agree."""
    mine, other = dict(leaves(ours)), dict(leaves(theirs))
    for name in [*other, *(name for name in mine if name not in other)]:
        agreement.add(f"{what}.{name}", mine.get(name, "unset"), other.get(name, "unset"))


def kind_of(unit: raw_pb2.Unit) -> str:
    return f"{raw_pb2.Alliance.Name(unit.alliance)} {raw_pb2.DisplayType.Name(unit.display_type)}"


def paired(ours: Any, theirs: Any) -> Iterator[tuple[raw_pb2.Unit | None, raw_pb2.Unit | None]]:
    """Units of one type at one place."""

    def key(unit: raw_pb2.Unit) -> tuple[int, float, float]:
        return unit.unit_type, round(unit.pos.x, 1), round(unit.pos.y, 1)

    mine = {key(unit): unit for unit in ours}
    for unit in theirs:
        yield mine.pop(key(unit), None), unit
    for left in mine.values():
        yield left, None
