"""The settings of networks, and what they have to fit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from terrarium.envs.task_info import TaskInfo
from terrarium.errors import TerrariumError, nearest

ENTITY_ENCODERS = ("attention", "hpn", "transformer", "cnn")
"""Over units: they fit every scenario, and score whom to aim at one by one"""
ENCODERS = (*ENTITY_ENCODERS, "mlp", "linear")
CORES = ("none", "gru", "lstm", "transformer", "token")
COMMS = ("none", "commnet", "tarmac")
RASTERS = (3, 64)
"""Fewest and most cells along the side of a map"""


class NetError(TerrariumError):
    """A network that cannot be, or that does not fit."""


@dataclass(frozen=True)
class NetConfig:
    """Encoder, core and sizes of the networks."""

    encoder: str = "attention"
    """attention, hpn, transformer or cnn: over units; mlp or linear: over one scenario's vectors"""
    core: str = "lstm"
    """what remembers: none, gru, lstm, transformer, or, in a transformer encoder, a token"""
    width: int = 64
    """numbers that stand for an agent and for what it remembers"""
    token: int = 16
    """numbers that stand for a unit in the eyes of another"""
    heads: int = 4
    """of attention, each a look of its own"""
    layers: int = 1
    """of a transformer, be it encoder or core"""
    window: int = 16
    """steps that a transformer core looks back"""
    share: bool = True
    """one network for all agents; False: one for each, which then fits one number of agents"""
    agent_id: bool = False
    """agents know their index, so one network can play many roles; fits one number of agents"""
    raster: int = 0
    """cells along each side of the map that encoder=cnn draws around an agent; 0: no map"""
    comm: str = "none"
    """what agents that see each other tell each other: none, commnet or tarmac"""
    comm_rounds: int = 1
    """how often they do in a step"""

    def __post_init__(self) -> None:
        _check("encoder", self.encoder, ENCODERS)
        _check("core", self.core, CORES)
        _check("comm", self.comm, COMMS)
        for name, low, high in (
            ("width", 4, 4096),
            ("token", 4, 4096),
            ("heads", 1, 64),
            ("layers", 1, 16),
            ("window", 1, 512),
            ("comm_rounds", 1, 16),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise NetError(f"net.{name} is {value}; allowed: {low} to {high}")
        for part in ("core", "encoder"):
            if getattr(self, part) == "transformer" and self.width % self.heads:
                raise NetError(
                    f"net.width is {self.width} and net.heads {self.heads}: the heads of a "
                    f"transformer {part} share the width, so it must be a multiple of them, such "
                    f"as {self.heads * -(-self.width // self.heads)}"
                )
        if self.core == "token" and self.encoder != "transformer":
            raise NetError(
                "net.core=token remembers by a token among those of net.encoder=transformer, and "
                f"net.encoder is {self.encoder}; use net.encoder=transformer, or net.core=gru"
            )
        self._check_raster()

    def _check_raster(self) -> None:
        low, high = RASTERS
        if self.raster and not low <= self.raster <= high:
            raise NetError(
                f"net.raster is {self.raster}; allowed: {low} to {high}, or 0 for no map"
            )
        if self.encoder == "cnn" and not self.raster:
            raise NetError(
                "net.encoder=cnn looks at a map of net.raster x net.raster cells, and net.raster "
                "is 0; use net.raster=11"
            )
        if self.raster and self.encoder != "cnn":
            raise NetError(
                f"net.raster is {self.raster} and net.encoder {self.encoder}, which draws no map; "
                "use net.encoder=cnn, or net.raster=0"
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
    """what each agent's actions consist of, see `marl.actions`; empty: of one choice among all"""
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


def views_of(cfg: NetConfig) -> tuple[str, ...]:
    """What an environment has to show for these networks."""
    return ("pairs", "table") if cfg.encoder in ENTITY_ENCODERS else ("obs", "state")


def _check(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise NetError(
            f'net.{name} is "{value}".{nearest(value, allowed)} Allowed: {", ".join(allowed)}'
        )
