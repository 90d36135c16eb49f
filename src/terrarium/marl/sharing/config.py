"""The settings of experience sharing."""

import math
from dataclasses import dataclass

from terrarium.errors import TerrariumError, nearest
from terrarium.marl.buffers.replay_batch import ReplayConfig
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.encoders import reads_units

RECEIVERS = ("all", "sight", "similar", "roles", "latent_roles")
TRIGGERS = ("fixed", "entropy")
STORAGES = ("batch", "buffer")


@dataclass(frozen=True)
class ShareConfig:
    """What agents send, to whom, and how often; subclasses add the settings of a rule."""

    rule: str = "none"
    """what is sent: none; by TD error: quantile, gaussian, normal_tails, stochastic; by how much it
    helps: scorer, embedding; by how returns depend on each other: mutual_information"""
    bandwidth: float = 0.1
    """fraction of its experience that an agent may send per update"""
    receivers: str = "all"
    """all; sight: agents that the sender sees; similar: similar observations; roles: same
    cluster; latent_roles: overlapping roles as in ROMA"""
    min_similarity: float = 0.9
    """similar: least cosine similarity of two observations; latent_roles: least overlap"""
    n_roles: int = 3
    """roles: number of clusters"""
    role_dim: int = 3
    """latent_roles: size of a role"""
    role_lr: float = 0.001
    """latent_roles: learning rate of the roles"""
    trigger: str = "fixed"
    """when: fixed interval, or entropy: when the distribution of TD errors has changed"""
    interval: int = 1
    """fixed: gradient steps between two exchanges"""
    entropy_change: float = 0.02
    """entropy: change of the normalized entropy of TD errors that triggers an exchange"""
    storage: str = "batch"
    """batch: receivers learn at once from what is sent; buffer: it is inserted into a replay buffer
    of each receiver, as in SUPER"""
    buffer_size: int = 10_000
    """buffer: received experiences that an agent keeps"""
    batch_size: int = 16
    """buffer: received experiences that an agent draws per gradient step"""
    coef: float = 1.0
    """coefficient of the loss of received experience"""

    def __post_init__(self) -> None:
        for name, allowed in (
            ("receivers", RECEIVERS),
            ("trigger", TRIGGERS),
            ("storage", STORAGES),
        ):
            value = getattr(self, name)
            if value not in allowed:
                raise TerrariumError(
                    f'share.{name} is "{value}".{nearest(value, allowed)} '
                    f"Allowed: {', '.join(allowed)}"
                )
        for name, low, high in (
            ("bandwidth", 0.0, 1.0),
            ("min_similarity", -1.0, 1.0),
            ("n_roles", 1, 64),
            ("role_dim", 1, 64),
            ("role_lr", 1e-12, 1.0),
            ("interval", 1, 10**9),
            ("buffer_size", 1, 10**7),
            ("batch_size", 1, 10**5),
            ("entropy_change", 0.0, 1.0),
            ("coef", 0.0, 1e6),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise TerrariumError(f"share.{name} is {value}; allowed: {low:g} to {high:g}")
        if self.rule != "none" and self.bandwidth == 0.0:
            raise TerrariumError(
                f"share.rule is {self.rule} and share.bandwidth 0, which lets nothing through; "
                "set share.rule=none, or share.bandwidth above 0"
            )


def check_share(net: NetConfig, share: ShareConfig, replay: ReplayConfig) -> None:
    """Refuse sharing in which nothing could ever be sent."""
    if share.rule == "none":
        return
    if share.receivers == "sight" and not reads_units(net):
        raise TerrariumError(
            f"share.receivers is sight and net.encoder {net.encoder}: vectors do not say who sees "
            "whom; set net.encoder=attention, or share.receivers=similar, which compares vectors"
        )
    # Of an agent; 0: whole episodes, however long.
    n_steps = replay.batch_size * replay.chunk_length
    if n_steps and share.bandwidth * n_steps < 1.0:
        raise TerrariumError(
            f"share.bandwidth is {share.bandwidth:g} and a batch holds {n_steps} steps of an agent "
            "(replay.batch_size x replay.chunk_length), so it could never send one; set "
            f"share.bandwidth={math.ceil(1000.0 / n_steps) / 1000.0:g} or more, or share.rule=none"
        )
