"""How a battle is told to people: names and signs of units, places on the ground, the result."""

from collections.abc import Iterator, Sequence
from itertools import count

from terrarium.data.scenario import Terrain
from terrarium.replay.frames import Frames, UnitType

TICKS_PER_S_PLAYED = 22.4  # at the speed "faster", at which the game is played

_RAMP = "abc"


def title_of(unit_type: UnitType) -> str:
    """ "siege_tank" is a Siege Tank."""
    return " ".join(word[:1].upper() + word[1:] for word in unit_type.name.split("_"))


def glyphs(types: Sequence[UnitType]) -> list[str]:
    """One or two letters for each type, all different: M, or Mn and Ma if both are there."""
    titles = [title_of(unit_type) for unit_type in types]
    taken: set[str] = set()
    chosen = []
    for title in titles:
        rivals = [other for other in titles if other[:1] == title[:1] and other != title]
        sign = next(sign for sign in _candidates(title, rivals) if sign not in taken)
        taken.add(sign)
        chosen.append(sign)
    return chosen


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
