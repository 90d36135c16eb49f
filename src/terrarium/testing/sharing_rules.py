"""What every sharing rule promises: real experience only, within the bandwidth, exact resuming."""

import copy

import torch

from terrarium.config import layer_from_words
from terrarium.marl.settings import from_layers
from terrarium.marl.sharing.senders import Sender

SHAPE = (6, 5, 3)
"""Rows, steps, agents"""


def check_sharing_rule(rule: str, *words: str) -> None:
    """All of them. `rule` is a name, or package.module:Class; words are settings."""
    words = (f"share.rule={rule}", "share.bandwidth=0.25", *words)
    cfg = from_layers("iql", "smac/3m", [layer_from_words(words)]).algo.share
    sender, other = Sender(cfg, SHAPE[-1]), Sender(cfg, SHAPE[-1])
    for batch in range(4):
        errors, there = _experience(batch)
        sent = sender.mark(errors, there, _seeded(batch))
        assert not sent[~there].any(), f"{rule} sends what was never experienced"
        limit = 0.25 * there.flatten(0, 1).sum(0)
        assert (sent.flatten(0, 1).sum(0) <= limit).all(), f"{rule} sends more than its bandwidth"
    other.load_state_dict(copy.deepcopy(sender.state_dict()))
    errors, there = _experience(9)
    one, two = (each.mark(errors, there, _seeded(9)) for each in (sender, other))
    assert torch.equal(one, two), f"{rule} selects otherwise after load_state_dict(state_dict())"


def _experience(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """TD errors, and which of them count."""
    errors = torch.randn(SHAPE, generator=_seeded(seed))
    return errors, torch.rand(SHAPE, generator=_seeded(seed + 100)) < 0.7


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
