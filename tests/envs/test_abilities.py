"""Agents with abilities: what the mask offers, who is alive, and what is seen."""

from dataclasses import replace

import numpy as np
import pytest

import terrarium
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.tables.plan import ENEMY_OWNER
from terrarium.envs.kernels.skills import APPROACH
from terrarium.envs.kernels.tables import N_SELF
from terrarium.envs.schema import FEATURES, SKILL_FEATURES
from terrarium.envs.skills import skills_of
from terrarium.envs.vector import EnvError, VecEnv
from tests.covering import few_quick
from tests.envs.skirmish import (
    CRUISER,
    ENEMY,
    GHOST,
    MARINE,
    MEDIVAC,
    OTHER_MARINE,
    RAVEN,
    REAPER,
    SCV,
    SKIRMISH,
    TANK,
    act,
    aim,
    idle,
    kind_of,
    skill,
    skirmish,
    unit,
    wait,
)
from tests.envs.stage import kill, put, stage

LOTV = load_ruleset("lotv-4.10")
COLUMNS = (*FEATURES, *SKILL_FEATURES)
DRILLS = (*scenario_names("skills"), *scenario_names("arena"))


def feature(env: VecEnv, m: int, name: str) -> float:
    """A column of a member's row of the table."""
    return float(env.table[0, m, COLUMNS.index(name)])


# -- the contract of the mask -------------------------------------------------------------------


@pytest.mark.parametrize("name", few_quick(["skirmish", *DRILLS]))
def test_the_engine_takes_every_order_that_the_mask_offers(name: str) -> None:
    env = terrarium.make_vec(SKIRMISH if name == "skirmish" else name, 4, seed=3)
    env.reset()
    for _ in range(60):
        env.step(env.sample_actions())
        results = np.concatenate([env.sim.answers(e)["result"] for e in range(env.n_envs)])
        assert (results == codes.SUCCESS).all(), set(results.tolist())


@pytest.mark.parametrize("seed", range(3))
def test_what_the_mask_does_not_offer_is_refused_or_makes_no_sense(seed: int) -> None:
    """The engine itself is asked, by orders that are taken back."""
    env = terrarium.make_vec(SKIRMISH, 1, seed=seed)
    env.reset()
    env.play_randomly(4 + 3 * seed)
    rules, n = env.sim.rules, env.info.n_tokens
    for a in range(env.n_agents):
        if env.avail[0, a, 0]:
            continue
        itself, aimed = skills_of(LOTV, kind_of(env, a))
        for s, ability in enumerate(itself):
            wanted = takes(env, a, ability.name)
            if ability.kind == "toggle":
                wanted |= takes(env, a, f"un{ability.name}")
            assert env.avail[0, a, skill(env, s)] == wanted, ability.name
        for s, ability in enumerate(aimed):
            row = rules.abilities[env.sim.known.abilities[ability.name]]
            for m in range(n):
                if env.avail[0, a, aim(env, s, m)] or not env.living[0, m]:
                    continue
                me, you = unit(env, a), unit(env, m)
                on = "agent" if m < env.n_agents else "enemy"
                slot = env._task.slots[me["kind"], N_SELF + s]
                distance = float(np.hypot(me["x"] - you["x"], me["y"] - you["y"]))
                assert (
                    not takes(env, a, ability.name, m)
                    or not slot["on_own" if on == "agent" else "on_enemies"]
                    or (m == a and ability.kind == "teleport")
                    or (m != a and distance >= env.kinds["sight"][me["kind"]])
                    or distance > row["range"] + row["load_range"] + APPROACH
                ), (ability.name, on, m)


def takes(env: VecEnv, a: int, ability: str, m: int = -1) -> bool:
    """Would the engine take the order? The battle stays as it is."""
    sim, slots = env.sim, env.member_slots[0]
    before = sim.save()
    target = int(slots[m]) if m >= 0 else codes.NO_UNIT
    place = unit(env, m if m >= 0 else a)
    sim.use(0, int(slots[a]), ability, (float(place["x"]), float(place["y"])), target)
    sim.step(0)
    answer = sim.answer(0, int(slots[a]))
    sim.load(before)
    return answer == "Success"


