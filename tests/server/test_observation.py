"""What an observation says of units, players, and of what happened."""

import pytest
from s2clientprotocol import common_pb2, raw_pb2, score_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from tests.server.looking import Watched

VISIBLE, SNAPSHOT, HIDDEN = raw_pb2.Visible, raw_pb2.Snapshot, raw_pb2.Hidden
DEPOT = 19
UPGRADES = (
    "terran_infantry_weapons_level1",
    "terran_infantry_armors_level1",
    "terran_infantry_armors_level2",
    "stimpack",
)


def test_a_worker_that_is_made_is_counted_and_told_of_once() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    watched.sim.produce(0, hall, "scv")
    watched.step(16)
    seen = watched.look().observation
    assert seen.player_common.minerals == 4950
    assert seen.player_common.food_used == 13
    assert watched.unit(hall).is_active
    watched.step(400)
    seen = watched.look().observation
    assert list(seen.alerts) == [api.TrainWorkerComplete]
    assert seen.player_common.food_workers == 13
    assert watched.look().observation.alerts == []
    assert not watched.unit(hall).is_active


def test_townhalls_say_how_many_workers_they_have_and_could_have() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    watched.step(100)
    shown = watched.unit(hall)
    assert (shown.assigned_harvesters, shown.ideal_harvesters) == (12, 16)
    for _ in range(2):
        watched.sim.order(0, watched.first("scv"), codes.HOLD)
    watched.step()
    assert watched.unit(hall).assigned_harvesters == 11
    assert watched.look().observation.player_common.idle_worker_count == 0


def test_workers_show_what_they_carry_by_a_buff() -> None:
    watched = Watched()
    carried = set()
    for _ in range(12):
        watched.step(16)
        carried |= {b for unit in watched.units() if unit.unit_type == 45 for b in unit.buff_ids}
    assert carried == {271}


def test_enemies_in_the_fog_are_not_listed() -> None:
    watched = Watched()
    hatchery = watched.first("hatchery", owner=2)
    assert not watched.lists(hatchery)
    assert watched.unit(hatchery, disable_fog=True).display_type == HIDDEN
    assert watched.unit(hatchery, disable_fog=True).cloak == raw_pb2.CloakedUnknown
    assert not watched.unit(hatchery, disable_fog=True).HasField("health")


def test_without_fog_everybody_is_seen() -> None:
    watched = Watched(disable_fog=True)
    shown = watched.unit(watched.first("hatchery", owner=2))
    assert shown.display_type == VISIBLE
    assert shown.alliance == raw_pb2.Enemy
    assert shown.health == shown.health_max == 1500
    assert not shown.HasField("assigned_harvesters")
    assert not shown.orders


def test_a_structure_that_is_left_is_remembered_by_another_tag() -> None:
    watched = Watched()
    hatchery = watched.first("hatchery", owner=2)
    scan = watched.sim.create(0, "medivac", 1, *watched.beside(hatchery, 3, 3))
    watched.step(4)
    seen = watched.unit(hatchery)
    assert seen.display_type == VISIBLE
    watched.sim.remove(0, scan)
    watched.step(100)
    assert not watched.lists(hatchery)
    (snapshot,) = (u for u in watched.units() if u.unit_type == seen.unit_type)
    assert snapshot.display_type == SNAPSHOT
    assert (snapshot.pos.x, snapshot.pos.y) == (seen.pos.x, seen.pos.y)
    assert snapshot.owner == 2
    assert snapshot.tag != seen.tag
    assert not snapshot.HasField("health")


def test_all_minerals_of_the_map_are_listed_from_the_start() -> None:
    watched = Watched()
    minerals = [u for u in watched.units() if u.alliance == raw_pb2.Neutral]
    units = watched.sim.units[0]
    assert len(minerals) == int(((units["owner"] == 0) & units["alive"]).sum())
    seen = [u for u in minerals if u.display_type == VISIBLE]
    assert 0 < len(seen) < len(minerals)
    assert all(u.mineral_contents or u.vespene_contents for u in seen)
    assert not any(u.HasField("mineral_contents") for u in minerals if u not in seen)
    assert len({u.tag for u in minerals}) == len(minerals)


@pytest.mark.parametrize("asked", [True, False])
def test_cloaked_enemies_are_listed_without_life_if_asked_for(asked: bool) -> None:
    options = api.InterfaceOptions(raw=True, show_cloaked=asked)
    watched = Watched(options=options)
    hall = watched.first("command_center")
    observer = watched.sim.create(0, "observer", 2, *watched.beside(hall, 4, 4))
    watched.step(4)
    assert watched.lists(observer) == asked
    if asked:
        shown = watched.unit(observer)
        assert (shown.display_type, shown.cloak) == (HIDDEN, raw_pb2.Cloaked)
        assert not shown.HasField("health")
    watched.sim.create(0, "raven", 1, *watched.beside(hall, 5, 4))
    watched.step(4)
    shown = watched.unit(observer)
    assert (shown.display_type, shown.cloak) == (VISIBLE, raw_pb2.CloakedDetected)
    assert shown.health > 0


