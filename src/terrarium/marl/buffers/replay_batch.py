"""Batches of experience, and the settings of what they are drawn from.

A row is a stretch of steps of one episode, or a whole one. It ends where its episode does, and
holds what was seen after its last step.
"""

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from terrarium.errors import TerrariumError
from terrarium.marl.batch import Obs, Own
from terrarium.schedules import Schedule, check_schedule


@dataclass(frozen=True)
class ReplayConfig:
    """Size and sampling of the replay buffer."""

    buffer_size: int = 2000
    """sequences in the replay buffer, each an episode or a part of one"""
    chunk_length: int = 0
    """steps of a stored sequence; 0: whole episodes, 1: transitions"""
    burn_in: int = 0
    """steps at the beginning of a stored sequence that refresh the recurrent state and have no loss
    (R2D2); where an episode begins, all steps have one"""
    batch_size: int = 32
    """sequences per gradient step"""
    per_alpha: float = 0.0
    """prioritized replay: exponent of the priorities; 0: uniform sampling"""
    per_beta: Schedule = Schedule("0.4 -> 1")
    """prioritized replay: exponent of the importance weights"""
    hindsight_ratio: float = 0.0
    """hindsight experience replay: fraction of relabeled sequences; for tasks with goals only"""
    save_to_disk: bool = True
    """save the buffer with the run, so that a resumed run continues exactly"""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("buffer_size", 1, 10**9),
            ("chunk_length", 0, 100_000),
            ("batch_size", 1, 100_000),
            ("per_alpha", 0.0, 1.0),
            ("hindsight_ratio", 0.0, 1.0),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise TerrariumError(f"replay.{name} is {value}; allowed: {low} to {high}")
        check_schedule("replay.per_beta", self.per_beta, 0.0, 1.0)
        if self.burn_in and not 0 < self.burn_in < self.chunk_length:
            raise TerrariumError(
                f"replay.burn_in is {self.burn_in} and replay.chunk_length {self.chunk_length}: "
                "burn-in is the first part of a sequence that is stored with its recurrent state; "
                f"set replay.chunk_length above {max(self.burn_in, 0)}, or replay.burn_in=0"
            )
        if self.batch_size > self.buffer_size:
            raise TerrariumError(
                f"replay.batch_size is {self.batch_size} and replay.buffer_size "
                f"{self.buffer_size}: a batch cannot be larger than the buffer"
            )


@dataclass(frozen=True)
class ReplayBatch:
    """Up to L steps in each of R rows, ready to learn from; K were drawn."""

    obs: Obs  # [R, L + 1, ...]
    actions: Tensor  # [R, L, A] indices, or [R, L, A, N] vectors
    rewards: Tensor  # [R, L] of the team
    own: Own  # [R, L, A or 1]
    terminated: Tensor  # [R, L]
    filled: Tensor  # [R, L] the step is learned from; others are padding, or burn-in
    resets: Tensor  # [R, L + 1] an episode begins here
    carry: Tensor  # [R, A, C] what was remembered before the first step
    owner: Tensor  # [R, L] which of the drawn rows a step belongs to
    weights: Tensor  # [K] how much a row counts: less if it is drawn more often than others
    ids: Tensor  # [K] where it is kept

    @property
    def last(self) -> Tensor:
        """[R, L] the last step of what belongs together."""
        following = torch.nn.functional.pad(self.filled[:, 1:], (0, 1))
        return self.filled & ~following

    @property
    def acting(self) -> Tensor:
        """[R, L, A] agents that could act, in steps that are learned from."""
        return self.obs.acting[:, :-1] & self.filled.unsqueeze(-1)

    @property
    def step_weights(self) -> Tensor:
        """[R, L] how much a step counts; padding does not."""
        return self.weights[self.owner] * self.filled

    def mean_of_each(self, values: Tensor) -> Tensor:
        """[K] the mean of the values [R, L] of each row that was drawn."""
        owner, n_rows = self.owner.flatten(), len(self.ids)
        sums = values.new_zeros((2, n_rows))
        sums[0].index_add_(0, owner, (values * self.filled).flatten())
        sums[1].index_add_(0, owner, self.filled.to(values.dtype).flatten())
        return sums[0] / sums[1].clamp(min=1.0)

    def to(self, device: torch.device) -> "ReplayBatch":
        return ReplayBatch(*(getattr(self, field.name).to(device) for field in fields(self)))

    def packed(self) -> "ReplayBatch":
        """The same steps in fewer, fuller rows: short ones stand one behind the other.

        Only for rows that begin with nothing to remember. Otherwise a third of a batch of episodes
        of 2s3z, played at random, and half of one of 3m may be padding.
        """
        n_slots = self.filled.sum(1) + 1  # a row, and what was seen after its last step
        row, step, real = _stacked(n_slots, self.filled.shape[1] + 1)  # [P, L + 1] each

        def moved(x: Tensor) -> Tensor:
            """[K, L, ...] as [P, L, ...]."""
            return x[row[:, :-1], step[:, :-1].clamp(max=x.shape[1] - 1)]

        # Of what was seen after a last step there is no step.
        played = real[:, :-1] & (step[:, :-1] < n_slots[row[:, :-1]] - 1)
        obs = self.obs[row, step]
        # Nobody is there in padding, so that networks may leave it out.
        obs.avail[~real] = torch.arange(obs.avail.shape[-1]) == 0
        obs.alive[~real], obs.mask[~real] = False, False
        return ReplayBatch(
            obs=obs,
            actions=moved(self.actions),
            rewards=moved(self.rewards),
            own=Own(*map(moved, (self.own.rewards, self.own.terminated, self.own.there))),
            terminated=moved(self.terminated),
            filled=played,
            resets=real & (step == 0),
            carry=self.carry[: len(row)],
            owner=row[:, :-1],
            weights=self.weights,
            ids=self.ids,
        )


def _stacked(n_slots: Tensor, length: int) -> tuple[Tensor, Tensor, Tensor]:
    """Where rows of so many slots [K] go: row and slot of each place [P, length], and if it is
    taken. The longest first, each into the first place where it still fits."""
    counts = n_slots.tolist()
    free: list[int] = []
    begins = [0] * len(counts)  # place of the first slot of each row, counted through all places
    lane, last = 0, 0
    for k in sorted(range(len(counts)), key=counts.__getitem__, reverse=True):
        n = counts[k]
        # Lanes only fill up: one that had no room for as many slots before has none now.
        lane, last = (lane if n == last else 0), n
        while lane < len(free) and free[lane] < n:
            lane += 1
        if lane == len(free):
            free.append(length)
        begins[k] = (lane + 1) * length - free[lane]
        free[lane] -= n
    row, step = torch.zeros((2, len(free), length), dtype=torch.int64)
    real = torch.zeros((len(free), length), dtype=torch.bool)
    # All rows at once, slot by slot: a write for each row takes as long as a gradient step.
    rows = torch.arange(len(counts)).repeat_interleave(n_slots)  # [sum]
    slots = torch.arange(len(rows)) - (n_slots.cumsum(0) - n_slots)[rows]  # [sum]
    there = torch.tensor(begins)[rows] + slots  # [sum]
    row.view(-1)[there], step.view(-1)[there], real.view(-1)[there] = rows, slots, True
    return row, step, real