def test_abilities_are_offered_as_far_as_they_reach_and_six_more() -> None:
    env = skirmish()
    ghost, zergling = env.sim.rules.types["radius"][[unit(env, m)["kind"] for m in (GHOST, ENEMY)]]
    put(env, {GHOST: (6.0, 6.0), ENEMY: (6.0, 6.0 + 10.9)})  # its sight is 11
    assert env.avail[0, GHOST, aim(env, 1, ENEMY)]  # EMP, 10 and 6: as far as it sees
    assert not env.avail[0, GHOST, aim(env, 1, MARINE)]  # it harms
    put(env, {ENEMY: (6.0, 6.0 + 11.1)})
    assert not env.avail[0, GHOST, aim(env, 1, ENEMY)]
    reach = 2.0 + float(env.sim.rules.types["radius"][unit(env, RAVEN)["kind"]]) + APPROACH
    put(env, {RAVEN: (20.0, 25.0), ENEMY: (20.0, 25.0 - reach + 0.01)})
    assert env.avail[0, RAVEN, aim(env, 0, ENEMY)]  # a turret where the enemy stands
    put(env, {ENEMY: (20.0, 25.0 - reach - 0.01)})
    assert not env.avail[0, RAVEN, aim(env, 0, ENEMY)]
    assert ghost > 0.0 < zergling


def test_attacks_are_offered_as_far_as_the_weapon_reaches_and_a_bit_more() -> None:
    env = skirmish()
    target = env.info.first_target
    radii = [float(env.sim.rules.types["radius"][unit(env, m)["kind"]]) for m in (MARINE, ENEMY)]
    edge = 5.0 + 2.0 + sum(radii)
    put(env, {MARINE: (6.0, 6.0), ENEMY: (6.0, 6.0 + edge - 0.01)})
    assert env.avail[0, MARINE, target]
    put(env, {ENEMY: (6.0, 6.0 + edge + 0.01)})
    assert not env.avail[0, MARINE, target]
    assert not env.avail[0, RAVEN, target : target + 8].any()  # has no weapon


def test_only_what_is_seen_can_be_aimed_at() -> None:
    env = skirmish()
    put(env, {MARINE: (6.0, 6.0), GHOST: (6.0, 7.0), ENEMY: (6.0, 9.0)})
    actions = ((MARINE, env.info.first_target), (GHOST, aim(env, 1, ENEMY)))
    assert all(env.avail[0, a, action] for a, action in actions)
    unit(env, ENEMY)["seen"] = 1 << ENEMY_OWNER
    env.refresh()
    assert not any(env.avail[0, a, action] for a, action in actions)
    assert not env.token_mask[0, :, ENEMY].any()
    assert env.table_mask[0, ENEMY]  # the table knows everything


# -- what actions do ----------------------------------------------------------------------------


def test_stimpack_costs_life_and_hastens() -> None:
    env = skirmish()
    act(env, {MARINE: skill(env, 0)})
    assert unit(env, MARINE)["hp"] < 45.0  # 10 less, of which the Medivac has healed some
    assert feature(env, MARINE, "hastened") == 1.0
    assert feature(env, OTHER_MARINE, "hastened") == 0.0
    assert feature(env, MARINE, "speed") > 1.4 * feature(env, OTHER_MARINE, "speed")


def test_cloak_and_uncloak_are_one_action() -> None:
    env = skirmish()
    act(env, {GHOST: skill(env, 0)})
    assert feature(env, GHOST, "hidden") == 1.0
    assert feature(env, GHOST, "detected") == 0.0
    assert env.avail[0, GHOST, skill(env, 0)]
    act(env, {GHOST: skill(env, 0)})
    assert feature(env, GHOST, "hidden") == 0.0


def test_a_tank_keeps_its_number_in_siege_mode_and_stands_still() -> None:
    env = skirmish()
    act(env, {TANK: skill(env, 0)})
    assert feature(env, TANK, "morphing") == 1.0
    wait(env, 10)
    assert kind_of(env, TANK) == "siege_tank_sieged"
    assert feature(env, TANK, "rooted") == 1.0
    assert feature(env, TANK, "range") == pytest.approx(1.3)
    assert not env.avail[0, TANK, 2:6].any()
    act(env, {TANK: skill(env, 0)})
    wait(env, 10)
    assert kind_of(env, TANK) == "siege_tank"
    assert env.avail[0, TANK, 2:6].any()


def test_an_scv_repairs_what_is_broken() -> None:
    env = skirmish()
    put(env, {SCV: (6.0, 6.0), CRUISER: (6.5, 6.0)})
    assert not env.avail[0, SCV, aim(env, 0, CRUISER)]
    unit(env, CRUISER)["hp"] = 60.0
    unit(env, MARINE)["hp"] = 10.0
    env.refresh()
    assert env.avail[0, SCV, aim(env, 0, CRUISER)]
    assert not env.avail[0, SCV, aim(env, 0, MARINE)]
    act(env, {SCV: aim(env, 0, CRUISER)})
    wait(env, 3)
    assert unit(env, CRUISER)["hp"] > 61.0


def test_a_battlecruiser_shows_how_long_it_has_to_wait() -> None:
    env = skirmish()
    put(env, {CRUISER: (8.0, 8.0), ENEMY: (8.0, 14.0)})
    unit(env, ENEMY)["hp"] = 1000.0  # survives the others
    assert feature(env, CRUISER, "aim_1") == feature(env, CRUISER, "aim_2") == 1.0
    act(env, {CRUISER: aim(env, 0, ENEMY)})
    assert feature(env, CRUISER, "casting") == 1.0
    wait(env, 8)
    assert feature(env, CRUISER, "recharge") > 1.0
    assert feature(env, CRUISER, "aim_1") == 0.0


