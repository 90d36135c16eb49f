"""Scripted players: baselines for any scenario, by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.records import Records, records
from terrarium.engine.tables.plan import ENEMY_OWNER
from terrarium.envs.kernels.tables import NO_OP, NORTH, STOP
from terrarium.envs.options import Options, options_for
from terrarium.envs.players.tactical_view import MOVES, Battles, Lookout
from terrarium.envs.recording import BattleLog
from terrarium.envs.vector import VecEnv
from terrarium.errors import TerrariumError, nearest
from terrarium.replay.record import Record
from terrarium.tactics.army import SWITCHES, lead_army
from terrarium.tactics.geometry import steps_ahead
from terrarium.tactics.orders import OrderKind, Orders
from terrarium.tactics.skirmish import lead
from terrarium.tactics.view import Floats, View

STRAIGHT = 0.01
"""Of two moves that shorten a way by as many cells, the straighter one is better"""

Actions = NDArray[np.int64]
"""[N, A]"""


class Player(Protocol):
    """Chooses the actions of all agents in a batch of battles."""

    @property
    def views(self) -> Sequence[str]:
        """which views of the environment it looks at"""

    def prepare(self, options: Options) -> Options:
        """The options of the environment that it plays in, given those that the user wants."""

    def act(self, env: VecEnv) -> Actions:
        """One action for each agent, given where the battles stand."""


class RandomPlayer:
    """Any available action, all equally likely."""

    views = ()

    def prepare(self, options: Options) -> Options:
        return options

    def act(self, env: VecEnv) -> Actions:
        return env.sample_actions()


class HeuristicPlayer:
    """SMAC's own script: each unit attacks the nearest enemy until it is dead."""

    views = ()

    def prepare(self, options: Options) -> Options:
        return replace(options, heuristic_ai=True)

    def act(self, env: VecEnv) -> Actions:
        return env.actions  # the environment overwrites them


class KitingPlayer:
    """Focused fire, steps back from those with a shorter reach, and healing.

    Like SMAC's script it sees the whole map; unlike it, it chooses only what the mask offers.
    """

    views = ()

    def __init__(self) -> None:
        self._env: VecEnv | None = None
        self._lookout: Lookout | None = None

    def prepare(self, options: Options) -> Options:
        return options

    def act(self, env: VecEnv) -> Actions:
        if self._lookout is None or self._env is not env:
            self._env, self._lookout = env, Lookout(env, MOVES)
        view = within_mask(env, self._lookout.look(env))
        return to_actions(env, view, lead(view))


def within_mask(env: VecEnv, view: View) -> View:
    """Beyond SMAC's shooting range an attack is not offered, however far the weapon reaches."""
    if not env.options.action_mask:
        return view
    shoot = env.kinds["shoot"][view.own.kind][:, :, None]
    return replace(view, reach=np.minimum(view.reach, shoot))


@runtime_checkable
class Commander(Protocol):
    """Gives orders of the engine: all that a player of the game could."""

    @property
    def views(self) -> Sequence[str]:
        """which views of the environment it looks at"""

    def prepare(self, options: Options) -> Options:
        """The options of the environment that it plays in, given those that the user wants."""

    def command(self, battles: Battles) -> Records:
        """[N, A] one COMMAND for each agent; its targets are slots of the engine."""


class AttackMove:
    """Everybody attack-moves at the nearest enemy, wherever that is; no abilities."""

    views = ()

    def prepare(self, options: Options) -> Options:
        return options

    def command(self, battles: Battles) -> Records:
        sim, n = battles.sim, battles.n_agents
        units = np.take_along_axis(sim.units, battles.member_slots, axis=1)
        own, enemy = units[:, :n], units[:, n:]
        apart = (own["x"][..., None] - enemy["x"][:, None]) ** 2
        apart = apart + (own["y"][..., None] - enemy["y"][:, None]) ** 2
        there = enemy["alive"] & (enemy["owner"] == ENEMY_OWNER)
        who = np.where(there[:, None], apart, np.inf).argmin(axis=2)
        mobile = own["alive"] & (own["max_speed"] > 0.0)
        idle = mobile & (own["n_orders"] == 0) & there.any(axis=1, keepdims=True)
        commands = _no_commands(own.shape)
        commands["kind"] = np.where(idle, codes.ATTACK_MOVE, codes.NO_ORDER)
        for axis in ("x", "y"):
            commands[axis] = np.take_along_axis(enemy[axis], who, axis=1)
        return commands


class Tactician:
    """The library of tactics: every skill, but those that are switched off or done carelessly."""

    views = ()

    def __init__(self, switches: Sequence[str] = ()) -> None:
        for word in switches:
            if word not in SWITCHES:
                raise TerrariumError(
                    f'unknown switch "{word}" of tactics.{nearest(word, SWITCHES)} '
                    f"Allowed: {', '.join(SWITCHES)}"
                )
        self._switches = frozenset(switches)
        self._battles: Battles | None = None
        self._lookout: Lookout | None = None
        self.orders: Orders | None = None
        """the last ones, with their reasons"""

    def prepare(self, options: Options) -> Options:
        return options

    def command(self, battles: Battles) -> Records:
        if self._lookout is None or self._battles is not battles:
            self._battles, self._lookout = battles, Lookout(battles)
        self.orders = lead_army(self._lookout.look(battles), self._switches)
        return to_commands(battles, self.orders)


_KINDS = {
    OrderKind.NONE: codes.NO_ORDER,
    OrderKind.STOP: codes.STOP,
    OrderKind.MOVE: codes.MOVE,
    OrderKind.ATTACK: codes.ATTACK,
    OrderKind.HEAL: codes.HEAL,
    OrderKind.ATTACK_MOVE: codes.ATTACK_MOVE,
    OrderKind.HOLD: codes.HOLD,
    OrderKind.CAST: codes.CAST,
}
_AT_UNIT = (OrderKind.ATTACK, OrderKind.HEAL, OrderKind.CAST)


