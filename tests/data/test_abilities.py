"""Abilities, buffs and fields: facts of the game, and what holds for all of them.

The facts are those of the reference (../shared/reference/abilities.json and game_rules.md), written
down by hand; `test_abilities_match_reference.py` compares the rest.
"""

from typing import Any

import pytest

from terrarium.data.facts.ability_facts import ANYWHERE
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.mechanics import MECHANICS

LOTV = [name for name in ruleset_names() if name.startswith("lotv")]


def fact(rules: RuleSet, name: str, path: str) -> Any:
    """A value on the way `path`; `buff`, `effect` and `made` lead on to what is named."""
    value: Any = rules.abilities[name]
    for step in path.split("."):
        if step in ("buff", "user_buff"):
            value = rules.buffs[getattr(value, step)]
        elif step == "effect":
            value = rules.effects[value.effect]
        elif step == "then":
            value = rules.effects[value.then]
        elif step == "made":
            value = rules.units[value.summon.unit]
        elif step.startswith("strike:"):
            (value,) = (strike for strike in value.strikes if strike.name == step[7:])
        elif step.startswith("ring:"):
            value = value.rings[int(step[5:])]
        else:
            value = getattr(value, step)
    return value


STIM = {
    "buff.duration_loops": 240,
    "buff.speed_multiplier": 1.5,
    "buff.attack_rate_multiplier": 1.5,
}
CLOAK = {"energy": 25, "energy_per_s": -1.4765, "buff.states": ("cloaked",)}
LIFT = {"morph.loops": 32}
JUMP = {"teleport.distance": 8, "range": ANYWHERE}

