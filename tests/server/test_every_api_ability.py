"""Every ability of the API and every type of unit: it is taken and carried out, or refused."""

from functools import cache

import numpy as np
import pytest

from terrarium.data.api.catalog import api_abilities
from terrarium.engine import codes
from terrarium.server.translate.command_table import AIMS
from terrarium.server.translate.ids import Meaning, Scope
from tests.server.asking import in_game
from tests.server.commanding import Client

MAP = "Flat64.SC2Map"
AT = (40.5, 22.5)
"""free ground, away from both starts"""
ALL = (1 << 62) - 1
LABS = {"barracks", "factory", "starport"}
PASSES = {"nothing known": (0, 0), "tech": (ALL, 1), "all levels but one": (ALL, 2)}
RACES = ("Terran", "Protoss", "Zerg")
NEEDS_MORE_THAN_A_SCENE = (codes.CANCEL_LAST, codes.RETURN_CARGO)
"""Something has to go on first: tests/server/test_ability_families.py."""


def needs_more(client: Client, meaning: Meaning) -> bool:
    if meaning.kind in NEEDS_MORE_THAN_A_SCENE or meaning.scope != Scope.NOTHING:
        return True
    mechanics = client.game.sim.rules.abilities["mechanic"]
    return meaning.kind == codes.CAST and mechanics[meaning.row] in (codes.END, codes.UNLOAD)


class Scene:
    """One unit with everything that it could want, and others to aim at."""

    def __init__(self, race: str) -> None:
        self.race = race
        self.client = Client(session=in_game(map_path=MAP))
        sim = self.client.game.sim
        if race == "Zerg":
            sim.games.creep[0] += 1
        if race == "Protoss":
            self.client.create("pylon", AT[0] - 0.5, AT[1] + 3.5)
        self.client.create("overseer", *AT)
        self.client.step(4)
        self.stays = self.tags()
        self.own = [self.client.create(name, AT[0] + 4, AT[1] - 1) for name in ("marine", "scv")]
        self.geyser = self.client.tags("vespene_geyser", owner=0)[0]
        self.mineral = self.client.tags("mineral_field", owner=0)[0]

    def tags(self) -> set[int]:
        units = self.client.game.sim.units[0]
        return set(units["tag"][units["alive"]].tolist())

    def set_up(self, unit: str, techs: int, level: int) -> int:
        """Clear the scene and put a unit there; its tag."""
        client, sim = self.client, self.client.game.sim
        for slot in np.flatnonzero(sim.units["alive"][0]).tolist():
            if sim.units["alive"][0, slot] and int(sim.units["tag"][0, slot]) not in self.stays:
                sim.remove(0, slot)
        tag = client.create(unit, *AT)
        if self.race == "Protoss":
            client.game.step(4)  # structures feel the power
        if unit in LABS and techs:
            client.create(f"{unit}_tech_lab", AT[0] + 2.5, AT[1] - 0.5)
        self.own = [client.create("marine", AT[0] + 5, AT[1] - 3)]
        self.own.append(client.create("thor", AT[0] + 6, AT[1] - 5))
        self.own.append(client.create("high_templar", AT[0] + 5, AT[1] + 3))
        self.own += client.tags("command_center")
        self.own.append(client.create("supply_depot", AT[0] + 7, AT[1] + 5))
        enemies = ("marauder", "ghost", "banshee", "supply_depot_lowered")
        places = zip(enemies, (0, 2, 4, 7), strict=True)
        self.enemies = [client.create(name, AT[0] - 6, AT[1] - y, owner=2) for name, y in places]
        for other in (*self.own[:3], *self.enemies[:2]):
            sim.units["hp"][0, client.slot(other)] = 20.0
        for other in self.enemies:
            sim.units["seen"][0, client.slot(other)] |= 2
        player, account = sim.players[0, 1], sim.games.accounts[0, 1]
        sim.players["techs"][0, 1], sim.players["levels"][0, 1, :-1] = techs, level
        sim.players["minerals"][0, 1] = sim.players["vespene"][0, 1] = 5000.0
        sim.players["nukes"][0, 1] = 1 if techs else 0
        account["fulfilled"], account["supply_cap"] = ALL, 200.0
        sim.units["energy"][0, client.slot(tag)] = 200.0
        assert player["minerals"] == 5000.0
        return tag

    def aims(self, aim: str) -> list[dict[str, object]]:
        if aim == "none":
            return [{}]
        if aim == "point":
            steps = ((0.0, -6.0), (4.0, -6.0), (-4.0, 4.0))
            return [{"at": (AT[0] + dx, AT[1] + dy)} for dx, dy in steps]
        on = [self.own[0], self.own[1], self.own[-2], *self.enemies, self.mineral, self.geyser]
        return [{"on": tag} for tag in [*on, *self.own[2:]]]


