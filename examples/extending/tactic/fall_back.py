"""A tactic: who is badly hurt falls back. Run it to see what it is worth in a drill."""

from collections.abc import Sequence

from terrarium.engine.records import Records
from terrarium.envs.evaluate import evaluate
from terrarium.envs.options import Options
from terrarium.envs.players.players import to_commands
from terrarium.envs.players.tactical_view import Battles, Lookout
from terrarium.tactics.advance import advance
from terrarium.tactics.engage import shoot
from terrarium.tactics.focus_fire import choose_targets
from terrarium.tactics.orders import OrderKind, Wish, combine
from terrarium.tactics.view import View

SCENARIO = "smac/3m"
HURT = 0.3
"""Fraction of life below which a unit falls back"""


def fall_back(view: View) -> list[Wish]:
    """Who is badly hurt walks home."""
    hurt = view.own.alive & (view.own.hp < HURT * view.own.hp_max)
    home = view.mission.home[:, None].repeat(view.own.hp.shape[1], axis=1)  # [N, A, 2]
    return [Wish(hurt, OrderKind.MOVE, "fall back: badly hurt", point=home)]


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
