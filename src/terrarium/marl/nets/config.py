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
INITS = ("orthogonal", "default")
GRID_SIZES = (3, 64)
"""Fewest and most cells along the side of a map"""


class NetError(TerrariumError):
    """A network that cannot be, or that does not fit."""


@dataclass(frozen=True)
class NetConfig:
    """Encoder, core and sizes of the networks."""

    encoder: str = "attention"
    """entity encoders: attention, hpn, transformer, cnn; flat observations: mlp, linear"""
    core: str = "lstm"
    """recurrent core: none, gru, lstm, transformer, or token (with the transformer encoder)"""
    hidden_dim: int = 64
    """hidden units of encoder, core and heads"""
    token_dim: int = 16
    """size of an entity token"""
    n_heads: int = 4
    """attention heads"""
    n_layers: int = 1
    """layers of a transformer encoder or core"""
    window: int = 16
    """steps that a transformer core attends to"""
    share_params: bool = True
    """one network for all agents; false: one each, for a fixed number of agents"""
    agent_id: bool = False
    """append the agent id (one-hot) to the observation; for a fixed number of agents"""
    grid_size: int = 0
    """cells along each side of the map of encoder=cnn; 0: no map"""
    role_dim: int = 0
    """size of latent roles that condition the policy, as in ROMA; 0: no roles"""
    role_identity_coef: float = 0.0001
    """coefficient of the loss that makes roles identifiable by behavior"""
    role_difference_coef: float = 0.001
    """coefficient of the loss that makes roles specialized"""
    init: str = "orthogonal"
    """initial weights: orthogonal, or default, those of PyTorch's layers, as in PyMARL"""
    comm: str = "none"
    """communication between agents that see each other: none, commnet or tarmac"""
    comm_rounds: int = 1
    """rounds of communication per step"""

    def __post_init__(self) -> None:
        _check("encoder", self.encoder, ENCODERS)
        _check("core", self.core, CORES)
        _check("comm", self.comm, COMMS)
        _check("init", self.init, INITS)
        for name, low, high in (
            ("hidden_dim", 4, 4096),
            ("token_dim", 4, 4096),
            ("n_heads", 1, 64),
            ("n_layers", 1, 16),
            ("window", 1, 512),
            ("comm_rounds", 1, 16),
            ("role_dim", 0, 64),
            ("role_identity_coef", 0.0, 1e6),
            ("role_difference_coef", 0.0, 1e6),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise NetError(f"net.{name} is {value}; allowed: {low} to {high}")
        for part in ("core", "encoder"):
            if getattr(self, part) == "transformer" and self.hidden_dim % self.n_heads:
                raise NetError(
                    f"net.hidden_dim is {self.hidden_dim} and net.n_heads {self.n_heads}: in a "
                    f"transformer {part} net.hidden_dim must be a multiple of net.n_heads, such as "
                    f"{self.n_heads * -(-self.hidden_dim // self.n_heads)}"
                )
        if self.core == "token" and self.encoder != "transformer":
            raise NetError(
                "net.core=token remembers by a token among those of net.encoder=transformer, and "
                f"net.encoder is {self.encoder}; use net.encoder=transformer, or net.core=gru"
            )
        self._check_grid_size()
        if self.role_dim and (self.core == "token" or not self.share_params):
            raise NetError(
                f"net.role_dim is {self.role_dim}: roles tell agents of one network apart, by what "
                "they see and remember; set net.share_params=true and another net.core than token, "
                "or net.role_dim=0"
            )

    def _check_grid_size(self) -> None:
        low, high = GRID_SIZES
        if self.grid_size and not low <= self.grid_size <= high:
            raise NetError(
                f"net.grid_size is {self.grid_size}; allowed: {low} to {high}, or 0 for no map"
            )
        if self.encoder == "cnn" and not self.grid_size:
            raise NetError(
                "net.encoder=cnn reads a map of net.grid_size x net.grid_size cells, and "
                "net.grid_size is 0; use net.grid_size=11"
            )
        if self.grid_size and self.encoder != "cnn":
            raise NetError(
                f"net.grid_size is {self.grid_size} and net.encoder {self.encoder}, which has no "
                "map; use net.encoder=cnn, or net.grid_size=0"
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


def refuse_roles(cfg: NetConfig, algo: str) -> None:
    """For algorithms that leave out the losses of roles."""
    if cfg.role_dim:
        raise NetError(
            f"net.role_dim is {cfg.role_dim}: {algo} does not learn the losses of roles; mappo, "
            "ippo, iql, vdn, qmix, qplex and qtran do; set net.role_dim=0"
        )


def views_of(cfg: NetConfig) -> tuple[str, ...]:
    """What an environment has to show for these networks."""
    return ("pairs", "table") if cfg.encoder in ENTITY_ENCODERS else ("obs", "state")


def _check(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise NetError(
            f'net.{name} is "{value}".{nearest(value, allowed)} Allowed: {", ".join(allowed)}'
        )
