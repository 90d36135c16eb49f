"""What a scenario asks of its allies, as a commander reads it before the battle."""

from dataclasses import dataclass

import numpy as np

from terrarium.data.battles.scenario import Group, Scenario
from terrarium.data.facts.forms import forms_of
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.tactics.view import Bools, Floats

_ATTACKS = ("attack_move", "attack_move_between", "attack")


@dataclass(frozen=True)
class Briefing:
    """The same for every battle of a scenario."""

    places: Floats
    """[G, 2] where enemies begin"""
    home: Floats
    """[2] the allies' base: their workers and structures, or else where they begin"""
    destination: Floats | None
    """[2] where the allies have to get to"""
    holds: bool
    prey: Bools | None
    """[T]"""
    precious: Bools | None
    """[T]"""
    guards: Floats
    """[G, 2] where any enemy begins"""


def read_briefing(scenario: Scenario, names: tuple[str, ...]) -> Briefing:
    """Places as the scenario's file has them; a battle moves them a little."""
    facts, measure = load_ruleset(scenario.rules), scenario.measure
    ours = [group for group in scenario.groups if group.side == "ally"]
    theirs = [group for group in scenario.groups if group.side == "enemy"]

    def is_base(group: Group) -> bool:
        return any(
            "worker" in facts.units[name].flags or "Structure" in facts.units[name].attributes
            for name in group.units
        )

    def are(wanted: tuple[str, ...]) -> Bools:
        forms = {form for name in wanted for form in forms_of(facts, name)}
        return np.array([name in forms for name in names])

    base = [group for group in ours if is_base(group)] or ours
    raids = measure.kind == "kills" and bool(measure.only)
    prey = are(measure.only) if raids else None
    hunted = [group for group in theirs if set(group.units) & set(measure.only)]
    center = (scenario.terrain.width / 2.0, scenario.terrain.height / 2.0)
    everywhere = np.array([group.at for group in theirs] or [center], np.float64)
    return Briefing(
        places=np.array([group.at for group in hunted]) if raids and hunted else everywhere,
        home=np.array([group.at for group in base] or [center], np.float64).mean(axis=0),
        destination=None if measure.at is None else np.array(measure.at, np.float64),
        holds=prey is None and measure.at is None and _comes(scenario, theirs),
        prey=prey,
        precious=are(measure.only) if measure.only and not raids else None,
        guards=everywhere,
    )


def _comes(scenario: Scenario, theirs: list[Group]) -> bool:
    """Will the enemy attack? Then it is met where it is best for us."""
    sent = any(group.order is not None and group.order.kind in _ATTACKS for group in theirs)
    waits = scenario.measure.kind in ("saves", "survives")
    return bool(theirs) and (sent or waits)
