"""Made-up experience for learners of values: ends, time limits, padding, and agents that die."""

import dataclasses
from typing import Any

import numpy as np
import torch
from torch import Tensor

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.q_learning import QLearner
from terrarium.marl.batch import Obs, Own, parts
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.net_config import NetConfig
from terrarium.marl.runtime import make_runtime
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.senders import SHARING_RULES

N_ROWS, N_STEPS, N_AGENTS, N_ACTIONS, N_COLUMNS, N_STATE = 6, 5, 3, 4, 5, 7
SPEC = Spec(N_AGENTS, N_ACTIONS, N_ACTIONS, N_COLUMNS, N_STATE, limit_steps=N_STEPS)
NET = NetConfig(encoder="mlp", core="none", hidden_dim=8)
STALE = 7.0
"""What the reward of a step holds that was never played"""


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def made_up_rows(deaths: float = 0.2, seed: int = 0, n_rows: int = N_ROWS) -> ReplayBatch:
    """ReplayBatch of 1 to 5 steps, in double precision; every second one ends, the others are cut.

    Nothing is available in padding and after an end, as in a buffer that is new.
    """
    generator = seeded(seed)
    lengths = torch.randint(1, N_STEPS + 1, (n_rows,), generator=generator)
    lengths[0] = N_STEPS
    steps = torch.arange(N_STEPS + 1)
    filled = steps[:-1] < lengths.unsqueeze(1)  # [R, L]
    ends = torch.arange(n_rows) % 2 == 0
    terminated = (steps[:-1] == lengths.unsqueeze(1) - 1) & ends.unsqueeze(1)  # [R, L]
    seen = (steps < lengths.unsqueeze(1)) | ((steps == lengths.unsqueeze(1)) & ~ends.unsqueeze(1))
    avail = _avail(deaths, n_rows, generator) & seen[:, :, None, None]
    actions = torch.multinomial(
        avail[:, :-1].flatten(0, 2).double() + 1e-9, 1, generator=generator
    ).view(n_rows, N_STEPS, N_AGENTS)
    rewards = torch.randn((n_rows, N_STEPS), generator=generator, dtype=torch.float64)
    rewards = torch.where(filled, rewards, STALE)
    over = terminated | ~filled  # what was kept there before may have been an end
    return ReplayBatch(
        obs=obs_of(
            avail,
            torch.randn((n_rows, N_STEPS + 1, N_AGENTS, N_COLUMNS), generator=generator).double(),
            torch.randn((n_rows, N_STEPS + 1, N_STATE), generator=generator).double(),
        ),
        actions=torch.where(filled.unsqueeze(-1), actions, 0),
        rewards=rewards,
        own=Own(rewards.unsqueeze(-1), over.unsqueeze(-1), torch.ones_like(over).unsqueeze(-1)),
        terminated=over,
        filled=filled,
        resets=torch.zeros((n_rows, N_STEPS + 1), dtype=torch.bool),
        carry=torch.zeros((n_rows, N_AGENTS, 0), dtype=torch.float64),
        owner=torch.arange(n_rows).unsqueeze(1).expand(-1, N_STEPS),
        weights=0.5 + 0.5 * torch.rand(n_rows, generator=generator, dtype=torch.float64),
        ids=torch.arange(n_rows),
    )


def with_longer_padding(rows: ReplayBatch) -> ReplayBatch:
    """Two more steps that nobody played, of what a buffer may hold there."""

    def longer(part: Tensor) -> Tensor:
        return torch.cat((part, part[:, :2].flip(0)), 1)

    nothing = torch.zeros((len(rows.filled), 2), dtype=torch.bool)
    return dataclasses.replace(
        rows,
        obs=Obs(*(longer(part) for part in parts(rows.obs))),
        actions=longer(rows.actions),
        rewards=longer(rows.rewards),
        own=Own(*map(longer, (rows.own.rewards, rows.own.terminated, rows.own.there))),
        terminated=longer(rows.terminated),
        filled=torch.cat((rows.filled, nothing), 1),
        resets=torch.cat((rows.resets, nothing), 1),
        owner=longer(rows.owner),
    )


def in_single(learner: QLearner, rows: ReplayBatch) -> tuple[QLearner, ReplayBatch]:
    """Both in single precision, in which the square of the lowest number is infinite."""
    learner.online.float()
    learner.target.float()
    floats = ("rewards", "carry", "weights")
    obs = dataclasses.replace(
        rows.obs, vector=rows.obs.vector.float(), state=rows.obs.state.float()
    )
    single: dict[str, Any] = {name: getattr(rows, name).float() for name in floats}
    single["own"] = dataclasses.replace(rows.own, rewards=rows.own.rewards.float())
    return learner, dataclasses.replace(rows, obs=obs, **single)


def _avail(deaths: float, n_rows: int, generator: torch.Generator) -> Tensor:
    """[R, L + 1, A, N] some actions of the living, only the first one of the dead."""
    shape = (n_rows, N_STEPS + 1, N_AGENTS)
    dies = torch.rand(shape, generator=generator) < deaths
    dies[:, 0] = False
    dead = dies.cumsum(1) > 0
    avail = torch.rand((*shape, N_ACTIONS), generator=generator) < 0.7
    avail[..., 1] = True
    avail[..., 0] = False
    nothing = torch.arange(N_ACTIONS) == 0
    return torch.where(dead.unsqueeze(-1), nothing, avail)


def obs_of(avail: Tensor, vector: Tensor, state: Tensor, mask: Tensor | None = None) -> Obs:
    """Flat ones: avail [..., A, N], vector [..., A, D], state [..., S], mask [..., A, M]."""
    shape, n_agents = avail.shape[:-2], avail.shape[-2]
    return Obs(
        table=vector.new_zeros((*shape, 2, 0)),
        pairs=vector.new_zeros((*shape, n_agents, 2, 0)),
        mask=avail.new_zeros((*shape, n_agents, 0)) if mask is None else mask,
        alive=avail.new_zeros((*shape, 0)),
        avail=avail,
        vector=vector,
        state=state,
    )


def learner_of(algo: str, net: NetConfig = NET, **settings: Any) -> QLearner:
    """In double precision; the target network is another one, and both have their opinions."""
    learner = ALGOS[algo](
        SPEC, net, ALGOS[algo].Config(**settings), make_runtime(np.random.SeedSequence(1))
    )
    assert isinstance(learner, QLearner)
    generator = seeded(5)
    for network in (learner.online.double(), learner.target.double()):
        for weight in network.parameters():
            noise = torch.randn(weight.shape, generator=generator, dtype=torch.float64)
            weight.data += 0.3 * noise
    return learner


def grads_of(learner: QLearner, loss: Tensor) -> dict[str, Tensor]:
    """The gradient of every weight, by its name; zeros where there is none."""
    weights = dict(learner.online.named_parameters())
    grads = torch.autograd.grad(loss, list(weights.values()), retain_graph=True, allow_unused=True)
    return {
        name: torch.zeros_like(weight) if grad is None else grad
        for (name, weight), grad in zip(weights.items(), grads, strict=True)
    }


def share_config(rule: str = "none", **settings: Any) -> ShareConfig:
    """The settings of a sharing rule; of others' own settings it takes none."""
    config = SHARING_RULES[rule].Config
    known = {field.name for field in dataclasses.fields(config)}
    own = {"window", "uniform_fraction", "rule_dim", "rule_lr"} - known
    found: ShareConfig = config(
        rule=rule, **{name: value for name, value in settings.items() if name not in own}
    )
    return found
