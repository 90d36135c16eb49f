"""Requests as no client means them: random fields, mutated bytes, and some that make sense."""

import math
import random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api

MAPS = ("Flat32.SC2Map", "SMAC_Maps/3m.SC2Map")
ABILITIES = (1, 4, 16, 23, 295, 318, 319, 321, 3665, 3674, 3794, 3666, 524, 3659, 386, 17, 18)
MOST_LOOPS = 16
"""in one step: a client may ask for a million, and then has to wait for them"""
RARE = {"create_game": 0.02, "join_game": 0.05, "start_replay": 0.05, "restart_game": 0.05}
RARE |= {"leave_game": 0.05, "quit": 0.02, "data": 0.1, "save_replay": 0.05}
"""The share of requests that cost more than others, or end the game, that is sent."""
_INTEGERS = (0, 1, 2, 3, 5, 16, 48, 255, 2**16, 2**31 - 1, 2**32 - 1, 2**63 - 1, -1, -(2**31))
_FLOATS = (0.0, -0.0, 1.0, 16.0, 31.5, -5.0, 1e30, -1e30, math.nan, math.inf, -math.inf, 1e-40)
_REQUESTS = [field.name for field in api.Request.DESCRIPTOR.oneofs_by_name["request"].fields]
_LIMITS = {
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
}