# 5.0.3. Damage, times and distances as the reference states them in numbers or sentences.
FACTS: dict[str, dict[str, Any]] = {
    # Terran
    "stimpack_marine": {"life": 10, "requires": ("stimpack",), **STIM},
    "stimpack_marauder": {"life": 20, "requires": ("stimpack",), **STIM},
    "kd8_charge": {
        "range": 5,
        "cooldown_loops": 320,
        "made.lifetime_loops": (32, 32),
        "strike:blast.damage": 5,
        "strike:blast.ring:0.radius": 2,
        "strike:blast.armor_applies": False,
        "push.distance": 3,
    },
    "cloak_ghost": {**CLOAK, "requires_of": {"ghost": ("personal_cloaking",)}},
    "uncloak_ghost": {"of": "cloak_ghost"},
    "hold_fire_ghost": {"buff.states": ("holds_fire",)},
    "weapons_free_ghost": {"of": "hold_fire_ghost"},
    "steady_targeting": {
        "energy": 50,
        "range": 10,
        "range_slop": 20,
        "channel_loops": 32,
        "strike:shot.damage": 170,
        "strike:shot.armor_applies": False,
        "flags": ("broken_by_damage", "refunds_energy"),
    },
    "emp": {
        "energy": 75,
        "range": 10,
        "circle.radius": 1.5,
        "drain.shields": 100,
        "drain.energy": 100,
        "buff.duration_loops": 160,
    },
    "tactical_nuke": {
        "range": 12,
        "channel_loops": 300,
        "fall_loops": 20,
        "uses_up": "nuke",
        "strike:blast.damage": 300,
        "strike:blast.bonus": {"Structure": 200},
        "strike:blast.ring:0.radius": 4,
        "strike:blast.ring:1.fraction": 0.5,
        "strike:blast.ring:2.radius": 8,
        "strike:blast.who": "everybody",
    },
    "hellbat_mode": {"morph.becomes": "hellion_tank", "morph.loops": 64},
    "hellion_mode": {"morph.loops": 64, "requires_units": ("armory",)},
    "burrow_widow_mine": {"morph.loops": 48, "morph.random_extra_loops": (0, 8)},
    "unburrow_widow_mine": {"morph.loops": 16},
    "widow_mine_attack": {
        "range": 5,
        "prep_loops": 24,
        "cooldown_loops": 640,
        "cooldown_from": "launch",
        "autocast": "on",
        "strike:target.damage": 125,
        "strike:target.bonus_vs_shields": 35,
        "strike:splash.damage": 40,
        "strike:splash.bonus_vs_shields": 25,
        "strike:splash.ring:0.radius": 1.75,
    },
    "siege_mode": {"morph.loops": 64.667, "morph.stats_over_loops": (8, 64.667)},
    "unsiege": {"morph.loops": 56.667, "morph.becomes": "siege_tank"},
    "lock_on": {
        "range": 7,
        "break_range": 15,
        "cooldown_loops": 96,
        "cooldown_from": "end",
        "strike:missile.damage": 20,
        "strike:missile.times": 20,
        "strike:missile.period_loops": 16,
    },
    "cancel_lock_on": {"of": "lock_on"},
    "thor_high_impact_mode": {"morph.loops": 40, "morph.becomes": "thor_ap"},
    "thor_explosive_mode": {"morph.loops": 40, "morph.becomes": "thor"},
    "viking_assault_mode": {"morph.loops": 37.44, "morph.search_radius": 3.75},
    "viking_fighter_mode": {"morph.loops": 37.328},
    "medivac_heal": {"range": 4, "autocast_range": 6, "autocast": "on"},
    "medivac_boost": {
        "cooldown_loops": 320,
        "buff.duration_loops": 128,
        "buff.speed_multiplier": 1.7,
        "buff.acceleration_add": 500,
    },
    "load_medivac": {"cargo.load_range": 1, "cargo.unload_period_loops": 16, "cargo.max_units": 8},
    "unload_all_medivac": {"of": "load_medivac", "target": "unit_or_point"},
    "unload_unit_medivac": {"of": "load_medivac"},
    "liberator_defender_mode": {
        "range": 5,
        "morph.loops": 64.667,
        "effect.radius": 5,
        "effect.then.id": 9,
    },
    "liberator_fighter_mode": {"morph.loops": 32.667},
    "auto_turret": {"energy": 50, "range": 2, "made.lifetime_loops": (224, 228.8)},
    "interference_matrix": {"energy": 75, "range": 9, "buff.duration_loops": 240},
    "anti_armor_missile": {
        "energy": 75,
        "range": 10,
        "flight.max_speed": 16,
        "circle.radius": 2.88,
        "buff.armor_add": -3,
        "buff.shield_armor_add": -3,
        "buff.duration_loops": 480,
    },
    "cloak_banshee": {**CLOAK, "requires": ("banshee_cloak",)},
    "yamato": {
        "range": 10,
        "range_slop": 10,
        "prep_loops": 48,
        "cooldown_loops": 1600,
        "flight.max_speed": 20,
        "strike:blast.damage": 240,
        "strike:blast.armor_applies": False,
        "requires": ("battlecruiser_enable_specializations",),
    },
    "tactical_jump": {
        "range": ANYWHERE,
        "cooldown_loops": 1600,
        "cast_outro_loops": 22.4,
        "teleport.leave_loops": 9.6,
        "teleport.travel_loops": 76.8,
        "teleport.settle_loops": 9.6,
    },
    "repair_scv": {
        "range": 0,
        "range_slop": 0.2,
        "autocast": "off",
        "autocast_range": 7,
        "restore.cost_fraction": 0.25,
    },
    "calldown_mule": {"energy": 50, "summon.loops": 64, "made.lifetime_loops": (1440, 1444.8)},
    "scanner_sweep": {"energy": 50, "effect.radius": 13, "effect.duration_loops": 196.44},
    "supply_drop": {"energy": 50, "delay_loops": 64, "buff.supply_add": 8},
    "load_bunker": {"cargo.max_units": 4, "cargo.weapon_range_add": 1, "cargo.max_unit_size": 2},
    "unload_all_bunker": {"of": "load_bunker"},
    "salvage_bunker": {"delay_loops": 80, "minerals": -75},
    "lift_barracks": {**LIFT, "morph.becomes": "barracks_flying"},
    "land_barracks": {**LIFT, "target": "point"},
    "lift_factory": LIFT,
    "lift_starport": LIFT,
    "lift_command_center": LIFT,
    "land_orbital_command": LIFT,
    "lower_supply_depot": {"morph.loops": 20.8},
    "raise_supply_depot": {"morph.loops": 20.8},
    # Zerg
    "burrow_zergling": {"morph.loops": 21.328, "requires": ("burrow",)},
    "unburrow_zergling": {"morph.loops": 9},
    "burrow_roach": {"morph.loops": 8.89},
    "burrow_drone": {"morph.loops": 21.328},
    "burrow_baneling": {"morph.loops": 16},
    "burrow_queen": {"morph.loops": 13.331},
    "burrow_ravager": {"morph.loops": 8.89},
    "burrow_hydralisk": {"morph.loops": 21.328},
    "burrow_infestor": {"morph.loops": 8},
    "burrow_swarm_host": {"morph.loops": 40},
    "burrow_ultralisk": {"morph.loops": 32},
    "burrow_lurker": {"morph.loops": 40, "morph.acts_after_loops": 29.3, "requires": ()},
    "unburrow_lurker": {"morph.loops": 8},
    "explode_baneling": {"flags": ("kills_user",)},
    "attack_structures_on": {"kind": "toggle"},
    "corrosive_bile": {
        "range": 9,
        "cooldown_loops": 160,
        "delay_loops": 32,
        "fall_loops": 16,
        "strike:blast.damage": 60,
        "strike:blast.ring:0.radius": 0.5,
        "strike:blast.who": "everybody",
    },
    "transfusion": {
        "energy": 50,
        "range": 7,
        "cooldown_loops": 16,
        "restore.life": 75,
        "buff.life_add": 50,
        "buff.duration_loops": 160,
    },
    "fungal_growth": {
        "energy": 75,
        "range": 10,
        "flight.max_speed": 12,
        "circle.radius": 2.25,
        "buff.duration_loops": 64,
        "buff.speed_multiplier": 0.25,
        "buff.strike:spores.damage": 1.875,
        "buff.strike:spores.times": 16,
    },
    "neural_parasite": {"energy": 100, "range": 8, "range_slop": 5, "channel_loops": 240},
    "microbial_shroud": {
        "energy": 75,
        "range": 9,
        "effect.radius": 3.5,
        "effect.duration_loops": 240,
        "effect.buff.damage_taken_multiplier": 0.5,
    },
    "abduct": {"energy": 75, "range": 9, "buff.states": ("stunned",)},
    "blinding_cloud": {
        "energy": 100,
        "range": 10,
        "effect.radius": 2,
        "effect.duration_loops": 120,
        "effect.buff.weapon_range_add": -20,
    },
    "parasitic_bomb": {
        "energy": 125,
        "range": 8,
        "effect.radius": 3,
        "effect.delay_loops": 16,
        "effect.duration_loops": 160,
        "effect.strike:cloud.damage": 3,
        "effect.strike:cloud.period_loops": 4,
    },
    "consume": {"range": 7, "restore.energy_gain": 50, "buff.life_add": -200},
    "spawn_locusts": {
        "cooldown_loops": 960,
        "summon.count": 2,
        "made.lifetime_loops": (400, 408),
    },
    "locust_swoop": {"range": 6, "morph.becomes": "locust_mp"},
    "inject_larva": {"energy": 25, "summon.count": 3, "summon.loops": 640},
    "spawn_changeling": {"energy": 50, "made.lifetime_loops": (2400, 2404.8)},
    "contaminate": {"energy": 125, "range": 3, "buff.duration_loops": 480},
    "root_spine_crawler": {"morph.loops": 192, "target": "point"},
    "load_nydus_network": {"cargo.load_period_loops": 4, "cargo.unload_period_loops": 8},
    # Protoss
    "blink": {**JUMP, "cooldown_loops": 160, "requires": ("blink_tech",)},
    "shadow_stride": {**JUMP, "cooldown_loops": 320},
    "charge": {
        "cooldown_loops": 160,
        "buff.speed_multiplier": 2.2,
        "buff.duration_loops": 56,
        "buff.first_hit_damage": 8,
    },
    "guardian_shield": {
        "energy": 75,
        "cooldown_loops": 243.2,
        "effect.radius": 4.5,
        "effect.api_radius": 4,
        "effect.duration_loops": 240,
        "effect.buff.damage_taken_add": -2,
        "effect.buff.damage_kinds": ("ranged",),
    },
    "force_field": {"energy": 50, "range": 9, "made.lifetime_loops": (240, 244.8)},
    "psi_storm": {
        "energy": 75,
        "range": 9,
        "cooldown_loops": 32,
        "effect.radius": 1.5,
        "effect.strike:storm.damage": 10,
        "effect.strike:storm.times": 8,
        "effect.strike:storm.period_loops": 9.14,
        "effect.strike:storm.who": "everybody",
    },
    "feedback": {"energy": 50, "range": 10, "drain.damage_per_energy": 0.5},
    "graviton_beam": {"energy": 50, "range": 4, "range_slop": 4, "channel_loops": 160},
    "prismatic_alignment": {
        "cooldown_loops": 960,
        "buff.duration_loops": 320,
        "buff.damage_add": {"Armored": 6},
        "buff.speed_multiplier": 0.75,
    },
    "purification_nova": {
        "cooldown_loops": 480,
        "made.lifetime_loops": (48, 48),
        "strike:blast.damage": 145,
        "strike:blast.bonus_vs_shields": 55,
        "strike:blast.ring:0.radius": 1.5,
        "user_buff.speed_add": -2.2382,
    },
    "psionic_transfer": {"cooldown_loops": 256, "made.lifetime_loops": (160, 160)},
    "revelation": {
        "energy": 25,
        "range": 12,
        "cooldown_loops": 224,
        "circle.radius": 6,
        "buff.duration_loops": 448,
    },
    "pulsar_beam_on": {"energy": 25, "energy_per_s": -2, "cooldown_loops": 64},
    "stasis_ward": {"energy": 50, "range": 5, "summon.loops": 80},
    "activate_stasis_ward": {
        "autocast_range": 3,
        "delay_loops": 8,
        "circle.radius": 5,
        "buff.duration_loops": 480,
    },
    "mass_recall_mothership": {"energy": 100, "teleport.radius": 6.5, "delay_loops": 80},
    "mass_recall_nexus": {"energy": 50, "cooldown_loops": 2912, "cooldown_shared": True},
    "time_warp": {
        "energy": 100,
        "range": 9,
        "effect.duration_loops": 40,
        "effect.then.duration_loops": 160,
        "effect.then.radius": 4,
        "effect.then.buff.speed_multiplier": 0.5,
        "effect.then.buff.attack_rate_multiplier": 0.5,
    },
    "phasing_mode": {"morph.loops": 24},
    "load_warp_prism": {"cargo.load_range": 5},
    "immortal_barrier": {"cooldown_loops": 720, "buff.absorbs": 100, "buff.duration_loops": 48},
    "shield_battery_recharge": {"range": 6, "restore.shields_per_s": 36},
    "battery_overcharge": {"energy": 50, "cooldown_loops": 1344, "buff.duration_loops": 320},
    "chrono_boost": {"energy": 50, "buff.work_rate_multiplier": 1.5, "buff.duration_loops": 448},
}
# What other versions say differently.
DIFFERENT: dict[str, dict[str, dict[str, Any]]] = {
    "lotv-4.10": {
        "interference_matrix": {"energy": 50, "buff.duration_loops": 176},
        "anti_armor_missile": {"buff.id": 280, "buff.armor_add": 0, "buff.damage_taken_add": 3},
        "tactical_jump": {"cast_outro_loops": 96, "finish_loops": None},
        "yamato": {"flags": ("may_cast_while_moving", "holds_weapons")},
        "neural_parasite": {"range": 9},
        "feedback": {"range": 9},
        "revelation": {"energy": 50, "cooldown_loops": 40, "buff.duration_loops": 672},
        "time_warp": {"effect.duration_loops": 80, "effect.then.only": ("ground",)},
        "mass_recall_nexus": {"cooldown_loops": 1904},
        "load_warp_prism": {"cargo.load_range": 6},
        "load_nydus_network": {"cargo.load_period_loops": 2, "cargo.unload_period_loops": 4},
        "load_nydus_worm": {"cargo.load_period_loops": 2, "cargo.unload_period_loops": 4},
        "shield_battery_recharge": {"id": 3765},
        "infested_terrans": {"energy": 25, "range": 8},
    },
    "lotv-5.0.14": {
        "steady_targeting": {"strike:shot.damage": 130, "strike:shot.bonus": {"Psionic": 40}},
        "cancel_steady_targeting": {"id": 2715, "of": "steady_targeting"},
        "burrow_widow_mine": {"morph.loops": 50, "morph.random_extra_loops": (0, 4)},
        "unburrow_widow_mine": {"morph.loops": 18},
        "widow_mine_attack": {"strike:splash.ring:0.radius": 1.5, "strike:splash.damage": 40},
        "lock_on": {"autocast_range": 7.5},
        "supply_drop": {"buff.life_max_add": 100},
        "purification_nova": {"strike:blast.damage": 100, "strike:blast.bonus_vs_shields": 100},
        "mass_recall_mothership": {"energy": 0, "cooldown_loops": 2000},
        "time_warp": {"energy": 0, "cooldown_loops": 1344},
        "guardian_shield": {"cooldown_loops": 288},
        "burrow_ultralisk": {"morph.loops": 20},
        "unburrow_zergling": {"morph.loops": 8},
        "unburrow_lurker": {"morph.loops": 10},
        "fungal_growth": {"buff.duration_loops": 64, "buff.strike:spores.times": 16},
    },
}


