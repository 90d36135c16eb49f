"""Exploration: actions come as often as the formulas say, and never one that is unavailable."""

import math
import re

import pytest
import torch
from torch import Tensor

from terrarium.config import layer_from_words
from terrarium.errors import TerrariumError
from terrarium.marl.actions.action_selectors import (
    EXPLORERS,
    BoltzmannConfig,
    EpsilonGreedyConfig,
    ExploreConfig,
    Ucb,
    UcbConfig,
)
from terrarium.marl.batch import LOWEST, mask_unavailable
from terrarium.marl.settings import from_layers
from terrarium.schedules import Schedule

AVAIL = torch.tensor([[True, False, True, True], [False, True, True, True]])  # [A, N]
WORTH = mask_unavailable(torch.tensor([[0.5, 9.0, 2.0, 1.0], [9.0, -1.0, 0.0, 0.3]]), AVAIL)
N_ROWS = 20_000

BEYOND_CHANCE = 26.12
"""What chi-square exceeds once in a thousand with 8 degrees of freedom: 3 x 3 pairs of actions."""


def seeded(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def chosen(cfg: ExploreConfig, share: float = 0.0, n_rows: int = N_ROWS) -> Tensor:
    """What the same team does, many times: [B, A]."""
    q, avail = WORTH.expand(n_rows, 2, 4), AVAIL.expand(n_rows, 2, 4)
    return EXPLORERS[cfg.kind](cfg, 2, 4).choose(q, avail, share, seeded())


def misfit(actions: Tensor, chances: Tensor) -> float:
    """Chi-square of the pairs that two agents chose, if each chose alone by its chances [A, N]."""
    pairs = torch.zeros(4, 4, dtype=torch.float64)
    pairs.index_put_((actions[:, 0], actions[:, 1]), torch.ones(()).double(), accumulate=True)
    expected = len(actions) * chances[0].double().outer(chances[1].double())
    assert (pairs[expected == 0.0] == 0.0).all()
    possible = expected > 0.0
    return float(((pairs - expected).square()[possible] / expected[possible]).sum())


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_epsilon_is_the_chance_of_anything_available(epsilon: float) -> None:
    chances = AVAIL * epsilon / 3.0
    chances[0, 2] += 1.0 - epsilon
    chances[1, 3] += 1.0 - epsilon
    actions = chosen(EpsilonGreedyConfig(epsilon=Schedule(epsilon)))
    assert misfit(actions, chances) < BEYOND_CHANCE
    if epsilon < 1.0:  # a little more would have been noticed
        assert misfit(actions, 0.9 * chances + 0.1 * AVAIL / 3.0) > BEYOND_CHANCE


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1e38])
def test_boltzmann_chooses_by_worth(temperature: float) -> None:
    weights = torch.where(AVAIL, (WORTH.double() / temperature).exp(), 0.0)
    actions = chosen(BoltzmannConfig(temperature=Schedule(temperature)))
    chances = weights / weights.sum(-1, keepdim=True)
    assert misfit(actions, chances) < BEYOND_CHANCE
    if temperature < 10.0:
        assert misfit(actions, 0.9 * chances + 0.1 * AVAIL / 3.0) > BEYOND_CHANCE


@pytest.mark.parametrize(
    "cfg",
    [
        EpsilonGreedyConfig(epsilon=Schedule(0)),
        BoltzmannConfig(temperature=Schedule(0)),
        BoltzmannConfig(temperature=Schedule("1e-300")),
        BoltzmannConfig(temperature=Schedule("1e-4")),
        UcbConfig(ucb_coef=Schedule(0)),
        ExploreConfig("noisy"),
    ],
    ids=str,
)
def test_without_exploring_the_best_is_chosen(cfg: ExploreConfig) -> None:
    assert (chosen(cfg) == torch.tensor([2, 3])).all()


@pytest.mark.parametrize("kind", EXPLORERS)
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_nobody_chooses_what_is_unavailable(kind: str, share: float) -> None:
    generator = seeded()
    explorer = EXPLORERS[kind](EXPLORERS[kind].Config(), 5, 7)
    for _ in range(50):
        avail = torch.rand(40, 5, 7, generator=generator) < 0.3
        avail[..., 0] |= ~avail.any(-1)
        q = mask_unavailable(100.0 * torch.randn(40, 5, 7, generator=generator), avail)
        actions = explorer.choose(q, avail, share, generator)
        assert actions.shape == (40, 5)
        assert avail.gather(-1, actions.unsqueeze(-1)).all()