class MessageMaker:
    """Makes one message after the other; equal seeds make equal ones, as long as the tags that it
    is told are equal."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tags: list[int] = [0]
        """of units of the game, to be named in requests"""
        self.replay = b""
        """a replay to begin with and to mutate"""

    def next(self) -> bytes:
        """The next message."""
        draw = self.random.random()
        if draw < 0.05:
            return self.random.randbytes(self.random.randrange(200))
        request = self.sensible() if draw < 0.5 else self.random_request()
        data = request.SerializeToString()
        if 0.3 < draw < 0.75:
            data = self.mutated(data)
        return tame(data, self.random)

    def opening(self) -> tuple[bytes, bytes]:
        """A game that can be played: its creation, and the join."""
        creation = api.RequestCreateGame(random_seed=self.random.randrange(2**32))
        creation.local_map.map_path = self.random.choice(MAPS)
        creation.player_setup.add(type=api.Participant)
        level = self.random.choice(api.Difficulty.values())
        creation.player_setup.add(type=api.Computer, race=common_pb2.Random, difficulty=level)
        options = api.InterfaceOptions(raw=True, score=True, show_cloaked=True)
        race = self.random.choice([common_pb2.Terran, common_pb2.Zerg, common_pb2.Protoss])
        joining = api.RequestJoinGame(race=race, options=options)
        return (
            api.Request(create_game=creation).SerializeToString(),
            api.Request(join_game=joining).SerializeToString(),
        )

    def sensible(self) -> api.Request:
        """What a client might send."""
        draw = self.random.random()
        if draw < 0.25:
            return api.Request(step=api.RequestStep(count=self.random.randrange(1, MOST_LOOPS)))
        if draw < 0.5:
            return api.Request(observation=api.RequestObservation())
        if draw < 0.85:
            return api.Request(action=self._actions())
        if draw < 0.95:
            return self._query()
        if draw < 0.99:
            return api.Request(game_info=api.RequestGameInfo())
        info = api.RequestReplayInfo(replay_data=self.replay)
        return api.Request(replay_info=info)

    def _actions(self) -> api.RequestAction:
        request = api.RequestAction()
        for _ in range(self.random.randrange(4)):
            told = request.actions.add().action_raw.unit_command
            told.ability_id = self.random.choice(ABILITIES)
            told.queue_command = self.random.random() < 0.3
            told.unit_tags.extend(self.random.choices(self.tags, k=self.random.randrange(4)))
            if self.random.random() < 0.5:
                told.target_unit_tag = self.random.choice(self.tags)
            else:
                told.target_world_space_pos.x = self.random.uniform(-2.0, 34.0)
                told.target_world_space_pos.y = self.random.uniform(-2.0, 34.0)
        return request

    def _query(self) -> api.Request:
        request = api.Request()
        request.query.abilities.add(unit_tag=self.random.choice(self.tags))
        pathing = request.query.pathing.add(unit_tag=self.random.choice(self.tags))
        pathing.end_pos.x, pathing.end_pos.y = self.random.uniform(0, 32), 5.0
        placement = request.query.placements.add(ability_id=self.random.choice(ABILITIES))
        placement.target_pos.x, placement.target_pos.y = 16.0, self.random.uniform(0, 32)
        return request

    def random_request(self) -> api.Request:
        """One of any kind, its fields set to whatever their types allow."""
        request = api.Request()
        name = self.random.choice(_REQUESTS)
        part = getattr(request, name)
        part.SetInParent()
        self._fill(part, 0)
        if self.random.random() < 0.1:
            request.id = self.random.randrange(2**32)
        return request

    def _fill(self, message: Message, depth: int) -> None:
        done: set[str] = set()
        for field in message.DESCRIPTOR.fields:
            oneof = field.containing_oneof
            if self.random.random() < 0.4 or (oneof is not None and oneof.name in done):
                continue
            if oneof is not None:
                done.add(oneof.name)
            if field.message_type is not None:
                if depth < 6:
                    self._fill_part(message, field, depth)
            elif field.is_repeated:
                values = [self._value(field) for _ in range(self.random.randrange(4))]
                getattr(message, field.name).extend(values)
            else:
                setattr(message, field.name, self._value(field))

    def _fill_part(self, message: Message, field: FieldDescriptor, depth: int) -> None:
        part = getattr(message, field.name)
        if field.is_repeated:
            for _ in range(self.random.randrange(4)):
                self._fill(part.add(), depth + 1)
        else:
            part.SetInParent()
            self._fill(part, depth + 1)

    def _value(self, field: FieldDescriptor) -> Any:
        choice = self.random.choice
        if field.enum_type is not None:
            return choice([value.number for value in field.enum_type.values])
        if field.type == FieldDescriptor.TYPE_BOOL:
            return choice((False, True))
        if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
            return choice(_FLOATS)
        if field.type == FieldDescriptor.TYPE_STRING:
            return choice(("", "x", "Flat32.SC2Map", "\0", "ü" * 40, "../../etc/passwd", "%s" * 9))
        if field.type == FieldDescriptor.TYPE_BYTES:
            return choice((b"", self.random.randbytes(50), self.mutated(self.replay)))
        low, high = _LIMITS[field.type]
        if "tag" in field.name and self.random.random() < 0.7:
            return choice(self.tags)
        if field.name == "ability_id" and self.random.random() < 0.7:
            return choice(ABILITIES)
        return min(max(choice(_INTEGERS), low), high)

    def mutated(self, data: bytes) -> bytes:
        """Some bytes changed, dropped or repeated."""
        changed = bytearray(data)
        for _ in range(self.random.randrange(1, 5)):
            if not changed:
                break
            at, draw = self.random.randrange(len(changed)), self.random.random()
            if draw < 0.6:
                changed[at] = self.random.randrange(256)
            elif draw < 0.75:
                del changed[at : at + self.random.randrange(1, 9)]
            elif draw < 0.9:
                changed[at:at] = self.random.randbytes(self.random.randrange(1, 9))
            else:
                changed[at:at] = changed[at : at + 20]
        return bytes(changed)


def tame(data: bytes, draw: random.Random) -> bytes:
    """Without what a client may ask for and the fuzzing cannot wait for: a million loops, a crash,
    a game every millisecond."""
    try:
        request = api.Request.FromString(data)
    except DecodeError:
        return data
    name = request.WhichOneof("request")
    if name in RARE and draw.random() > RARE[name]:
        return b""
    tamed = True
    if name == "step" and request.step.count > MOST_LOOPS:
        request.step.count %= MOST_LOOPS
    elif name == "debug" and any(one.HasField("test_process") for one in request.debug.debug):
        kept = [one for one in request.debug.debug if not one.HasField("test_process")]
        del request.debug.debug[:]
        request.debug.debug.extend(kept)
    elif name == "debug" and any(one.HasField("end_game") for one in request.debug.debug):
        return data if draw.random() < RARE["leave_game"] else b""
    else:
        tamed = False
    return request.SerializeToString() if tamed else data
