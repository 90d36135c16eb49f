"""Every ability, buff and field against the reference and the data of real games."""

import copy
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet
from tests.shared_facts import (
    GAMES,
    REFERENCE,
    TECH_TREE,
    VERSIONS,
    capture,
    needs_captures,
    needs_reference,
    needs_tech_tree,
)

WITHOUT_A_RULE = {"no_deceleration", "repeats"}
"""Flags of the reference that no rule of ours reads (docs/fidelity.md)."""
AUTOCASTS = {None: "never", "available": "off", "on by default": "on"}


def reference(name: str) -> Any:
    return json.loads((REFERENCE / "abilities.json").read_text(encoding="utf-8"))[name]


def in_version(version: str) -> dict[int, Any]:
    """Abilities by id, with the differences of a version put in."""
    found = {}
    for entry in copy.deepcopy(reference("abilities")):
        changes = entry.get("other_versions", {}).get(version, {})
        if changes != "not in this version":
            found[entry["id"]] = entry | changes
    return found


def stated(entry: Any) -> Iterator[tuple[str, Any]]:
    """The fields of an ability that an entry determines, with their values."""
    yield "link", entry["link"]
    yield "index", entry["index"]
    yield "general_id", entry["general"]
    yield "target", entry["target"].replace("point_or_unit", "unit_or_point")
    for key in ("energy", "life", "cooldown_loops"):
        yield key, entry.get(key) or 0
    yield "cooldown_shared", entry.get("cooldown_shared_by_player", False)
    if entry.get("range") is not None:
        yield "range", entry["range"]
    for key in ("range_slop", "prep_loops", "cast_intro_loops", "cast_outro_loops", "finish_loops"):
        yield key, entry.get(key)
    yield "uninterruptible", tuple(entry.get("uninterruptible_phases", ()))
    yield "autocast_range", entry.get("autocast_range")
    if "autocast" in entry or not entry.get("autocast_possible"):
        yield "autocast", AUTOCASTS[entry.get("autocast")]


def contained(entry: Any, ability: Ability) -> Iterator[tuple[str, set[str], set[str]]]:
    """What has to be among our words: sentences of the reference add more of them."""
    flags = set(entry.get("flags", ()))
    yield "flags", flags - {"cooldown_starts_at_end"} - WITHOUT_A_RULE, set(ability.flags)
    yield (
        "cooldown_from",
        {"end"} if "cooldown_starts_at_end" in flags else set(),
        {ability.cooldown_from},
    )
    for key in ("must_be", "must_not_be"):
        theirs = set(entry.get("target_filter", {}).get(key, ()))
        yield key, theirs, {word.replace("_", "") for word in getattr(ability, key)}


def morph_facts(entry: Any, ability: Ability, rules: RuleSet) -> Iterator[tuple[str, Any, Any]]:
    assert ability.morph is not None
    if "produces" in entry:
        ids = [made["id"] for made in entry["produces"]]
        yield "becomes", [rules.units[ability.morph.becomes].id], ids
    if "time_loops" in entry:
        extra = entry.get("random_extra_loops")
        yield "loops", ability.morph.loops, entry["time_loops"]
        yield "random_extra_loops", ability.morph.random_extra_loops, extra and tuple(extra)
    if "new_stats_apply_over_loops" in entry:
        over = tuple(entry["new_stats_apply_over_loops"])
        yield "stats_over_loops", ability.morph.stats_over_loops, over


def cargo_facts(entry: Any, ability: Ability, rules: RuleSet) -> Iterator[tuple[str, Any, Any]]:
    names = {"initial_unload_delay_loops": "first_unload_loops"}
    names |= {"cargo_dies_with_carrier": "dies_with_carrier"}
    keys = ("max_units", "max_unit_size", "load_range", "unload_range", "load_all_radius")
    for key in (*keys, "load_period_loops", "unload_period_loops", *names):
        yield key, getattr(ability.cargo, names.get(key, key)), entry.get(key)
    for user in ability.users:
        yield f"capacity of {user}", rules.units[user].cargo_capacity, entry["capacity"]


def needs(entry: Any, ability: Ability, rules: RuleSet) -> Iterator[tuple[str, Any, Any]]:
    upgrades = {need["upgrade"] for need in entry.get("requires", ()) if "upgrade" in need}
    units = {need["structure"] for need in entry.get("requires", ()) if "structure" in need}
    yield "requires", {rules.upgrades[name].id for name in ability.requires}, upgrades
    yield "requires_units", {rules.units[name].id for name in ability.requires_units}, units


def compared(rules: RuleSet, version: str) -> Iterator[tuple[str, Any, Any]]:
    entries = in_version(version)
    for ability in rules.abilities.values():
        if ability.id is None:
            continue
        entry = entries[ability.id]
        found = [(key, getattr(ability, key), value) for key, value in stated(entry)]
        found += [(key, theirs & ours, theirs) for key, theirs, ours in contained(entry, ability)]
        found += needs(entry, ability, rules)
        if ability.morph:
            found += morph_facts(entry, ability, rules)
        if ability.cargo:
            found += cargo_facts(entry, ability, rules)
        users = {rules.units[user].id for user in ability.users}
        found.append(("users", users & set(entry["users"] or users), users))
        yield from ((f"{ability.name}.{key}", ours, theirs) for key, ours, theirs in found)


