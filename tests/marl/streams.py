"""Made-up battles, whose every obs can be told from every other one, and what is kept of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor

from terrarium.marl.batch import Obs, Own
from terrarium.marl.buffers.replay_batch import ReplayConfig
from terrarium.marl.buffers.replay_buffer import ReplayBuffer
from terrarium.marl.rollout import Rollout

N_AGENTS, N_ACTIONS, CARRY_SIZE = 2, 4, 3


def obs_of(serials: Tensor) -> Obs:
    """What is seen [...] at moments [...] that have a number each."""
    shape = serials.shape
    x = serials.float()
    own = torch.stack((x, -x), -1).unsqueeze(-1)  # [..., A, 1]
    kinds = torch.arange(N_ACTIONS) + torch.arange(N_AGENTS).unsqueeze(1)  # [A, N]
    return Obs(
        table=(x + 0.25)[..., None, None].expand(*shape, 3, 1),
        pairs=torch.zeros((*shape, N_AGENTS, 3, 0)),
        mask=(serials[..., None, None] + kinds[:, :3]) % 2 == 0,
        alive=(serials.unsqueeze(-1) + torch.arange(3)) % 3 > 0,
        avail=(serials[..., None, None] + kinds) % 3 > 0,
        vector=own,
        state=(x + 0.5).unsqueeze(-1),
    )


def carry_of(serials: Tensor) -> Tensor:
    """What agents remember before the steps [...] that begin at these moments."""
    return (serials.float()[..., None, None] * 2.0).expand(
        *serials.shape, N_AGENTS, CARRY_SIZE
    ) + torch.arange(CARRY_SIZE)


class Stream:
    """Battles that end by chance, in either way, and at the latest after `limit` steps."""

    def __init__(self, n_lanes: int, limit: int, seed: int, chance: float = 0.15) -> None:
        self.n_lanes, self.limit, self.chance = n_lanes, limit, chance
        self.generator = torch.Generator().manual_seed(seed)
        self._begins = torch.ones(n_lanes, dtype=torch.bool)
        self._age = torch.zeros(n_lanes, dtype=torch.int64)
        self._n = 0
        self._now = self._moments(n_lanes)

    def _moments(self, n: int) -> Tensor:
        self._n += n
        return torch.arange(self._n - n, self._n)

    def _flips(self, chance: float) -> Tensor:
        return torch.rand(self.n_lanes, generator=self.generator) < chance

    def rollout(self, n_steps: int) -> Rollout:
        moments, resets = [self._now], [self._begins]
        terminated, truncated, ends = [], [], list[tuple[int, int, int]]()
        for t in range(n_steps):
            self._age += 1
            terminated.append(self._flips(self.chance))
            truncated.append(~terminated[-1] & (self._flips(0.05) | (self._age == self.limit)))
            self._begins = terminated[-1] | truncated[-1]
            self._age[self._begins] = 0
            over = self._begins.nonzero().squeeze(1).tolist()
            ends += [(t, lane, int(self._moments(1))) for lane in over]
            self._now = self._moments(self.n_lanes)
            moments.append(self._now)
            resets.append(self._begins)
        serials, shape = torch.stack(moments), (n_steps, self.n_lanes)
        where = torch.tensor(ends, dtype=torch.int64).view(-1, 3)
        actions = torch.randint(N_ACTIONS, (*shape, N_AGENTS), generator=self.generator)
        rewards = torch.rand(shape, generator=self.generator)
        over = torch.stack(terminated)
        return Rollout(
            obs=obs_of(serials),
            actions=actions,
            log_probs=torch.zeros((*shape, N_AGENTS)),
            advice=torch.full((*shape, N_AGENTS), -1),
            rewards=rewards,
            own=Own(
                rewards.unsqueeze(-1), over.unsqueeze(-1), torch.ones((*shape, 1), dtype=torch.bool)
            ),
            terminated=over,
            truncated=torch.stack(truncated),
            resets=torch.stack(resets),
            carries=carry_of(serials[:-1]),
            ends=obs_of(where[:, 2]),
            end_steps=where[:, 0],
            end_rows=where[:, 1],
        )


def new_replay(stream: Stream, cfg: ReplayConfig) -> ReplayBuffer:
    obs = obs_of(torch.zeros(stream.n_lanes, dtype=torch.int64))
    return ReplayBuffer(cfg, cfg.chunk_length or stream.limit, obs, CARRY_SIZE)


@dataclass
class NaiveRow:
    """A stretch of one battle: moments, and what was done between them."""

    carry: list[list[float]]
    moments: list[int] = field(default_factory=list)
    """one more than steps, once it is closed"""
    actions: list[list[int]] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    terminated: list[bool] = field(default_factory=list)
    closed: bool = False


class NaiveReplay:
    """The same as the real one, step by step and row by row."""

    def __init__(self, n_rows: int, n_lanes: int, length: int, keeps_carries: bool) -> None:
        self.rows: list[NaiveRow | None] = [None] * n_rows
        self.open: list[int | None] = [None] * n_lanes
        self.length, self.keeps_carries = length, keeps_carries
        self.next, self.n_closed = 0, 0

    def add(self, rollout: Rollout) -> None:
        moments = rollout.obs.vector[..., 0, 0].long()  # [T + 1, B]
        where = zip(rollout.end_steps.tolist(), rollout.end_rows.tolist(), strict=True)
        lasts = dict(zip(where, rollout.ends.vector[:, 0, 0].long().tolist(), strict=True))
        for t in range(len(rollout.actions)):
            for lane in range(len(self.open)):
                if self.open[lane] is None:
                    self._begin(lane, rollout, t)
            for lane in range(len(self.open)):
                self._write(lane, rollout, t, int(moments[t, lane]))
                over = bool(rollout.over[t, lane])
                after = lasts[t, lane] if over else int(moments[t + 1, lane])
                self._end(lane, after, over)

    def _begin(self, lane: int, rollout: Rollout, t: int) -> None:
        while self.next in self.open:
            self.next = (self.next + 1) % len(self.rows)
        carry = rollout.carries[t, lane] * (~rollout.resets[t, lane])
        if not self.keeps_carries:
            carry = torch.zeros_like(carry)
        self.open[lane] = self.next
        self.rows[self.next] = NaiveRow(carry.tolist())
        self.next = (self.next + 1) % len(self.rows)

    def _row(self, lane: int) -> NaiveRow:
        place = self.open[lane]
        assert place is not None
        row = self.rows[place]
        assert row is not None
        return row

    def _write(self, lane: int, rollout: Rollout, t: int, moment: int) -> None:
        row = self._row(lane)
        row.moments.append(moment)
        row.actions.append(rollout.actions[t, lane].tolist())
        row.rewards.append(float(rollout.rewards[t, lane]))
        row.terminated.append(bool(rollout.terminated[t, lane]))

    def _end(self, lane: int, after: int, over: bool) -> None:
        row = self._row(lane)
        if over or len(row.rewards) == self.length:
            row.moments.append(after)
            row.closed = True
            self.open[lane] = None
            self.n_closed += 1

    def closed(self) -> Iterator[tuple[int, NaiveRow]]:
        for place, row in enumerate(self.rows):
            if row is not None and row.closed:
                yield place, row