def wrong(rules: RuleSet, facts: dict[str, dict[str, Any]]) -> list[str]:
    found = (
        (f"{name}.{path}", fact(rules, name, path), expected)
        for name, paths in facts.items()
        for path, expected in paths.items()
    )
    return [f"{where}: {value!r}, not {want!r}" for where, value, want in found if value != want]


def test_abilities_are_those_of_the_game() -> None:
    assert wrong(load_ruleset("lotv-5.0.3"), FACTS) == []


@pytest.mark.parametrize("name", DIFFERENT)
def test_abilities_of_other_versions(name: str) -> None:
    assert wrong(load_ruleset(name), DIFFERENT[name]) == []


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_a_version_does_not_change_is_as_in_the_base(name: str) -> None:
    rules = load_ruleset(name)
    same = {key: paths for key, paths in FACTS.items() if key not in DIFFERENT[name]}
    assert wrong(rules, {key: paths for key, paths in same.items() if key in rules.abilities}) == []


def test_30_damage_of_fungal_growth_become_25() -> None:
    for name, total in (("lotv-5.0.3", 30), ("lotv-5.0.14", 25)):
        (spores,) = load_ruleset(name).buffs["fungal_growth"].strikes
        assert spores.times is not None
        assert spores.damage * spores.times == total


