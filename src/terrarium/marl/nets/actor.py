"""The policy's network: encoder, core, and a head that scores what can be aimed at."""

import math

import torch
from torch import Tensor, nn

from terrarium.envs.kernels.schema import FEATURES
from terrarium.marl.batch import Look, mask_unavailable
from terrarium.marl.nets.attention import AgentEncoder
from terrarium.marl.nets.config import NetConfig, NetError, Spec
from terrarium.marl.nets.layers import linear
from terrarium.marl.nets.mlp import VectorEncoder
from terrarium.marl.nets.recurrent import NoCore, RecurrentCore
from terrarium.marl.nets.transformer import TransformerCore

_NAMES = list(FEATURES)
_HEALS, _GROUND, _AIR = (_NAMES.index(name) for name in ("heals", "hits_ground", "hits_air"))
OUTPUT_GAIN = 0.01
"""Small, so that a new policy chooses nearly uniformly"""


def make_core(cfg: NetConfig) -> NoCore | RecurrentCore | TransformerCore:
    """What the networks remember by."""
    if cfg.core == "none":
        return NoCore()
    if cfg.core == "transformer":
        return TransformerCore(cfg.width, cfg.layers, cfg.heads, cfg.window)
    return RecurrentCore(cfg.core, cfg.width)


from collections import namedtuple

Thought = namedtuple("Thought", "features tokens carry")


class Actor(nn.Module):
    """Logits of all agents. With attention it fits any number of units on either side."""

    def __init__(self, spec: Spec, cfg: NetConfig) -> None:
        super().__init__()
        self.first_target, self.obs_width = spec.first_target, spec.obs_width
        self.n_aimed = spec.n_aimed
        self.core = make_core(cfg)
        self.encoder: AgentEncoder | VectorEncoder
        if cfg.encoder == "attention":
            self.encoder = AgentEncoder(cfg.width, cfg.token, cfg.heads, spec.n_aimed > 0)
            self.basic = linear(cfg.width, spec.first_target, OUTPUT_GAIN)
            self.aim = linear(cfg.width, (1 + spec.n_aimed) * cfg.token, OUTPUT_GAIN)
        else:
            self.encoder = VectorEncoder(spec.obs_width, cfg.width)
            self.basic = linear(cfg.width, spec.n_actions, OUTPUT_GAIN)

    @property
    def carry_size(self) -> int:
        return self.core.carry_size

    def draw_noise(self, generator):
        pass

    def forward(self, look: Look, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        t = self.think(look, carry, resets)
        return self.judge(t, look), t.carry

    def think(self, look: Look, carry: Tensor, resets: Tensor):
        n_rows, n_steps = resets.shape
        flat = look.merge()  # [B T]
        if isinstance(self.encoder, AgentEncoder):
            features, tokens = self.encoder(flat)  # [B T, A, H], [B T, A, M, K]
        else:
            if flat.obs.shape[-1] != self.obs_width:
                raise NetError(
                    f"this policy reads vectors of {self.obs_width} numbers and the scenario shows "
                    f"{flat.obs.shape[-1]}; only net.encoder=attention fits every scenario"
                )
            features, tokens = self.encoder(flat.obs), None
        features, carry = self.core(
            features.view(n_rows, n_steps, *features.shape[1:]), carry, resets
        )
        return Thought(features, tokens, carry)

    def judge(self, t, look):
        flat = look.merge()
        features, tokens = t.features, t.tokens
        n_rows, n_steps = features.shape[:2]
        features = features.flatten(0, 1)  # [B T, A, H]
        logits = self.basic(features)  # [B T, A, basic]
        if tokens is not None:
            logits = torch.cat((logits, self._aims(features, tokens, flat)), -1)
        logits = mask_unavailable(logits, flat.avail)  # [B T, A, N]
        return logits.view(n_rows, n_steps, *logits.shape[1:])

    def _aims(self, features: Tensor, tokens: Tensor, look: Look) -> Tensor:
        """Scores [B, A, targets + aimed x M]: fighters aim at enemies, healers at allies, and
        abilities at anybody. Whatever is aimed asks with a query of its own."""
        n_agents, n_members = look.n_agents, tokens.shape[-2]
        n_targets = look.avail.shape[-1] - self.first_target - self.n_aimed * n_members
        queries = self.aim(features).unflatten(-1, (1 + self.n_aimed, -1))  # [B, A, V, K]
        queries = queries.transpose(-1, -2) / math.sqrt(tokens.shape[-1])  # [B, A, K, V]
        scores = tokens @ queries  # [B, A, M, V]
        own = look.table[..., :n_agents, :]
        heals = (own[..., _HEALS] > 0) & (own[..., _GROUND] + own[..., _AIR] == 0)  # [B, A]
        allies, enemies = scores[..., 0].split((n_agents, n_members - n_agents), -1)
        targets = torch.where(
            heals.unsqueeze(-1), _fit(allies, n_targets), _fit(enemies, n_targets)
        )  # [B, A, targets]
        if self.n_aimed == 0:
            return targets
        aimed = scores[..., 1:].transpose(-1, -2).flatten(-2)  # [B, A, aimed x M]
        return torch.cat((targets, aimed), -1)


class SeparateActors(nn.Module):
    """One actor for each agent; all see the team, each answers for itself."""

    def __init__(self, spec: Spec, cfg: NetConfig) -> None:
        super().__init__()
        self.actors = nn.ModuleList(Actor(spec, cfg) for _ in range(spec.n_agents))

    @property
    def carry_size(self) -> int:
        size: int = self.actors[0].carry_size  # type: ignore[assignment]  # nn.Module hides it
        return size

    def forward(self, look: Look, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        if look.n_agents != len(self.actors):
            raise NetError(
                f"this policy has {len(self.actors)} networks and the scenario {look.n_agents} "
                "agents; only net.share=true fits every scenario"
            )
        answers = [actor(look, carry, resets) for actor in self.actors]
        logits = torch.stack([answer[..., a, :] for a, (answer, _) in enumerate(answers)], -2)
        carries = torch.stack([after[:, a] for a, (_, after) in enumerate(answers)], 1)
        return logits, carries


def make_actor(spec: Spec, cfg: NetConfig, noisy=False) -> Actor | SeparateActors:
    return Actor(spec, cfg) if cfg.share else SeparateActors(spec, cfg)


def _fit(scores: Tensor, n: int) -> Tensor:
    """The first `n` columns; those that are missing cannot be chosen anyway."""
    if scores.shape[-1] >= n:
        return scores[..., :n]
    return nn.functional.pad(scores, (0, n - scores.shape[-1]))
