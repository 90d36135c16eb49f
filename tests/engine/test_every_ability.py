"""Contracts of every ability and upgrade of the ladder's rule set."""

import numpy as np
import pytest

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from terrarium.engine.handles import handle
from terrarium.engine.kernels.orders.permission import Usable, find_usable
from tests.engine.arena import Arena, Piece, open_ground

FACTS = load_ruleset("lotv-4.10")
ORDERED = [a for a in FACTS.abilities.values() if a.kind != "passive"]
WITHOUT_EFFECT = {"attack_structures_on", "attack_structures_off"}
"""Switches that mean nothing to the battles of today (docs/fidelity.md): refused."""
ENDS = {a.name for a in ORDERED if a.kind in ("end", "unload")}

CANDIDATES = (
    *("ultralisk", "marine", "siege_tank", "battlecruiser", "high_templar", "bunker"),
    *("supply_depot", "nexus", "hatchery", "shield_battery", "stalker", "command_center"),
)


def stage(user: str) -> tuple[Arena, Piece, list[Piece]]:
    """A unit with every upgrade and plenty of everything, and whom it might use a skill on."""
    arena = open_ground(size=96, slots=48).purse()
    for upgrade in FACTS.upgrades:
        arena.research(upgrade)
    arena.sim.players["nukes"][0] = 1
    me = arena.add(user, at=(48, 48), passive=True)
    me.set(energy=float(me.row["energy_max"]))
    others = []
    for k, name in enumerate(CANDIDATES):
        for side in (0, 1):
            other = arena.add(name, at=(10 + 7 * k, 20 + 50 * side), owner=1 + side, passive=True)
            other.set(hp=float(other.hp) * 0.5, shield=0.0)
            others.append(other)
    return arena, me, others


def accepted(arena: Arena, me: Piece, others: list[Piece], ability) -> bool:
    """Is there anything at all on which the ability can be used?"""
    if ability.target in ("none", "point"):
        return me.use(ability.name, at=(50.0, 48.0)) == "Success"
    for other in others:
        other.put(float(me.x) + float(me.row["radius"] + other.row["radius"]), float(me.y))
        if me.use(ability.name, on=other) == "Success":
            return True
        other.put(90.0, 90.0)
    return False


@pytest.mark.parametrize(
    "ability", [a for a in ORDERED if a.name not in ENDS], ids=lambda a: a.name
)
def test_every_ability_can_be_used_and_nothing_breaks(ability):
    arena, me, others = stage(ability.users[0])
    if ability.name in WITHOUT_EFFECT:
        assert me.use(ability.name) == "NotSupported"
        return
    energy, life = float(me.energy), float(me.hp)
    assert accepted(arena, me, others, ability), ability.name
    arena.run(200)
    assert me.energy <= energy + 1e-9 or ability.restore or me.row["energy_max"] == 0
    if ability.life:
        assert me.hp <= life - ability.life + 1e-9


def usable(arena: Arena, me: Piece, name: str) -> bool:
    """What the engine says of an ability without being given the order."""
    sim = arena.sim
    kit = np.zeros((sim.n_envs, sim.n_slots, sim.rules.kit.shape[1]), np.bool_)
    find_usable(sim.handles, handle(Usable(kit)))
    (slots,) = np.nonzero(sim.rules.kit[me.kind] == sim.known.abilities[name])
    return bool(kit[me.game, me.slot, slots[0]])


@pytest.mark.parametrize("ability", ORDERED, ids=lambda a: a.name)
def test_an_ability_is_usable_where_an_order_would_be_accepted(ability):
    for energy in (0.0, 1000.0):
        arena, me, others = stage(ability.users[0])
        me.set(energy=min(energy, float(me.row["energy_max"])))
        assert usable(arena, me, ability.name) == accepted(arena, me, others, ability)


@pytest.mark.parametrize("ability", [a for a in ORDERED if a.name in ENDS], ids=lambda a: a.name)
def test_what_has_not_begun_cannot_be_ended(ability):
    _, me, _ = stage(ability.users[0])
    assert me.use(ability.name) == "NotSupported"


