"""The game of this process: a simulator, the seats, and what its client has put in and has seen."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.battles.scenario import Scenario
from terrarium.data.games.melee import Melee
from terrarium.engine.cheats import CHEAT, CheatKind, cheat
from terrarium.engine.records import Records
from terrarium.engine.simulator import MAX_SLOTS, Simulator
from terrarium.engine.tables.plan import n_units
from terrarium.games.ending import GameResult, results
from terrarium.games.opponents import ComputerPlayer, knowledge_of
from terrarium.games.order_commands import Sent
from terrarium.replay.errors import ReplayError
from terrarium.replay.games.game_frames import MAX_GAME_PLAYERS
from terrarium.replay.games.game_record import GameRecorder
from terrarium.server.game_plan import GamePlan
from terrarium.server.input_log import InputLog
from terrarium.server.inputs import Inputs
from terrarium.server.news import EventReader, News
from terrarium.server.rounds import SPARE_SLOTS, Rounds
from terrarium.server.session import Refused
from terrarium.server.texts import text_of
from terrarium.server.translate.action_errors import carried_out, failures
from terrarium.server.translate.command_table import CommandTable
from terrarium.server.translate.ids import Ids
from terrarium.server.translate.offers import OfferTable
from terrarium.server.translate.placements import PlacementTable
from terrarium.server.translate.unit_commands import GivenActions

RULES = "lotv-4.10"
MAX_COMMANDS = 4096
"""of one player for one step"""
CAMERA_X, CAMERA_Y = 1.75, 1.25
"""From its townhall towards its fields the camera of a player begins, in every recorded game."""
MAX_CHEATS = 4096
MAX_CHATS = 64
MOST_LETTERS = 255
"""of a message of a player"""
CHUNK_TICKS = 32
"""in one call of the engine: events are read after each, before their ring is overwritten"""


class Pace(Protocol):
    """How a game goes on that several clients play together."""

    def step(self, inputs: Inputs, n_loops: int) -> None:
        """Tell the others what this client's player puts in, and go on with them."""
        ...

    def leave(self) -> None:
        """Let the others go on alone."""
        ...

    def quit(self) -> None:
        """The process is about to end."""
        ...

    def close(self) -> None:
        """There is nothing to tell the others any more."""
        ...


