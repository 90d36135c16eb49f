"""Hindsight, in a game in which each agent flips bits until they are those it wants."""

from operator import attrgetter

import pytest
import torch
from torch import Tensor

from terrarium.errors import TerrariumError
from terrarium.marl.batch import Own
from terrarium.marl.buffers.hindsight import Goals, relabel
from terrarium.marl.buffers.replay_batch import ReplayBatch
from tests.marl.experience import obs_of

N_ROWS, N_STEPS, N_AGENTS, N_BITS = 200, 9, 2, 6
JUNK = 7.0
"""What padding holds: no bit"""


def reward(achieved: Tensor, goal: Tensor) -> tuple[Tensor, Tensor]:
    """-1 for each step until all bits of all agents are right."""
    reached = (achieved == goal).flatten(-2).all(-1)
    return reached.float() - 1.0, reached


GOALS = Goals(goal=slice(N_BITS, 2 * N_BITS), achieved=slice(0, N_BITS), reward=reward)


def played(seed: int = 0) -> ReplayBatch:
    """Random play: rows of 0 to 9 steps; rows 0 and 1 have none and all, row 2 reaches its goal."""
    generator = torch.Generator().manual_seed(seed)
    shape = (N_ROWS, 1, N_AGENTS, N_BITS)
    begin = torch.randint(0, 2, shape, generator=generator)
    flips = torch.randint(0, N_BITS, (N_ROWS, N_STEPS, N_AGENTS), generator=generator)
    changes = torch.nn.functional.one_hot(flips, N_BITS).cumsum(1)
    bits = torch.cat((begin, (begin + changes) % 2), 1).float()  # [R, L + 1, A, G]
    goal = torch.randint(0, 2, shape, generator=generator).float()
    lengths = torch.randint(0, N_STEPS + 1, (N_ROWS, 1), generator=generator)
    lengths[:3, 0] = torch.tensor([0, N_STEPS, 4])
    goal[2, 0] = bits[2, 4]
    filled = torch.arange(N_STEPS) < lengths
    vector = torch.cat((bits, goal.expand_as(bits)), -1)
    vector[torch.arange(N_STEPS + 1) > lengths] = JUNK
    rewards, reached = reward(bits[:, 1:], goal)
    avail = torch.ones((*vector.shape[:-1], N_BITS), dtype=torch.bool)
    return ReplayBatch(
        obs=obs_of(avail, vector, torch.zeros((*vector.shape[:2], 0))),
        actions=flips,
        rewards=torch.where(filled, rewards, JUNK),
        own=Own(
            torch.where(filled, rewards, JUNK).unsqueeze(-1),
            (reached & filled).unsqueeze(-1),
            filled.unsqueeze(-1),
        ),
        terminated=reached & filled,
        filled=filled,
        resets=torch.zeros((N_ROWS, N_STEPS + 1), dtype=torch.bool),
        carry=torch.zeros(N_ROWS, N_AGENTS, 0),
        owner=torch.arange(N_ROWS).unsqueeze(1).expand(-1, N_STEPS),
        weights=torch.rand(N_ROWS, generator=generator),
        ids=torch.arange(N_ROWS),
    )


PARTS = ("obs.vector", "rewards", "terminated", "filled")
"""What a new goal may change"""


def part_of(rows: ReplayBatch, name: str) -> Tensor:
    part: Tensor = attrgetter(name)(rows)
    return part


def goal_of(rows: ReplayBatch) -> Tensor:
    """[R, A, G] at the first obs."""
    return rows.obs.vector[:, 0, :, GOALS.goal]


def bits_after(rows: ReplayBatch) -> Tensor:
    """[R, L, A, G] after each step."""
    return rows.obs.vector[:, 1:, :, GOALS.achieved]


def relabeled(
    share: float, strategy: str = "future", goals: Goals = GOALS
) -> tuple[ReplayBatch, ReplayBatch]:
    before = played()
    generator = torch.Generator().manual_seed(1)
    return before, relabel(before, goals, share, strategy, generator)


