"""What every sharing rule promises: real experience only, within the bandwidth, exact resuming."""

import copy

import torch

from terrarium.config import layer_from_words
from terrarium.marl.settings import from_layers
from terrarium.marl.sharing.senders import Sender
from terrarium.marl.sharing.sharing_rule import Offer

SHAPE = (6, 5, 3)
"""Rows, steps, agents"""
N_FEATURES = 4


def check_sharing_rule(rule: str, *words: str) -> None:
    """All of them. `rule` is a name, or package.module:Class; words are settings."""
    words = (f"share.rule={rule}", "share.bandwidth=0.25", *words)
    cfg = from_layers("iql", "smac/3m", [layer_from_words(words)]).algo.share
    sender, other = (Sender(cfg, SHAPE[-1], N_FEATURES) for _ in range(2))
    for batch in range(4):
        offer = _offer(batch)
        sent = (sender.mark(offer, _seeded(batch)) > 0.0).any(-1)
        assert not sent[~offer.there].any(), f"{rule} sends what was never experienced"
        limit = 0.25 * offer.there.flatten(0, 1).sum(0)
        assert (sent.flatten(0, 1).sum(0) <= limit).all(), f"{rule} sends more than its bandwidth"
        sender.rule.learn(offer, torch.randn((*SHAPE, SHAPE[-1]), generator=_seeded(batch)))
    other.load_state_dict(copy.deepcopy(sender.state_dict()))
    one, two = (each.mark(_offer(9), _seeded(9)) for each in (sender, other))
    assert torch.equal(one, two), f"{rule} selects otherwise after load_state_dict(state_dict())"


def _offer(seed: int) -> Offer:
    """Experience of a batch, some of which counts; each row is an episode."""
    errors, rewards = torch.randn((2, *SHAPE), generator=_seeded(seed))
    features = torch.randn((*SHAPE, N_FEATURES), generator=_seeded(seed + 200))
    there = torch.rand(SHAPE, generator=_seeded(seed + 100)) < 0.7
    owner = torch.arange(SHAPE[0]).unsqueeze(1).expand(SHAPE[:2])
    return Offer(features, errors, rewards, there, owner)


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
