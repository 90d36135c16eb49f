"""The melee score (sc2api.md, 8.5)."""

from typing import Any

from s2clientprotocol import score_pb2

from terrarium.engine.score import CATEGORIES, VITALS
from terrarium.server.live_game import LiveGame

LOOPS_PER_SECOND = 16.0
"""Idle times are seconds at the speed Normal: two idle workers add 20 in 160 loops, as measured."""
SUMS = (
    "total_value_units",
    "total_value_structures",
    "killed_value_units",
    "killed_value_structures",
    "collected_minerals",
    "collected_vespene",
    "collection_rate_minerals",
    "collection_rate_vespene",
    "spent_minerals",
    "spent_vespene",
)
BY_CATEGORY = (
    "food_used",
    "killed_minerals",
    "killed_vespene",
    "lost_minerals",
    "lost_vespene",
    "friendly_fire_minerals",
    "friendly_fire_vespene",
    "used_minerals",
    "used_vespene",
    "total_used_minerals",
    "total_used_vespene",
)
BY_VITAL = ("total_damage_dealt", "total_damage_taken", "total_healed")


def fill_score(game: LiveGame, score: score_pb2.Score) -> None:
    state = game.sim.games.scores[0, game.player]
    score.score_type, score.score = score_pb2.Score.Melee, int(state["score"])
    details = score.score_details
    # The rules count the townhall at the beginning of a game as well.
    idle = max(0, int(state["idle_production_ticks"]) - 1)
    details.idle_production_time = idle / LOOPS_PER_SECOND
    details.idle_worker_time = float(state["idle_worker_ticks"]) / LOOPS_PER_SECOND
    for name in SUMS:
        setattr(details, name, float(state[name]))
    for name in BY_CATEGORY:
        _fill(getattr(details, name), CATEGORIES, state[name])
    for name in BY_VITAL:
        _fill(getattr(details, name), VITALS, state[name])


def _fill(part: Any, names: tuple[str, ...], values: Any) -> None:
    for name, value in zip(names, values.tolist(), strict=True):
        setattr(part, name, value)
