"""A replay buffer of received experience for each agent, into which others insert (SUPER)."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.buffers.replay_buffer import ReplayBuffer

_INTEGERS = ("row", "generation", "step", "sender")
_FLOATS = ("reward", "weight")


@dataclass(frozen=True)
class Received:
    """Experience [N] that agents have drawn from their buffers."""

    receiver: Tensor
    row: Tensor  # of the replay buffer
    step: Tensor  # in that row
    sender: Tensor
    reward: Tensor
    ends: Tensor
    weight: Tensor  # how much it counts
    share: Tensor  # what the receiver was sent, relative to what it experienced itself, over draws


class AgentBuffers:
    """Rings of what each agent has received. Experience stands in the replay buffer already, so an
    entry is a reference to it, with the reward that the sender told.

    No agent has an experience twice, nor one of its own. What the replay buffer has forgotten is
    not drawn any more.
    """

    def __init__(self, n_agents: int, size: int) -> None:
        self.n_agents, self.size = n_agents, size
        self._replay: ReplayBuffer | None = None
        self.clear()

    def clear(self) -> None:
        shape = (self.n_agents, self.size)
        self._of = {name: torch.zeros(shape, dtype=torch.int64) for name in _INTEGERS}
        self._of |= {name: torch.zeros(shape) for name in _FLOATS}
        self._of["ends"] = torch.zeros(shape, dtype=torch.bool)
        self._of["taken"] = torch.zeros(shape, dtype=torch.bool)
        self._next = torch.zeros(self.n_agents, dtype=torch.int64)

    def attach(self, replay: ReplayBuffer, n_agents: int) -> None:
        """Another replay buffer, of another scenario, has none of what was sent before."""
        if self._replay is not None and self._replay is not replay:
            self.n_agents = n_agents
            self.clear()
        self._replay = replay

    def insert(self, rows: ReplayBatch, weights: Tensor, rewards: Tensor, ends: Tensor) -> None:
        """Into the buffers of receivers what was sent: weights [R, L, A, A] above 0, by sender,
        then receiver; rewards and ends [R, L, A]."""
        assert self._replay is not None, "attached before"
        ids, steps = rows.ids.cpu()[rows.owner.cpu()], steps_in_rows(rows).cpu()  # [R, L]
        generations = self._replay.generation[ids]  # [R, L]
        weights, rewards, ends = weights.detach().cpu(), rewards.detach().cpu(), ends.cpu()
        for receiver in range(self.n_agents):
            at = (weights[..., receiver] > 0.0).nonzero(as_tuple=True)  # rows, steps, senders
            new = {
                "row": ids[at[:2]],
                "generation": generations[at[:2]],
                "step": steps[at[:2]],
                "sender": at[2],
                "reward": rewards[at].float(),
                "weight": weights[(*at, torch.tensor(receiver))].float(),
                "ends": ends[at],
            }
            self._write(receiver, new)

    def _write(self, receiver: int, new: dict[str, Tensor]) -> None:
        """What an agent has already is told anew; the rest pushes out the oldest."""
        keys = self._keys(new)
        order = keys.argsort(stable=True)
        first = torch.ones_like(keys, dtype=torch.bool)  # a row may have been drawn twice
        first[1:] = keys[order][1:] != keys[order][:-1]
        order = order[first].sort().values  # as they came
        keys, new = keys[order], {name: part[order] for name, part in new.items()}
        slots = self._of["taken"][receiver].nonzero().squeeze(1)
        held = self._keys({name: self._of[name][receiver, slots] for name in _INTEGERS})
        held, place = held.sort()
        near = torch.searchsorted(held, keys).clamp(max=max(len(held) - 1, 0))
        known = held[near] == keys if len(held) else torch.zeros_like(keys, dtype=torch.bool)
        fresh = (~known).nonzero().squeeze(1)[-self.size :]
        ring = (self._next[receiver] + torch.arange(len(fresh))) % self.size
        for name, part in new.items():
            self._of[name][receiver, slots[place[near[known]]]] = part[known]
            self._of[name][receiver, ring] = part[fresh]
        self._of["taken"][receiver, ring] = True
        self._next[receiver] = (self._next[receiver] + len(fresh)) % self.size

    def _keys(self, of: dict[str, Tensor]) -> Tensor:
        """One number for each row, its generation, step and sender."""
        assert self._replay is not None, "attached before"
        n_steps = self._replay.length
        step = of["row"] * n_steps + of["step"]
        per_generation = self._replay.n_rows * n_steps * self.n_agents
        return of["generation"] * per_generation + step * self.n_agents + of["sender"]

    def draw(self, n: int, generator: torch.Generator) -> Received:
        """`n` for each agent, with replacement, of what it has received and is still there."""
        assert self._replay is not None, "attached before"
        there = self._of["taken"] & (
            self._of["generation"] == self._replay.generation[self._of["row"]]
        )  # [A, S]
        counts = there.sum(1)  # [A]
        receivers = (counts > 0).nonzero().squeeze(1)
        who = receivers.repeat_interleave(n)
        slots = [
            torch.multinomial(there[a].float(), n, replacement=True, generator=generator)
            for a in receivers.tolist()
        ]
        at = (who, torch.cat(slots) if slots else who)
        own = max(1, self._replay.n_closed_steps)
        return Received(
            receiver=who,
            row=self._of["row"][at],
            step=self._of["step"][at],
            sender=self._of["sender"][at],
            reward=self._of["reward"][at],
            ends=self._of["ends"][at],
            weight=self._of["weight"][at],
            share=counts[who] / own / n,
        )

    def state_dict(self) -> dict[str, Any]:
        return {"of": self._of, "next": self._next}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._of = {name: part.clone() for name, part in state["of"].items()}
        self._next = state["next"].clone()
        self.n_agents, self.size = self._of["row"].shape


def steps_in_rows(rows: ReplayBatch) -> Tensor:
    """[R, L] which step of its sequence each one is: packed rows hold several."""
    at = torch.arange(rows.filled.shape[1], device=rows.filled.device).expand(rows.filled.shape)
    return at - (at * rows.resets[:, :-1]).cummax(1).values
