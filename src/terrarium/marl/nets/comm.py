"""Messages between agents that see each other, after the core and before the heads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from terrarium.config import check_ranges, check_settings
from terrarium.import_paths import Contract, find_class
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, PartConfig, config_of
from terrarium.marl.nets.building_blocks import linear


@dataclass(frozen=True)
class CommNetConfig(PartConfig):
    """CommNet's rounds."""

    n_rounds: int = 1
    """rounds of communication per step"""

    def __post_init__(self) -> None:
        check_ranges("comm", self, n_rounds=(1, 16))


class CommNetRound(nn.Module):
    """Each agent sends its features and receives the mean (Sukhbaatar et al. 2016)."""

    Config: ClassVar[type[PartConfig]] = CommNetConfig

    def __init__(self, net: NetConfig, cfg: CommNetConfig) -> None:
        super().__init__()
        self.join = linear(2 * net.hidden_dim, net.hidden_dim)

    def speak(self, features: Tensor) -> Tensor:
        return features

    def hear(self, features: Tensor, words: Tensor, heard: Tensor) -> Tensor:
        """features [..., a, H], words [..., A, W], heard [..., a, A] -> features [..., a, H]."""
        weights = heard.to(words.dtype)
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1.0)  # [..., a, A]
        return _heed(self.join, features, weights @ words)


@dataclass(frozen=True)
class TarmacConfig(CommNetConfig):
    """TarMAC's rounds and the size of its signatures."""

    signature_dim: int = 16
    """size of signatures and queries"""

    def __post_init__(self) -> None:
        super().__post_init__()
        fine = 4 <= self.signature_dim <= 4096
        check_settings("comm", self, ("signature_dim", fine, "4 to 4096"))


class TarmacRound(nn.Module):
    """Signatures say whom a message is for, queries what an agent wants (Das et al. 2019)."""

    Config: ClassVar[type[PartConfig]] = TarmacConfig

    def __init__(self, net: NetConfig, cfg: TarmacConfig) -> None:
        super().__init__()
        hidden_dim, signature = net.hidden_dim, cfg.signature_dim
        self.signature = signature
        self.say = linear(hidden_dim, signature + hidden_dim, gain=1.0)
        self.query = linear(hidden_dim, signature, gain=1.0)
        self.join = linear(2 * hidden_dim, hidden_dim)

    def speak(self, features: Tensor) -> Tensor:
        words: Tensor = self.say(features)  # [..., a, signature + H]
        return words

    def hear(self, features: Tensor, words: Tensor, heard: Tensor) -> Tensor:
        """features [..., a, H], words [..., A, W], heard [..., a, A] -> features [..., a, H]."""
        signatures, values = words[..., : self.signature], words[..., self.signature :]
        scores = self.query(features) @ signatures.transpose(-1, -2) / math.sqrt(self.signature)
        scores = scores.masked_fill(~heard, torch.finfo(scores.dtype).min)  # [..., a, A]
        # Who sees nobody hears zeros, not the mean of everybody.
        weights = scores.softmax(-1) * heard.any(-1, keepdim=True)
        return _heed(self.join, features, weights @ values)


class NoRound:
    """No communication."""

    Config: ClassVar[type[PartConfig]] = PartConfig


COMMS: dict[str, type[Any]] = {"none": NoRound, "commnet": CommNetRound, "tarmac": TarmacRound}

COMM_CONTRACT = Contract(
    "a round of communication", ("Config", "speak", "hear"), ("net", "cfg"), CommNetRound
)


def find_comm(name: str) -> type[Any]:
    return find_class("net.comm", name, COMMS, COMM_CONTRACT)


class Comm(nn.Module):
    """Some rounds of messages, each with weights of its own."""

    def __init__(self, net: NetConfig) -> None:
        super().__init__()
        kind = find_comm(net.comm)
        cfg = config_of(kind, net.comm_config)
        self.rounds = nn.ModuleList(kind(net, cfg) for _ in range(cfg.n_rounds))

    def speak(self, at: int, features: Tensor) -> Tensor:
        """What agents with these features [..., a, H] say in a round, [..., a, W]."""
        words: Tensor = self.rounds[at].speak(features)  # type: ignore[operator]  # as all do
        return words

    def hear(self, at: int, features: Tensor, words: Tensor, heard: Tensor) -> Tensor:
        """What becomes of features [..., a, H] when they hear words [..., A, W]."""
        after: Tensor = self.rounds[at].hear(features, words, heard)  # type: ignore[operator]
        return after

    def listen(self, features: Tensor, said: Sequence[Tensor], heard: Tensor) -> Tensor:
        """What becomes of features [..., A, H] when others say what they said, round by round."""
        for at, words in enumerate(said):
            features = self.hear(at, features, words, heard)
        return features


def make_comm(net: NetConfig) -> Comm | None:
    return None if net.comm == "none" else Comm(net)


def exchange(comms: Sequence[Comm], features: Tensor, heard: Tensor) -> tuple[Tensor, list[Tensor]]:
    """Agents with one network, or each with its own, talk: features [..., A, H], and who hears
    whom, [..., A, A] -> features after it, and what was said in each round [..., A, W]."""
    one = len(comms) == 1
    parts = [(comm, slice(None) if one else slice(a, a + 1)) for a, comm in enumerate(comms)]
    said = []
    for at in range(len(comms[0].rounds)):
        words = torch.cat([comm.speak(at, features[..., who, :]) for comm, who in parts], -2)
        said.append(words)
        features = torch.cat(
            [
                comm.hear(at, features[..., who, :], words, heard[..., who, :])
                for comm, who in parts
            ],
            -2,
        )
    return features, said


def comm_mask(obs: Obs) -> Tensor:
    """[..., A, A] whether an agent (the first axis) hears another: one that acts and that it sees.

    Where no view of units says who is seen, all that act hear each other.
    """
    n_agents, acting = obs.n_agents, obs.acting
    if obs.mask.shape[-1]:
        seen = obs.mask[..., :n_agents]
    else:
        seen = acting.unsqueeze(-1).expand(*acting.shape, n_agents)
    itself = torch.eye(n_agents, dtype=torch.bool, device=acting.device)
    return seen & acting.unsqueeze(-2) & ~itself


def _heed(join: nn.Module, features: Tensor, news: Tensor) -> Tensor:
    heeded: Tensor = features + join(torch.cat((features, news), -1)).relu()
    return heeded