@pytest.mark.parametrize(
    "ability", [a for a in ORDERED if a.energy > 0 and a.name not in ENDS], ids=lambda a: a.name
)
def test_every_ability_with_a_price_in_energy_is_refused_without_it(ability):
    _, me, others = stage(ability.users[0])
    me.set(energy=ability.energy - 0.5)
    target = others[0] if ability.target == "unit" else None
    assert me.use(ability.name, at=(50.0, 48.0), on=target) == "NotEnoughEnergy"


@pytest.mark.parametrize("ability", [a for a in ORDERED if a.requires], ids=lambda a: a.name)
def test_every_ability_that_requires_an_upgrade_is_refused_without_it(ability):
    arena = open_ground()
    me = arena.add(ability.users[0], at=(20, 20))
    me.set(energy=float(me.row["energy_max"]))
    assert me.use(ability.name, at=(21.0, 20.0)) == "TechRequirementsNotMet"


LEVELS = [u for u in FACTS.upgrades.values() if u.family]


@pytest.mark.parametrize("upgrade", LEVELS, ids=lambda u: u.name)
def test_every_level_adds_its_step_to_damage_or_armor(upgrade):
    arena = open_ground()
    sim = arena.sim
    for change in upgrade.changes:
        unit = change.names[0]
        if change.field in ("armor", "shield_armor"):
            me = arena.clear().add(unit, at=(20, 20))
            plain = float(me.armor), float(me.shield_armor)
            arena.research(upgrade.name)
            gained = (
                float(me.armor) - plain[0]
                if change.field == "armor"
                else float(me.shield_armor) - plain[1]
            )
            assert gained == pytest.approx(change.value * (upgrade.level or 1))
        elif change.field == "damage":
            row = sim.rules.types[sim.rows[unit]]
            weapons = range(row["first_weapon"], row["first_weapon"] + row["n_weapons"])
            hits = [int(sim.rules.weapons["first_hit"][w]) for w in weapons]
            family = arena.sim.rules.upgrades[sim.known.upgrades[upgrade.name]]["family"]
            assert any(
                sim.rules.hits["family"][h] == family
                and sim.rules.damage_step[h].max() >= change.value
                for h in hits
            )


@pytest.mark.parametrize(
    ("attacker", "upgrade", "step"),
    [
        ("marine", "terran_infantry_weapons_level", 1),
        ("marauder", "terran_infantry_weapons_level", 1),
        ("hellion", "terran_vehicle_weapons_level", 1),
        ("viking_assault", "terran_ship_weapons_level", 1),
        ("zergling", "zerg_melee_weapons_level", 1),
        ("hydralisk", "zerg_missile_weapons_level", 1),
        ("stalker", "protoss_ground_weapons_level", 1),
    ],
)
def test_weapon_levels_are_felt(attacker, upgrade, step):
    damages = []
    for level in (0, 1, 3):
        arena = open_ground()
        for k in range(1, level + 1):
            arena.research(f"{upgrade}{k}")
        me = arena.add(attacker, at=(10, 10))
        foe = arena.add("marine", at=(12, 10), owner=2, passive=True, hp=10_000.0)
        me.attack(foe)
        arena.run(60)
        damages.append(arena.blows_on(foe)[0].damage)
    assert damages[1] - damages[0] >= step
    assert damages[2] - damages[0] == pytest.approx(3 * (damages[1] - damages[0]))


def test_no_status_bit_outlives_what_caused_it():
    arena = open_ground().research("stimpack", "personal_cloaking")
    for name in ("marine", "ghost", "siege_tank", "medivac"):
        me = arena.add(name, at=(20, 20), passive=True)
        plain = me.status
        me.set(energy=60.0)
        for ability in ("stimpack_marine", "cloak_ghost", "medivac_boost"):
            me.use(ability)
        arena.run(400)
        me.use("uncloak_ghost")
        assert me.status == plain & ~codes.BUFFED
