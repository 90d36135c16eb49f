"""`terrarium list opponents`: computer opponents of whole games."""

from dataclasses import dataclass

from terrarium.cli.tables import print_json, print_rows
from terrarium.data.opponents.levels import RACES, levels
from terrarium.data.opponents.plans import BUILDS, plans


@dataclass(frozen=True)
class ListOpponents:
    """Show the computer opponents of whole games: levels, and the builds of each race.

    A player is LEVEL-RACE or LEVEL-RACE-BUILD, such as hard-zerg-rush.

    Example:  terrarium list opponents
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        rows = [
            {
                "level": level.name,
                "decides every": f"{level.decision_ticks:g} loops",
                "first wave": f"loop {level.first_wave:g}",
                "sees all": "yes" if level.sees_all else "no",
                "income": f"{level.income:g}",
                "title": level.title,
            }
            for level in levels().values()
        ]
        builds = [
            {"race": race, "build": name, "title": plans(race)[name].title}
            for race in RACES
            for name in BUILDS
        ]
        if self.json:
            print_json({"levels": rows, "builds": builds})
            return
        print_rows(rows, False)
        print()
        print_rows(builds, False)
