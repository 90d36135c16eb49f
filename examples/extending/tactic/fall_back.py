"""A tactic: who is shot at falls back while it reloads. Run it to see what it is worth."""

from collections.abc import Sequence

import numpy as np

from terrarium.engine.records import Records
from terrarium.envs.evaluate import evaluate
from terrarium.envs.options import Options
from terrarium.envs.players.players import to_commands
from terrarium.envs.players.tactical_view import Battles, Lookout
from terrarium.tactics.advance import advance
from terrarium.tactics.engage import shoot
from terrarium.tactics.focus_fire import choose_targets
from terrarium.tactics.orders import OrderKind, Wish, combine
from terrarium.tactics.view import Floats, View

SCENARIO = "smac/3s_vs_3z"


def fall_back(view: View) -> list[Wish]:
    """Who was hurt a moment ago steps back while its weapon cools down."""
    hit = view.own.alive & (view.unhurt_ticks < 2.0 * view.step_ticks)
    waits = hit & (view.cooldown_ticks > view.step_ticks)
    away = view.own.pos - nearest_enemy(view)  # [N, A, 2]
    away = away / np.maximum(np.linalg.norm(away, axis=-1, keepdims=True), 1e-6)
    return [Wish(waits, OrderKind.MOVE, "fall back: reloading", point=view.own.pos + 2.0 * away)]


def nearest_enemy(view: View) -> Floats:
    """[N, A, 2] the place of the enemy that is nearest to each own unit."""
    apart = np.where(view.pairs, view.apart, np.inf)  # [N, A, E]
    return np.take_along_axis(view.enemy.pos, apart.argmin(-1)[..., None], axis=1)


class Retreating:
    """A player: the new tactic first, then focused fire, then the way to the enemy."""

    views: Sequence[str] = ()

    def __init__(self, *first: object) -> None:
        self._tactics = first
        self._battles: Battles | None = None

    def prepare(self, options: Options) -> Options:
        return options

    def command(self, battles: Battles) -> Records:
        if self._battles is not battles:
            self._battles, self._lookout = battles, Lookout(battles)
        view = self._lookout.look(battles)
        wishes = [wish for tactic in self._tactics for wish in tactic(view)]
        wishes += shoot(view, choose_targets(view, at_hand=True)) + advance(view)
        return to_commands(battles, combine(view, wishes))


if __name__ == "__main__":
    for name, player in (("without", Retreating()), ("with", Retreating(fall_back))):
        result = evaluate(player, SCENARIO, episodes=64)
        print(f"{name} falling back: wins {result.win_rate:.0%}")
