"""Actions as vectors: what a critic reads, what gradients pass through, whatever an agent can do.

Column 0 means nothing: only who is not there, or has nothing to choose, has it. Behind it each
agent has its own parts: a choice is a one-hot, real numbers lie in -1..1, flags are bits. Where
every agent has one choice and nothing else, as in battles, an action is also just the index of its
column.
"""

import torch
from torch import Tensor

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.actions.relaxed import bits_st, categorical_st, one_hot_of
from terrarium.marl.batch import mask_unavailable


class ActionLayout:
    """Which columns of all agents belong together."""

    def __init__(self, spec: Spec, device: torch.device) -> None:
        shape = (spec.n_agents, spec.n_actions)
        n_choices = max(sum(kind == "choice" for kind, _ in parts) for parts in spec.parts_of_each)
        self.choices = torch.zeros((n_choices, *shape), dtype=torch.bool)  # [G, A, N]
        self.reals = torch.zeros(shape, dtype=torch.bool)  # [A, N]
        self.flags = torch.zeros(shape, dtype=torch.bool)  # [A, N]
        for a, parts in enumerate(spec.parts_of_each):
            at, g = 1, 0
            for kind, n in parts:
                if kind == "choice":
                    self.choices[g, a, at : at + n] = True
                    g += 1
                elif kind == "real":
                    self.reals[a, at : at + n] = True
                else:
                    self.flags[a, at : at + n] = True
                at += n
        self.choices, self.reals = self.choices.to(device), self.reals.to(device)
        self.flags = self.flags.to(device)
        self.n_actions, self.discrete = spec.n_actions, spec.discrete
        self._has_flags, self.has_reals = bool(self.flags.any()), bool(self.reals.any())

    def sample(self, out: Tensor, avail: Tensor, u: Tensor, temperature: float) -> Tensor:
        """Vectors [..., A, N] drawn as the outputs of a policy say; gradients reach the outputs.

        `u` [..., A, N] are uniform random numbers. Real numbers are not drawn: noise is added by
        whoever explores.
        """
        bits = bits_st(out, u, temperature) if self._has_flags else None
        drawn = [categorical_st(one, u, temperature) for one in self._choices_in(out, avail)]
        return self._join(out, avail, drawn, bits)

    def greedy(self, out: Tensor, avail: Tensor) -> Tensor:
        """Vectors [..., A, N] of the likeliest actions."""
        bits = (out > 0.0).to(out.dtype) if self._has_flags else None
        return self._join(
            out, avail, [one_hot_of(one) for one in self._choices_in(out, avail)], bits
        )

    def add_noise(self, vectors: Tensor, noise: Tensor, avail: Tensor) -> Tensor:
        """Vectors whose real numbers of those who are there are moved, within their bounds."""
        where = self.reals & avail
        return torch.where(where, (vectors + noise).clamp(-1.0, 1.0), vectors)

    def vectors(self, actions: Tensor) -> Tensor:
        """What was done, [..., A] or [..., A, N], as vectors [..., A, N]."""
        if not self.discrete:
            return actions
        return torch.nn.functional.one_hot(actions, self.n_actions).float()

    def actions(self, vectors: Tensor) -> Tensor:
        """What an environment takes: indices [..., A] if every agent has one choice, or vectors."""
        return vectors.argmax(-1) if self.discrete else vectors

    def _choices_in(self, out: Tensor, avail: Tensor) -> list[Tensor]:
        """Logits [..., A, N] of each choice; what does not belong to it is the lowest number."""
        if self.discrete:  # of any number of agents and actions: policies of units fit them all
            return [mask_unavailable(out, avail)]
        return [mask_unavailable(out, group & avail) for group in self.choices]

    def _join(
        self, out: Tensor, avail: Tensor, one_hots: list[Tensor], bits: Tensor | None
    ) -> Tensor:
        if self.discrete:
            return one_hots[0]
        vectors = torch.tanh(out) * self.reals if self.has_reals else torch.zeros_like(out)
        for group, one_hot in zip(self.choices, one_hots, strict=True):
            vectors = vectors + one_hot * group
        if bits is not None:
            vectors = vectors + bits * self.flags
        own = (vectors * avail)[..., 1:]
        return torch.cat((avail[..., :1].to(out.dtype), own), -1)  # [..., A, N]
