"""The replay buffer: rows of steps, each a whole episode or a stretch of one.

One buffer serves every kind of replay: rows of an episode's length hold whole episodes, rows of one
step are transitions, and whatever is between are sequences. A row ends where its episode does, and
holds what was seen after its last step.
"""

from typing import Any

import torch
from torch import Tensor

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs, obs_zeros, own_zeros, parts, write_obs
from terrarium.marl.buffers.replay_batch import ReplayBatch, ReplayConfig
from terrarium.marl.buffers.sum_tree import SumTree
from terrarium.marl.rollout import Rollout

OWN = ("rewards", "terminated", "there")
"""What is kept of each agent"""
SMALLEST_PRIORITY = 1e-6
"""Added to every error, so that nothing is never seen again"""


class ReplayBuffer:
    """A ring of rows. Each battle writes into an open row until that is full or the episode ends.

    Only closed rows are drawn. There are more rows than the capacity says, one for each battle:
    those that are open.
    """

    def __init__(
        self,
        cfg: ReplayConfig,
        length: int,
        obs: Obs,
        carry_size: int,
        action_columns: int = 0,
        n_own: int = 1,
    ) -> None:
        """`obs` [B, ...] is what the battles look like, `length` the most steps of a row.

        Actions are indices, or vectors of so many columns; `n_own` is how many columns it takes to
        say what each agent earned.
        """
        self.cfg, self.length = cfg, length
        n_lanes, n_agents = obs.avail.shape[:2]
        n_rows = cfg.buffer_size + n_lanes
        # Whole episodes begin with nothing to remember.
        self._carry = torch.zeros((n_rows, n_agents, carry_size if cfg.chunk_length else 0))
        self._carry_size = carry_size
        self._obs = obs_zeros(obs[0], n_rows, length + 1)
        shape = (n_rows, length, n_agents)
        if action_columns:
            self._actions = torch.zeros((*shape, action_columns))
        else:
            self._actions = torch.zeros(shape, dtype=torch.int16)
        self._rewards = torch.zeros((n_rows, length))
        self._own = own_zeros(n_own, n_rows, length)
        self._terminated = torch.zeros((n_rows, length), dtype=torch.bool)
        self._n_steps = torch.zeros(n_rows, dtype=torch.int64)  # of closed rows; else 0
        self._lane_row = torch.full((n_lanes,), -1)
        self._lane_step = torch.zeros(n_lanes, dtype=torch.int64)
        self._lane_limit = torch.full((n_lanes,), length)  # the most steps of the open row
        self._fresh = torch.zeros(n_rows, dtype=torch.bool)  # an episode begins with the row
        self._n_begun = 0
        self.generation = torch.zeros(n_rows, dtype=torch.int64)
        """[rows] how often each was begun: what refers to one knows if it is still the same"""
        self._next = 0
        self._tree = SumTree(n_rows)
        self._highest = 1.0
        self._changed = torch.zeros(n_rows, dtype=torch.bool)
        self.blank = obs_zeros(obs[0], n_lanes)
        """[B, ...] what a buffer like this one is made for"""

    def fits(self, obs: Obs) -> bool:
        """Whether battles that look like this can be kept here."""
        return [x.shape for x in parts(obs)] == [x.shape for x in parts(self.blank)]

    def __len__(self) -> int:
        """How many rows can be drawn."""
        return int((self._n_steps > 0).sum())

    def add(self, rollout: Rollout) -> None:
        """Write all steps of a rollout into the rows of their battles."""
        rows, steps, kept, full = self._places(rollout)  # [T, B] each
        self._changed[rows.flatten()] = True
        where = (rows[kept], steps[kept])
        write_obs(self._obs, where, rollout.obs[:-1][kept])
        self._actions[where] = rollout.actions[kept].to(self._actions)
        self._rewards[where] = rollout.rewards[kept].to(self._rewards)
        for name in OWN:
            room = getattr(self._own, name)
            room[where] = getattr(rollout.own, name)[kept].to(room)
        self._terminated[where] = rollout.terminated[kept].to(self._terminated)
        # What was seen after the last step: at the end of an episode, or where a row was full.
        full = kept & full & ~rollout.over.cpu()
        write_obs(self._obs, (rows[full], steps[full] + 1), rollout.obs[1:][full])
        end = (rollout.end_steps.cpu(), rollout.end_rows.cpu())
        there = kept[end]
        write_obs(self._obs, (rows[end][there], steps[end][there] + 1), rollout.ends[there])
        if self._carry.shape[-1]:
            first = kept & (steps == 0)
            known = rollout.carries * ~rollout.resets[:-1, :, None, None]
            self._carry[rows[first]] = known[first].to(self._carry)

    def _places(self, rollout: Rollout) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Row and step [T, B] of each step, whether it is kept, and whether the row is full then.

        Rows are opened and closed on the way; where there are few, the ring may come round, and
        what was written into a row before it was opened again is not kept.
        """
        resets, over = rollout.resets.cpu(), rollout.over.cpu()
        rows, steps = torch.empty((2, *over.shape), dtype=torch.int64)
        full = torch.zeros_like(over)
        newest = torch.zeros_like(self._n_steps)  # [rows] when each was opened, at last
        graded: list[tuple[Tensor, float]] = []
        for t in range(len(over)):
            begins = resets[t] | (self._lane_row < 0)
            opened = self._open(int(begins.sum()))
            self._lane_row[begins], self._lane_step[begins] = opened, 0
            self._fresh[opened] = resets[t][begins]
            self._lane_limit[begins] = self._limits(resets[t][begins])
            newest[opened] = t
            rows[t], steps[t] = self._lane_row, self._lane_step
            self._lane_step += 1
            full[t] = self._lane_step == self._lane_limit
            closes = over[t] | full[t]
            closed = self._lane_row[closes]
            self._n_steps[closed] = self._lane_step[closes]
            self._lane_row[closes] = -1
            graded += [(opened, 0.0), (closed, self._highest)]  # what is new comes first
        if self.cfg.per_alpha:
            priorities = [torch.full(ids.shape, grade) for ids, grade in graded]
            self._tree.update(torch.cat([ids for ids, _ in graded]), torch.cat(priorities))
        return rows, steps, torch.arange(len(over)).unsqueeze(1) >= newest[rows], full

    def _limits(self, fresh: Tensor) -> Tensor:
        """[N] the most steps of rows that are opened.

        With burn-in the first row of an episode is cut, each time elsewhere: steps that are behind
        a border in one episode, and are not learned from, are in the middle of a row in others.
        """
        limits = torch.full(fresh.shape, self.length)
        if self.cfg.burn_in:
            n = int(fresh.sum())
            limits[fresh] -= (self._n_begun + torch.arange(n)) % self.length
            self._n_begun += n
        return limits

    def _open(self, n: int) -> Tensor:
        """The oldest `n` rows that nobody is writing into; what they held is forgotten."""
        n_rows, n_lanes = len(self._n_steps), len(self._lane_row)
        oldest = (self._next + torch.arange(n + n_lanes)) % n_rows
        opened = oldest[~torch.isin(oldest, self._lane_row)][:n]
        if n:
            self._next = (int(opened[-1]) + 1) % n_rows
        self._n_steps[opened] = 0
        self.generation[opened] += 1
        return opened

    def draw(self, share: float, generator: torch.Generator) -> ReplayBatch:
        """Some rows, cut to the longest of them; `share` of the run is done."""
        closed = (self._n_steps > 0).nonzero().squeeze(1)
        if self.cfg.per_alpha:
            ids = self._tree.sample(self.cfg.batch_size, generator)
            chances = self._tree[ids] / self._tree.total * len(closed)  # [R] 1: drawn evenly
            weights = (chances ** -self.cfg.per_beta.at(share)).float()
            weights = weights / weights.max()
        else:
            ids = closed[torch.randperm(len(closed), generator=generator)[: self.cfg.batch_size]]
            weights = torch.ones(len(ids))
        return self.rows(ids, weights)

    def rows(self, ids: Tensor, weights: Tensor) -> ReplayBatch:
        """These rows."""
        n_steps = self._n_steps[ids]
        longest = int(n_steps.max())
        carry = self._carry[ids]
        if not self.cfg.chunk_length:
            carry = carry.new_zeros((len(ids), carry.shape[1], self._carry_size))
        steps = torch.arange(longest)
        learned = self._fresh[ids].unsqueeze(1) | (steps >= self.cfg.burn_in)  # [K, L]
        return ReplayBatch(
            obs=Obs(*(part[ids, : longest + 1] for part in parts(self._obs))),
            actions=_readable(self._actions[ids, :longest]),
            rewards=self._rewards[ids, :longest],
            own=self._own[ids, :longest],
            terminated=self._terminated[ids, :longest],
            filled=(steps < n_steps.unsqueeze(1)) & learned,
            resets=torch.zeros((len(ids), longest + 1), dtype=torch.bool),
            carry=carry,
            owner=torch.arange(len(ids)).unsqueeze(1).expand(-1, longest),
            weights=weights,
            ids=ids,
        )

    def grade(self, ids: Tensor, errors: Tensor) -> None:
        """Say how wrong the learner was about rows [R] that were drawn."""
        if self.cfg.per_alpha:
            priorities = (errors.cpu().double() + SMALLEST_PRIORITY) ** self.cfg.per_alpha
            self._highest = max(self._highest, float(priorities.max()))
            self._tree.update(ids.cpu(), priorities)

    @property
    def n_closed_steps(self) -> int:
        """Steps of all rows that can be drawn."""
        return int(self._n_steps.sum())

    @property
    def n_rows(self) -> int:
        return len(self._n_steps)

    def take_changed(self) -> Tensor:
        """[K] the rows that were written since the last time that this was asked."""
        changed = self._changed.nonzero().squeeze(1)
        self._changed.zero_()
        return changed

    def pack(self, ids: Tensor) -> dict[str, Any]:
        """What rows [K] hold, without the steps that they do not have."""
        seen = self._seen(ids)  # [K, L + 1]
        played = seen[:, : self.length]
        return {
            "ids": ids,
            "seen": seen,
            "obs": [part[ids][seen] for part in parts(self._obs)],
            "carry": self._carry[ids],
            "actions": self._actions[ids][played],
            "rewards": self._rewards[ids][played],
            "own": {name: getattr(self._own, name)[ids][played] for name in OWN},
            "terminated": self._terminated[ids][played],
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Put rows back where they were."""
        ids, seen = packed["ids"], packed["seen"]
        rows, steps = seen.nonzero(as_tuple=True)
        write_obs(self._obs, (ids[rows], steps), Obs(*packed["obs"]))
        self._carry[ids] = packed["carry"]
        rows, steps = seen[:, : self.length].nonzero(as_tuple=True)
        for name in ("actions", "rewards", "terminated"):
            getattr(self, f"_{name}")[ids[rows], steps] = packed[name]
        for name in OWN:
            getattr(self._own, name)[ids[rows], steps] = packed["own"][name]

    def _seen(self, ids: Tensor) -> Tensor:
        """[K, L + 1] which steps of rows hold something, and what was seen after the last one."""
        n = self._n_steps.clone()
        written = self._lane_row >= 0
        n[self._lane_row[written]] = self._lane_step[written]
        return torch.arange(self.length + 1) <= n[ids].unsqueeze(1)

    def state_dict(self) -> dict[str, Any]:
        """All but what the rows hold, which `pack` tells."""
        return {
            "n_steps": self._n_steps,
            "lane_row": self._lane_row,
            "lane_step": self._lane_step,
            "lane_limit": self._lane_limit,
            "fresh": self._fresh,
            "n_begun": self._n_begun,
            "generation": self.generation,
            "next": self._next,
            "tree": self._tree.state_dict(),
            "highest": self._highest,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name in ("n_steps", "lane_row", "lane_step", "lane_limit", "fresh"):
            getattr(self, f"_{name}").copy_(state[name])
        self._n_begun = int(state["n_begun"])
        self.generation.copy_(state["generation"])
        self._next, self._highest = int(state["next"]), float(state["highest"])
        self._tree.load_state_dict(state["tree"])


def _readable(actions: Tensor) -> Tensor:
    """Indices as numbers that can be looked up; vectors as they are."""
    return actions if actions.is_floating_point() else actions.long()


def replay_buffer_bytes(
    cfg: ReplayConfig, spec: Spec, obs: Obs, carry_size: int, n_lanes: int
) -> int:
    """What a buffer takes; `obs` [1, ...] is that of one battle."""
    length = cfg.chunk_length or spec.limit_steps
    done = obs.n_agents * (4 * spec.action_columns or 2)
    played = done + 4 + 1 + spec.n_own * (4 + 1 + 1)  # reward and end of the team, and of each
    memory = 4 * obs.n_agents * carry_size if cfg.chunk_length else 0
    row = length * (obs.n_bytes + played) + obs.n_bytes + memory
    return (cfg.buffer_size + n_lanes) * row