def test_idle_times_are_seconds_at_normal_speed() -> None:
    """As measured in the real game: two idle workers add 20 in 160 loops."""
    watched = Watched()
    assert watched.look().observation.score.score_details.idle_production_time == 0.0
    for _ in range(2):
        watched.sim.create(0, "scv", 1, *watched.beside(watched.first("command_center"), 5, 5))
    watched.step(160)
    details = watched.look().observation.score.score_details
    assert details.idle_worker_time == pytest.approx(20.0, abs=0.25)
    assert details.idle_production_time == 10.0


def test_to_burrow_is_no_cloak() -> None:
    """As measured in the real game; the type and `is_burrowed` tell of it."""
    watched = Watched(race=common_pb2.Zerg)
    at = watched.beside(watched.first("hatchery"), 5, 0)
    own = watched.sim.create(0, "roach_burrowed", 1, *at)
    enemy = watched.sim.create(0, "roach_burrowed", 2, *at)
    watched.sim.create(0, "overseer", 1, *at)
    watched.step(8)
    for slot in (own, enemy):
        shown = watched.unit(slot)
        assert (shown.cloak, shown.is_burrowed) == (raw_pb2.NotCloaked, True)


def test_own_cloaked_units_are_cloaked_for_others() -> None:
    watched = Watched(race=common_pb2.Protoss)
    nexus = watched.first("nexus")
    observer = watched.sim.create(0, "observer", 1, *watched.beside(nexus, 4, 4))
    watched.step(4)
    assert watched.unit(observer).cloak == raw_pb2.CloakedAllied
    assert watched.unit(observer).detect_range == 11


def test_the_dead_are_told_of_once_and_are_gone() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    marine = watched.sim.create(0, "marine", 1, *watched.beside(hall, 5, 5))
    zergling = watched.sim.create(0, "zergling", 2, *watched.beside(hall, 6, 5))
    unseen = watched.first("overlord", owner=2)
    watched.step(2)
    tags = {watched.tag(marine), watched.tag(zergling)}
    assert tags <= {unit.tag for unit in watched.units()}
    for slot in (marine, zergling, unseen):
        watched.sim.units["hp"][0, slot] = 0.0
    watched.step(1)
    raw = watched.look().observation.raw_data
    assert set(raw.event.dead_units) == tags
    assert not tags & {unit.tag for unit in raw.units}
    assert not watched.look().observation.raw_data.HasField("event")


def test_what_is_taken_away_counts_as_dead() -> None:
    watched = Watched()
    marine = watched.sim.create(0, "marine", 1, *watched.beside(watched.first("scv"), 1, 1))
    watched.look()
    tag = watched.tag(marine)
    watched.sim.remove(0, marine)
    watched.step(1)
    assert list(watched.look().observation.raw_data.event.dead_units) == [tag]


def test_a_drone_that_becomes_a_structure_just_vanishes() -> None:
    watched = Watched(race=common_pb2.Zerg)
    watched.step(100)  # until there is creep
    drone = watched.first("drone")
    tag = watched.tag(drone)
    watched.sim.build(0, drone, "spawning_pool", watched.site("spawning_pool"))
    dead = set()
    for _ in range(20):
        watched.step(16)
        dead |= set(watched.look().observation.raw_data.event.dead_units)
    assert 89 in {unit.unit_type for unit in watched.units()}
    assert tag not in {unit.tag for unit in watched.units()}
    assert not dead


def test_an_egg_that_hatches_is_dead_and_its_unit_is_new() -> None:
    watched = Watched(race=common_pb2.Zerg)
    watched.step(50)
    larva = watched.first("larva")
    tag = watched.tag(larva)
    watched.sim.produce(0, larva, "drone")
    watched.step(60)
    egg = watched.unit(larva)
    assert (egg.unit_type, egg.tag) == (103, tag)
    assert egg.orders[0].progress > 0.0
    watched.step(280)
    seen = watched.look().observation
    assert list(seen.raw_data.event.dead_units) == [tag]
    assert list(seen.alerts) == [api.TrainWorkerComplete]
    assert seen.player_common.food_workers == 13


