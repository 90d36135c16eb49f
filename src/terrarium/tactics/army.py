"""A whole army: every skill in its place. The first that wants something of a unit gets it."""

from collections.abc import Callable, Mapping

from terrarium.tactics.advance import advance, escort
from terrarium.tactics.bunker import bunkers
from terrarium.tactics.cloak import cloak
from terrarium.tactics.cyclone import lock_on
from terrarium.tactics.dodge import dodge
from terrarium.tactics.emp import emp
from terrarium.tactics.engage import shoot, step_back
from terrarium.tactics.focus_fire import Targets, choose_targets
from terrarium.tactics.jump import jump_home
from terrarium.tactics.liberator import liberator_zones
from terrarium.tactics.medivac import medivacs
from terrarium.tactics.mines import mines
from terrarium.tactics.modes import hellion_modes, thor_modes
from terrarium.tactics.orders import OrderKind, Orders, Wish, combine
from terrarium.tactics.posts import take_posts
from terrarium.tactics.raid import raid
from terrarium.tactics.raven import raven
from terrarium.tactics.reach import reach
from terrarium.tactics.reaper import grenades
from terrarium.tactics.repair import repair
from terrarium.tactics.retreat import retreat
from terrarium.tactics.siege import siege
from terrarium.tactics.snipe import snipe
from terrarium.tactics.spare import spare
from terrarium.tactics.split import split
from terrarium.tactics.stim import always_stim, stim
from terrarium.tactics.view import View
from terrarium.tactics.viking import viking_modes
from terrarium.tactics.yamato import nearest_yamato, yamato

Skill = Callable[[View], list[Wish]]

# Life first, then what cannot wait, then what pays, then the fight, then the way.
SKILLS: Mapping[str, Skill] = {
    "dodge": dodge,
    "jump": jump_home,
    "retreat": retreat,
    "cloak": cloak,
    "medivac": medivacs,
    "yamato": yamato,
    "emp": emp,
    "snipe": snipe,
    "raven": raven,
    "split": split,
    "stim": stim,
    "siege": siege,
    "escort": escort,
    "liberator": liberator_zones,
    "mines": mines,
    "hellion": hellion_modes,
    "thor": thor_modes,
    "viking": viking_modes,
    "bunker": bunkers,
    "lock-on": lock_on,
    "grenade": grenades,
    "reach": reach,
    "repair": repair,
    "raid": raid,
    "spare": spare,
}
"""by the name under which each can be switched off"""
CARELESS: Mapping[str, tuple[str, Skill]] = {
    "always-stim": ("stim", always_stim),
    "nearest-yamato": ("yamato", nearest_yamato),
}
"""what a beginner would do in place of a skill, for comparison"""
FIGHT: Mapping[str, Callable[[View, Targets], list[Wish]]] = {
    "kite": step_back,
    "focus": shoot,
}
SWITCHES = (*(f"no-{name}" for name in (*SKILLS, *FIGHT)), *CARELESS)
"""words that change what an army does"""


def lead_army(view: View, switches: frozenset[str] = frozenset()) -> Orders:
    """Orders for every own unit. Switches leave skills out, or let a beginner do them."""
    skills = dict(SKILLS)
    for word, (replaced, skill) in CARELESS.items():
        if word in switches:
            skills[replaced] = skill
    wishes = [Wish(view.busy, OrderKind.NONE, "busy")]
    for name, skill in skills.items():
        if f"no-{name}" not in switches:
            wishes += skill(view)
    targets = choose_targets(view, at_hand=True)
    for name, fight in FIGHT.items():
        if f"no-{name}" not in switches:
            wishes += fight(view, targets)
    wishes += take_posts(view) + advance(view)
    return combine(view, wishes)
