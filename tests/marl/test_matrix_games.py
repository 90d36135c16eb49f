"""One-step games whose payoffs tell apart what each algorithm can and cannot say about a team."""

import dataclasses

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from terrarium.marl.actions.action_selectors import EpsilonGreedyConfig
from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.mixers import QtranJointQ
from terrarium.marl.algos.q_learning import QLearner
from terrarium.marl.batch import obs_from_views, pick
from terrarium.marl.buffers.replay_batch import ReplayConfig
from terrarium.marl.net_config import NetConfig
from terrarium.marl.rollout import Collector
from terrarium.marl.runtime import make_runtime
from terrarium.schedules import Schedule
from terrarium.testing.games import SmallGame

PAYOFFS = np.array([[8.0, -12.0, -12.0], [-12.0, 0.0, 0.0], [-12.0, 0.0, 0.0]])
"""Son et al. 2019, table 1: the best is to meet at the first place, where being alone costs most"""
SEED = 0
pytestmark = pytest.mark.slow


class MatrixGame(SmallGame):
    """One step, three places; an agent sees only who it is."""

    length = 1

    def begin(self) -> None:
        self.now.avail[..., 4:] = False
        self.now.obs[:] = np.eye(self.n_agents, self.obs_width)
        self.now.state[:] = self.now.obs.reshape(self.n_envs, -1)

    def pay(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        return PAYOFFS[actions[:, 0] - 1, actions[:, 1] - 1]


def trained(algo: str, seed: int, n_rounds: int, **settings: object) -> QLearner:
    """A learner that only ever explored: each joint action was tried equally often."""
    game = MatrixGame(128, seed)
    chosen = {
        "lr": Schedule("0.005 -> 0.0005"),
        "replay": ReplayConfig(buffer_size=10_000, batch_size=128),
        "explore": EpsilonGreedyConfig(epsilon=Schedule(1)),
        **settings,
    }
    cfg = ALGOS[algo].Config(n_steps=8, steps_per_update=32.0, **chosen)
    net = NetConfig(encoder="mlp", core="none", hidden_dim=32)
    spec = dataclasses.replace(game.spec, limit_steps=game.length)
    learner = ALGOS[algo](spec, net, cfg, make_runtime(np.random.SeedSequence(seed)))
    assert isinstance(learner, QLearner)
    collector = Collector(game, cfg.n_steps, learner.carry_size)
    for k in range(n_rounds):
        learner.observe(collector.collect(learner.act)[0])
        learner.update(k / n_rounds)
    return learner


@dataclasses.dataclass(frozen=True)
class Opinion:
    """What a learner thinks of the three places."""

    alone: Tensor  # [A, 3] each agent's values
    together: Tensor  # [3, 3] the team's value
    offset: float = 0.0

    @property
    def payoff(self) -> float:
        """Of what each agent thinks best."""
        first, second = self.alone.argmax(-1).tolist()
        return float(PAYOFFS[first, second])

    @property
    def sums(self) -> Tensor:
        """[3, 3] of the agents' values."""
        return self.alone[0].unsqueeze(1) + self.alone[1]


@torch.no_grad()
def opinion_of(learner: QLearner) -> Opinion:
    obs = obs_from_views(MatrixGame(9).now)[:, None]  # [9, 1, ...] one for each joint action
    resets = torch.zeros((9, 1), dtype=torch.bool)
    encoding = learner.online.agents.encode(obs, torch.zeros(9, 2, 0), resets)
    q = learner.online.agents.logits(encoding, obs)[:, 0]  # [9, A, N]
    joint = torch.cartesian_prod(torch.arange(1, 4), torch.arange(1, 4))  # [9, A]
    alone, state, mixer = q[0, :, 1:4], obs.state[:, 0], learner.online.mixer
    if isinstance(mixer, QtranJointQ):
        together = mixer(encoding.features[:, 0], joint, state)
        return Opinion(alone, together.view(3, 3), float(mixer.offset(state)[0]))
    together = mixer(pick(q, joint), q.max(-1).values, joint, state)
    return Opinion(alone, together.view(3, 3))


def test_vdn_cannot_say_it() -> None:
    """The best sum is the mean of each row and column less that of all: 8 becomes -6.2.

    No sum comes nearer in squares, and of this one the first place is the worst for each agent.
    """
    found = opinion_of(trained("vdn", SEED, 10))
    rows, columns = PAYOFFS.mean(1), PAYOFFS.mean(0)
    expected = torch.from_numpy(rows[:, None] + columns - PAYOFFS.mean()).float()
    assert found.payoff == 0.0
    # Batches of 128 do not hold each joint action equally often.
    torch.testing.assert_close(found.together, expected, rtol=0.0, atol=0.7)
    assert float(found.together[0, 0]) < -5.0


def test_qmix_cannot_say_it() -> None:
    """If the team's value never falls when an agent's rises, places have an order for each agent.

    Whatever the order, the mean squared error is at least 32: with the first place best, -12 must
    not be below the four 0, so all eight are at -6 (8 x 36 / 9 = 32); with it worst, 8 must not be
    above the four -12, so all five are at -8 ((256 + 4 x 16) / 9 = 35.6); with one order for each
    agent, seven are at -16/7 (35). From values that are all alike, gradients lead to the second:
    on the whole the first place is the worst.
    """
    found = opinion_of(trained("qmix", SEED, 6, lr=Schedule("0.01 -> 0.001")))
    expected = torch.tensor([[-8.0, -8.0, -8.0], [-8.0, 0.0, 0.0], [-8.0, 0.0, 0.0]])
    assert found.payoff == 0.0
    torch.testing.assert_close(found.together, expected, rtol=0.0, atol=1.0)
    assert float((found.together - torch.from_numpy(PAYOFFS)).square().mean()) > 32.0


def test_qtran_finds_the_best() -> None:
    """Its agents' values, and V, are never below the joint value, and meet it at its best."""
    lr = Schedule("0.02 -> 0.0005")
    found = opinion_of(trained("qtran", SEED, 10, opt_coef=1.0, nopt_coef=1.0, lr=lr))
    assert found.payoff == 8.0
    torch.testing.assert_close(found.together.double(), torch.from_numpy(PAYOFFS), rtol=0, atol=0.5)
    above = found.sums - found.together + found.offset  # [3, 3]
    assert float(above[0, 0]) == pytest.approx(0.0, abs=0.3)
    assert float(above.min()) > -0.3


def test_qplex_says_it_all() -> None:
    """What it is most wrong about is replayed most: that lets it find the best within a few steps.

    If all is replayed alike, few seeds do: the first place, worst on the whole, rises until it is
    next to the others; there a weight that grows stands for a difference that shrinks.
    """
    most_wrong = ReplayConfig(
        buffer_size=10_000, batch_size=128, per_alpha=1.0, per_beta=Schedule(0)
    )
    lr = Schedule("0.003 -> 0.00003 exponential")
    found = opinion_of(trained("qplex", SEED, 20, replay=most_wrong, lr=lr))
    assert found.payoff == 8.0
    torch.testing.assert_close(found.together.double(), torch.from_numpy(PAYOFFS), rtol=0, atol=0.5)