def test_what_is_summoned_is_no_member() -> None:
    env = skirmish()
    put(env, {REAPER: (6.0, 6.0), RAVEN: (6.0, 9.0)})
    before = env.member_slots.copy()
    act(env, {RAVEN: aim(env, 0, REAPER)})
    wait(env, 3)
    assert env.sim.games.clock["n_slots"][0, 0] > 18
    np.testing.assert_array_equal(env.member_slots, before)
    assert env.living.shape == (1, 18)


def test_a_member_whose_slot_somebody_else_took_stays_dead() -> None:
    env = skirmish()
    unit(env, MARINE)["hp"] = 0.0
    env.sim.step(2)  # dies, and its slot is free
    while env.sim.create(0, "marine", 1, 6.0, 6.0) != env.member_slots[0, MARINE]:
        pass
    env.refresh()
    assert unit(env, MARINE)["alive"]
    assert not env.living[0, MARINE]
    assert env.avail[0, MARINE].tolist() == [True] + [False] * (env.info.n_actions - 1)
    assert not env.table_mask[0, MARINE]


# -- on board -----------------------------------------------------------------------------------


def loaded() -> VecEnv:
    """The Medivac has taken a Marine in."""
    env = skirmish()
    put(env, {MEDIVAC: (6.0, 6.0), MARINE: (6.5, 6.0)})
    act(env, {MEDIVAC: aim(env, 0, MARINE)})
    wait(env, 2)
    assert unit(env, MARINE)["inside"] == env.member_slots[0, MEDIVAC]
    return env


def test_who_is_on_board_lives_and_waits() -> None:
    env = loaded()
    assert env.living[0, MARINE]
    assert env.avail[0, MARINE].tolist() == [True] + [False] * (env.info.n_actions - 1)
    assert env.outcome.dead_allies[0] == 0
    assert feature(env, MARINE, "on_board") == 1.0
    assert feature(env, MEDIVAC, "load") == pytest.approx(1 / 8)
    assert not env.token_mask[0, :, MARINE].any()
    put(env, {MEDIVAC: (9.0, 6.0)})
    assert feature(env, MARINE, "dx") == feature(env, MEDIVAC, "dx")


def test_loading_is_no_loss_and_unloading_brings_back() -> None:
    env = skirmish(reward_only_positive=False, reward_scale=False)
    put(env, {m: (28.0, 3.0 + 1.5 * m) for m in range(ENEMY, 18)})
    put(env, {MEDIVAC: (6.0, 6.0), MARINE: (6.5, 6.0)})
    act(env, {MEDIVAC: aim(env, 0, MARINE)})
    assert env.reward[0] == 0.0
    assert env.avail[0, MEDIVAC, skill(env, 1)]
    act(env, {MEDIVAC: skill(env, 1)})
    wait(env, 2)
    assert unit(env, MARINE)["alive"]
    assert env.avail[0, MARINE, STOP_AND_GO].all()
    assert not env.avail[0, MEDIVAC, skill(env, 1)]


STOP_AND_GO = slice(1, 6)


def test_a_battle_goes_on_while_somebody_is_on_board() -> None:
    env = loaded()
    others = [a for a in range(env.n_agents) if a not in (MARINE, MEDIVAC)]
    kill(env, *others)
    wait(env, 1)
    assert not env.over[0]
    kill(env, MEDIVAC, MARINE)
    unit(env, MARINE)["inside"] = codes.NO_UNIT
    wait(env, 1)
    assert env.over[0]
    assert not env.outcome.won[0]


# -- drawn armies -------------------------------------------------------------------------------


def test_members_that_an_army_does_not_have_are_dead_from_the_start() -> None:
    env = terrarium.make_vec("arena/terran_vs_zerg", 8, seed=2)
    env.reset()
    n_own = env.living[:, : env.n_agents].sum(1)
    assert len(set(n_own.tolist())) > 1
    assert (n_own < env.n_agents).any()
    missing = ~env.living
    assert (env.avail[..., 0] == missing[:, : env.n_agents]).all()
    np.testing.assert_array_equal(env.table_mask, ~missing)
    env.step(idle(env))
    assert (env.outcome.dead_allies == 0).all()
    assert (env.max_reward < env.info.n_enemies * 10.0 + 200.0 + 30_000.0).all()


