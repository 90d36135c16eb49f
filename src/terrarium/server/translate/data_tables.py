"""ResponseData: dense tables of abilities, units, upgrades, buffs, effects: row i has id i.

Clients take the place in a list for the id, so ids that the facts do not know are empty rows.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from s2clientprotocol import common_pb2, data_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.api.catalog import ApiAbility, api_abilities
from terrarium.data.facts.buff_facts import Buff, Effect
from terrarium.data.facts.unit_facts import RuleSet, Unit, Weapon
from terrarium.data.facts.upgrade_facts import Upgrade
from terrarium.server.translate.fixed_point import rounded
from terrarium.server.translate.upgraded_units import with_upgrades

VERBS = {
    "train": "Train",
    "warp_in": "TrainWarp",
    "build": "Build",
    "magazine": "Build",
    "research": "Research",
    "morph": "Morph",
    "effect": "Effect",
    "augment": "Effect",
    "toggle": "Behavior",
    "harvest": "Harvest",
    "rally": "Rally",
    "attack": "Attack",
    "stop": "Stop",
    "queue": "Cancel",
    "construction": "Cancel",
}
"""how the readable names of abilities begin"""
CANCEL = 3659
"""the general ability to break something off"""
SPEAK_OF_AUTOCAST = ("toggle", "effect", "morph", "train", "magazine", "augment")
"""kinds of abilities whose rows say whether they have an autocast"""
TARGETS = {
    "none": data_pb2.AbilityData.Target.Value("None"),
    "point": data_pb2.AbilityData.Point,
    "unit": data_pb2.AbilityData.Unit,
    "point_or_unit": data_pb2.AbilityData.PointOrUnit,
    "point_or_none": data_pb2.AbilityData.PointOrNone,
}
WEAPON_TARGETS = {
    "any": data_pb2.Weapon.Any,
    "ground": data_pb2.Weapon.Ground,
    "air": data_pb2.Weapon.Air,
}
N_UPGRADES = 306
"""as in the longest recorded table (sc2api.md, 10): bots ask for the costs of upgrades of later
versions too, and would stop where there is no row"""
T = TypeVar("T")


def fill_data(
    request: api.RequestData,
    response: api.ResponseData,
    facts: RuleSet,
    copies: Mapping[int, Unit] = MappingProxyType({}),
    owned: Iterable[Upgrade] = (),
    damage_factor: float = 1.0,
) -> None:
    """Fill the tables that a client asks for; `copies` are SMAC's copies of units by their ids,
    `owned` the upgrades that the client's player has."""
    if request.ability_id:
        known = {k: a for k, a in api_abilities().items() if a.in_4_10}
        _fill(response.abilities, known, "ability_id", _ability)
    if request.unit_type_id:
        units = {u.id: u for u in facts.units.values() if u.agent_copy_of is None}
        units = with_upgrades(units, owned, damage_factor)
        _fill(response.units, units, "unit_id", _unit)
        _fill_copies(response, copies)
    if request.upgrade_id:
        upgrades = {u.id: u for u in facts.upgrades.values() if u.id is not None}
        _fill(response.upgrades, upgrades, "upgrade_id", _upgrade, N_UPGRADES)
    if request.buff_id:
        buffs = {b.id: b for b in facts.buffs.values() if b.id is not None}
        _fill(response.buffs, buffs, "buff_id", _buff)
    if request.effect_id:
        effects = {e.id: e for e in facts.effects.values() if e.id is not None}
        _fill(response.effects, effects, "effect_id", _effect)


def _fill(
    rows: Any, known: Mapping[int, T], key: str, write: Callable[[T, Any], None], fewest: int = 0
) -> None:
    for number in range(max(fewest, max(known) + 1)):
        row = rows.add()
        setattr(row, key, number)
        if number in known:
            write(known[number], row)


def _fill_copies(response: api.ResponseData, copies: Mapping[int, Unit]) -> None:
    """They come last: SMACv2 finds them from the end of the table."""
    for number, unit in copies.items():
        while len(response.units) < number:
            response.units.add(unit_id=len(response.units))
        row = response.units.add(unit_id=number)
        _unit(unit, row)
        row.name = f"{unit.api_name}_RL"


