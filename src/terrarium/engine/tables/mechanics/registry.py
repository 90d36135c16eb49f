"""The registry of mechanics: which table each has.

A new mechanic is a word of `data.vocabulary.ABILITY_KINDS` with its code, a kernel
(`kernels/abilities`), a module of this folder with its table, if it has parameters that others do
not have, and one line here.
"""

from collections.abc import Mapping

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

MECHANICS: Mapping[str, MechanicTable | None] = {
    "self_buff": None,
    "toggle": None,
    "end": None,
    "morph": morph.TABLE,
    "target_effect": None,
    "missile": missile.TABLE,
    "channel": channel.TABLE,
    "lock_on": lock_on.TABLE,
    "field": None,
    "burst": None,
    "charge": None,
    "teleport": teleport.TABLE,
    "summon": summon.TABLE,
    "heal": heal.TABLE,
    "repair": repair.TABLE,
    "load": cargo.TABLE,
    "unload": cargo.TABLE,
    "salvage": None,
    "passive": None,
}
