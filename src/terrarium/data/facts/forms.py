"""Units in their forms: a Siege Tank stays one when it sieges, a Medivac in an agent's hands."""

from functools import lru_cache

from terrarium.data.facts.unit_facts import RuleSet


@lru_cache(maxsize=16)  # by the object: files of one name may differ
def _agent_copies(facts: RuleSet) -> dict[str, str]:
    return {unit.agent_copy_of: name for name, unit in facts.units.items() if unit.agent_copy_of}


@lru_cache(maxsize=16)
def _forms(facts: RuleSet) -> dict[str, frozenset[str]]:
    forms = {name: {name} for name in facts.units}
    for ability in facts.abilities.values():
        if ability.morph is None:
            continue
        for user in ability.users:
            joined = forms[user] | forms[ability.morph.becomes]
            for name in joined:
                forms[name] = joined
    for original, copy in _agent_copies(facts).items():
        joined = forms[original] | forms[copy]
        for name in joined:
            forms[name] = joined
    return {name: frozenset(others) for name, others in forms.items()}


def forms_of(rules: RuleSet, unit: str) -> frozenset[str]:
    """The unit's own name, that of its copy, and those of all it can turn into and back from."""
    return _forms(rules)[unit]


def agent_type(rules: RuleSet, unit: str) -> str:
    """The type of a unit that an agent plays: the copy, where the rule set has one."""
    return _agent_copies(rules).get(unit, unit)


def fighting_value(rules: RuleSet, unit: str) -> float:
    """Minerals and vespene of a unit; 0 for what is summoned and for what nobody can attack."""
    facts = rules.units[unit]
    if {"no_score", "untargetable", "uncommandable"} & set(facts.flags):
        return 0.0
    return facts.minerals_total + facts.vespene_total


def summons(rules: RuleSet, unit: str) -> bool:
    """May more units appear because this one is there?"""
    by_ability = any(
        ability.summon is not None and forms_of(rules, unit) & set(ability.users)
        for ability in rules.abilities.values()
    )
    return by_ability or any(
        hit.spawns is not None for weapon in rules.units[unit].weapons for hit in weapon.hits
    )


def users_of_upgrade(rules: RuleSet, upgrade: str) -> frozenset[str]:
    """The units, in all of their forms, to which an upgrade makes a difference."""
    facts = rules.upgrades[upgrade]
    users = set(facts.weapon_buff_of)
    changed: set[str] = set()
    for change in facts.changes:
        if change.of in ("unit", "weapon"):
            users.update(change.names)
        elif change.of == "ability":
            changed.update(change.names)
    for ability in rules.abilities.values():
        if upgrade in ability.requires or ability.name in changed:
            users.update(ability.users)
        users.update(user for user, needed in ability.requires_of.items() if upgrade in needed)
    return frozenset(form for user in users for form in forms_of(rules, user))
