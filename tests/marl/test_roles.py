"""Latent roles: their losses beside naive twins, and what they are for."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from torch import Tensor

from terrarium.config import layer_from_words
from terrarium.envs.tasks.spec import spec_of
from terrarium.errors import TerrariumError
from terrarium.marl.net_config import NetConfig, NetError
from terrarium.marl.nets.actor import Actor, make_actor
from terrarium.marl.nets.attention import AttentionConfig
from terrarium.marl.nets.roles import RoleConditioning, RoleModel, Roles, information, overlap
from terrarium.marl.settings import resolve
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.receivers import Receivers
from tests.marl.experience import NET, grads_of, learner_of, made_up_rows, obs_of, seeded
from tests.marl.small import made
from tests.marl.small_nets import battles, small

B, A, K = 4, 3, 2
ROLED = ("iql", "vdn", "qmix", "qplex", "qtran")


def example() -> tuple[RoleModel, Roles, Tensor]:
    torch.manual_seed(0)
    model = RoleModel(5, 6, K, 8)
    now, history = torch.randn(B, A, 5), torch.randn(B, A, 6)
    there = torch.tensor([[True, True, True], [True, False, True], [True] * 3, [False] * 3])
    return model, model(now, history), there


def test_losses_are_those_of_a_naive_twin() -> None:
    model, roles, there = example()
    identity, difference = model.losses(roles, there)
    differ, parts = model.dissimilarity(roles.history), vars(roles)
    mean, std, q_mean, q_std = (parts[name].tolist() for name in list(parts)[:4])
    kls, enough, squares = [], [], []

    def likelihood(b: int, i: int, j: int) -> float:
        """Of the role of one agent by the history of another, as a geometric mean."""
        logs = [
            -0.5 * ((mean[b][i][k] - q_mean[b][j][k]) / std_k) ** 2 - math.log(std_k)
            for k, std_k in enumerate(q_std[b][j])
        ]
        return math.exp(sum(logs) / K)

    for b, i in np.ndindex(B, A):
        if not there[b, i]:
            continue
        kls.append(
            sum(
                math.log(q_std[b][i][k] / std[b][i][k])
                + (std[b][i][k] ** 2 + (mean[b][i][k] - q_mean[b][i][k]) ** 2)
                / (2 * q_std[b][i][k] ** 2)
                - 0.5
                for k in range(K)
            )
        )
        for j in range(A):
            if i == j or not there[b, j]:
                continue
            likely = [likelihood(b, i, k) for k in range(A) if there[b, k]]
            told = math.log(likelihood(b, i, j) * len(likely) / sum(likely))
            found = float(information(roles, there)[b, i, j].detach())
            assert found == pytest.approx(told, rel=1e-4, abs=1e-5)
            apart = float(differ[b, i, j].detach())
            enough.append(min(1.0, max(told, 0.0) + apart))
            squares.append(apart**2)
    assert float(identity.detach()) == pytest.approx(sum(kls) / len(kls), rel=1e-5)
    expected = math.sqrt(sum(squares) / len(squares)) - sum(enough) / len(enough)
    assert float(difference.detach()) == pytest.approx(expected, rel=1e-5)


def test_one_role_for_all_tells_nothing() -> None:
    _, roles, there = example()
    same = Roles(*(part[:, :1].expand_as(part) for part in vars(roles).values()))
    found = information(same, there)[there.unsqueeze(-1) & there.unsqueeze(-2)]
    torch.testing.assert_close(found, torch.zeros_like(found), rtol=0, atol=1e-6)


def test_losses_do_not_move_what_agents_remember() -> None:
    model, _, there = example()
    now = torch.randn(B, A, 5, requires_grad=True)
    history = torch.randn(B, A, 6, requires_grad=True)
    identity, difference = model.losses(model(now, history), there)
    (identity + difference).backward()
    assert now.grad is not None
    assert now.grad.any()
    assert history.grad is None
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.isfinite().all(), name


def test_overlap_is_that_of_two_normal_distributions() -> None:
    """The integral of the root of the product of the densities."""
    _, roles, _ = example()
    found = overlap(roles)
    at = torch.linspace(-30.0, 30.0, 60_001, dtype=torch.float64)
    for i, j in np.ndindex(A, A):
        product = 1.0
        for k in range(K):
            one, two = (
                torch.distributions.Normal(
                    roles.mean[0, a, k].detach().double(), roles.std[0, a, k].detach().double()
                )
                for a in (i, j)
            )
            density = (0.5 * (one.log_prob(at) + two.log_prob(at))).exp()
            product *= float(density.sum() * 0.001)
        assert float(found[0, i, j].detach()) == pytest.approx(product ** (1 / K), rel=1e-4)


def test_the_role_makes_the_weights_that_features_pass_through() -> None:
    torch.manual_seed(0)
    layer = RoleConditioning(K, 6)
    features, role = torch.randn(B, A, 6), torch.randn(B, A, K)
    matrices = layer.made.weight.view(K, 6, 6)
    shifts = layer.made.bias.view(K, 6)
    found = layer(features, role)
    for b, a in np.ndindex(B, A):
        expected = features[b, a]
        for k in range(K):
            expected = expected + role[b, a, k] * (matrices[k] @ features[b, a] + shifts[k])
        torch.testing.assert_close(found[b, a], expected)
    assert torch.equal(layer(features, torch.zeros_like(role)), features)


@pytest.mark.parametrize("encoder", ["attention", "mlp"])
@pytest.mark.parametrize("comm", ["none", "commnet"])
def test_agents_with_roles_see_in_learning_what_they_saw_in_acting(encoder: str, comm: str) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/3m")
    actor = make_actor(spec_of(env.info), small(encoder, "gru", role_dim=3, comm=comm))
    assert isinstance(actor, Actor)
    carry = torch.zeros(4, 3, actor.carry_size)
    with torch.no_grad():
        encoding = actor.encode(seen.swap(), carry, begins.T)
        whole = actor.logits(encoding, seen.swap())
        for t in range(12):
            step, carry = actor(seen[t][:, None], carry, begins[t][:, None])
            torch.testing.assert_close(whole[:, t], step[:, 0], rtol=0, atol=1e-5)
    assert encoding.roles is not None
    assert encoding.roles.mean.shape == (4, 12, 3, 3)


@pytest.mark.parametrize("algo", ROLED)
def test_value_based_algorithms_learn_their_roles(algo: str) -> None:
    net = dataclasses.replace(NET, role_dim=2, role_identity_coef=0.5, role_difference_coef=2.0)
    learner, rows = learner_of(algo, net), made_up_rows()
    agents = learner.online.agents
    assert isinstance(agents, Actor)
    q_values = learner.read(rows)
    encoding = agents.encode(rows.obs, rows.carry, rows.resets)
    assert encoding.roles is not None
    assert agents.roles is not None
    there = rows.obs.acting[:, :-1] & rows.filled.unsqueeze(-1)
    identity, difference = agents.roles.losses(encoding.roles.steps(there.shape[1]), there)
    torch.testing.assert_close(q_values.role_loss, 0.5 * identity + 2.0 * difference)
    found = grads_of(learner, q_values.role_loss)
    assert any(bool(grad.any()) for name, grad in found.items() if "roles.history" in name)
    before = {name: w.clone() for name, w in agents.named_parameters()}
    learner.step(rows)
    moved = [name for name, w in agents.named_parameters() if not torch.equal(w, before[name])]
    assert any(name.startswith("conditioning") for name in moved)
    assert any(name.startswith("roles.differ") for name in moved)


def test_ppo_learns_its_roles() -> None:
    net = NetConfig(hidden_dim=16, role_dim=2, encoder_config=AttentionConfig(8, 2))
    learner, collector = made("mappo", net=net)
    before = {name: w.clone() for name, w in learner.actor.named_parameters()}
    learner.observe(collector.collect(learner.act)[0])
    learner.update(0.0)
    for part in ("conditioning", "roles.now", "roles.history", "roles.differ"):
        assert any(
            name.startswith(part) and not torch.equal(w, before[name])
            for name, w in learner.actor.named_parameters()
        ), part


def test_receivers_come_to_be_those_of_one_kind() -> None:
    """Two kinds of agents that see and remember different things: roles of one kind overlap."""
    generator = seeded(3)
    kinds = torch.tensor([0, 0, 1, 1])
    views, memories = (3.0 * torch.randn((2, n), generator=generator) for n in (5, 6))
    receivers = Receivers(
        ShareConfig("quantile", receivers="latent_roles", min_similarity=0.6, role_lr=0.01)
    )
    for _ in range(200):
        noise = (0.3 * torch.randn((8, 3, 4, n), generator=generator) for n in (5, 6))
        seen, features = (x[kinds] + e for x, e in zip((views, memories), noise, strict=True))
        there = torch.rand((8, 3, 4), generator=generator) < 0.9
        obs = obs_of(torch.ones((8, 3, 4, 4), dtype=torch.bool), seen, torch.zeros(8, 3, 0))
        found = receivers.of(obs, features, there)
    alike = (kinds.unsqueeze(1) == kinds) & ~torch.eye(4, dtype=torch.bool)
    expected = alike & there.unsqueeze(-1) & there.unsqueeze(-2)
    assert float((found == expected).float().mean()) > 0.95


@pytest.mark.parametrize(
    "settings", [{"core": "token", "encoder": "transformer"}, {"share_params": False}], ids=str
)
def test_roles_need_one_network_whose_core_is_apart(settings: dict[str, object]) -> None:
    with pytest.raises(NetError, match=r"net\.role_dim is 3: roles tell agents of one network"):
        NetConfig(role_dim=3, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("algo", ["coma", "maddpg", "matd3", "ddpg"])
def test_algorithms_without_the_losses_of_roles_refuse_them(algo: str) -> None:
    with pytest.raises(TerrariumError, match=f"{algo} does not learn the losses of roles"):
        resolve(algo, "smac/3m", layer_from_words(["net.role_dim=3"]))
