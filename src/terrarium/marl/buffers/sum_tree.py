"""Rows that are drawn by their priority (Schaul et al. 2016), without looking at all of them."""

import torch
from torch import Tensor


class SumTree:
    """Priorities of rows as the leaves of a binary tree whose nodes are sums.

    The root is entry 1, the children of entry i are 2 i and 2 i + 1. Sums are always made anew from
    the children, never adjusted: rounding errors do not add up.
    """

    def __init__(self, capacity: int) -> None:
        assert capacity >= 1, "a tree needs a row"
        self.capacity = capacity
        self._n_levels = (capacity - 1).bit_length()  # between the root and the leaves
        self._first = 1 << self._n_levels  # entry of row 0
        self._tree = torch.zeros(2 * self._first, dtype=torch.float64)

    @property
    def priorities(self) -> Tensor:
        """[capacity] of all rows; not a copy."""
        return self._tree[self._first : self._first + self.capacity]

    @property
    def total(self) -> float:
        return float(self._tree[1])

    @property
    def max(self) -> float:
        """The highest priority; 0 if there is none yet."""
        return float(self.priorities.max())

    @property
    def min_positive(self) -> float:
        """The lowest priority of rows that can be drawn."""
        assert self.total > 0.0, "no row has a priority"
        return float(self.priorities[self.priorities > 0.0].min())

    def __getitem__(self, rows: Tensor) -> Tensor:
        return self.priorities[rows]

    def update(self, rows: Tensor, priorities: Tensor) -> None:
        """New priorities [K] of rows [K]; of a row that is named twice, the last one counts."""
        priorities = priorities.to(self._tree)
        assert rows.shape == priorities.shape, "each row needs a priority"
        assert ((rows >= 0) & (rows < self.capacity)).all(), "there is no such row"
        assert ((priorities >= 0.0) & priorities.isfinite()).all(), "a priority is 0 or more"
        order = rows.argsort(stable=True)  # [K]
        ordered = rows[order]
        is_last = torch.ones_like(rows, dtype=torch.bool)
        is_last[:-1] = ordered[1:] != ordered[:-1]
        nodes = self._first + ordered[is_last]
        self._tree[nodes] = priorities[order[is_last]]
        for _ in range(self._n_levels):
            nodes = nodes // 2  # siblings name their parent twice, with the same sum
            self._tree[nodes] = self._tree[2 * nodes] + self._tree[2 * nodes + 1]

    def find(self, at: Tensor) -> Tensor:
        """The rows [K] where the running sum of priorities passes `at` [K], 0 up to the total."""
        assert self.total > 0.0, "no row has a priority"
        nodes, at = torch.ones_like(at, dtype=torch.int64), at.to(self._tree)
        for _ in range(self._n_levels):
            left, right = self._tree[2 * nodes], self._tree[2 * nodes + 1]
            # Rounding may lead past the end of a subtree: nobody turns to where there is nothing.
            turn = (at >= left) & (right > 0.0)
            at = torch.where(turn, at - left, at)
            nodes = 2 * nodes + turn
        return nodes - self._first

    def sample(self, n: int, generator: torch.Generator) -> Tensor:
        """Rows [n], one from each of `n` equal parts of the total; never one without priority."""
        place = torch.arange(n) + torch.rand(n, dtype=torch.float64, generator=generator)  # [n]
        return self.find(place * (self.total / n))

    def state_dict(self) -> dict[str, Tensor]:
        return {"priorities": self.priorities.clone()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.update(torch.arange(self.capacity), state["priorities"])
