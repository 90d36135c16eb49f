"""What agents may do besides SMAC's actions: the kit of every unit type, in the same few slots."""

from collections.abc import Sequence

from terrarium.data.battles.scenario import Scenario
from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine import codes
from terrarium.engine.records import Records, records
from terrarium.engine.tables.names import names_of
from terrarium.envs.kernels.tables import N_AIMED, N_SELF, SLOT
from terrarium.envs.members import possible_allies

# Healing is SMAC's target action, a charge is part of an attack, and salvage is no way to fight.
_NEVER_CHOSEN = ("passive", "heal", "charge", "salvage", "end")


def skills_of(rules: RuleSet, unit: str) -> tuple[list[Ability], list[Ability]]:
    """What a unit does by itself, and what it aims at others, in the order of its kit."""
    itself: list[Ability] = []
    aimed: list[Ability] = []
    for ability in rules.abilities.values():
        if unit not in ability.users or not _is_chosen(rules, ability, itself):
            continue
        # Passengers leave where their carrier is.
        here = ability.target == "none" or ability.kind == "unload"
        (itself if here else aimed).append(ability)
    return itself[:N_SELF], aimed[:N_AIMED]


def _is_chosen(rules: RuleSet, ability: Ability, before: Sequence[Ability]) -> bool:
    """Is an ability something to decide about in a battle?"""
    if ability.id is None or ability.kind in _NEVER_CHOSEN:
        return False
    if ability.kind == "toggle":
        return ability.buff is not None and "holds_fire" not in rules.buffs[ability.buff].states
    if ability.kind == "burst":
        return ability.autocast == "never"
    if ability.kind == "unload":  # all of them together; one by one is for other occasions
        return not any(other.kind == "unload" for other in before)
    return True


def _end_of(rules: RuleSet, ability: Ability, unit: str) -> Ability | None:
    """What switches a toggle off again. Other abilities are ended by any new order."""
    if ability.kind != "toggle":
        return None
    ends = (a for a in rules.abilities.values() if a.kind == "end" and unit in a.users)
    return next((end for end in ends if end.of == ability.name), None)


def _whom(rules: RuleSet, ability: Ability) -> tuple[bool, bool]:
    """On which members it makes sense: on one's own, on enemies."""
    if ability.kind in ("load", "repair") or "enemy" in ability.must_not_be:
        return True, False
    shows = ability.effect is not None and rules.effects[ability.effect].reveals
    moves = ability.kind in ("morph", "teleport", "summon") and not ability.strikes
    return shows or moves, True


def slot_table(rules: RuleSet) -> Records:
    """[T, N_SELF + N_AIMED] the slots of every unit type, for the kernels."""
    rows = names_of(rules).abilities
    table = records((len(rules.units), N_SELF + N_AIMED), SLOT)
    table["ability"] = table["ends"] = codes.NO_ABILITY
    for t, unit in enumerate(rules.units):
        itself, aimed = skills_of(rules, unit)
        for first, abilities in ((0, itself), (N_SELF, aimed)):
            for s, ability in enumerate(abilities):
                end = _end_of(rules, ability, unit)
                table[t, first + s] = (
                    rows[ability.name],
                    rows[end.name] if end else codes.NO_ABILITY,
                    *_whom(rules, ability),
                )
    return table


def has_skills(scenario: Scenario) -> bool:
    """May an agent have abilities? Upgrades do not matter, so that the actions of a scenario's
    variants are the same."""
    rules = load_ruleset(scenario.rules)
    return any(any(skills_of(rules, name)) for name in possible_allies(scenario))


def skill_names(scenario: Scenario) -> tuple[list[str], list[str]]:
    """What the slots mean to the agents; where it depends on their type, one after the other."""
    rules = load_ruleset(scenario.rules)
    slots: tuple[list[list[str]], list[list[str]]] = (
        [[] for _ in range(N_SELF)],
        [[] for _ in range(N_AIMED)],
    )
    allies = possible_allies(scenario)
    for unit in (name for name in rules.units if name in allies):
        for names, abilities in zip(slots, skills_of(rules, unit), strict=True):
            for s, ability in enumerate(abilities):
                name = ability.name.removesuffix(f"_{unit}")
                if name not in names[s]:
                    names[s].append(name)
    itself, aimed = ([" / ".join(names) or "unused" for names in part] for part in slots)
    return itself, aimed