@needs_reference
@pytest.mark.parametrize("name", VERSIONS)
def test_every_ability_is_as_the_reference_states_it(name: str) -> None:
    values = list(compared(load_ruleset(name), VERSIONS[name]))
    assert [value for value in values if value[1] != value[2]] == []
    assert len(values) > 3_000


@needs_reference
def test_an_altered_ability_is_noticed(tmp_path: Path) -> None:
    altered = tmp_path / "altered.toml"
    altered.write_text(
        'title = "A few numbers off"\nversion = 1\nbase = "lotv-5.0.3"\n'
        "[ability.yamato]\nrange = 11\nprep_loops = 47\n"
        "[ability.stimpack_marine]\nlife = 11\n"
        "[ability.load_medivac]\ncargo.load_range = 2\n"
        "[unit.siege_tank_sieged.production]\nsiege_tank = { loops = 60 }\n",
        encoding="utf-8",
    )
    values = compared(load_ruleset(altered), "5.0.3")
    assert {where for where, ours, theirs in values if ours != theirs} == {
        "yamato.range",
        "yamato.prep_loops",
        "stimpack_marine.life",
        "load_medivac.load_range",
        "siege_mode.loops",
    }


@needs_reference
def test_every_buff_and_field_of_the_reference_is_there() -> None:
    rules = load_ruleset("lotv-5.0.3")
    assert {b.id: b.api_name for b in rules.buffs.values() if b.id} == {
        entry["id"]: entry["name"] for entry in reference("buffs")
    }
    ours = {e.id: (e.api_name, e.friendly_name, e.api_radius) for e in rules.effects.values()}
    keys = ("name", "api_friendly_name", "api_radius")
    for entry in reference("effects"):
        assert ours[entry["id"]] == tuple(entry[key] for key in keys)


@needs_reference
def test_buffs_of_4_10_have_the_ids_of_that_build() -> None:
    ours = {buff.api_name: buff.id for buff in load_ruleset("lotv-4.10").buffs.values() if buff.id}
    theirs = {entry["name"]: entry.get("id_in_4.10", entry["id"]) for entry in reference("buffs")}
    assert ours == {name: identity for name, identity in theirs.items() if identity}


@needs_reference
def test_no_battle_ability_of_the_reference_is_forgotten() -> None:
    """What is used and has an outcome is there, unless it belongs to one of the groups below."""
    ours = {ability.id for ability in load_ruleset("lotv-5.0.3").abilities.values()}
    elsewhere = ("train", "build", "research", "warp_in", "merge", "magazine", "harvest", "attack")
    elsewhere += ("move", "stop", "rally", "queue", "general", "construction", "redirect")
    left = [
        entry["name"]
        for entry in reference("abilities")
        if entry["id"] not in ours
        and entry["users"]
        and entry["kind"] not in elsewhere
        and not entry.get("is_cancel")
        # Changes for good are production, not abilities of a battle.
        and not (entry["kind"] == "morph" and entry.get("time_loops", 0) >= 160)
        and not entry["name"].startswith("HALLUCINATION")
    ]
    # It can no longer be cancelled once it has begun.
    assert left == ["SALVAGESHARED_1"]


@needs_captures
@pytest.mark.parametrize(("name", "game"), GAMES)
def test_abilities_of_a_real_game_agree(name: str, game: str) -> None:
    targets = {1: "none", 2: "point", 3: "unit", 4: "unit_or_point"}
    entries = {entry[1]: entry for entry in capture(game, 1)}
    for ability in load_ruleset(name).abilities.values():
        if ability.id is None:
            continue
        entry = entries[ability.id]
        assert (ability.link, ability.index) == (entry[2].decode(), entry.get(3, 0))
        assert ability.general_id == entry.get(7)
        assert ability.target == targets[entry.get(9, 1)]
        assert (ability.autocast != "never") == bool(entry.get(11, 0))
        if 15 in entry and ability.range is not None:
            # The game's numbers are multiples of 1/4096.
            (reach,) = struct.unpack("<f", entry[15])
            assert ability.range == pytest.approx(reach, abs=1 / 4096)


@needs_captures
@pytest.mark.parametrize(("name", "game"), GAMES)
def test_buffs_and_fields_of_a_real_game_agree(name: str, game: str) -> None:
    rules = load_ruleset(name)
    buffs = {entry[1]: entry[2].decode() for entry in capture(game, 4) if 2 in entry}
    for buff in rules.buffs.values():
        assert buff.id is None or buffs[buff.id] == buff.api_name
    fields = {entry[1]: entry for entry in capture(game, 5) if 2 in entry}
    for effect in rules.effects.values():
        if effect.id is not None:
            entry = fields[effect.id]
            assert (effect.api_name, effect.friendly_name) == (entry[2].decode(), entry[3].decode())
            (radius,) = struct.unpack("<f", entry[4])
            assert effect.api_radius == pytest.approx(radius, abs=1 / 4096)


@needs_tech_tree
def test_the_tech_tree_offers_our_abilities_to_our_users() -> None:
    tree = json.loads(TECH_TREE.read_text(encoding="utf-8"))
    offered = {unit["id"]: {a["ability"] for a in unit["abilities"]} for unit in tree["Unit"]}
    seen = {ability for abilities in offered.values() for ability in abilities}
    rules = load_ruleset("lotv-5.0.3")
    for ability in rules.abilities.values():
        for user in ability.users if ability.id in seen else ():
            # Some guises of a unit never appear in a melee game.
            assert ability.id in offered.get(rules.units[user].id, {ability.id})