def test_abilities_come_and_go_with_the_versions() -> None:
    base, old, new = (load_ruleset(f"lotv-{v}").abilities for v in ("5.0.3", "4.10", "5.0.14"))
    assert base.keys() - old.keys() == {"microbial_shroud", "battery_overcharge"}
    assert old.keys() - base.keys() == {"infested_terrans", "hatch_infested_terran"}
    assert base.keys() - new.keys() == {"salvage_bunker", "battery_overcharge"}
    assert new.keys() - base.keys() == {"cancel_steady_targeting"}


def test_the_smac_maps_need_no_abilities() -> None:
    rules = load_ruleset("liberty")
    assert [*rules.abilities, *rules.buffs, *rules.effects, *rules.upgrades] == []


def test_api_effects_have_the_radius_that_the_game_reports() -> None:
    rules = load_ruleset("lotv-5.0.3")
    radii = {e.id: e.api_radius for e in rules.effects.values() if e.id is not None}
    assert radii == {
        **{1: 1.5, 2: 4, 3: 4, 4: 4, 5: 0.15, 6: 13},
        **{7: 0.5, 8: 5, 9: 5, 10: 2, 11: 0.5, 12: 0.5},
    }


# What holds for all of them.


@pytest.mark.parametrize("name", LOTV)
def test_every_ability_is_sound(name: str) -> None:
    rules = load_ruleset(name)
    ids = [ability.id for ability in rules.abilities.values() if ability.id is not None]
    assert len(set(ids)) == len(ids)
    for key, ability in rules.abilities.items():
        assert key == ability.name
        assert ability.kind in MECHANICS
        assert ability.users
        assert {rules.units[user].race for user in ability.users} == {ability.race}
        assert (ability.id is None) == (ability.kind == "passive")
        if ability.range is not None:
            assert 0 <= ability.range <= 15 or ability.range == ANYWHERE
        if ability.target != "unit" and ability.kind not in ("load", "summon", "morph"):
            assert not ability.must_be
        for upgrade in ability.requires:
            assert upgrade in rules.upgrades
        if ability.of:
            assert rules.abilities[ability.of].of is None
        if ability.energy and ability.kind != "heal":
            assert all(rules.units[user].energy_max >= ability.energy for user in ability.users)


