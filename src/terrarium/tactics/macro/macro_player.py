"""A computer opponent: one brain for all races, levels and builds."""

from collections.abc import Sequence

from terrarium.data.opponents.levels import Level
from terrarium.data.opponents.plans import BuildPlan
from terrarium.tactics.macro.catalog import Catalog
from terrarium.tactics.macro.enemy_army import note_army
from terrarium.tactics.macro.fighting import Fighting
from terrarium.tactics.macro.game_view import (
    GameOrder,
    GameOrderKind,
    GameView,
    Point,
    Refusal,
)
from terrarium.tactics.macro.map_knowledge import MapKnowledge
from terrarium.tactics.macro.scouting import note_enemies, scout
from terrarium.tactics.macro.spending import spend
from terrarium.tactics.macro.turn import BLOCKED_TICKS, PlayerMemory, Turn
from terrarium.tactics.macro.workers import employ, use_energy

_PASSING = (
    "NotEnoughMinerals",
    "NotEnoughVespene",
    "NotEnoughFood",
    "NotEnoughEnergy",
    "Cooldown",
    "QueueIsFull",
    "TechRequirementsNotMet",
)
"""refusals after which the same order may soon be taken"""


class MacroPlayer:
    """Plays a whole game from its start location to its end, as one level, race and build."""

    def __init__(
        self, plan: BuildPlan, level: Level, catalog: Catalog, ground: MapKnowledge, home: Point
    ) -> None:
        self.plan, self.level = plan, level
        self._catalog, self._ground = catalog, ground
        starts = [s for s in ground.map.starts if s != home]
        site = ground.site_at(*home)
        self._memory = PlayerMemory(home, site, ground.sites_by_way(home), tuple(starts))
        self._fighting = Fighting()
        self._loop = 0

    def decide(self, view: GameView) -> list[GameOrder]:
        """What to order now. It is asked every `level.decision_ticks`."""
        turn = Turn(view, self._catalog, self._ground, self._memory, self.plan, self.level)
        self._loop = turn.loop
        note_enemies(turn)
        if self.level.attack_ratio or self.level.army_ratio:
            note_army(turn)
        self._fighting.lead(turn)
        scout(turn)
        spend(turn)
        employ(turn)
        use_energy(turn)
        return turn.orders

    def hear(self, refusals: Sequence[Refusal]) -> None:
        """What was refused for other reasons than money is left alone for a while."""
        for refusal in refusals:
            order = refusal.order
            if refusal.result in _PASSING:
                continue
            if order.kind == GameOrderKind.BUILD:
                self._memory.blocked[order.x, order.y] = self._loop + BLOCKED_TICKS
            elif order.kind in (GameOrderKind.MAKE, GameOrderKind.USE):
                self._memory.refused[order.what] = self._loop + BLOCKED_TICKS
