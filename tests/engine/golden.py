"""A fingerprint of a battle that outlives changes of layout: fields by name, in a fixed order.

`Simulator.digest` covers whatever the state holds today. The golden digests are of the fields that
battles had under rules version 2, when sides were numbered 0 and 1, so that a new field or another
numbering of owners does not need new goldens and a change of behavior does.
"""

import hashlib
from typing import Any

import numpy as np

from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator

FIELDS = {
    "units": """tag kind owner alive phase passive status seen inside plane column max_speed accel
        hp_max armor shield_armor rate range_add x y face_x face_y aim_x aim_y speed_x speed_y hp
        shield energy life_ticks cooldown windup backswing winding weapon target target_why
        target_tag attacker attacker_tag hurt_tick help_tick heal_target home_x home_y away way_x
        way_y way_tick direct detour detour_tick stalled n_orders""",
    "orders": "kind ability target tag x y back_x back_y",
    "players": "n_alive n_lost damage_dealt techs levels minerals vespene nukes",
    "effects": """stage hit owner source source_tag target target_tag x y aim_x aim_y dir_x dir_y
        speed timer step seen_tag ability area""",
    "clock": "seed tick next_tag n_slots n_effects fault fog",
    "skills": """cast phase timer target target_tag x y stops ordered beside beside_target
        beside_tag beside_x beside_y ready switched locks error morph morph_timer zone_x zone_y
        drag_x drag_y drag_ticks load unload_timer unloading made made_tag made_by maker maker_tag
        true_owner""",
    "buffs": "row ticks timer hits_left absorbs owner source source_tag",
}
LATER_BUFFS = ("generate_creep",)
"""of Overlords; a row more among the facts is no change of behavior"""


def battle_digest(sim: Simulator, e: int) -> str:
    """The fingerprint of one battle of two players."""
    state = {name: getattr(sim.games, name)[e] for name in FIELDS}
    units, orders, effects = state["units"], state["orders"], state["effects"]
    clock = state["clock"][0]
    used = np.arange(len(units)) < clock["n_slots"]
    state["orders"] = orders[np.arange(orders.shape[1]) < units["n_orders"][:, None]]
    state["effects"] = effects[: clock["n_effects"]]
    state["players"] = state["players"][1:]
    for name in ("units", "skills", "buffs"):
        state[name] = state[name][used]
    summary = hashlib.sha256()
    state["buffs"]["row"] = _rows_as_before(sim, state["buffs"]["row"])
    for name, fields in FIELDS.items():
        for field in fields.split():
            summary.update(np.ascontiguousarray(_as_before(state[name], field)).tobytes())
    return summary.hexdigest()


def _rows_as_before(sim: Simulator, rows: Any) -> Any:
    """Rows of buffs as if those that came later had not been put before others."""
    later = [sim.known.buffs[name] for name in LATER_BUFFS if name in sim.known.buffs]
    return rows - sum((rows > row).astype(rows.dtype) for row in later)


def _as_before(array: Records, field: str) -> Any:
    values = array[field]
    if field in ("owner", "true_owner"):
        return np.maximum(values - 1, 0)
    return values >> 1 & 3 if field == "seen" else values