def to_commands(battles: Battles, orders: Orders) -> Records:
    """The engine's words for orders."""
    sim, slots, n = battles.sim, battles.member_slots, battles.n_agents
    kinds = np.array([_KINDS[kind] for kind in OrderKind])
    rows = np.array([sim.known.abilities[name] for name in orders.abilities] + [codes.NO_ABILITY])
    number = orders.target + np.where(orders.on_friend, 0, n)
    aims = np.isin(orders.kind, _AT_UNIT) & (orders.target >= 0)
    commands = _no_commands(orders.kind.shape)
    commands["kind"] = kinds[orders.kind]
    commands["ability"] = rows[orders.ability]
    slot = np.take_along_axis(slots, np.clip(number, 0, slots.shape[1] - 1), axis=1)
    commands["target"] = np.where(aims, slot, codes.NO_UNIT)
    commands["x"], commands["y"] = orders.point[..., 0], orders.point[..., 1]
    return commands


def _no_commands(shape: tuple[int, ...]) -> Records:
    commands = records(shape, COMMAND)
    commands["target"], commands["ability"] = codes.NO_UNIT, codes.NO_ABILITY
    return commands


def play_step(player: "Player | Commander", env: VecEnv) -> None:
    """Let a player of either kind decide, and play one step."""
    if isinstance(player, Commander):
        env.step_commands(player.command(env))
    else:
        env.step(player.act(env))


def reasons_of(player: "Player | Commander", env: VecEnv, e: int = 0) -> dict[int, str]:
    """Why the agents of one battle did what they did, by slot; empty if the player does not say."""
    if not isinstance(player, Tactician) or player.orders is None:
        return {}
    slots = env.member_slots[e, : env.n_agents]
    return {int(slot): player.orders.reason(e, a) for a, slot in enumerate(slots)}


def to_actions(env: VecEnv, view: View, orders: Orders) -> Actions:
    """SMAC's actions that come nearest to the orders, of those that are available.

    A target that the mask does not offer is walked to.
    """
    first = env.info.first_target
    aims = (orders.kind == OrderKind.ATTACK) | (orders.kind == OrderKind.HEAL)
    action = np.where(aims, first + orders.target, STOP)
    action = np.where(action < env.info.n_actions, action, STOP)
    offered = np.take_along_axis(env.avail, action[..., None], axis=2)[..., 0]
    heals = orders.kind == OrderKind.HEAL
    at = np.maximum(orders.target, 0)[..., None]
    goal = np.where(
        heals[..., None],
        np.take_along_axis(view.own.pos, np.minimum(at, env.n_agents - 1), axis=1),
        np.take_along_axis(view.enemy.pos, np.minimum(at, env.info.n_enemies - 1), axis=1),
    )
    goal = np.where((orders.kind == OrderKind.MOVE)[..., None], orders.point, goal)
    walks = (orders.kind == OrderKind.MOVE) | (aims & ~offered)
    action = np.where(walks, _best_move(env, view, goal), action)
    return np.where(env.avail[..., NO_OP], NO_OP, action)


def _best_move(env: VecEnv, view: View, goal: Floats) -> Actions:
    """The available move that leads farthest towards a goal [N, A, 2]; to stop, if none does."""
    gain = (goal - view.own.pos) @ MOVES.T  # [N, A, 4]
    # Where a wall is in the way, walkers follow the shortest way around it.
    then = view.ground.ways(steps_ahead(view)[0], goal[:, :, None])
    shorter = view.ground.ways(view.own.pos, goal)[..., None] - then
    walks_around = view.own.is_walker & view.ground.is_around(view.own.pos, goal)
    gain = np.where(walks_around[..., None], shorter + STRAIGHT * gain, gain)
    gain = np.where(env.avail[..., NORTH : NORTH + len(MOVES)], gain, -np.inf)
    return np.where(gain.max(axis=2) > 0.0, NORTH + gain.argmax(axis=2), STOP)


PLAYERS: Mapping[str, Callable[[], Player]] = {
    "random": RandomPlayer,
    "heuristic": HeuristicPlayer,
    "kiting": KitingPlayer,
}
"""who choose among SMAC's actions"""
COMMANDERS: Mapping[str, Callable[[], Commander]] = {
    "attack_move": AttackMove,
    "tactics": Tactician,
}
"""who give real orders"""


def make_player(name: str) -> Player | Commander:
    """A scripted player by name. `tactics:no-stim,nearest-yamato` switches skills of tactics."""
    word, colon, switches = name.partition(":")
    if colon and word == "tactics":
        return Tactician(switches.split(","))
    makers: Mapping[str, Callable[[], Player | Commander]] = {**PLAYERS, **COMMANDERS}
    if name not in makers:
        raise TerrariumError(
            f'unknown player "{name}".{nearest(name, makers)} Allowed: {", ".join(makers)}'
        )
    return makers[name]()


def record_battle(
    player: Player | Commander,
    scenario: Scenario,
    seed: int,
    title: str = "",
    options: Options | None = None,
) -> Record:
    """Let a player fight the first battle of a seed, and record it."""
    options = player.prepare(options_for(scenario, {}) if options is None else options)
    env = VecEnv(scenario, seed=seed, views=player.views, autoreset=False, options=options)
    try:
        env.reset()
        log = BattleLog(env)
        while not env.over[0]:
            play_step(player, env)
            log.note(reasons_of(player, env))
        return log.record(title)
    finally:
        env.close()
