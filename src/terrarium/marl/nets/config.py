"""The settings of networks, and what they have to fit."""

from dataclasses import dataclass

from terrarium.envs.task import TaskInfo
from terrarium.errors import TerrariumError, nearest

ENCODERS = ("attention", "mlp")
CORES = ("none", "gru", "lstm", "transformer")


class NetError(TerrariumError):
    """A network that cannot be, or that does not fit."""


@dataclass(frozen=True)
class NetConfig:
    """Encoder, core and sizes of the networks."""

    encoder: str = "attention"
    """attention: over units, for any number of them; mlp: over SMAC's vectors of one scenario"""
    core: str = "lstm"
    """what remembers: none, gru, lstm or transformer"""
    width: int = 64
    """numbers that stand for an agent and for what it remembers"""
    token: int = 16
    """numbers that stand for a unit in the eyes of another"""
    heads: int = 4
    """of attention, each a look of its own"""
    layers: int = 1
    """of a transformer core"""
    window: int = 16
    """steps that a transformer core looks back"""
    share: bool = True
    """one network for all agents; False: one for each, which then fits one number of agents"""

    def __post_init__(self) -> None:
        _check("encoder", self.encoder, ENCODERS)
        _check("core", self.core, CORES)
        for name, low, high in (
            ("width", 4, 4096),
            ("token", 4, 4096),
            ("heads", 1, 64),
            ("layers", 1, 16),
            ("window", 1, 512),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise NetError(f"net.{name} is {value}; allowed: {low} to {high}")
        if self.core == "transformer" and self.width % self.heads:
            raise NetError(
                f"net.width is {self.width} and net.heads {self.heads}: the heads of a transformer "
                "core share the width, so it must be a multiple of them"
            )


@dataclass(frozen=True)
class Spec:
    """What a network has to fit. With attention only the kinds of actions matter."""

    n_agents: int
    n_actions: int
    first_target: int
    obs_width: int
    state_size: int
    n_self: int = 0
    """abilities without a target, among the actions before `first_target`"""
    n_aimed: int = 0
    """abilities with a target; 0 = agents have no abilities, and views no columns for them"""
    limit_steps: int = 0
    """the most steps of an episode, for buffers; networks do not care"""


def spec_of(info: TaskInfo) -> Spec:
    return Spec(
        info.n_agents,
        info.n_actions,
        info.first_target,
        info.obs_width,
        info.state_size,
        info.n_self,
        info.n_aimed,
        info.limit_steps,
    )


def views_of(cfg: NetConfig) -> tuple[str, ...]:
    """What an environment has to show for these networks."""
    return ("pairs", "table") if cfg.encoder == "attention" else ("obs", "state")


def _check(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise NetError(
            f'net.{name} is "{value}".{nearest(value, allowed)} Allowed: {", ".join(allowed)}'
        )
