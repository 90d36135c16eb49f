"""Which abilities agents choose from, and what their actions are called."""

import pytest

import terrarium
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.envs.skills import skills_of
from tests.envs.skirmish import SKIRMISH

LOTV = load_ruleset("lotv-4.10")


@pytest.mark.parametrize(
    ("unit", "itself", "aimed"),
    [
        ("marine", ["stimpack_marine"], []),
        ("ghost", ["cloak_ghost"], ["steady_targeting", "emp", "tactical_nuke"]),
        ("siege_tank", ["siege_mode"], []),
        ("siege_tank_sieged", ["unsiege"], []),
        ("medivac", ["medivac_boost", "unload_all_medivac"], ["load_medivac"]),
        ("scv", [], ["repair_scv"]),
        ("battlecruiser", [], ["yamato", "tactical_jump"]),
        ("raven", [], ["auto_turret", "interference_matrix", "anti_armor_missile"]),
        ("liberator", [], ["liberator_defender_mode"]),
        ("widow_mine_burrowed", ["unburrow_widow_mine"], ["widow_mine_attack"]),
        ("cyclone", [], ["lock_on"]),
        ("baneling", ["burrow_baneling", "explode_baneling"], []),
        ("lurker_mp_burrowed", ["unburrow_lurker"], []),
        ("zealot", [], []),
        ("bunker", ["unload_all_bunker"], ["load_bunker"]),
        ("shield_battery", [], []),
    ],
)
def test_a_kit_fills_its_slots_in_order(unit: str, itself: list[str], aimed: list[str]) -> None:
    """Healing, charges, hold fire and what only cancels something are no choices."""
    found = skills_of(LOTV, unit)
    assert [[ability.name for ability in part] for part in found] == [itself, aimed]


def test_actions_have_the_names_of_abilities() -> None:
    names = terrarium.make_vec("skills/bc_yamato").info.action_names
    assert "yamato -> enemy 2" in names
    assert "tactical_jump -> agent 0" in names
    names = terrarium.make_vec("skills/stim_timing").info.action_names
    assert names[:10] == (
        *("no-op", "stop", "north", "south", "east", "west"),
        *("stimpack", "unused", "unused", "target 0"),
    )


def test_actions_come_in_the_order_that_the_sizes_say() -> None:
    info = terrarium.make_vec(SKIRMISH).info
    assert (info.n_self, info.n_aimed, info.n_tokens) == (3, 3, 18)
    assert info.first_skill == 6
    assert info.first_target == 9
    assert info.n_targets == 10  # the Medivac needs one for each agent
    assert info.first_aimed == 19
    assert info.n_actions == len(info.action_names) == 19 + 3 * 18
    assert info.action_names[info.first_aimed + 18 + 10].endswith("tactical_jump -> enemy 0")


@pytest.mark.parametrize("name", ["smac/MMM2", "smacv2/terran_5_vs_5"])
def test_without_abilities_everything_is_as_in_smac(name: str) -> None:
    info = terrarium.make_vec(name).info
    assert (info.n_self, info.n_aimed) == (0, 0)
    assert info.n_actions == info.first_target + info.n_targets
    assert (len(info.token_features), len(info.pair_features)) == (42, 5)
