"""The network of a sharing rule that learns, and its optimizer."""

from typing import Any, Generic, TypeVar

from torch import Tensor, nn

from terrarium.marl.optimizers import Adam

Net = TypeVar("Net", bound=nn.Module)


class RuleNetwork(Generic[Net]):
    """A network that is learned beside those of the agents."""

    def __init__(self, net: Net, lr: float) -> None:
        self.net, self.optimizer = net, Adam(net.parameters(), lr)

    def descend(self, loss: Tensor) -> None:
        """One gradient step."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not say
        self.optimizer.step()

    def state_dict(self) -> dict[str, Any]:
        return {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
