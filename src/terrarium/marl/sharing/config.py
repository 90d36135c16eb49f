"""The settings of experience sharing."""

from dataclasses import dataclass

from terrarium.errors import TerrariumError, nearest

PAIR_RULES = ("scorer", "mutual_information", "embedding")
"""Rules that weigh experience for each receiver"""
RULES = ("none", "quantile", "gaussian", "normal_tails", "stochastic", *PAIR_RULES)
RECEIVERS = ("all", "sight", "similar", "roles", "latent_roles")
TRIGGERS = ("fixed", "entropy")
STORAGES = ("batch", "buffer")


@dataclass(frozen=True)
class ShareConfig:
    """What agents send, to whom, and how often."""

    rule: str = "none"
    """what is sent: none; by TD error: quantile, gaussian, normal_tails, stochastic; by how much it
    helps: scorer, embedding; by how returns depend on each other: mutual_information"""
    bandwidth: float = 0.1
    """fraction of its experience that an agent may send per update"""
    window: int = 1500
    """quantile, gaussian: number of past TD errors of an agent; mutual_information: of returns"""
    rule_dim: int = 32
    """scorer, embedding, latent_roles: hidden units of the rule's network"""
    rule_lr: float = 0.001
    """scorer, embedding, latent_roles: learning rate of the rule's network"""
    uniform_fraction: float = 0.1
    """stochastic: part of the bandwidth that is sent uniformly at random"""
    receivers: str = "all"
    """all; sight: agents that the sender sees; similar: similar observations; roles: same
    cluster; latent_roles: overlapping roles as in ROMA"""
    min_similarity: float = 0.9
    """similar: least cosine similarity of two observations; latent_roles: least overlap"""
    n_roles: int = 3
    """roles: number of clusters"""
    role_dim: int = 3
    """latent_roles: size of a role"""
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
            ("rule", RULES),
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
            ("window", 2, 100_000),
            ("rule_dim", 2, 4096),
            ("rule_lr", 1e-12, 1.0),
            ("uniform_fraction", 0.0, 1.0),
            ("min_similarity", -1.0, 1.0),
            ("n_roles", 1, 64),
            ("role_dim", 1, 64),
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