def test_passengers_are_listed_in_their_carrier_alone() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    medivac = watched.sim.create(0, "medivac", 1, *watched.beside(hall, 5, 5))
    marine = watched.sim.create(0, "marine", 1, *watched.beside(hall, 5, 6))
    empty = watched.unit(medivac)
    assert (empty.cargo_space_taken, empty.cargo_space_max) == (0, 8)
    watched.sim.use(0, medivac, "load_medivac", target=marine)
    watched.step(60)
    assert not watched.lists(marine)
    shown = watched.unit(medivac)
    assert shown.cargo_space_taken == 1
    (passenger,) = shown.passengers
    assert (passenger.tag, passenger.unit_type, passenger.health) == (watched.tag(marine), 48, 45)
    assert not watched.look().observation.raw_data.HasField("event")


def test_structures_that_are_ordered_show_as_placeholders_if_asked_for() -> None:
    options = api.InterfaceOptions(raw=True, show_placeholders=True)
    watched = Watched(options=options)
    place = watched.beside(watched.first("command_center"), 0.5, 8.5)
    watched.sim.build(0, watched.first("scv"), "supply_depot", place)
    watched.step(1)
    (shown,) = (u for u in watched.units() if u.display_type == raw_pb2.Placeholder)
    assert (shown.unit_type, shown.HasField("tag")) == (DEPOT, False)
    assert (shown.pos.x, shown.pos.y) == place


def test_the_camera_decides_what_is_on_the_screen() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    assert watched.unit(hall).is_on_screen
    watched.game.camera = (0.0, 0.0)
    far = watched.beside(hall)
    assert max(far) > 12
    assert not watched.unit(hall).is_on_screen
    assert watched.look().observation.raw_data.player.camera.x == 0.0


def test_buffs_say_how_long_they_last() -> None:
    watched = Watched()
    marine = watched.sim.create(0, "marine", 1, *watched.beside(watched.first("scv"), 1, 1))
    watched.sim.research(0, 1, "stimpack")
    watched.sim.use(0, marine, "stimpack_marine")
    watched.step(8)
    shown = watched.unit(marine)
    assert list(shown.buff_ids) == [27]
    assert shown.buff_duration_max == 240
    assert 230 <= shown.buff_duration_remain <= 240


def test_upgrades_are_listed_and_shown_as_levels() -> None:
    watched = Watched()
    marine = watched.sim.create(0, "marine", 1, *watched.beside(watched.first("scv"), 1, 1))
    assert list(watched.look().observation.raw_data.player.upgrade_ids) == []
    for upgrade in UPGRADES:
        watched.sim.research(0, 1, upgrade)
    assert list(watched.look().observation.raw_data.player.upgrade_ids) == [7, 11, 12, 15]
    shown = watched.unit(marine)
    assert (shown.attack_upgrade_level, shown.armor_upgrade_level) == (1, 2)
    assert shown.weapon_cooldown == 0.0


def test_pylons_are_listed_with_their_power() -> None:
    watched = Watched(race=common_pb2.Protoss)
    nexus = watched.first("nexus")
    pylon = watched.sim.place(0, "pylon", 1, *watched.beside(nexus, 0, 7))
    gateway = watched.sim.place(0, "gateway", 1, *watched.beside(nexus, 4, 7))
    watched.step(2)
    (source,) = watched.look().observation.raw_data.player.power_sources
    assert (source.tag, source.radius) == (watched.tag(pylon), 6.5)
    assert watched.unit(gateway).is_powered
    watched.sim.remove(0, pylon)
    watched.step(2)
    assert not watched.unit(gateway).is_powered
    assert not watched.look().observation.raw_data.player.power_sources


def test_effects_are_listed_where_they_are_seen() -> None:
    watched = Watched()
    hall, hatchery = watched.first("command_center"), watched.first("hatchery", owner=2)
    for near in (hall, hatchery):
        templar = watched.sim.create(0, "high_templar", 2, *watched.beside(near, 6, 6))
        watched.sim.research(0, 2, "psi_storm_tech")
        watched.sim.units["energy"][0, templar] = 200.0
        watched.sim.use(0, templar, "psi_storm", at=watched.beside(near, 6, 3))
    watched.step(24)
    (storm,) = watched.look().observation.raw_data.effects
    assert (storm.effect_id, storm.owner, storm.radius) == (1, 2, 1.5)
    assert storm.alliance == raw_pb2.Enemy
    assert (storm.pos[0].x, storm.pos[0].y) == pytest.approx(watched.beside(hall, 6, 3))


def test_the_spines_of_lurkers_are_an_effect() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    watched.sim.create(0, "lurker_mp_burrowed", 2, *watched.beside(hall, 8, 0))
    watched.sim.create(0, "marine", 1, *watched.beside(hall, 4, 0))
    found = set()
    for _ in range(60):
        watched.step(1)
        found |= {effect.effect_id for effect in watched.look().observation.raw_data.effects}
    assert found == {12}


