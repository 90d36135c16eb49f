"""A battle record: how it is taken while a battle is played."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from terrarium import __version__
from terrarium.data.battles.scenario import Scenario
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import ALLY_OWNER, ENEMY_OWNER, OWNERS
from terrarium.engine.tables.rules import RULES_VERSION
from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.frames import GIVEN, OUTCOMES, STEP, WHY, About, Frames
from terrarium.replay.sampler import Sampler
from terrarium.replay.scenario_text import ScenarioText, read_scenario, write_scenario
from terrarium.replay.storage.columns import rounded

MAX_STEPS = 60_000
MAX_STEP_TICKS = 65_535
MAX_TEXT = 500  # letters of a title: it has to fit above a picture
MAX_REASON = 120  # letters of a reason: it has to fit beside the battlefield
MAX_REASONS = 4096  # different ones; the step and the slot are not counted

Kind = Literal["exact", "light"]
Reasons = Mapping[int, str] | Sequence[str]
"""Why units do what they do: by slot, or for the first slots in their order; "" for no reason."""


@dataclass(frozen=True, eq=False)
class ExactRecord:
    """Everything that decides a battle; the engine plays it again, to the bit."""

    about: About
    scenario: ScenarioText
    steps: Records  # [S] STEP
    commands: Records  # [C] GIVEN
    whys: Records  # [Y] WHY
    reasons: tuple[str, ...]
    checksums: NDArray[np.uint64]  # [S + 1] of the state before the first step and after each


@dataclass(frozen=True, eq=False)
class LightRecord:
    """What a battle looked like after each step; it is shown without the engine."""

    frames: Frames

    @property
    def about(self) -> About:
        return self.frames.about


Record = ExactRecord | LightRecord


def checksum(sim: Simulator, e: int) -> int:
    """The first eight bytes of the digest of one game."""
    return int(sim.digest(e)[:16], 16)


class Recorder:
    """Records one game of a simulator, from right after its reset."""

    def __init__(self, sim: Simulator, e: int = 0, kind: Kind = "exact") -> None:
        if kind not in ("exact", "light"):
            raise ReplayError(f'unknown kind of record "{kind}". Allowed: exact, light')
        if not 0 <= e < sim.n_envs:
            raise ReplayError(f"game {e} does not exist; games are 0 to {sim.n_envs - 1}")
        if not isinstance(sim.setup, Scenario):
            raise ReplayError(f"{sim.setup.name} is a whole game; record it with GameRecorder")
        if sim.ticks[e] != sim.rules.assumptions["opening_ticks"][0]:
            raise ReplayError(
                f"game {e} has run {sim.ticks[e]} ticks; begin a record right after a reset"
            )
        if kind == "exact" and sim.scenario.rules not in ruleset_names():
            raise ReplayError(
                f"{sim.scenario.rules}: a rule set of your own is not stored in an exact record; "
                'use kind="light"'
            )
        self._sim, self._e = sim, e
        self._seed, self._tick = self._now()
        self._steps: list[tuple[int, int]] = []
        self._commands: list[Records] = []
        self._whys: list[tuple[int, int, int]] = []
        self._reasons: dict[str, int] = {}
        self._why: dict[int, str] = {}
        self._fog = bool(sim.games.clock["fog"][e, 0])
        self._upgrades = upgrades_of(sim, e)
        self._checksums: list[int] = []
        self._sampler = Sampler(sim, e) if kind == "light" else None
        self._look()

    def note(self, why: Reasons | None = None) -> None:
        """Note a step that has been played, with the commands that it carried out, and why.

        A unit that `why` leaves out keeps the reason that it had.
        """
        seed, tick = self._now()
        if seed != self._seed or tick < self._tick:
            raise ReplayError(
                f"game {self._e} was reset after step {len(self._steps)}; begin a new record"
            )
        if len(self._steps) >= MAX_STEPS:
            raise ReplayError(f"a record holds at most {MAX_STEPS} steps; end it earlier")
        if tick - self._tick > MAX_STEP_TICKS:
            raise ReplayError(
                f"a recorded step has at most {MAX_STEP_TICKS} ticks; make it shorter"
            )
        if why:
            self._explain(why)
        given = _compact(self._sim.answers(self._e), len(self._steps))
        self._commands.append(given)
        self._steps.append((tick - self._tick, len(given)))
        self._tick = tick
        self._look()

    def record(self, title: str = "", outcome: str = "unknown") -> Record:
        """What has been noted so far."""
        about = self._about(title, outcome)
        steps = _frozen(np.array(self._steps, STEP))
        commands = _frozen(np.concatenate([np.zeros(0, GIVEN), *self._commands]))
        whys, reasons = _frozen(np.array(self._whys, WHY)), tuple(self._reasons)
        if self._sampler is not None:
            frames = self._sampler.frames(about, steps, commands, whys, reasons)
            return LightRecord(rounded(frames))
        checksums = _frozen(np.array(self._checksums, np.uint64))
        return ExactRecord(about, self._scenario(), steps, commands, whys, reasons, checksums)

    def _explain(self, why: Reasons) -> None:
        """Keep the reasons that are other than before."""
        by_its_slot = by_slot(why)
        for slot in sorted(by_its_slot):
            if not 0 <= slot < self._sim.n_slots:
                raise ReplayError(
                    f"a reason for slot {slot}; slots are 0 to {self._sim.n_slots - 1}"
                )
            reason = one_line(by_its_slot[slot])[:MAX_REASON]
            if reason == self._why.get(slot, ""):
                continue
            number = self._reasons.setdefault(reason, len(self._reasons))
            if number >= MAX_REASONS:
                raise ReplayError(
                    f"a record holds at most {MAX_REASONS} different reasons; leave out their "
                    "numbers, or end it earlier"
                )
            self._why[slot] = reason
            self._whys.append((len(self._steps), slot, number))

    def _now(self) -> tuple[int, int]:
        clock = self._sim.games.clock[self._e, 0]
        return int(clock["seed"]), int(clock["tick"])

    def _look(self) -> None:
        units = self._sim.units[self._e]
        strangers = units["owner"][
            (units["tag"] > 0) & ~np.isin(units["owner"], list(OWNERS.values()))
        ]
        if len(strangers):
            raise ReplayError(
                f"game {self._e} has a unit of owner {strangers[0]}: records hold battles of "
                "players 1 and 2 only"
            )
        if self._sampler is None:
            self._checksums.append(checksum(self._sim, self._e))
        else:
            self._sampler.take(self._sim.scenario.ticks_per_step)

    def _about(self, title: str, outcome: str) -> About:
        if outcome not in OUTCOMES:
            raise ReplayError(f'unknown outcome "{outcome}". Allowed: {", ".join(OUTCOMES)}')
        scenario = self._sim.scenario
        return About(
            title=one_line(title) or one_line(scenario.title),
            outcome=outcome,
            seed=self._seed,
            scenario=one_line(scenario.name),
            scenario_title=one_line(scenario.title),
            scenario_version=scenario.version,
            ruleset=scenario.rules,
            ruleset_version=load_ruleset(scenario.rules).version,
            rules_version=RULES_VERSION,
            package_version=__version__,
            n_slots=self._sim.n_slots,
            fog=self._fog,
            upgrades=self._upgrades,
        )

    def _scenario(self) -> ScenarioText:
        """The scenario, if it survives being written: one made in Python may not."""
        text = write_scenario(self._sim.scenario)
        try:
            survives = write_scenario(read_scenario(text)) == text
        except (TerrariumError, ValueError) as error:
            raise ReplayError(
                f"{self._sim.scenario.name}: this scenario cannot be stored in an exact record: "
                f'{error}; use kind="light"'
            ) from error
        assert survives, f"{self._sim.scenario.name} changes when it is written and read"
        return text


def by_slot(why: Reasons) -> dict[int, str]:
    """A copy: whoever gives reasons may change them for the next step."""
    return dict(why) if isinstance(why, Mapping) else dict(enumerate(why))


def record_battle(
    sim: Simulator,
    lead: Callable[[Simulator], Reasons | None],
    is_over: Callable[[Simulator], bool],
    seed: int = 0,
    kind: Kind = "exact",
) -> Recorder:
    """Play game 0 from its beginning to its end; `lead` gives the orders before each step, and may
    say why."""
    sim.reset(seed)
    recorder = Recorder(sim, 0, kind)
    while not is_over(sim):
        why = lead(sim)
        sim.step()
        recorder.note(why)
    return recorder


def upgrades_of(sim: Simulator, e: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of what each side has; of upgrades with levels the highest."""
    names = list(sim.known.upgrades)
    rows = sim.rules.upgrades[: len(names)]  # where there are none, the table has an empty row

    def of(owner: int) -> tuple[str, ...]:
        techs, levels = sim.players["techs"][e, owner], sim.players["levels"][e, owner]
        has = np.where(
            rows["tech"] > 0, techs & rows["tech"], levels[rows["family"]] == rows["level"]
        )
        return tuple(names[row] for row in np.flatnonzero(has).tolist())

    return of(ALLY_OWNER), of(ENEMY_OWNER)


def _compact(commands: Records, step: int) -> Records:
    """The commands that were obeyed; the others changed nothing."""
    obeyed = commands[commands["result"] == codes.SUCCESS]
    given = np.zeros(len(obeyed), GIVEN)
    given["step"], given["slot"] = step, obeyed["unit"]
    for name in ("kind", "x", "y", "queued"):
        given[name] = obeyed[name]
    given["target"] = np.maximum(obeyed["target"], codes.NO_UNIT)
    casts = obeyed["kind"] == codes.CAST
    given["ability"] = np.where(casts, obeyed["ability"], codes.NO_ABILITY)
    return given


def one_line(text: str) -> str:
    """A text on one line, without what cannot be shown."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(shown.split())[:MAX_TEXT]


def _frozen(array: Records) -> Records:
    array.setflags(write=False)
    return array