def _ability(ability: ApiAbility, row: data_pb2.AbilityData) -> None:
    row.link_name, row.link_index = ability.link, ability.index
    row.button_name = ability.button
    row.friendly_name = friendly_name(ability)
    if ability.remaps_to is not None:
        row.remaps_to_ability_id = ability.remaps_to
    row.available = True
    row.target = TARGETS[ability.target]
    if ability.kind != "general" or ability.minimap:
        row.allow_minimap = ability.minimap
    if ability.kind in SPEAK_OF_AUTOCAST and ability.remaps_to != CANCEL:
        row.allow_autocast = ability.autocast
    if ability.is_building:
        row.is_building = True
    if ability.instant_placement:
        row.is_instant_placement = True
    if ability.footprint_radius is not None:
        row.footprint_radius = ability.footprint_radius
    if ability.cast_range is not None:
        row.cast_range = rounded(ability.cast_range)


def friendly_name(ability: ApiAbility) -> str:
    """What the command does and with what; the game's own names are made by hand and differ in
    some."""
    return " ".join(word for word in (VERBS.get(ability.kind, ""), ability.button) if word)


def _unit(unit: Unit, row: data_pb2.UnitTypeData) -> None:
    row.name, row.available = unit.api_name, True
    if unit.cargo_size:
        row.cargo_size = unit.cargo_size
    row.movement_speed, row.armor = rounded(unit.speed), unit.armor
    row.attributes.extend(_attributes(unit.attributes))
    row.weapons.extend(_weapon(weapon) for weapon in unit.weapons if _is_listed(weapon))
    _fill_cost(unit, row)
    row.race = common_pb2.Race.Value(unit.race) if unit.race != "Neutral" else common_pb2.NoRace
    if unit.resource is not None:
        setattr(row, f"has_{unit.resource.kind}", True)
    row.sight_range = rounded(unit.sight)
    row.tech_alias.extend(unit.api.tech_alias)
    if unit.api.unit_alias is not None:
        row.unit_alias = unit.api.unit_alias


def _fill_cost(unit: Unit, row: data_pb2.UnitTypeData) -> None:
    """What the type costs with everything it is made of, and what makes it."""
    about = unit.api
    row.mineral_cost = round(about.mineral_cost or 0)
    row.vespene_cost = round(about.vespene_cost or 0)
    if about.food_required:
        row.food_required = about.food_required
    else:
        row.food_provided = unit.supply_provided
    if about.creation_ability:
        row.ability_id = about.creation_ability
    if about.build_time_loops:
        row.build_time = 16.0 * rounded(about.build_time_loops / 16.0)
    if about.tech_requirement:
        row.tech_requirement = about.tech_requirement
        row.require_attached = about.require_attached


def _attributes(names: Iterable[str]) -> Iterable[data_pb2.Attribute]:
    return sorted(data_pb2.Attribute.Value(name) for name in names)


def _is_listed(weapon: Weapon) -> bool:
    """The API lists weapons that deal damage by themselves, once switched on or not."""
    return weapon.damage is not None and not weapon.suicide and not weapon.starts_off


def _weapon(weapon: Weapon) -> data_pb2.Weapon:
    row = data_pb2.Weapon(
        type=WEAPON_TARGETS[weapon.targets],
        damage=weapon.damage or 0.0,
        attacks=weapon.attacks,
        range=rounded(weapon.range),
        speed=rounded(weapon.cooldown_loops / 16.0),
    )
    for attribute, bonus in weapon.bonus.items():
        row.damage_bonus.add(attribute=data_pb2.Attribute.Value(attribute), bonus=bonus)
    return row


def _upgrade(upgrade: Upgrade, row: data_pb2.UpgradeData) -> None:
    row.name = upgrade.api_name
    row.mineral_cost, row.vespene_cost = round(upgrade.minerals), round(upgrade.vespene)
    row.research_time = upgrade.research_loops
    if upgrade.ability is not None:
        row.ability_id = upgrade.ability


def _buff(buff: Buff, row: data_pb2.BuffData) -> None:
    row.name = buff.api_name


def _effect(effect: Effect, row: data_pb2.EffectData) -> None:
    row.name, row.friendly_name = effect.api_name, effect.friendly_name
    row.radius = effect.radius if effect.api_radius is None else effect.api_radius
