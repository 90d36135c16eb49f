"""The actor network: encoder, core, communication, and heads for basic actions and targets."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from terrarium.envs.schema import FEATURES
from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs, barred, mask_unavailable
from terrarium.marl.net_config import NetConfig, NetError, n_ids_of
from terrarium.marl.nets.building_blocks import initialize, split_axis
from terrarium.marl.nets.comm import Comm, comm_mask, exchange, make_comm
from terrarium.marl.nets.cores import Core, make_core
from terrarium.marl.nets.crops import Crop, crops_of, filled_of, is_filled, put_back
from terrarium.marl.nets.encoders import encode, make_encoder
from terrarium.marl.nets.entity_products import scores_of
from terrarium.marl.nets.noisy import draw_noise, head
from terrarium.marl.nets.recurrent import RecurrentCore
from terrarium.marl.nets.roles import RoleConditioning, RoleModel, Roles
from terrarium.marl.nets.rows import put_rows, take_rows
from terrarium.marl.nets.transformer_encoder import TokenCore
from terrarium.marl.nets.unit_columns import one_hot_ids

_NAMES = list(FEATURES)
_HEALS, _GROUND, _AIR = (_NAMES.index(name) for name in ("heals", "hits_ground", "hits_air"))
N_LENGTHS = 3
"""Groups of agents that act for about as long, at most"""
LEAST_AGENTS = 64
"""Agents of a group: a core takes half as long for a third of so few"""
OUTPUT_GAIN = 0.01
"""Small, so that a new policy chooses nearly uniformly"""


@dataclass(frozen=True)
class Encoding:
    """Output of encoder, core and communication."""

    features: Tensor  # [B, T, A, H]
    tokens: Tensor | None  # [B, T, A, M, K] entity tokens; None for flat observations, and crops
    carry: Tensor  # [B, A, C] after the last step
    roles: Roles | None = None  # [B, T, A, ...] of networks that have them
    crops: Sequence[tuple[Crop, Tensor]] = ()  # and tokens [R, a, m, K] of each


Step = Callable[[int, Tensor], Encoding]
"""Which step, and the carry before it -> its encoding, before communication"""


class AgentNetworks(nn.Module):
    """One network for all agents, or one for each."""

    encode: Callable[..., Encoding]
    logits: Callable[[Encoding, Obs], Tensor]

    def forward(self, obs: Obs, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """obs [B, T], carry [B, A, C], resets [B, T] -> masked logits [B, T, A, N], carry."""
        encoding = self.encode(obs, carry, resets)
        return self.logits(encoding, obs), encoding.carry

    def draw_noise(self, generator: torch.Generator | None, n_rows: int = 1) -> None:
        """New noise in noisy layers, if there are any, the same for all rows or for each its own;
        without a generator none."""
        draw_noise(self, generator, n_rows)


class Actor(AgentNetworks):
    """Logits of all agents. With views of units it fits any number of them on either side."""

    def __init__(self, spec: Spec, cfg: NetConfig, noisy: bool = False) -> None:
        super().__init__()
        self.first_target, self.n_aimed = spec.first_target, spec.n_aimed
        self.n_ids = n_ids_of(spec, cfg)
        self.core = make_core(cfg)
        self.net, self.encoder = cfg, make_encoder(spec, cfg)
        if not self.encoder.token_dim:
            self.basic = head(cfg.hidden_dim, spec.n_actions, OUTPUT_GAIN, noisy)
        else:
            self.n_sides = self.encoder.n_sides
            n_queries = self.n_sides * (1 + spec.n_aimed)
            self.basic = head(cfg.hidden_dim, spec.first_target, OUTPUT_GAIN, noisy)
            self.aim = head(cfg.hidden_dim, n_queries * self.encoder.token_dim, OUTPUT_GAIN, noisy)
        self.comm = make_comm(cfg)
        hidden, self.role_coefs = cfg.hidden_dim, (cfg.role_identity_coef, cfg.role_difference_coef)
        self.roles = RoleModel(hidden, hidden, cfg.role_dim, hidden) if cfg.role_dim else None
        self.conditioning = RoleConditioning(cfg.role_dim, hidden) if cfg.role_dim else None

    @property
    def carry_size(self) -> int:
        size: int = self.core.carry_size
        return size

    def encode(
        self,
        obs: Obs,
        carry: Tensor,
        resets: Tensor,
        only_acting: bool = False,
        crops: list[Crop] | None = None,
    ) -> Encoding:
        """Features of all agents, after communication.

        With `only_acting` agents count only where they act, as they do in policies: others may be
        left out, and their memory as well. The values of the dead are part of a team's. `crops` are
        those of the merged obs, where they are known already.
        """
        ids = one_hot_ids(self.n_ids, obs)
        if self.comm is None:
            crops = self._crops(obs.merge(), only_acting, crops)
            if crops:
                counts = obs.acting if only_acting else is_filled(obs).unsqueeze(-1)
                return self._encode_crops(crops, obs, carry, resets, counts)
            return self.encode_alone(obs, carry, resets, ids)
        return self._talk(obs, carry, resets, ids)[0]

    def encode_alone(self, obs: Obs, carry: Tensor, resets: Tensor, ids: Tensor | None) -> Encoding:
        """Features of agents with these ids [A, A], before communication."""
        if isinstance(self.core, TokenCore):
            return Encoding(*self.core(self.encoder, obs, carry, resets, ids))
        return self._recall(*self._read(obs, ids), carry, resets)

    def _read(self, obs: Obs, ids: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """What the encoder makes of all steps: features [B, T, A, H], tokens [B, T, A, M, K]."""
        # [B T, A, H], [B T, A, M, K]
        features, tokens = encode(self.encoder, self.net, obs.merge(), ids)
        shape = obs.avail.shape[:2]
        return split_axis(features, shape), None if tokens is None else split_axis(tokens, shape)

    @property
    def _may_crop(self) -> bool:
        """Whether absent units may be left out: parts of the user's own may want them, and roles
        are of everybody."""
        skips = getattr(self.encoder, "skips_absent", False) and not self.n_ids
        return bool(skips) and self.roles is None and not isinstance(self.core, TokenCore)

    def _crops(self, flat: Obs, only_acting: bool, known: list[Crop] | None) -> list[Crop]:
        """What is read of battles [B T, ...]; nothing: all of them."""
        if not self._may_crop:
            return []
        crops = [] if not only_acting else crops_of(flat) if known is None else known
        return crops or filled_of(flat)

    def _encode_crops(
        self, crops: list[Crop], obs: Obs, carry: Tensor, resets: Tensor, counts: Tensor
    ) -> Encoding:
        """The same as `encode_alone` for agents up to the last step that counts, [B, T, A or 1]."""
        n_rows, n_steps, n_agents = obs.avail.shape[:3]
        read = [encode(self.encoder, self.net, crop.obs, None) for crop in crops]
        features = [one for one, _ in read]
        tokens = [
            (crop, kept) for crop, (_, kept) in zip(crops, read, strict=True) if kept is not None
        ]
        if not isinstance(self.core, RecurrentCore):
            now = put_back(crops, features, n_rows * n_steps, n_agents)
            now = now.view(n_rows, n_steps, n_agents, -1)
            return replace(self._recall(now, None, carry, resets), crops=tokens)
        rows = torch.cat([one.flatten(0, 1) for one in features])  # [k, H]
        index = torch.cat([crop.index(n_agents) for crop in crops])  # [k] of B T A
        if n_steps == 1:
            recalled = self._recall_now(rows, index, carry, resets)
        else:
            counts = counts.expand(-1, -1, n_agents)
            recalled = self._recall_counted(rows, index, carry, resets, counts)
        return replace(recalled, crops=tokens)

    def _recall_now(self, rows: Tensor, index: Tensor, carry: Tensor, resets: Tensor) -> Encoding:
        """What the core makes in one step of rows [k, H], which are those of B A that the index [k]
        says. Others are absent: they do not come back, and remember nothing."""
        n_rows, n_agents = carry.shape[:2]
        memory = take_rows(carry.flatten(0, 1), index).unsqueeze(1)  # [k, 1, C]
        now = self._recall(rows[:, None, None], None, memory, resets[index // n_agents])
        features = put_rows(now.features.flatten(0, 2), index, n_rows * n_agents)
        end = put_rows(now.carry[:, 0], index, n_rows * n_agents)
        return Encoding(features.view(n_rows, 1, n_agents, -1), None, end.view_as(carry))

    def _recall_counted(
        self, rows: Tensor, index: Tensor, carry: Tensor, resets: Tensor, counts: Tensor
    ) -> Encoding:
        """What the core makes of rows [k, H], which are those of B T A that the index [k] says, up
        to an agent's last step that counts, [B, T, A].

        An agent that never counts remembers nothing.
        """
        n_rows, n_steps, n_agents = counts.shape
        steps = torch.arange(n_steps, device=rows.device)
        lengths = (counts * (steps + 1)[:, None]).amax(1).flatten()  # [B A]
        order = lengths.argsort(descending=True)[: max(1, int((lengths > 0).sum()))]  # [n]
        lengths = lengths[order].clamp(min=1)
        rank = torch.full((n_rows * n_agents,), -1, device=rows.device)
        rank[order] = torch.arange(len(order), device=rows.device)
        of_step, agent = index // n_agents, index % n_agents
        at = rank[of_step // n_steps * n_agents + agent]  # [k] among the n
        known = (at >= 0).nonzero().squeeze(1)
        place = (at * n_steps + of_step % n_steps)[known]
        now = put_rows(take_rows(rows, known), place, len(order) * n_steps)
        now = now.view(len(order), n_steps, 1, -1)
        memory = carry.flatten(0, 1)[order].unsqueeze(1)  # [n, 1, C]
        n_groups = min(N_LENGTHS, max(1, len(order) // LEAST_AGENTS))
        groups = zip(
            *(x.chunk(n_groups) for x in (now, memory, resets[order // n_agents], lengths)),
            strict=True,
        )
        parts = [self._recall(x[:, : n[0]], None, c, r[:, : n[0]]) for x, c, r, n in groups]
        back = _steps_of(order, [part.features.shape[1] for part in parts], n_steps, n_agents)

        features = torch.cat([part.features.flatten(0, 2) for part in parts])
        features = put_rows(features, back, counts.numel())  # [B T A, H]
        end = put_rows(torch.cat([part.carry for part in parts])[:, 0], order, len(rank))
        return Encoding(features.view(*counts.shape, -1), None, end.view_as(carry))

    def _recall(
        self, now: Tensor, tokens: Tensor | None, carry: Tensor, resets: Tensor
    ) -> Encoding:
        """What the core makes of it."""
        assert not isinstance(self.core, TokenCore), "that one reads for itself"
        features, carry = self.core(now, carry, resets)  # [B, T, A, H]
        roles = self.roles(now, features) if self.roles is not None else None
        return Encoding(features, tokens, carry, roles)

    def _steps(self, obs: Obs, resets: Tensor, ids: Tensor | None) -> Step:
        """Encodings of one step after the other, before communication; all are read at once."""
        if isinstance(self.core, TokenCore):
            return lambda t, carry: self.encode_alone(
                obs[:, t : t + 1], carry, resets[:, t : t + 1], ids
            )
        now, tokens = self._read(obs, ids)
        return lambda t, carry: self._recall(
            now[:, t : t + 1],
            None if tokens is None else tokens[:, t : t + 1],
            carry,
            resets[:, t : t + 1],
        )

    def logits(self, encoding: Encoding, obs: Obs) -> Tensor:
        """Masked logits [B, T, A, N]."""
        flat, features = obs.merge(), self._conditioned(encoding).flatten(0, 1)  # [B T, A, H]
        if encoding.crops:
            some, index = self.logits_of_present(encoding, obs)
            room = barred(obs.avail, some.dtype).flatten(0, 2)  # absent ones have their no-op
            return room.index_copy(0, index, some).view(obs.avail.shape)
        logits = self.basic(features)  # [B T, A, basic]
        if encoding.tokens is not None:
            scores = self._scores(features, encoding.tokens.flatten(0, 1))
            aims = self._aims(scores, flat.table, flat)
            logits = torch.cat((logits, aims), -1)
        logits = mask_unavailable(logits, flat.avail)  # [B T, A, N]
        return split_axis(logits, encoding.features.shape[:2])

    def role_loss(self, roles: Roles | None, there: Tensor) -> Tensor:
        """[] the losses of roles [B, T, ...] as much as they count, where agents [B, T, A] are."""
        if self.roles is None or roles is None:
            return torch.zeros((), device=there.device)
        identity, difference = self.roles.losses(roles.steps(there.shape[1]), there)
        return self.role_coefs[0] * identity + self.role_coefs[1] * difference

    def logits_as_each(self, obs: Obs, carry: Tensor, resets: Tensor) -> Tensor:
        """[J, B, T, A, N] what agent j's network says about the situation of each agent.

        One network for all says one thing, J = 1, unless agents have ids: then it answers as each.
        What is heard in a situation stays what was said there.
        """
        ids = one_hot_ids(self.n_ids, obs)
        if ids is None:
            return self.logits(self.encode(obs, carry, resets), obs).unsqueeze(0)
        said = self._talk(obs, carry, resets, ids)[1] if self.comm is not None else []
        alike = [one.expand_as(ids) for one in ids]  # for every j, all agents with its id
        return torch.stack([self.answer(obs, carry, resets, same, said) for same in alike])

    def answer(
        self,
        obs: Obs,
        carry: Tensor,
        resets: Tensor,
        ids: Tensor | None,
        said: Sequence[Tensor],
    ) -> Tensor:
        """Logits [B, T, A, N] of agents with these ids who hear what was said in each round."""
        if self.comm is None:
            return self.logits(self.encode_alone(obs, carry, resets, ids), obs)
        comm, encodings = self.comm, list[Encoding]()
        step = self._steps(obs, resets, ids)
        for t in range(resets.shape[1]):
            now, encoding = obs[:, t : t + 1], step(t, carry)
            words = [each[:, t : t + 1] for each in said]
            after = comm.listen(encoding.features, words, comm_mask(now))
            carry = self.core.remember(encoding.carry, after[:, 0])
            encodings.append(replace(encoding, features=after, carry=carry))
        return self.logits(_joined(encodings), obs)

    def _talk(
        self, obs: Obs, carry: Tensor, resets: Tensor, ids: Tensor | None
    ) -> tuple[Encoding, list[Tensor]]:
        assert self.comm is not None
        return _talk([self.comm], self._steps(obs, resets, ids), self.core, obs, carry)

    def logits_of_present(self, encoding: Encoding, obs: Obs) -> tuple[Tensor, Tensor]:
        """Masked logits [n, N] of the agents in crops, and which of all B T A agents [n] they are.

        All that act are among them.
        """
        flat, features = obs.merge(), self._conditioned(encoding).flatten(0, 2)  # [B T A, H]
        index = torch.cat([crop.index(obs.n_agents) for crop, _ in encoding.crops])
        features, logits = take_rows(features, index), list[Tensor]()  # [n, H]
        each = torch.split(features, [crop.agents.numel() for crop, _ in encoding.crops])
        for mine, (crop, tokens) in zip(each, encoding.crops, strict=True):
            mine = mine.view(*crop.agents.shape, -1)  # [R, a, H]
            scores = self._scores(mine, tokens)  # [R, a, V, m]
            aims = self._aims(crop.whole(scores, flat), crop.obs.table, flat)
            logits.append(torch.cat((self.basic(mine), aims), -1).flatten(0, 1))
        avail = flat.avail.flatten(0, 1).index_select(0, index)
        return mask_unavailable(torch.cat(logits), avail), index

    def _conditioned(self, encoding: Encoding) -> Tensor:
        """Features [B, T, A, H], with latent roles if there are any."""
        if self.conditioning is None or encoding.roles is None:
            return encoding.features
        features: Tensor = self.conditioning(encoding.features, encoding.roles.mean)
        return features

    def _aims(self, scores: Tensor, table: Tensor, obs: Obs) -> Tensor:
        """What members score, [B, A, V, M], as logits [B, A, targets + aimed x M]: fighters aim at
        enemies, healers at allies, and abilities at anybody."""
        n_agents, n_members = obs.n_agents, scores.shape[-1]
        n_targets = obs.avail.shape[-1] - self.first_target - self.n_aimed * n_members
        own = table[..., : scores.shape[1], :]
        heals = (own[..., _HEALS] > 0) & (own[..., _GROUND] + own[..., _AIR] == 0)  # [B, A]
        allies, enemies = scores[..., 0, :n_agents], scores[..., 0, n_agents:]
        targets = torch.where(
            heals.unsqueeze(-1), _fit(allies, n_targets), _fit(enemies, n_targets)
        )  # [B, A, targets]
        if self.n_aimed == 0:
            return targets
        return torch.cat((targets, scores[..., 1:, :].flatten(-2)), -1)

    def _scores(self, features: Tensor, tokens: Tensor) -> Tensor:
        """[B, A, V, M] how well each member suits each of the verbs."""
        n_queries, token_dim = self.n_sides * (1 + self.n_aimed), tokens.shape[-1]
        queries = self.aim(features).unflatten(-1, (n_queries, -1))  # [B, A, sides V, K]
        queries = queries.flatten(0, -3) / math.sqrt(token_dim)  # [B A, sides V, K]
        flat, n_agents = tokens.flatten(0, -3), features.shape[-2]
        if self.n_sides == 1:
            scores = scores_of(queries, flat)  # [B A, V, M]
        else:
            to_allies, to_enemies = queries.chunk(2, 1)  # [B A, V, K]
            allies = scores_of(to_allies, flat[:, :n_agents])
            scores = torch.cat((allies, scores_of(to_enemies, flat[:, n_agents:])), -1)
        return scores.view(*features.shape[:-1], *scores.shape[1:])


def _steps_of(order: Tensor, lengths: list[int], n_steps: int, n_agents: int) -> Tensor:
    """Where the first steps of agents [n] of B A are among all B T A, group by group."""
    first = order // n_agents * n_steps * n_agents + order % n_agents  # [n]
    steps = torch.arange(n_steps, device=order.device) * n_agents
    groups = zip(first.chunk(len(lengths)), lengths, strict=True)
    return torch.cat([(start.unsqueeze(1) + steps[:n]).flatten() for start, n in groups])


class SeparateActors(AgentNetworks):
    """One actor for each agent; all see the team, each answers for itself."""

    def __init__(self, spec: Spec, cfg: NetConfig, noisy: bool = False) -> None:
        super().__init__()
        self.actors = nn.ModuleList(Actor(spec, cfg, noisy) for _ in range(spec.n_agents))

    @property
    def each(self) -> list[Actor]:
        return [actor for actor in self.actors if isinstance(actor, Actor)]

    @property
    def carry_size(self) -> int:
        return self.each[0].carry_size

    def encode(
        self,
        obs: Obs,
        carry: Tensor,
        resets: Tensor,
        only_acting: bool = False,
        crops: list[Crop] | None = None,
    ) -> Encoding:
        """Features of each agent by its own network, after communication; nothing is left out."""
        comms = self._comms()
        if not comms:
            return self._encode_alone(obs, carry, resets)
        return self._talk(comms, obs, carry, resets)[0]

    def logits(self, encoding: Encoding, obs: Obs) -> Tensor:
        """Masked logits [B, T, A, N], of each agent by its own network."""
        if encoding.tokens is None:
            features = encoding.features.chunk(len(self.each), 2)  # A of [B, T, 1, H]
            logits = [
                actor.logits(
                    replace(encoding, features=features[a]), obs.of_agents(slice(a, a + 1))
                )
                for a, actor in enumerate(self.each)
            ]
            return torch.cat(logits, 2)
        logits = [actor.logits(encoding, obs)[..., a, :] for a, actor in enumerate(self.each)]
        return torch.stack(logits, -2)

    def logits_as_each(self, obs: Obs, carry: Tensor, resets: Tensor) -> Tensor:
        """[J, B, T, A, N] what agent j's network says about the situation of each agent.

        What is heard in a situation stays what was said there, by the networks of the others.
        """
        self._check(obs)
        comms = self._comms()
        said = self._talk(comms, obs, carry, resets)[1] if comms else []
        answers = []
        for j, actor in enumerate(self.each):
            ids = one_hot_ids(actor.n_ids, obs)
            same = None if ids is None else ids[j].expand_as(ids)
            answers.append(actor.answer(obs, carry, resets, same, said))
        return torch.stack(answers)

    def role_loss(self, roles: Roles | None, there: Tensor) -> Tensor:
        """Separate networks have no roles."""
        return torch.zeros((), device=there.device)

    def _encode_alone(self, obs: Obs, carry: Tensor, resets: Tensor) -> Encoding:
        self._check(obs)
        ids = one_hot_ids(self.each[0].n_ids, obs)
        if not self.each[0].encoder.reads_units:  # each reads its own vector only
            encodings = [
                actor.encode_alone(
                    obs.of_agents(slice(a, a + 1)),
                    carry[:, a : a + 1],
                    resets,
                    None if ids is None else ids[a : a + 1],
                )
                for a, actor in enumerate(self.each)
            ]
            features = torch.cat([one.features for one in encodings], 2)
            return Encoding(features, None, torch.cat([one.carry for one in encodings], 1))
        encodings = [actor.encode_alone(obs, carry, resets, ids) for actor in self.each]
        tokens = [one.tokens[:, :, a] for a, one in enumerate(encodings) if one.tokens is not None]
        return Encoding(
            torch.stack([one.features[:, :, a] for a, one in enumerate(encodings)], 2),
            torch.stack(tokens, 2) if tokens else None,
            torch.stack([one.carry[:, a] for a, one in enumerate(encodings)], 1),
        )

    def _talk(
        self, comms: Sequence[Comm], obs: Obs, carry: Tensor, resets: Tensor
    ) -> tuple[Encoding, list[Tensor]]:
        def step(t: int, carry: Tensor) -> Encoding:
            return self._encode_alone(obs[:, t : t + 1], carry, resets[:, t : t + 1])

        return _talk(comms, step, self.each[0].core, obs, carry)

    def _comms(self) -> list[Comm]:
        return [actor.comm for actor in self.each if actor.comm is not None]

    def _check(self, obs: Obs) -> None:
        if obs.n_agents != len(self.actors):
            raise NetError(
                f"this policy has {len(self.actors)} networks and the scenario {obs.n_agents} "
                "agents; only net.share_params=true fits every scenario"
            )


def make_actor(spec: Spec, cfg: NetConfig, noisy: bool = False) -> Actor | SeparateActors:
    """`noisy`: the last layers have noise on their weights, see `draw_noise`."""
    actor = Actor(spec, cfg, noisy) if cfg.share_params else SeparateActors(spec, cfg, noisy)
    initialize(actor, cfg.init)
    return actor


def _talk(
    comms: Sequence[Comm],
    step: Step,
    core: Core,
    obs: Obs,
    carry: Tensor,
) -> tuple[Encoding, list[Tensor]]:
    """Encodings after communication, and what was said in each round, [B, T, A, W].

    Step by step: what an agent has heard enters its recurrent state, and so the next step.
    """
    encodings, said = list[Encoding](), list[list[Tensor]]()
    for t in range(obs.avail.shape[1]):
        now, encoding = obs[:, t : t + 1], step(t, carry)
        features, words = exchange(comms, encoding.features, comm_mask(now))
        carry = core.remember(encoding.carry, features[:, 0])
        encodings.append(replace(encoding, features=features, carry=carry))
        said.append(words)
    return _joined(encodings), [torch.cat(words, 1) for words in zip(*said, strict=True)]


def _joined(steps: Sequence[Encoding]) -> Encoding:
    """Encodings of single steps, one after the other."""
    tokens = [step.tokens for step in steps if step.tokens is not None]
    return Encoding(
        torch.cat([step.features for step in steps], 1),
        torch.cat(tokens, 1) if tokens else None,
        steps[-1].carry,
        _roles_of(steps),
    )


def _roles_of(steps: Sequence[Encoding]) -> Roles | None:
    each = [step.roles for step in steps if step.roles is not None]
    if not each:
        return None
    parts = zip(*(vars(roles).values() for roles in each), strict=True)
    return Roles(*(torch.cat(part, 1) for part in parts))


def _fit(scores: Tensor, n: int) -> Tensor:
    """The first `n` columns; those that are missing cannot be chosen anyway."""
    if scores.shape[-1] >= n:
        return scores[..., :n]
    return nn.functional.pad(scores, (0, n - scores.shape[-1]))
