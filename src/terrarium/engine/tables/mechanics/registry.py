"""The registry of mechanics: how each begins, and which table it has.

A new mechanic is a table in `data/mechanics.toml`, a kernel (`kernels/abilities`), a module of this
folder if it has parameters of its own, and one line here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from terrarium.engine.kernels.abilities.beginnings import (
    begin_channel,
    begin_load,
    begin_lock,
    begin_salvage,
    begin_summon,
    begin_teleport,
    begin_unload,
    buff_user,
    fall_upon,
    fire_missile,
)
from terrarium.engine.kernels.abilities.morphs import begin_morph
from terrarium.engine.tables.mechanics import (
    cargo,
    channel,
    heal,
    lock_on,
    missile,
    morph,
    repair,
    summon,
    teleport,
)
from terrarium.engine.tables.mechanics.table import MechanicTable


@dataclass(frozen=True)
class Mechanic:
    """What happens at the cast, `(game, ability, u, v, x, y) -> None`, and the parameters."""

    begin: Callable[..., None] | None
    """None: such an ability is never cast; other rules see to it"""
    table: MechanicTable | None = None


MECHANICS: Mapping[str, Mechanic] = {
    "self_buff": Mechanic(buff_user),
    "toggle": Mechanic(fall_upon),
    "end": Mechanic(None),
    "morph": Mechanic(begin_morph, morph.TABLE),
    "target_effect": Mechanic(fall_upon),
    "missile": Mechanic(fire_missile, missile.TABLE),
    "channel": Mechanic(begin_channel, channel.TABLE),
    "lock_on": Mechanic(begin_lock, lock_on.TABLE),
    "field": Mechanic(fall_upon),
    "burst": Mechanic(fall_upon),
    "charge": Mechanic(buff_user),
    "teleport": Mechanic(begin_teleport, teleport.TABLE),
    "summon": Mechanic(begin_summon, summon.TABLE),
    "heal": Mechanic(None, heal.TABLE),
    "repair": Mechanic(None, repair.TABLE),
    "load": Mechanic(begin_load, cargo.TABLE),
    "unload": Mechanic(begin_unload, cargo.TABLE),
    "salvage": Mechanic(begin_salvage),
    "passive": Mechanic(None),
}
"""By the words of `data/mechanics.toml`."""