@pytest.mark.parametrize("strategy", ["future", "final"])
def test_relabeled_rows_are_as_the_game_would_have_been(strategy: str) -> None:
    before, after = relabeled(1.0, strategy)
    for r in torch.nonzero(before.filled.any(-1)).flatten().tolist():
        goals = after.obs.vector[r, :, :, GOALS.goal]
        assert (goals == goals[0]).all()
        assert torch.equal(
            after.obs.vector[r, :, :, GOALS.achieved], before.obs.vector[r, :, :, GOALS.achieved]
        )
        n = int(before.filled[r].sum())
        rewards, reached = reward(bits_after(before)[r, :n], goals[0])
        end = reached.tolist().index(True) + 1  # something that was achieved is reached
        assert after.filled[r].tolist() == [True] * end + [False] * (N_STEPS - end)
        assert after.terminated[r].tolist() == [k == end - 1 for k in range(N_STEPS)]
        assert after.rewards[r].tolist() == [*rewards[:end].tolist(), *[0.0] * (N_STEPS - end)]


@pytest.mark.parametrize("strategy", ["future", "final"])
def test_goals_come_from_the_same_row_and_never_from_padding(strategy: str) -> None:
    before, after = relabeled(1.0, strategy)
    assert (goal_of(after)[before.filled.any(-1)] != JUNK).all()
    for r in torch.nonzero(before.filled.any(-1)).flatten().tolist():
        n = int(before.filled[r].sum())
        achieved = bits_after(before)[r, :n]
        if strategy == "final":
            assert torch.equal(goal_of(after)[r], achieved[-1])
        else:
            assert (achieved == goal_of(after)[r]).flatten(1).all(-1).any()


def test_any_step_of_a_row_may_give_the_goal() -> None:
    before = played()
    bits = bits_after(before)[1]  # row 1 has all steps
    seen = set()
    for seed in range(200):
        after = relabel(before, GOALS, 1.0, "future", torch.Generator().manual_seed(seed))
        seen.add(tuple(goal_of(after)[1].flatten().tolist()))
    assert seen == {tuple(step.flatten().tolist()) for step in bits}


def test_rows_that_are_not_chosen_are_untouched() -> None:
    before, none = relabeled(0.0)
    kept = played()
    for part in PARTS:
        assert torch.equal(part_of(none, part), part_of(kept, part))
    before, some = relabeled(0.5)
    changed = (some.obs.vector != before.obs.vector).flatten(1).any(-1)
    # Half of the 189 rows with steps, but for 5 standard deviations.
    assert 60 < int(changed.sum()) < 130
    for part in PARTS:
        assert torch.equal(part_of(before, part), part_of(kept, part))  # what went in
        assert torch.equal(part_of(some, part)[~changed], part_of(kept, part)[~changed])


def test_a_row_without_steps_stays_as_it_is() -> None:
    for strategy in ("future", "final"):
        before, after = relabeled(1.0, strategy)
        for part in PARTS:
            assert torch.equal(part_of(after, part)[0], part_of(before, part)[0])


def test_a_goal_that_does_not_end_the_episode_leaves_its_length() -> None:
    endless = Goals(GOALS.goal, GOALS.achieved, reward, ends=False)
    before, after = relabeled(1.0, goals=endless)
    assert torch.equal(after.filled, before.filled)
    assert torch.equal(after.terminated, before.terminated)
    rewards, _ = reward(bits_after(after), goal_of(after).unsqueeze(1))
    assert torch.equal(after.rewards[before.filled], rewards[before.filled])


def test_what_has_nothing_to_do_with_goals_stays() -> None:
    before, after = relabeled(1.0)
    for part in ("obs.avail", "obs.state", "actions", "carry", "weights", "ids"):
        assert torch.equal(part_of(after, part), part_of(before, part))


def test_mistakes_are_named() -> None:
    with pytest.raises(TerrariumError, match="a goal of 3 columns and 2 columns of what was ach"):
        Goals(slice(0, 3), slice(3, 5), reward)
    with pytest.raises(TerrariumError, match=r'strategy is "finale"\. Did you mean "final"\?'):
        relabeled(0.5, "finale")