class LiveGame:
    """One game, number 0 of its simulator, as seen by the client of one player.

    Players are numbered by their seats; owners of units have the same numbers. What clients put in
    is carried out with the next step: `give`, `put_debug`, `say`. What happened since the client's
    last observation is in `take_news`.
    """

    is_replay = False

    def __init__(
        self, plan: GamePlan, player: int, options: api.InterfaceOptions, observes: bool = False
    ) -> None:
        """`player`: who plays, or whose view is observed; 0 = everything is seen."""
        seats = (s.with_race_drawn(plan.seed, k) for k, s in enumerate(plan.seats, 1))
        self.plan, self.player, self.options = plan, player, options
        self.observes = observes
        self.pace: Pace | None = None
        """of a game between several clients"""
        self.delay = 0
        """loops from a step's beginning until what was put in before it counts"""
        self.seats = tuple(seats)
        self.map = plan.map
        self.realtime, self.disable_fog, self.seed = plan.realtime, plan.disable_fog, plan.seed
        self.sim = self._make_simulator()
        self.ids = Ids(self.sim)
        self.command_table = CommandTable(self.sim, self.ids)
        self.offer_table = OfferTable(self.sim, self.ids)
        self.camera: tuple[float, float] = self._first_camera()
        self._begin()

    def _make_simulator(self) -> Simulator:
        ground = self.map.ground
        if isinstance(ground, Scenario):
            slots = n_units(ground) + SPARE_SLOTS
            return Simulator(ground, slots=slots, max_commands=16 * MAX_COMMANDS)
        races = tuple(seat.race for seat in self.seats if seat.plays)
        setup = Melee(ground, races, rules=RULES, fog=not self.disable_fog)
        teams = tuple((owner,) for owner in range(1, max(2, len(races)) + 1))
        return Simulator(setup, teams=teams, slots=MAX_SLOTS, max_commands=16 * MAX_COMMANDS)

    def _first_camera(self) -> tuple[float, float]:
        ground = self.map.ground
        if isinstance(ground, Scenario):
            return ground.terrain.width / 2, ground.terrain.height / 2
        starts = ground.starts
        x, y = starts[min(max(self.player, 1), len(starts)) - 1]
        assert isinstance(self.sim.setup, Melee)
        field = self.sim.setup.first_field((x, y))
        right = field is None or field.x >= x
        up = field is not None and field.y >= y
        return x + (CAMERA_X if right else -CAMERA_X), y + (CAMERA_Y if up else -CAMERA_Y)

    def _begin(self) -> None:
        self._rounds = None if self.is_whole_game else self._make_rounds()
        self.battles = InputLog()
        """of a game of battles"""
        self._reset()
        self._first_tick = int(self.sim.ticks[0])
        self._computers = tuple(
            ComputerPlayer(self.sim, 0, k, seat.opponent, self.seed)
            for k, seat in enumerate(self.seats, 1)
            if seat.type == api.Computer and self.is_whole_game
        )
        self._inputs = Inputs()
        self._awaited: list[tuple[int, int, GivenActions]] = []
        """actions whose answers come with the next tick: their first command and their loop"""
        self._scheduled: list[tuple[int, int, Inputs]] = []
        self._news = News()
        self._events = EventReader(self.sim)
        recorded = self.is_whole_game and self.sim.n_players <= MAX_GAME_PLAYERS
        self.recorder = GameRecorder(self.sim) if recorded else None

    def _make_rounds(self) -> Rounds:
        return Rounds(self.sim, self.seed)

    def _reset(self) -> None:
        if self._rounds is None:
            self.sim.reset(self.seed)
        else:
            self._rounds.begin()
            self.battles.begin(self._rounds.number, self._rounds.n_tags)

    # What is known of the game.

    @cached_property
    def placement_table(self) -> PlacementTable:
        return PlacementTable(self.sim, self.ids)

    @property
    def is_whole_game(self) -> bool:
        """No battle: there are an economy, fog and results."""
        return isinstance(self.sim.setup, Melee)

    @property
    def n_tags(self) -> int:
        """How many units earlier battles of this game had: the tags of this one's count on from
        there, while the engine begins anew."""
        return 0 if self._rounds is None else self._rounds.n_tags

    @property
    def loop(self) -> int:
        return self.loop_of(int(self.sim.ticks[0]))

    def loop_of(self, tick: int) -> int:
        """The game loop of a tick of the engine's clock; clients count from 0 on."""
        return tick - self._first_tick

    @property
    def results(self) -> tuple[GameResult, ...]:
        """Of the players who play; all are undecided while the game goes on. Who has no opponent
        wins at once."""
        if not self.is_whole_game:
            return ()
        if sum(seat.plays for seat in self.seats) == 1:
            return (GameResult.VICTORY if self.loop > 0 else GameResult.UNDECIDED,)
        return results(self.sim, 0)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the map."""
        ground = self.map.ground
        terrain = ground.terrain if isinstance(ground, Scenario) else ground
        return float(terrain.width), float(terrain.height)

    @property
    def first_tick(self) -> int:
        """The tick of the engine's clock at which clients begin to count loops."""
        return self._first_tick

    @property
    def ended(self) -> bool:
        """Is it over for its player? Others of a game of more than two may go on."""
        if self.observes or self.player == 0:
            return self.is_over
        own = self.results[self.player - 1 : self.player]  # battles have no results
        return len(own) > 0 and own[0] != GameResult.UNDECIDED

    @property
    def is_over(self) -> bool:
        """Is it over for everybody who plays?"""
        n_players = sum(seat.plays for seat in self.seats)
        decided = self.results[:n_players]
        return len(decided) > 0 and GameResult.UNDECIDED not in decided

    def take_news(self) -> News:
        """What happened since this was called last."""
        news, self._news = self._news, News()
        news.errors.extend(failures(self.ids, self.player, self.n_tags, news.events))
        return news

    # What the client puts in.

    def give(self, commands: Records, echo: api.Action | None = None) -> None:
        """Commands of this client's player, records of COMMAND, for the next step; `echo` is how
        an observation shows them."""
        if self._inputs.n_commands + len(commands) > MAX_COMMANDS:
            raise Refused(f"more than {MAX_COMMANDS} commands for one step")
        commands = commands.copy()
        commands["owner"] = self.player
        self._inputs.commands.append(commands)
        if echo is not None:
            self._inputs.echoes.append(echo)

    def give_actions(self, given: GivenActions) -> None:
        """The same for what actions have come to; those that come to nothing are told of."""
        first = self._inputs.n_commands
        self.give(given.commands)
        self._inputs.actions.append((first, given))

    @property
    def told(self) -> list[int]:
        """Slots of units that commands for the next step are about."""
        return [slot for some in self._inputs.commands for slot in some["unit"].tolist()]

    def move_camera(self, x: float, y: float, echo: api.Action) -> None:
        self._inputs.camera = (x, y)
        self._inputs.echoes.append(echo)

    def put_cheats(self, cheats: Records) -> None:
        """Sound cheats, records of CHEAT, for the next step."""
        if sum(map(len, self._inputs.cheats)) + len(cheats) > MAX_CHEATS:
            raise Refused(f"more than {MAX_CHEATS} debug commands for one step")
        self._inputs.cheats.append(cheats)

    def say(self, chat: api.ActionChat) -> None:
        """A message for everybody, with the next step."""
        if len(self._inputs.chat) >= MAX_CHATS:
            raise Refused(f"more than {MAX_CHATS} messages for one step")
        said = api.ActionChat(channel=chat.channel, message=text_of(chat.message)[:MOST_LETTERS])
        self._inputs.chat.append(said)

    def give_up(self, wins: bool = False) -> None:
        """Surrender with the next step; or, by a debug command, have all opponents do so."""
        if wins:
            self._inputs.wins = True
        else:
            self._inputs.gives_up = True

    def restart(self) -> None:
        """Begin again, with the same map, players and seed."""
        self.camera = self._first_camera()
        self._begin()

    @property
    def minds(self) -> Any:
        """What a save of the simulator does not hold: computers, and the record so far."""
        return self._computers, self.recorder, self._rounds, self.battles

    @property
    def known_ground(self) -> tuple[Any, ...]:
        """What computers know of the map and of the rules; it never changes."""
        ground = self.map.ground
        if isinstance(ground, Scenario) or not self._computers:
            return ()
        facts = (
            (computer.catalog, computer.level, computer.brain.plan) for computer in self._computers
        )
        return (knowledge_of(ground), *(fact for known in facts for fact in known))

    def go_on_from(self, minds: Any) -> None:
        """The simulator has been loaded: loops are counted anew, and nothing waits to be told."""
        self._computers, self.recorder, self._rounds, self.battles = minds
        self._first_tick = int(self.sim.ticks[0])
        self._inputs, self._scheduled, self._news = Inputs(), [], News()
        self._events, self._awaited = EventReader(self.sim), []

    def close(self) -> None:
        """Nothing goes on any more."""
        self.sim.close()

    # How it goes on.

    def step(self, n_loops: int) -> None:
        """Let the game run; it stops where it ends."""
        inputs, self._inputs = self._inputs, Inputs()
        if self.pace is not None:
            self.pace.step(inputs, n_loops)
        else:
            self.run({self.player: inputs}, n_loops)

    def run(self, inputs: Mapping[int, Inputs], n_loops: int) -> None:
        """Carry out what players have put in, in their order, and let the game run."""
        if not self.is_whole_game:
            self.battles.note(n_loops, inputs[self.player])
        for player in sorted(inputs):
            self.schedule(self.loop + self.delay, player, inputs[player])
        self.run_to(self.loop + n_loops)

    def schedule(self, loop: int, player: int, inputs: Inputs) -> None:
        """What a player puts in counts from a loop on."""
        self._scheduled.append((loop, player, inputs))

    def run_to(self, until: int) -> None:
        """Let the game run to a loop, or to its end."""
        if self._rounds is not None:
            self._put_in_due()
            if self._rounds.is_over:
                self._begin_round(self._rounds, until)
        while self.loop < until and not self.ended:
            self._put_in_due()
            if self.ended:
                return
            nexts = [loop for loop, _, _ in self._scheduled]
            self._run_chunk(min([until, *nexts]) - self.loop)

    def _put_in_due(self) -> None:
        due = [entry for entry in self._scheduled if entry[0] <= self.loop]
        if due:
            self._scheduled = [entry for entry in self._scheduled if entry[0] > self.loop]
            for _, player, inputs in sorted(due, key=lambda entry: entry[:2]):
                self._put_in(player, inputs)

    def _begin_round(self, rounds: Rounds, until: int) -> None:
        """Let the field lie empty, so that the next battle is as old at the end of the step as
        every battle when it is first seen."""
        while self.loop < until - rounds.opening_ticks:
            self._run_chunk(until - rounds.opening_ticks - self.loop)
        n_tags = rounds.n_tags
        rounds.begin()
        self.battles.begin(rounds.number, rounds.n_tags)
        self._news.count_tags_from(rounds.n_tags - n_tags)
        self._first_tick = int(self.sim.ticks[0]) - until
        self._events, self._awaited = EventReader(self.sim), []

    def _put_in(self, player: int, inputs: Inputs) -> None:
        if inputs.cheats:
            self._cheat(inputs.all_cheats())
        first = int(self.sim.inbox["n_commands"][0, 0])
        self.sim.give(0, inputs.all_commands())
        if player == self.player:
            self._awaited += [(first + k, self.loop, given) for k, given in inputs.actions]
            self.camera = inputs.camera or self.camera
            for echo in inputs.echoes:
                echo.game_loop = self.loop
                self._news.echoes.append(echo)
        for chat in inputs.chat:
            self._news.chat.append(api.ChatReceived(player_id=player, message=chat.message))
        if self.is_whole_game and player > 0 and (inputs.gives_up or inputs.wins):
            for owner in range(1, self.sim.n_players + 1):
                if (owner == player) == inputs.gives_up:
                    self.sim.surrender(0, owner)

    def _cheat(self, cheats: Records) -> None:
        cheat(self.sim, 0, cheats)
        if self.recorder is not None:
            self.recorder.note_cheats(cheats)

    def _run_chunk(self, n_loops: int) -> None:
        tick = int(self.sim.ticks[0])
        dues = [computer.due - tick for computer in self._computers if computer.due > tick]
        first = int(self.sim.inbox["n_commands"][0, 0])
        sent = []
        for computer in self._computers:
            own = self._let_act(computer)
            if own is not None:
                self.sim.give(0, own.commands)
                sent.append((computer, own))
                dues.append(computer.due - tick)
        self.sim.step(min([n_loops, CHUNK_TICKS, *dues]))
        self._hear()
        self._tell(sent, first)
        self._events.read_into(self._news)
        self._record()

    def _let_act(self, computer: ComputerPlayer) -> Sent | None:
        """The commands of a computer; what a level that cheats is given belongs to the record."""
        purse = self.sim.players[0, computer.owner]
        before = float(purse["minerals"]), float(purse["vespene"])
        sent = computer.act()
        given = float(purse["minerals"]) - before[0], float(purse["vespene"]) - before[1]
        if self.recorder is not None and any(given):
            # As the record will give it: rounding may make another sum of it.
            purse["minerals"], purse["vespene"] = before[0] + given[0], before[1] + given[1]
            row = (CheatKind.GIVE, computer.owner, 0, 0, 0, *given, 0.0)
            self.recorder.note_cheats(np.array([row], CHEAT))
        return sent

    def _record(self) -> None:
        if self.recorder is not None:
            try:
                self.recorder.note()
            except ReplayError:  # the game is longer than any record; it goes on without one
                self.recorder = None

    def _hear(self) -> None:
        """What became of the client's actions."""
        awaited, self._awaited = self._awaited, []
        for first, loop, given in awaited:
            answers = self.sim.answers(0)[first : first + len(given.commands)]
            for echo in carried_out(given, answers):
                echo.game_loop = loop
                self._news.echoes.append(echo)

    def _tell(self, sent: list[tuple[ComputerPlayer, Sent]], first: int) -> None:
        """What became of the commands of computer opponents, which came after the others."""
        answers = self.sim.answers(0)
        for computer, part in sent:
            last = first + len(part.commands)
            computer.hear(part, answers[first:last])
            first = last
