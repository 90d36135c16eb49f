"""Battles cut to the units that are there, so that absent ones cost nothing.

Where armies are drawn anew for each battle, or many have died, most of the room for units is empty.
Battles with about as many units are cut to these and read together, as smaller battles; what was
read is put back where it belongs.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from terrarium.marl.batch import Obs
from terrarium.marl.nets.rows import put_rows, take_rows

N_CROPS = 4
"""Groups of battles with about as many units, at most"""
LEAST_BATTLES = 32
"""Battles of a group: in smaller ones the calls take longer than the arithmetic that they save"""
WORTH = 0.4
"""Share of all pairs of agents and units that may be left: the cutting costs something, too"""
FULL = 0.9
"""Share of battles with somebody in them beyond which nothing is left out"""


@dataclass(frozen=True)
class Crop:
    """Some battles of a batch [B, ...] with fewer agents and units, those that are there first.

    The last agent is absent, unless all are there.
    """

    rows: Tensor  # [R] which battles
    agents: Tensor  # [R, a] which agents
    members: Tensor  # [R, m] which units, agents first
    obs: Obs  # [R, ...] of a agents and m units; of actions at least the no-op

    def index(self, n_agents: int) -> Tensor:
        """[R a] where its agents are among all B A."""
        return (self.rows.unsqueeze(1) * n_agents + self.agents).flatten()

    def whole(self, scores: Tensor, obs: Obs) -> Tensor:
        """Scores [R, a, V, m] of its units -> [R, a, V, M] of all units, 0 for absent ones."""
        n_members = obs.mask.shape[-1]
        if scores.shape[-1] == n_members:
            return scores
        room = scores.new_zeros((*scores.shape[:-1], n_members))
        return room.scatter(-1, self.members[:, None, None].expand_as(scores), scores)


def filled_of(obs: Obs) -> list[Crop]:
    """The battles of a batch [B, ...] that have units, uncut; none where nearly all are such.

    Batches of episodes of different lengths have padding in which nobody is there.
    """
    n_rows, n_agents, n_members = obs.mask.shape
    rows = is_filled(obs).nonzero().squeeze(1)
    if not 0 < len(rows) <= FULL * n_rows:
        return []
    agents = torch.arange(n_agents, device=rows.device).expand(len(rows), -1)
    members = torch.arange(n_members, device=rows.device).expand(len(rows), -1)
    return [Crop(rows, agents, members, obs[rows])]


def is_filled(obs: Obs) -> Tensor:
    """[...] where there are units, or agents that act."""
    return obs.alive.any(-1) | obs.acting.any(-1)


@torch.no_grad()
def crops_of(obs: Obs) -> list[Crop]:
    """The battles of a batch [B, ...] in a few crops; none where that would save little."""
    n_agents, n_members = obs.mask.shape[1:]
    there = obs.alive | obs.mask.any(1)  # [B, M]
    there[:, :n_agents] |= obs.acting
    n_there = torch.stack((there[:, :n_agents].sum(1), there[:, n_agents:].sum(1)))  # [2, B]
    n_there[0] = (n_there[0] + 1).clamp(max=n_agents)  # and one that is absent
    n_pairs = n_there[0] * n_there.sum(0)  # [B]
    n_filled = int(there.any(1).sum())
    if int(n_pairs.sum()) > WORTH * n_filled * n_agents * n_members:
        return []
    order = n_pairs.argsort(stable=True)
    groups = order.chunk(min(N_CROPS, max(1, len(order) // LEAST_BATTLES)))
    return [_crop(obs, rows, there[rows], n_there[:, rows]) for rows in groups]


def _crop(obs: Obs, rows: Tensor, there: Tensor, n_there: Tensor) -> Crop:
    """there [R, M] and n_there [2, R] are of these rows."""
    n_agents, n_members = obs.mask.shape[1:]
    n_own, n_others = n_there.amax(1).tolist()
    agents = _first(there[:, :n_agents], n_own)  # [R, a]
    others = _first(there[:, n_agents:], n_others) + n_agents
    members = torch.cat((agents, others), 1)  # [R, m]
    of_rows = rows.unsqueeze(1)
    units = (of_rows * n_members + members).flatten()  # [R m] among B M
    own = of_rows * n_agents + agents  # [R, a] among B A
    pairs = (own.unsqueeze(2) * n_members + members.unsqueeze(1)).flatten()  # among B A M

    def cut(x: Tensor, n: int, index: Tensor, *shape: int) -> Tensor:
        """Entries of x, its first n axes taken as one."""
        return x.flatten(0, n - 1).index_select(0, index).view(*shape, *x.shape[n:])

    shape = (len(rows), agents.shape[1], members.shape[1])
    return Crop(
        rows,
        agents,
        members,
        Obs(
            table=cut(obs.table, 2, units, shape[0], shape[2]),
            pairs=cut(obs.pairs, 3, pairs, *shape),
            mask=cut(obs.mask, 3, pairs, *shape),
            alive=cut(obs.alive, 2, units, shape[0], shape[2]),
            avail=cut(obs.avail[..., :1], 2, own.flatten(), *shape[:2]),
            vector=cut(obs.vector, 2, own.flatten(), *shape[:2]),
            state=obs.state[rows],
        ),
    )


def _first(there: Tensor, n: int) -> Tensor:
    """[R, n] the places [R, M] that are taken, then others."""
    return there.byte().argsort(dim=1, descending=True, stable=True)[:, :n]


def put_back(crops: list[Crop], features: list[Tensor], n_rows: int, n_agents: int) -> Tensor:
    """Features [R, a, H] of crops -> [B, A, H] of all agents, zeros for those who are absent."""
    index = torch.cat([crop.index(n_agents) for crop in crops])
    rows = torch.cat([one.flatten(0, 1) for one in features])
    return put_rows(rows, index, n_rows * n_agents).view(n_rows, n_agents, -1)


def put_back_with_absent(crops: list[Crop], features: list[Tensor], n_agents: int) -> Tensor:
    """The same, but who is absent gets the features of the last one of the crop."""
    whole = []
    for crop, one in zip(crops, features, strict=True):
        room = one[:, -1:].expand(-1, n_agents, -1)
        where = crop.agents.unsqueeze(-1).expand_as(one)
        whole.append(room.scatter(1, where, one))
    order = torch.cat([crop.rows for crop in crops]).argsort()
    return take_rows(torch.cat(whole), order)
