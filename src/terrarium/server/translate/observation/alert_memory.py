"""What a client has been told of, so that each alert is raised once."""

from dataclasses import dataclass, field


@dataclass
class AlertMemory:
    """Of one client's view of a game."""

    loop: int = -1
    """at which it was told last; -1 = it has not looked yet"""
    attacked: dict[int, int] = field(default_factory=dict)
    """when a unit that it has been told of was hit last, by its tag"""
    dry: set[int] = field(default_factory=set)
    """tags of its structures on empty geysers"""
    injects: dict[int, int] = field(default_factory=dict)
    """how many injects its hatcheries have before them, by their slots"""
    nuking: set[int] = field(default_factory=set)
    """tags of enemies who call a nuke down"""