def test_schedules_follow_the_run() -> None:
    cfg = EpsilonGreedyConfig(epsilon=Schedule("1 -> 0 at 50%"))
    best = [float((chosen(cfg, share)[:, 0] == 2).float().mean()) for share in (0.0, 0.25, 0.5)]
    # A third by chance; 0.02 is 5 standard deviations of the mean of 20,000.
    assert best == pytest.approx([1 / 3, 1 / 2 + 1 / 6, 1.0], abs=0.02)


def naive_ucb(q: Tensor, avail: Tensor, counts: list[list[int]], bonus: float) -> list[list[int]]:
    actions = []
    for row, open_row in zip(q.tolist(), avail.tolist(), strict=True):
        actions.append([0] * len(row))
        for a, worth in enumerate(row):
            score = [-math.inf] * len(worth)
            for n in [n for n in range(len(worth)) if open_row[a][n]]:
                doubt = math.sqrt(math.log(sum(counts[a])) / counts[a][n]) if counts[a][n] else 1e99
                score[n] = worth[n] + bonus * doubt
            actions[-1][a] = score.index(max(score))
    for row_of_actions in actions:
        for a, n in enumerate(row_of_actions):
            counts[a][n] += 1
    return actions


def test_ucb_equals_its_naive_twin() -> None:
    generator = seeded()
    explorer = Ucb(UcbConfig(ucb_coef=Schedule("3 -> 0.5")), 3, 5)
    counts = [[0] * 5 for _ in range(3)]
    for k in range(60):
        avail = torch.rand(4, 3, 5, generator=generator) < 0.7
        avail[..., 0] |= ~avail.any(-1)
        q = torch.randn(4, 3, 5, generator=generator, dtype=torch.float64)
        actions = explorer.choose(mask_unavailable(q, avail), avail, k / 60, generator)
        assert actions.tolist() == naive_ucb(q, avail, counts, explorer.cfg.ucb_coef.at(k / 60))
    assert explorer.counts.tolist() == counts
    assert explorer.counts.sum() == 60 * 4 * 3


def test_ucb_tries_everything_once_before_anything_twice() -> None:
    explorer = Ucb(UcbConfig(), 1, 6)
    q = torch.tensor([[[5.0, 4.0, 3.0, 2.0, 1.0, LOWEST]]])
    avail = q > LOWEST
    tried = [int(explorer.choose(q, avail, 0.0, seeded())) for _ in range(5)]
    assert sorted(tried) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("kind", EXPLORERS)
def test_a_resumed_explorer_goes_on_to_the_bit(kind: str) -> None:
    generator = seeded()
    explorer, other = (EXPLORERS[kind](EXPLORERS[kind].Config(), 2, 4) for _ in range(2))
    q = torch.randn(20, 8, 2, 4, generator=generator)
    avail = torch.ones(8, 2, 4, dtype=torch.bool)
    for k in range(10):
        explorer.choose(q[k], avail, k / 20, generator)
    kept, numbers = explorer.state_dict(), generator.get_state()
    expected = [explorer.choose(q[k], avail, k / 20, generator) for k in range(10, 20)]
    other.load_state_dict(kept)
    generator.set_state(numbers)
    again = [other.choose(q[k], avail, k / 20, generator) for k in range(10, 20)]
    torch.testing.assert_close(again, expected, rtol=0.0, atol=0.0)
    torch.testing.assert_close(other.state_dict(), explorer.state_dict())


def test_ucb_counts_anew_in_another_scenario() -> None:
    generator = torch.Generator().manual_seed(0)
    explorer = Ucb(UcbConfig(), 2, 4)
    explorer.choose(torch.zeros(3, 2, 4), torch.ones(3, 2, 4, dtype=torch.bool), 0.0, generator)
    explorer.choose(torch.zeros(5, 3, 6), torch.ones(5, 3, 6, dtype=torch.bool), 0.0, generator)
    assert explorer.counts.shape == (3, 6)
    assert explorer.counts.sum(-1).tolist() == [5, 5, 5]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("explore.kind=epsilom", 'explore.kind is "epsilom". Did you mean "epsilon"? Allowed: eps'),
        ("explore.epsilon=2 -> 0", "explore.epsilon is 2 -> 0; allowed: 0 to 1"),
        ("explore.temperature=1", "the command line: explore.temperature is a setting of explore."),
        ("explore.kind=ucb explore.ucb_coef=-1", "explore.ucb_coef is -1; allowed: 0 or more"),
    ],
)
def test_settings_that_cannot_be(words: str, message: str) -> None:
    layer = layer_from_words(re.findall(r"\S+=.*?(?= \w+\.|$)", words))
    with pytest.raises(TerrariumError) as caught:
        from_layers("vdn", "smac/3m", [layer])
    assert str(caught.value).startswith(message)
