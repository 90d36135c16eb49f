"""What the sources leave open, and how a rule set answers it (docs/fidelity.md).

A rule-set file states its answers in a table; what it leaves out is as in its base:

    [assumptions]
    preferred_targets = "attackers"
    body_overlap = 0.0625
"""

from dataclasses import dataclass

from terrarium.data.facts.layers import Layers

PREFERRED_TARGETS = ("nearest", "attackers")
CHASED_TARGETS = ("nearest", "kept")
TARGET_CHANGES = ("always", "between_shots")
START_PLACES = ("lattice", "nearest")
GROUP_ORDERS = ("point", "formation")
ONCOMING_FRIENDS = ("wait", "pass")
TURNING = ("slows", "free")
MOST_TICKS = 1000


@dataclass(frozen=True)
class Assumptions:
    """How a rule set answers what the sources leave open."""

    preferred_targets: str = "nearest"
    """among targets of one class: nearest | attackers: first those that attack the unit"""
    chased_targets: str = "nearest"
    """a target that is not in range: nearest: given up for a nearer one | kept: as long as the unit
    gets nearer"""
    target_changes: str = "always"
    """when a unit leaves a target in range for one that it prefers: always | between_shots: while
    its weapon is ready, or will be in a moment"""
    start_places: str = "lattice"
    """where new units find room: lattice: on one of the width of their separation, turned by half a
    circle for even players | nearest: on one of the width of their radius, or of half a cell,
    counter-clockwise from south"""
    group_orders: str = "point"
    """units that are sent together: point: all to that point | formation: each to the point plus
    its own offset from their middle"""
    oncoming_friends: str = "wait"
    """units of a player that walk towards each other: wait until one gives up | pass each other on
    the right"""
    turning: str = "slows"
    """walkers that turn: slows: they go by the cosine of what is left | free: they go at once where
    they want to, and turn on the way"""
    body_overlap: float = 0.0
    """how far two bodies may overlap: their separation radii are less by half of it"""
    scan_ticks: int = 4
    """how often a unit looks for a better target, from a drawn tick on; at once when it lost one"""
    reaction_ticks: int = 0
    """how long a unit without a target takes to choose one after the first enemy came near"""
    attack_ticks: int = 0
    """how long it takes to begin an attack, before the wind-up"""
    opening_ticks: int = 0
    """how long a battle has run when its players first see it"""


def read_assumptions(table: Layers) -> Assumptions:
    """The answers that a rule set and its bases give, over the defaults."""
    default = Assumptions()
    table.only(vars(default))
    return Assumptions(
        preferred_targets=table.choice_or(
            "preferred_targets", default.preferred_targets, PREFERRED_TARGETS
        ),
        chased_targets=table.choice_or("chased_targets", default.chased_targets, CHASED_TARGETS),
        target_changes=table.choice_or("target_changes", default.target_changes, TARGET_CHANGES),
        start_places=table.choice_or("start_places", default.start_places, START_PLACES),
        group_orders=table.choice_or("group_orders", default.group_orders, GROUP_ORDERS),
        oncoming_friends=table.choice_or(
            "oncoming_friends", default.oncoming_friends, ONCOMING_FRIENDS
        ),
        turning=table.choice_or("turning", default.turning, TURNING),
        body_overlap=table.number_or("body_overlap", default.body_overlap, 0.0, 0.25),
        scan_ticks=_whole(table, "scan_ticks", default.scan_ticks, least=1),
        reaction_ticks=_whole(table, "reaction_ticks", default.reaction_ticks),
        attack_ticks=_whole(table, "attack_ticks", default.attack_ticks),
        opening_ticks=_whole(table, "opening_ticks", default.opening_ticks),
    )


def _whole(table: Layers, key: str, default: int, least: int = 0) -> int:
    return table.integer(key, least, MOST_TICKS) if table.has(key) else default