# -- what is seen -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", few_quick(["skirmish", *DRILLS]))
def test_every_drill_plays(name: str) -> None:
    """Random play: numbers are finite, shares are shares, the dead are silent."""
    env = terrarium.make_vec(SKIRMISH if name == "skirmish" else name, 4, seed=2)
    env.reset()
    for _ in range(40):
        env.step(env.sample_actions())
        for array in (env.obs, env.state, env.tokens, env.table, env.pairs, env.reward):
            assert np.isfinite(array).all()
        assert np.abs(env.obs).max() <= 1.0 + 1e-6
        first = COLUMNS.index("casting")
        recharge = COLUMNS.index("recharge")
        conditions = np.delete(env.table[..., first:], recharge - first, -1)
        assert conditions.min() >= 0.0
        assert conditions.max() <= 1.0
        silent = env.avail[..., 0]
        assert (env.avail[silent].sum(-1) == 1).all()
        assert (env.avail.sum(-1) >= 1).all()
        assert not env.tokens[~env.token_mask].any()
        assert not env.table[~env.table_mask].any()


def test_pairs_and_the_table_hold_what_the_tokens_hold() -> None:
    env = terrarium.make_vec(SKIRMISH, 8, seed=6)
    env.reset()
    for _ in range(20):
        env.step(env.sample_actions())
        columns = [COLUMNS.index(name) for name in env.info.pair_features]
        np.testing.assert_array_equal(env.pairs, env.tokens[..., columns])
        for s in range(3):
            offered = env.avail[..., aim(env, s, 0) : aim(env, s, env.info.n_tokens)]
            aimable = env.pairs[..., 5 + s] > 0
            np.testing.assert_array_equal(aimable, offered)
            acting = np.maximum((~env.avail[..., 0]).sum(1), 1)[:, None]
            shares = env.table[..., COLUMNS.index(f"aimable_{s + 1}")]
            np.testing.assert_allclose(shares, offered.sum(1) / acting, atol=1e-6)
        columns = [COLUMNS.index(name) for name in list(SKILL_FEATURES)[:9] if name != "on_board"]
        table = np.where(env.token_mask[..., None], env.table[:, None], 0.0)
        np.testing.assert_array_equal(table[..., columns], env.tokens[..., columns])


def test_upgrades_show() -> None:
    scenario = load_scenario(SKIRMISH)
    names = (*scenario.upgrades["ally"], "terran_infantry_armors_level1")
    better = stage(replace(scenario, upgrades={"ally": names}))
    plain = skirmish()
    assert feature(better, MARINE, "armor") == feature(plain, MARINE, "armor") + np.float32(0.2)


# -- orders in place of actions -----------------------------------------------------------------


def test_orders_of_the_engine_make_the_same_battle_as_the_actions_that_stand_for_them() -> None:
    one, other = (terrarium.make_vec(SKIRMISH, 3, seed=8) for _ in range(2))
    one.reset()
    other.reset()
    for _ in range(70):
        one.step(one.sample_actions())
        orders = np.zeros((3, 10), COMMAND)
        for e in range(3):
            answers = one.sim.answers(e)
            agents = [one.member_slots[e].tolist().index(unit) for unit in answers["unit"]]
            orders[e, agents] = answers
        over = one.terminated | one.truncated
        if over.any():
            break
        other.step_commands(orders)
        np.testing.assert_array_equal(one.reward, other.reward)
        np.testing.assert_array_equal(one.avail, other.avail)
        assert one.sim.digest() == other.sim.digest()
    assert (other.actions == -1).all()
    columns = [COLUMNS.index(name) for name in ("stopped", "went_north", "aimed_at")]
    assert not other.table[..., columns].any()


def test_orders_that_cannot_be_are_refused() -> None:
    env = skirmish()
    orders = np.zeros((1, 10), COMMAND)
    with pytest.raises(EnvError, match=r"takes records of COMMAND, \(1, 10\)"):
        env.step_commands(orders[:, :9])
    with pytest.raises(EnvError, match="takes records of COMMAND"):
        env.step_commands(np.zeros((1, 10)))
    orders["target"] = env.sim.n_slots
    with pytest.raises(EnvError, match="a target is no slot"):
        env.step_commands(orders)


# -- the same battle again ----------------------------------------------------------------------


def test_a_save_continues_to_the_bit() -> None:
    env, other = (terrarium.make_vec(SKIRMISH, 3, seed=seed) for seed in (4, 9))
    env.reset()
    env.play_randomly(20)
    saved = env.save()
    env.play_randomly(50)
    other.load(saved)
    other.play_randomly(50)
    for name, array in env.save().items():
        np.testing.assert_array_equal(array, other.save()[name], err_msg=name)


def test_threads_change_nothing() -> None:
    one, other = (terrarium.make_vec(SKIRMISH, 5, threads, seed=4) for threads in (1, 2))
    for env in (one, other):
        env.reset()
        env.play_randomly(80)
    np.testing.assert_array_equal(one.table, other.table)
    assert one.sim.digest() == other.sim.digest()
