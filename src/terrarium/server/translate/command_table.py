"""What an ability id comes down to for units of a type: kinds and rows of engine commands."""

from collections.abc import Mapping
from dataclasses import dataclass

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.server.translate.ids import SCAN_MOVE, SMART, Ids, Meaning, Scope

AIMS: Mapping[str, frozenset[str]] = {
    "none": frozenset({"none"}),
    "point": frozenset({"point"}),
    "unit": frozenset({"unit"}),
    "point_or_unit": frozenset({"point", "unit"}),
    "point_or_none": frozenset({"point", "none"}),
}
"""what a command may name, by the target of its ability"""
CANCELS: Mapping[Scope, int] = {
    Scope.QUEUE: codes.CANCELS_ITEM,
    Scope.SITE: codes.CANCELS_SITE,
    Scope.ADDON: codes.CANCELS_ADDON,
    Scope.MORPH: codes.CANCELS_MORPH,
}
USED_BY_ALL = frozenset(
    (codes.TELEPORT, codes.REPAIR, codes.HEALING, codes.CHARGE, codes.MORPH, codes.UNLOAD)
)
"""mechanics that all units of a group use at the same target; one unit casts any other"""
MADE_BY_ALL = frozenset((codes.HOW_MORPH, codes.HOW_MERGE, codes.HOW_ADDON))
"""products that each unit of a group begins; any other is begun by one of them"""
KEEP_FORMATION = frozenset((codes.MOVE, codes.ATTACK, codes.ATTACK_MOVE, codes.PATROL))


@dataclass(frozen=True)
class AbilityChoice:
    """One way in which units of a type can carry an ability out."""

    ability: int
    """exact: what orders and echoes show"""
    kind: int
    """of the command"""
    row: int
    """COMMAND.ability"""
    by_one: bool
    """a single unit of a group does it"""
    halts: bool = False
    """a structure has its builder leave it"""

    @property
    def keeps_formation(self) -> bool:
        return self.kind in KEEP_FORMATION


class CommandTable:
    """The choices of all types of one rule set, worked out when they are first asked for."""

    def __init__(self, sim: Simulator, ids: Ids) -> None:
        self._rules, self._ids = sim.rules, ids
        self._choices: dict[tuple[int, int, str], tuple[AbilityChoice, ...]] = {}
        self._autocasts: dict[tuple[int, int], tuple[AbilityChoice, ...]] = {}
        self._rows_of: dict[tuple[int, int], int] = {}

    def choices(self, kind: int, ability: int, aim: str) -> tuple[AbilityChoice, ...]:
        """What an ability, exact or general, may be for units of a type; `aim`: what the command
        names, "none", "point" or "unit"."""
        key = (kind, ability, aim)
        found = self._choices.get(key)
        if found is None:
            fitting = [m for m in self._ids.meanings(kind, ability) if aim in AIMS[m.target]]
            found = tuple(dict.fromkeys(self._choice(kind, meaning) for meaning in fitting))
            self._choices[key] = found
        return found

    def has(self, kind: int, ability: int) -> bool:
        """Can units of a type use an ability at all?"""
        return bool(self._ids.meanings(kind, ability))

    def is_general(self, ability: int) -> bool:
        """Does an ability stand for others, of whatever types?"""
        return self._ids.is_general(ability)

    def autocasts(self, kind: int, ability: int) -> tuple[AbilityChoice, ...]:
        """The abilities of a type that an ability id can switch to work by themselves."""
        key = (kind, ability)
        found = self._autocasts.get(key)
        if found is None:
            found = tuple(
                AbilityChoice(
                    meaning.ability, codes.SWITCH_AUTOCAST, self._kit_row(kind, meaning), False
                )
                for meaning in self._ids.meanings(kind, ability)
                if meaning.kind in (codes.CAST, codes.HEAL) or self._is_own_form(kind, meaning)
            )
            self._autocasts[key] = found
        return found

    def row_of(self, kind: int, mechanic: int) -> int:
        """The first ability of a mechanic in the kit of a type; -1 = it has none."""
        key = (kind, mechanic)
        row = self._rows_of.get(key)
        if row is None:
            kit = [k for k in self._rules.kit[kind].tolist() if k >= 0]
            mechanics = self._rules.abilities["mechanic"]
            row = next((k for k in kit if mechanics[k] == mechanic), codes.NO_ABILITY)
            self._rows_of[key] = row
        return row

    def ability_of(self, row: int) -> int:
        """The exact id of a row of Rules.abilities."""
        return int(self._ids.abilities[row])

    def _choice(self, kind: int, meaning: Meaning) -> AbilityChoice:
        what, row, ability = meaning.kind, meaning.row, meaning.ability
        if what == codes.CAST:
            mechanic = int(self._rules.abilities["mechanic"][row])
            by_one = meaning.target != "none" and mechanic not in USED_BY_ALL
            return AbilityChoice(ability, what, row, by_one)
        if what in (codes.BUILD, codes.PRODUCE):
            by_one = int(self._rules.products["how"][row]) not in MADE_BY_ALL
            return AbilityChoice(ability, what, row, by_one)
        if what == codes.CANCEL_LAST:
            return AbilityChoice(ability, what, CANCELS[meaning.scope], False)
        if meaning.scope == Scope.WORK:
            return AbilityChoice(ability, what, row, False, halts=True)
        if ability == SMART:
            return AbilityChoice(ability, what, row, False)
        shown = int(self._ids.orders[kind, what])
        if shown == SCAN_MOVE:  # without a weapon it goes along with those who attack
            what = codes.ATTACK_MOVE
        return AbilityChoice(shown or ability, what, row, False)

    def _is_own_form(self, kind: int, meaning: Meaning) -> bool:
        """Is it a change of form that comes by itself, as a gateway's?"""
        becomes = int(self._rules.types["becomes_itself"][kind])
        return meaning.kind == codes.PRODUCE and meaning.row == becomes

    def _kit_row(self, kind: int, meaning: Meaning) -> int:
        if meaning.kind == codes.CAST:
            return meaning.row
        if meaning.kind == codes.PRODUCE:
            return codes.NO_ABILITY
        return self.row_of(kind, codes.HEALING)