def check(scene: Scene, unit: str, ability: int, state: tuple[int, int]) -> bool:
    """Tell a unit of a type to use an ability in all ways; was it taken in one of them?"""
    client, sim = scene.client, scene.client.game.sim
    target, taken = api_abilities()[ability].target, False
    tag = scene.set_up(unit, *state)
    slot = client.slot(tag)
    for aim in ("none", "point", "unit"):
        for where in scene.aims(aim):
            before = sim.units[0, slot].copy(), sim.players[0, 1].copy()
            answer = client.tell(ability, tag, **where)
            if aim not in AIMS[target]:
                assert answer == "Error", (unit, ability, aim, answer)
                continue
            assert answer in codes.RESULT_NAMES.values(), (unit, ability, aim, answer)
            if answer != "Success":
                assert sim.units[0, slot] == before[0]
                assert sim.players[0, 1] == before[1]
                continue
            taken = True
            client.game.step(1)
            mine = sim.answers(0)[sim.answers(0)["owner"] == 1]
            assert (mine["result"] == codes.SUCCESS).all(), (unit, ability, aim, where)
            tag = scene.set_up(unit, *state)
            slot = client.slot(tag)
    return taken


@cache
def walked(race: str) -> dict[int, set[str]]:
    """By ability, the types of a race that can have it; "taken" where one took it."""
    scene = Scene(race)
    ids, found = scene.client.game.ids, dict[int, set[str]]()
    for row, unit in enumerate(ids.facts.units.values()):
        if unit.race != race or unit.agent_copy_of or unit.name in NO_UNITS:
            continue
        if unit.resource is not None:  # stands on geysers alone
            continue
        for ability, meaning in ids.cards[row].items():
            users = found.setdefault(ability, set())
            users.add(unit.name)
            states = PASSES.values() if not needs_more(scene.client, meaning) else [(ALL, 1)]
            for state in states:
                if check(scene, unit.name, ability, state):
                    users.add("taken")
                    break
            if needs_more(scene.client, meaning):
                users.add("taken")
    return found


NO_UNITS = {"nuke", "parasitic_bomb_dummy", "force_field"}
"""types that nobody commands"""
NEVER_TAKEN = {
    199: "a rally point of units that are warped in",
    1682: "the crew of a bunker chooses its targets itself",
    2081: "the rules know no banelings that look for structures",
}
"""and why"""


@pytest.mark.parametrize("race", RACES)
def test_every_ability_that_a_unit_can_have_is_taken_or_refused_rightly(race: str) -> None:
    never = {ability for ability, users in walked(race).items() if "taken" not in users}
    assert {a: walked(race)[a] for a in never - NEVER_TAKEN.keys()} == {}


def test_whoever_has_not_an_ability_does_not_support_it() -> None:
    client = Client()
    marine = client.create("marine", 30.0, 14.0)
    kind, known = client.game.sim.rows["marine"], api_abilities()
    for ability in (0, *known, 5000, 2**31 - 1):
        if not client.game.ids.meanings(kind, ability):
            for aim in ({}, {"at": (30.0, 20.0)}, {"on": client.tags("scv")[0]}):
                # What stands for abilities of other types is an Error, as measured in the game.
                general = ability in known and known[ability].kind == "general"
                answer = client.tell(ability, marine, **aim)
                assert answer == ("Error" if general else "NotSupported")
