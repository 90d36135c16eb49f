"""The settings of networks, and what they have to fit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from terrarium.envs.task_info import TaskInfo
from terrarium.errors import TerrariumError


class NetError(TerrariumError):
    """A network that cannot be, or that does not fit."""


@dataclass(frozen=True)
class PartConfig:
    """Settings of a part of the network; this one has none."""

    def check(self, net: "NetConfig") -> None:
        """Refuse what does not fit the rest of the network."""


@dataclass(frozen=True)
class NetConfig:
    """Parts and sizes of the networks. The settings of a part are a section of their own."""

    encoder: str = "attention"
    """entity encoders: attention, hpn, transformer, cnn; flat observations: mlp, linear"""
    core: str = "lstm"
    """recurrent core: none, gru, lstm, transformer, or token (with the transformer encoder)"""
    comm: str = "none"
    """communication between agents that see each other: none, commnet or tarmac"""
    hidden_dim: int = 64
    """hidden units of encoder, core and heads"""
    share_params: bool = True
    """one network for all agents; false: one each, for a fixed number of agents"""
    agent_id: bool = False
    """append the agent id (one-hot) to the observation; for a fixed number of agents"""
    encoder_config: PartConfig = PartConfig()
    core_config: PartConfig = PartConfig()
    comm_config: PartConfig = PartConfig()

    def __post_init__(self) -> None:
        if not 4 <= self.hidden_dim <= 4096:
            raise NetError(f"net.hidden_dim is {self.hidden_dim}; allowed: 4 to 4096")

    @property
    def n_features(self) -> int:
        """Numbers that stand for an agent after encoder and core."""
        return self.hidden_dim


def config_of(part: type[Any], given: PartConfig) -> Any:
    """The settings of a part; where none are given, its defaults."""
    return part.Config() if type(given) is PartConfig else given


def check_heads(section: str, net: NetConfig, n_heads: int) -> None:
    if net.hidden_dim % n_heads:
        raise NetError(
            f"net.hidden_dim is {net.hidden_dim} and {section}.n_heads {n_heads}: in a transformer "
            f"{section} net.hidden_dim must be a multiple of {section}.n_heads, such as "
            f"{n_heads * -(-net.hidden_dim // n_heads)}"
        )


@dataclass(frozen=True)
class Spec:
    """What a network has to fit. With views of units only the kinds of actions matter."""

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
    parts: tuple[tuple[tuple[str, int], ...], ...] = ()
    """parts of each agent's action, see `marl.actions`; empty: one choice among all"""
    teams: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """names of teams with the places of their agents; empty: all agents are one"""
    own_rewards: bool = False
    """agents earn, come and go each for itself; False: the team earns, whoever has died"""

    @property
    def discrete(self) -> bool:
        """Each agent has one choice and nothing else: actions are indices."""
        return all(len(parts) == 1 and parts[0][0] == "choice" for parts in self.parts)

    @property
    def parts_of_each(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        return self.parts or ((("choice", self.n_actions - 1),),) * self.n_agents

    @property
    def action_columns(self) -> int:
        """Of an action as environments take it; 0: an index."""
        return 0 if self.discrete else self.n_actions

    @property
    def n_own(self) -> int:
        """Columns of what agents earn: one for each of them, or one for all."""
        return self.n_agents if self.own_rewards else 1


def spec_of_some(spec: Spec, some: Sequence[int]) -> Spec:
    """What fits some of the agents: they see and do what they did, but are fewer."""
    parts = tuple(spec.parts_of_each[a] for a in some)
    return replace(spec, n_agents=len(some), parts=parts, teams=())


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


def n_ids_of(spec: Spec, net: NetConfig) -> int:
    """Columns of the agents' ids among what an agent reads of itself."""
    return spec.n_agents if net.agent_id else 0
