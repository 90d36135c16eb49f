"""How a battle is told to people: names and signs of units, places on the ground, the result."""

from collections.abc import Iterator, Sequence
from itertools import count

from terrarium.data.battles.scenario import Terrain
from terrarium.replay.frames import Frames, Skill, UnitType

TICKS_PER_S_PLAYED = 22.4  # at the speed "faster", at which the game is played

_RAMP = "abc"
_SPOKEN = {
    **{word: word.upper() for word in ("emp", "kd8", "scv", "mule", "ag", "ap")},
    "mp": "",  # the game's own note that a type is not of the campaign
}
_RACES = ("terran", "zerg", "protoss")


def spoken(name: str) -> str:
    """ "siege_tank" is a Siege Tank."""
    words = (_SPOKEN.get(word, word[:1].upper() + word[1:]) for word in name.split("_"))
    return " ".join(word for word in words if word)


def title_of(unit_type: UnitType) -> str:
    return spoken(unit_type.name)


def title_of_skill(skill: Skill, types: Sequence[UnitType]) -> str:
    """Without the unit that has it, which everybody sees: "stimpack_marine" is Stimpack."""
    name = skill.name
    for unit_type in types:
        if skill.radius == 0.0:
            name = name.removesuffix(f"_{unit_type.name}").removeprefix(f"{unit_type.name}_")
    return spoken(name)


def title_of_upgrade(name: str) -> str:
    """ "terran_infantry_weapons_level2" is Infantry Weapons 2."""
    words = name.split("_")
    return spoken("_".join(words[words[0] in _RACES :])).replace("Level", "")


def glyphs(types: Sequence[UnitType]) -> list[str]:
    """One or two letters for each type: M, or Mn and Ma if both are there.

    All are different, save that a planted or burrowed form keeps the letters of its type.
    """
    names = list(dict.fromkeys(unit_type.form_of or unit_type.name for unit_type in types))
    titles = [spoken(name) for name in names]
    taken: dict[str, str] = {}
    for name, title in zip(names, titles, strict=True):
        rivals = [other for other in titles if other[:1] == title[:1] and other != title]
        sign = next(sign for sign in _candidates(title, rivals) if sign not in taken.values())
        taken[name] = sign
    return [taken[unit_type.form_of or unit_type.name] for unit_type in types]


def _candidates(title: str, rivals: Sequence[str]) -> Iterator[str]:
    """Possible signs, best first: the initials, then the letter that tells it from its rivals."""
    words = title.split()
    if not rivals:
        yield title[:1]
    if len(words) > 1:
        yield words[0][:1] + words[1][:1]
    for at, letter in enumerate(title[1:], start=1):
        if letter.isalpha() and all(rival[at : at + 1] != letter for rival in rivals):
            yield title[:1] + letter
    for number in count(1):
        yield f"{title[:1]}{number}"


def ground_signs(terrain: Terrain) -> list[str]:
    """A sign a cell, y = 0 first: # for rock, the level, or a, b, c for the thirds of a ramp."""
    return [
        "".join(
            "#" if not walkable else _RAMP[ramp - 1] if ramp else str(level)
            for walkable, level, ramp in zip(*rows, strict=True)
        )
        for rows in zip(
            terrain.walkable.tolist(), terrain.level.tolist(), terrain.ramp.tolist(), strict=True
        )
    ]


def result_of(frames: Frames) -> tuple[str, str]:
    """How it ended in two words, and whose color that is: "ally", "enemy" or ""."""
    said = {
        "win": ("Allies win", "ally"),
        "loss": ("Enemies win", "enemy"),
        "draw": ("Draw", ""),
        "timeout": ("Time is up", ""),
    }
    if frames.about.outcome in said:
        return said[frames.about.outcome]
    allies, enemies = frames.strength()[1][-1].tolist()
    if allies and enemies:
        return "Undecided", ""
    return said["win" if allies else "loss" if enemies else "draw"]
