"""Networks of agents with abilities: each aimed ability scores all units by itself."""

import pytest
import torch

from terrarium.envs.tasks.spec import spec_of
from terrarium.marl.batch import LOWEST, Obs
from terrarium.marl.net_config import NetConfig, NetError
from terrarium.marl.nets.actor import Actor, make_actor
from terrarium.marl.nets.critic import Critic
from terrarium.marl.nets.encoders import ENCODERS
from tests.envs.skirmish import SKIRMISH
from tests.marl.small_nets import ENTITY_ENCODERS, EVERY_ENTITY_NET, battles, small

NAME = str(SKIRMISH)
N_AGENTS, N_ENEMIES = 10, 8
N_MEMBERS = N_AGENTS + N_ENEMIES


def members_in(obs: Obs, members: torch.Tensor, actions: torch.Tensor) -> Obs:
    """The same battles with other members in other places; -1: nobody."""
    there = members >= 0
    at = members.clamp(min=0)
    return Obs(
        obs.table[..., at, :] * there.unsqueeze(-1),
        obs.pairs[..., at, :] * there.unsqueeze(-1),
        obs.mask[..., at] & there,
        obs.alive[..., at] & there,
        obs.avail[..., actions.clamp(min=0)] & (actions >= 0),
        obs.vector,
        obs.state,
    )


def actions_of(members: torch.Tensor, first_target: int, n_targets: int) -> torch.Tensor:
    """Which old actions the new ones stand for, if members are in other places."""
    enemies = members[N_AGENTS:] - N_AGENTS
    targets = [enemies[k] if k < len(enemies) else torch.tensor(k) for k in range(n_targets)]
    basic = torch.arange(first_target)
    aimed = [
        torch.where(members >= 0, first_target + n_targets + s * N_MEMBERS + members, -1)
        for s in range(3)
    ]
    return torch.cat((basic, first_target + torch.stack(targets), *aimed))


@EVERY_ENTITY_NET
def test_permuting_enemies_permutes_what_aims_at_them(cfg: NetConfig) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles(NAME)
    actor, critic = make_actor(spec_of(env.info), cfg), Critic(spec_of(env.info), cfg, central=True)
    order = torch.tensor([2, 0, 4, 1, 3, 7, 5, 6])
    members = torch.cat((torch.arange(N_AGENTS), N_AGENTS + order))
    actions = actions_of(members, env.info.first_target, env.info.n_targets)
    other = members_in(seen, members, actions)
    none = torch.zeros(begins.shape[1], N_AGENTS, actor.carry_size)
    healer = seen.table[..., :N_AGENTS, 33] > 0  # its targets are allies, who stay
    with torch.no_grad():
        one, _ = actor(seen.swap(), none, begins.T)
        two, _ = actor(other.swap(), none, begins.T)
        fighters = ~healer.transpose(0, 1)
        torch.testing.assert_close(one[..., actions][fighters], two[fighters], rtol=0, atol=1e-5)
        torch.testing.assert_close(critic(seen), critic(other), rtol=0, atol=1e-5)
    assert (two > LOWEST).any()


@pytest.mark.parametrize("encoder", ENTITY_ENCODERS)
def test_places_for_units_that_are_not_there_change_nothing(encoder: str) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles(NAME)
    info, cfg = env.info, small(encoder, "none")
    actor, critic = make_actor(spec_of(info), cfg), Critic(spec_of(info), cfg, central=True)
    members = torch.cat((torch.arange(N_MEMBERS), torch.full((3,), -1)))
    actions = torch.cat(
        [
            torch.arange(info.first_aimed),
            *(info.first_aimed + s * N_MEMBERS + members for s in range(3)),
        ]
    )
    padded_at = torch.cat([torch.zeros(info.first_aimed), *[(members < 0).float()] * 3]) > 0
    actions[padded_at] = -1
    padded = members_in(seen, members, actions)
    none = torch.zeros(begins.shape[1], N_AGENTS, 0)
    with torch.no_grad():
        one, _ = actor(seen.swap(), none, begins.T)
        two, _ = actor(padded.swap(), none, begins.T)
        torch.testing.assert_close(two[..., ~padded_at], one, rtol=0, atol=1e-5)
        assert (two[..., padded_at] == LOWEST).all()
        torch.testing.assert_close(critic(padded), critic(seen), rtol=0, atol=1e-5)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_unavailable_actions_have_no_chance_and_every_weight_learns(encoder: str) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles(NAME)
    actor = make_actor(spec_of(env.info), small(encoder, "gru"))
    none = torch.zeros(begins.shape[1], N_AGENTS, actor.carry_size)
    logits, _ = actor(seen.swap(), none, begins.T)
    assert logits.shape[-1] == env.info.n_actions
    assert not logits.softmax(-1)[~seen.swap().avail].any()
    logits[seen.swap().avail].square().sum().backward()
    for name, weight in actor.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.isfinite().all(), name
    if encoder in ENTITY_ENCODERS:
        assert isinstance(actor, Actor)
        aim = actor.aim.weight.grad
        assert aim is not None
        assert aim.view(actor.n_sides, 4, -1).abs().sum((0, 2)).gt(0).all()  # targets, each ability


@pytest.mark.parametrize("encoder", ENTITY_ENCODERS)
def test_a_policy_of_one_drill_runs_on_others(encoder: str) -> None:
    cfg = small(encoder, "none")
    env, _, _ = battles(NAME, n_steps=1)
    policy = make_actor(spec_of(env.info), cfg)
    for name in ("skills/medivac_drop", "skills/ghost_emp", "arena/terran_vs_zerg"):
        env, seen, begins = battles(name, n_steps=3)
        other = make_actor(spec_of(env.info), cfg)
        other.load_state_dict(policy.state_dict())
        logits, _ = other(seen.swap(), torch.zeros(4, env.n_agents, 0), begins.T)
        assert logits.shape == (4, 3, env.n_agents, env.info.n_actions)


@pytest.mark.parametrize("encoder", ENTITY_ENCODERS)
def test_a_policy_without_abilities_says_why_it_cannot_play_with_them(encoder: str) -> None:
    env, _, _ = battles("smac/3m", n_steps=1)
    policy = make_actor(spec_of(env.info), small(encoder, "none"))
    env, seen, begins = battles(NAME, n_steps=1)
    with pytest.raises(NetError, match="one of the two is without abilities"):
        policy(seen.swap(), torch.zeros(4, env.n_agents, 0), begins.T)
