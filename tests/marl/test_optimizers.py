"""Optimizers: PyTorch's numbers, without its compiler."""

import copy
import sys
from typing import Any

import pytest
import torch

from terrarium.marl.optimizers import Adam, RMSprop

KINDS: list[tuple[Any, Any, dict[str, Any]]] = [
    (Adam, torch.optim.Adam, {"fused": True}),
    (Adam, torch.optim.Adam, {"eps": 1e-5}),
    (RMSprop, torch.optim.RMSprop, {"alpha": 0.99, "eps": 1e-5}),
]


def learn(net: torch.nn.Linear, optimizer: torch.optim.Optimizer) -> None:
    for k in range(3):
        optimizer.zero_grad()
        net(torch.full((2, 3), 1.0 + k)).square().sum().backward()
        optimizer.step()


@pytest.mark.parametrize(("ours", "theirs", "settings"), KINDS, ids=str)
def test_they_are_pytorchs_to_the_bit_and_load_no_compiler(
    ours: Any, theirs: Any, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    net = torch.nn.Linear(3, 2)
    twin = copy.deepcopy(net)
    reference = theirs(twin.parameters(), 0.01, **settings)
    learn(twin, reference)
    learn(twin, reference)
    monkeypatch.setitem(sys.modules, "torch._dynamo", None)  # whoever imports it now fails
    first = ours(net.parameters(), 0.01, **settings)
    learn(net, first)
    second = ours(net.parameters(), 0.5, **settings)
    second.load_state_dict(first.state_dict())
    learn(net, second)
    assert torch.equal(net.weight, twin.weight)
    assert torch.equal(net.bias, twin.bias)
    assert not net.weight.grad.requires_grad  # type: ignore[union-attr]  # it has learned
