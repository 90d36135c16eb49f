"""The pieces that networks are built from."""

import math

from torch import Tensor, nn

from terrarium.marl.net_config import NetError
from terrarium.marl.nets.entity_products import attend

RELU_GAIN = math.sqrt(2.0)


def linear(n_in: int, n_out: int, gain: float = RELU_GAIN, bias: bool = True) -> nn.Linear:
    """A linear layer with orthogonal weights, as PPO likes them (Yu et al. 2022, appendix)."""
    layer = nn.Linear(n_in, n_out, bias=bias)
    nn.init.orthogonal_(layer.weight, gain)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def initialize(module: nn.Module, init: str) -> None:
    """Draw the weights of all linear layers anew, unless orthogonal ones are wanted.

    PyTorch draws those of its recurrent cells by the same rule: both are as wide as their input.
    """
    for layer in module.modules() if init == "default" else ():
        if isinstance(layer, nn.Linear):
            layer.reset_parameters()


def split_axis(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The first axis as several: what `Obs.merge` made one."""
    return x.view(*shape, *x.shape[1:])


class AttentionPool(nn.Module):
    """Some queries look at tokens: multi-head attention at a cost that is linear in the tokens.

    Keys and values are linear in the tokens, so their matrices are applied to the query before and
    to the sum after: for each token and head, two products of the token's width remain.
    """

    def __init__(self, hidden_dim: int, token_dim: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query = linear(hidden_dim, n_heads * token_dim, gain=1.0)
        self.value = linear(n_heads * token_dim, hidden_dim)
        self.scale = 1.0 / math.sqrt(token_dim)

    def forward(self, queries: Tensor, tokens: Tensor, mask: Tensor) -> Tensor:
        """queries [..., A, H], tokens [..., A, M, K] and mask [..., A, M] -> [..., A, H].

        Tokens and mask are those of each agent, or, with 1 for A, those of all.
        """
        heads = self.query(queries).unflatten(-1, (self.n_heads, -1))  # [..., A, h, K]
        rows = mask.shape[:-1].numel()
        flat = heads.reshape(rows, -1, heads.shape[-1])  # [R, h or A h, K]
        seen = attend(flat, tokens.flatten(0, -3), mask.flatten(0, -2), self.scale)
        # Who sees nobody, the dead, gets zeros, not the mean of everybody.
        seen = seen * mask.any(-1).view(rows, 1, 1)
        pooled: Tensor = self.value(seen.reshape(*queries.shape[:-1], -1)).relu()
        return pooled


def load_into(module: nn.Module, weights: dict[str, Tensor]) -> None:
    """Take weights that were saved, if they fit."""
    mine = module.state_dict()
    if mine.keys() != weights.keys():
        other = sorted(mine.keys() ^ weights.keys())
        raise NetError(
            f"the saved weights are of another network: they differ in {other[0]} and "
            f"{len(other) - 1} more; use the settings net.* that they were trained with"
        )
    for name, weight in mine.items():
        if weight.shape != weights[name].shape:
            raise NetError(
                f"the saved weights have other shapes: {name} is {list(weights[name].shape)}, and "
                f"{list(weight.shape)} is needed here; net.hidden_dim and the settings "
                "encoder.*, core.* and comm.* must be the same, and with net.encoder=mlp or "
                "net.agent_id=true the scenario as well"
            )
    module.load_state_dict(weights)
