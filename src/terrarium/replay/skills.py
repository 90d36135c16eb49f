"""The abilities, buffs and areas of a battle, in the order in which they were met."""

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.replay.frames import Skill


class SkillTable:
    """Numbers for what occurs in one battle: far fewer than the rules know."""

    def __init__(self, sim: Simulator) -> None:
        self._rules = sim.rules
        self._abilities = tuple(sim.known.abilities)
        self._buffs = tuple(sim.known.buffs)
        self._areas = tuple(sim.known.areas)
        self._numbers: dict[Skill, int] = {}
        self._met: dict[tuple[str, int], int] = {}

    def ability(self, row: int) -> int:
        """The number of a row of the rules; NO_ABILITY stays what it is."""
        if row < 0:
            return codes.NO_ABILITY
        return self._number("ability", row)

    def buff(self, row: int) -> int:
        return self._number("buff", row)

    def area(self, row: int) -> int:
        return self._number("area", row)

    @property
    def skills(self) -> tuple[Skill, ...]:
        return tuple(self._numbers)

    def _number(self, group: str, row: int) -> int:
        key = group, row
        if key not in self._met:
            skill = self._skill(group, row)
            self._met[key] = self._numbers.setdefault(skill, len(self._numbers))
        return self._met[key]

    def _skill(self, group: str, row: int) -> Skill:
        if group == "buff":
            return Skill(self._buffs[row], effect=effect_of(self._rules.buffs[row]))
        if group == "area":
            return Skill(self._areas[row], float(self._rules.areas["radius"][row]))
        ability = self._rules.abilities[row]
        first, n_hits = int(ability["first_hit"]), int(ability["n_hits"])
        zones = self._rules.hits["zone_radius"][first : first + n_hits]  # [H, 3]
        impact = int(ability["impact"])
        circle = float(self._rules.impacts["circle"][impact]) if impact >= 0 else 0.0
        widest = max(circle, float(zones.max(initial=0.0)))
        return Skill(self._abilities[row], widest)


def effect_of(buff: Records) -> str:
    """Whether a buff makes its carrier stronger, safer or worse off; "" for none of these."""
    harm = codes.STUNNED | codes.REVEALED | codes.CONTROLLED | codes.STARVED
    slower = buff["speed_mult"] < 1.0 or buff["rate"] < 1.0
    weaker = buff["armor_add"] < 0.0 or buff["taken_add"] > 0.0 or buff["taken_mult"] > 1.0
    if buff["status"] & harm or slower or weaker or buff["life_rate"] < 0.0 or buff["hit"] >= 0:
        return "harm"
    if buff["speed_mult"] > 1.0 or buff["rate"] > 1.0 or buff["damage_add"] > 0.0:
        return "boost"
    safer = buff["armor_add"] > 0.0 or buff["taken_mult"] < 1.0 or buff["taken_add"] < 0.0
    return "guard" if safer or buff["absorbs"] > 0.0 or buff["life_rate"] > 0.0 else ""
