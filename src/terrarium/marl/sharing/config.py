"""The settings of experience sharing."""

from dataclasses import dataclass

from terrarium.errors import TerrariumError, nearest

RULES = ("none", "quantile", "gaussian", "normal_tails", "stochastic")
RECEIVERS = ("all", "sight", "similar", "roles")
TRIGGERS = ("fixed", "entropy")


@dataclass(frozen=True)
class ShareConfig:
    """What agents send, to whom, and how often."""

    rule: str = "none"
    """what is sent: none, quantile, gaussian, normal_tails or stochastic"""
    bandwidth: float = 0.1
    """share of its experience that an agent may send in an update"""
    window: int = 1500
    """quantile, gaussian: the last errors of an agent that are called usual"""
    ordinary: float = 0.1
    """stochastic: part of the bandwidth that is left to experience of any kind"""
    receivers: str = "all"
    """all; sight: whom the sender sees; similar: who observes the like; roles: who thinks alike"""
    similarity: float = 0.9
    """similar: from which cosine of two agents' vectors on; of their units', if there are none"""
    roles: int = 3
    """roles: how many kinds of agents are told apart"""
    trigger: str = "fixed"
    """when: fixed, or entropy: when the kind of the experience has changed"""
    every: int = 1
    """fixed: gradient steps from one sharing to the next"""
    change: float = 0.02
    """entropy: change of the normalized entropy of the errors that calls for sharing"""
    weight: float = 1.0
    """of what was received beside one's own experience"""

    def __post_init__(self) -> None:
        for name, allowed in (("rule", RULES), ("receivers", RECEIVERS), ("trigger", TRIGGERS)):
            value = getattr(self, name)
            if value not in allowed:
                raise TerrariumError(
                    f'share.{name} is "{value}".{nearest(value, allowed)} '
                    f"Allowed: {', '.join(allowed)}"
                )
        for name, low, high in (
            ("bandwidth", 0.0, 1.0),
            ("window", 2, 100_000),
            ("ordinary", 0.0, 1.0),
            ("similarity", -1.0, 1.0),
            ("roles", 1, 64),
            ("every", 1, 10**9),
            ("change", 0.0, 1.0),
            ("weight", 0.0, 1e6),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise TerrariumError(f"share.{name} is {value}; allowed: {low:g} to {high:g}")
        if self.rule != "none" and self.bandwidth == 0.0:
            raise TerrariumError(
                f"share.rule is {self.rule} and share.bandwidth 0, which lets nothing through; "
                "set share.rule=none, or share.bandwidth above 0"
            )
