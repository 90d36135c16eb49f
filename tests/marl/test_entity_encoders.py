"""Encoders of units beside slow versions of themselves, which say what they mean."""

import math

import pytest
import torch
from torch import Tensor

from terrarium.envs.tasks.spec import spec_of
from terrarium.marl.batch import Obs, parts
from terrarium.marl.nets.actor import Actor
from terrarium.marl.nets.cnn import N_CHANNELS, draw_map
from terrarium.marl.nets.hpn import HpnEncoder
from terrarium.marl.nets.transformer_encoder import TransformerEncoder, TransformerEncoderConfig
from tests.marl.small_nets import battles, small

WIDTH, HIDDEN = 16, 8


def one_look(name: str, n_steps: int = 8) -> tuple[Actor, HpnEncoder, Obs]:
    torch.manual_seed(0)
    env, seen, _ = battles(name, n_steps=n_steps)
    actor = Actor(spec_of(env.info), small("hpn", "none"))
    assert isinstance(actor.encoder, HpnEncoder)
    return actor, actor.encoder, seen[n_steps - 1]


def matrix_of(encoder: HpnEncoder, side: str, hidden: Tensor) -> Tensor:
    """W(x) [f, H], made by the last layer of the hypernetwork from its hidden [K + 1]."""
    net = getattr(encoder, side)
    of_unit = net.made_for_unit.weight.view(WIDTH, HIDDEN + 1, -1)
    of_pair = net.made_for_pair.weight.view(WIDTH, HIDDEN + 1, -1)
    return torch.einsum("hkf,k->fh", torch.cat((of_unit, of_pair), -1), hidden)


@pytest.mark.parametrize("name", ["smac/2s3z", "skills/medivac_drop"])
def test_a_hypernetwork_makes_the_matrix_that_reads_each_unit(name: str) -> None:
    _, encoder, obs = one_look(name)
    features, tokens = encoder(obs)
    n_agents, n_members = obs.n_agents, obs.mask.shape[-1]
    columns = encoder.columns
    for b in range(2):
        for i in range(n_agents):
            total = encoder.itself(obs.table[b, i, columns.of_itself])
            for k in range(n_members):
                net = encoder.allies if k < n_agents else encoder.enemies
                known, pair = obs.table[b, k, columns.of_anybody], obs.pairs[b, i, k]
                hidden = torch.cat(((net.unit(known) + net.pair(pair)).relu(), torch.ones(1)))
                torch.testing.assert_close(tokens[b, i, k], hidden)
                if k != i and obs.mask[b, i, k]:
                    side = "allies" if k < n_agents else "enemies"
                    total = total + torch.cat((known, pair)) @ matrix_of(encoder, side, hidden)
            expected = total.relu() * obs.acting[b, i]
            torch.testing.assert_close(features[b, i], expected, rtol=1e-4, atol=1e-4)


def test_a_hypernetwork_makes_what_scores_each_target() -> None:
    """h w(x) + b(x), with w and b linear in the hypernetwork's hidden."""
    actor, _, obs = one_look("smac/2s3z")
    none, resets = torch.zeros(4, 5, 0), torch.zeros(4, 1, dtype=torch.bool)
    encoding = actor.encode(obs[:, None], none, resets)
    assert encoding.tokens is not None
    everything = Obs(*(part.clone() for part in parts(obs)))
    everything.avail[:] = True
    scores = actor.logits(encoding, everything[:, None])[:, 0, :, 6:]  # [B, A, enemies]
    weight = actor.aim.weight.view(2, HIDDEN + 1, WIDTH)[1] / math.sqrt(HIDDEN + 1)
    bias = actor.aim.bias.view(2, HIDDEN + 1)[1] / math.sqrt(HIDDEN + 1)
    for i in range(5):
        for k in range(5):
            hidden = encoding.tokens[:, 0, i, 5 + k]  # [B, K + 1]
            w, b = hidden @ weight, hidden @ bias  # [B, H], [B]
            expected = (encoding.features[:, 0, i] * w).sum(-1) + b
            torch.testing.assert_close(scores[:, i, k], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("grid_size", [3, 7, 12])
def test_a_map_shows_everybody_where_they_stand(grid_size: int) -> None:
    _, seen, _ = battles("smac/2s3z")
    drawn = draw_map(seen, grid_size)
    assert drawn.shape == (12, 4, 5, N_CHANNELS, grid_size, grid_size)
    slow = torch.zeros_like(drawn[11])
    obs = seen[11]
    for b in range(4):
        for i in range(5):
            for k in range(10):
                if k == i or not obs.mask[b, i, k]:
                    continue
                x, y = (
                    min(grid_size - 1, int((p + 1) / 2 * grid_size)) for p in obs.pairs[b, i, k, :2]
                )
                health, shield, damage, reach = obs.table[b, k, [7, 8, 29, 28]]
                side = 0 if k < 5 else 5
                slow[b, i, side : side + 5, y, x] += torch.stack(
                    (torch.tensor(1.0), health, shield, damage, reach)
                )
                slow[b, i, 10, y, x] += obs.pairs[b, i, k, 3]
    torch.testing.assert_close(drawn[11], slow)
    seen_by_each = seen.mask.sum(-1) - seen.acting.int()
    torch.testing.assert_close(drawn[..., [0, 5], :, :].sum((-1, -2, -3)), seen_by_each.float())


def test_a_transformer_reads_only_its_own_eyes() -> None:
    """Tokens that are not seen do not count, wherever they stand among the others."""
    torch.manual_seed(0)
    env, seen, _ = battles("smac/2s3z")
    net = small("transformer", "none", hidden_dim=WIDTH)
    cfg = TransformerEncoderConfig(n_layers=2, n_heads=2)
    encoder = TransformerEncoder(spec_of(env.info), net, cfg)
    features, tokens = encoder(seen[11])
    obs = seen[11]
    for b in range(2):
        for i in range(5):
            if not obs.acting[b, i]:
                assert not features[b, i].any()
                continue
            whole, _ = encoder.read(obs[b], None)
            there = whole[i, obs.mask[b, i]]  # only those that are seen, no mask
            alone = encoder.mix(there[None, None], torch.ones(1, 1, len(there), dtype=torch.bool))
            torch.testing.assert_close(
                alone[0, 0], tokens[b, i, obs.mask[b, i]], rtol=1e-4, atol=1e-5
            )
            own = int(obs.mask[b, i, :i].sum())
            torch.testing.assert_close(alone[0, 0, own], features[b, i], rtol=1e-4, atol=1e-5)


def test_a_memory_token_lasts_until_the_episode_ends() -> None:
    torch.manual_seed(0)
    env, seen, _ = battles("smac/2s3z")
    actor = Actor(spec_of(env.info), small("transformer", "token"))
    obs, resets = seen.swap(), torch.zeros(4, 12, dtype=torch.bool)
    one, two = torch.zeros(4, 5, WIDTH), torch.randn(4, 5, WIDTH)
    resets[:, 6] = True
    with torch.no_grad():
        first, second = (actor.encode(obs, start, resets).features for start in (one, two))
    alive = obs.acting
    assert (first != second).any(-1)[:, :6][alive[:, :6]].all()
    assert torch.equal(first[:, 6:], second[:, 6:])
