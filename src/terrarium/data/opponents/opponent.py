"""A computer opponent: level, race and build, and the words for them."""

from dataclasses import dataclass

from terrarium.data.opponents.levels import RACES, Level, levels
from terrarium.data.opponents.plans import BUILDS, RANDOM_BUILD
from terrarium.errors import TerrariumError, nearest

RANDOM_RACE = "Random"


@dataclass(frozen=True)
class Opponent:
    """Who plays: `hard-zerg`, `CheatInsane-Protoss-Air`, `easy-random`."""

    level: Level
    race: str
    """Terran, Zerg, Protoss, or Random: drawn from the game's seed"""
    build: str = RANDOM_BUILD
    """Rush, Timing, Power, Macro, Air, or RandomBuild: drawn from the game's seed"""

    @property
    def name(self) -> str:
        build = "" if self.build == RANDOM_BUILD else f"-{self.build}"
        return f"{self.level.name}-{self.race}{build}"


def find_opponent(word: str) -> Opponent:
    """The opponent that a word means: LEVEL-RACE or LEVEL-RACE-BUILD, in letters of any size."""
    parts = word.split("-")
    if not 2 <= len(parts) <= 3:
        raise TerrariumError(
            f'"{word}" is no computer opponent; write LEVEL-RACE or LEVEL-RACE-BUILD, such as '
            "hard-zerg or VeryHard-Terran-Macro"
        )
    level = levels()[_pick("level", parts[0], tuple(levels()), word)]
    race = _pick("race", parts[1], (*RACES, RANDOM_RACE), word)
    build = RANDOM_BUILD
    if len(parts) == 3:
        build = _pick("build", parts[2], (*BUILDS, RANDOM_BUILD), word)
    return Opponent(level, race, build)


def _pick(what: str, given: str, allowed: tuple[str, ...], word: str) -> str:
    by_letters = {name.lower(): name for name in allowed}
    plain = given.lower().replace("_", "").replace(" ", "")
    if plain not in by_letters:
        guess = nearest(plain, by_letters)
        for letters, name in by_letters.items():
            guess = guess.replace(f'"{letters}"', f'"{name}"')
        raise TerrariumError(
            f'unknown {what} "{given}" of "{word}".{guess} Allowed: {", ".join(allowed)}'
        )
    return by_letters[plain]