def test_enemies_are_warned_of_worms_and_nukes() -> None:
    watched = Watched()
    hatchery = watched.first("hatchery", owner=2)
    x, y = watched.beside(hatchery)
    ghost = watched.sim.create(0, "ghost", 2, x + 5, y + 5)
    watched.sim.players["nukes"][0, 2] = 1
    watched.sim.use(0, ghost, "tactical_nuke", at=(x + 8, y + 8))
    alerts: list[int] = []
    for _ in range(40):
        watched.step(16)
        alerts += [a for a in watched.look().observation.alerts if a == api.NuclearLaunchDetected]
    assert alerts == [api.NuclearLaunchDetected]


def test_sensor_towers_show_that_somebody_is_there() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    watched.sim.place(0, "sensor_tower", 1, *watched.beside(hall, 5, 5))
    roach = watched.sim.create(0, "roach", 2, *watched.beside(hall, 18, 18))
    watched.step(2)
    raw = watched.look().observation.raw_data
    assert [ring.radius for ring in raw.radar] == [30]
    x, y = watched.place_of(roach)
    blips = [unit for unit in raw.units if unit.is_blip]
    blip = min(blips, key=lambda unit: abs(unit.pos.x - x) + abs(unit.pos.y - y))
    assert (blip.display_type, blip.alliance, blip.unit_type) == (HIDDEN, raw_pb2.Enemy, 0)
    assert (blip.pos.x, blip.pos.y) == pytest.approx((x, y))
    assert blip.tag != watched.tag(roach)
    assert not blip.HasField("health")


def test_attacks_outside_of_the_screen_are_told() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    watched.sim.create(0, "zergling", 2, *watched.beside(hall, 4, 0))
    watched.look()
    watched.step(48)
    assert api.UnitUnderAttack not in watched.look().observation.alerts
    watched.game.camera = (0.0, 0.0)
    watched.look()
    watched.step(48)
    alerts = list(watched.look().observation.alerts)
    assert alerts.count(api.UnitUnderAttack) + alerts.count(api.BuildingUnderAttack) >= 1


def test_an_observer_of_all_sees_everything() -> None:
    watched = Watched(player=0)
    watched.step(4)
    seen = watched.look().observation
    assert not seen.HasField("player_common")
    owners = {unit.owner for unit in seen.raw_data.units}
    assert owners == {1, 2, 16}
    assert {unit.display_type for unit in seen.raw_data.units} == {VISIBLE}
    assert set(seen.raw_data.map_state.visibility.data) == {2}


def test_coordinates_count_from_the_playable_area_if_asked_for() -> None:
    whole = Watched()
    options = api.InterfaceOptions(raw=True, raw_crop_to_playable_area=True)
    part = Watched(options=options)
    x0, y0, x1, y1 = whole.game.map.ground.playable
    assert x0 > 0
    hall = whole.first("command_center")
    assert part.unit(hall).pos.x == whole.unit(hall).pos.x - x0
    assert part.unit(hall).pos.y == whole.unit(hall).pos.y - y0
    rally = part.unit(hall).rally_targets[0].point
    assert rally.x == whole.unit(hall).rally_targets[0].point.x - x0
    start = part.info().start_raw
    assert (start.map_size.x, start.map_size.y) == (x1 - x0, y1 - y0)
    assert (start.playable_area.p0.x, start.playable_area.p1.x) == (0, x1 - x0)
    assert len(start.terrain_height.data) == (x1 - x0) * (y1 - y0)
    assert part.look().observation.raw_data.map_state.visibility.size.x == x1 - x0


@pytest.mark.parametrize(("player", "told"), [(1, True), (2, False)])
def test_players_are_told_which_of_their_own_units_are_hallucinations(
    player: int, told: bool
) -> None:
    watched = Watched(common_pb2.Protoss, player=player)
    sim, hall = watched.sim, watched.first("nexus" if player == 1 else "hatchery", owner=player)
    sentry = sim.create(0, "sentry", 1, *watched.beside(hall, 4, 4))
    sim.units["energy"][0, sentry] = 80.0
    watched.step(1)
    sim.use(0, sentry, "hallucination_colossus")
    watched.step(4)
    copy, real = (watched.unit(slot) for slot in (watched.first("colossus"), sentry))
    assert (copy.is_hallucination, real.is_hallucination) == (told, False)


def test_score_and_raw_data_come_if_asked_for() -> None:
    both = Watched().look().observation
    assert both.score.score_type == score_pb2.Score.Melee
    neither = Watched(options=api.InterfaceOptions()).look().observation
    assert not neither.HasField("score")
    assert not neither.HasField("raw_data")
    assert neither.HasField("player_common")