@pytest.mark.parametrize("name", LOTV)
def test_what_an_ability_names_is_there(name: str) -> None:
    rules = load_ruleset(name)
    for ability in rules.abilities.values():
        for buff in (ability.buff, ability.user_buff):
            assert buff is None or buff in rules.buffs
        assert ability.effect is None or ability.effect in rules.effects
        if ability.morph:
            assert ability.morph.becomes in rules.units
            assert ability.morph.becomes not in ability.users
        if ability.summon:
            assert ability.summon.unit in rules.units
        if ability.cargo:
            for user in ability.users:
                assert rules.units[user].cargo_capacity >= ability.cargo.max_units
    for effect in rules.effects.values():
        assert effect.buff is None or effect.buff in rules.buffs
        assert effect.then is None or effect.then in rules.effects


@pytest.mark.parametrize("name", LOTV)
def test_every_buff_and_field_is_sound(name: str) -> None:
    rules = load_ruleset(name)
    for things in (rules.buffs, rules.effects):
        ids = [thing.id for thing in things.values() if thing.id is not None]
        assert len(set(ids)) == len(ids)
        for key, thing in things.items():
            assert key == thing.name
            assert (thing.duration_loops is not None) == (thing.lasts == "timed")
            for strike in thing.strikes:
                # Damage over time ends when that which deals it ends.
                assert strike.period_loops
                assert thing.duration_loops is not None
                if strike.times:
                    lasting = (strike.times - 1) * strike.period_loops
                    # The period of a storm is known to two decimals.
                    assert lasting <= thing.duration_loops + 0.05


@pytest.mark.parametrize("name", LOTV)
def test_every_form_can_be_left_again(name: str) -> None:
    """Burrowing, sieging, lifting: each has its way back, but for those that are for good."""
    abilities = load_ruleset(name).abilities.values()
    ways = {(user, a.morph.becomes) for a in abilities if a.morph for user in a.users}
    for_good = {("locust_mp_flying", "locust_mp"), ("infested_terrans_egg", "infestor_terran")}
    assert all((after, before) in ways for before, after in ways - for_good)
