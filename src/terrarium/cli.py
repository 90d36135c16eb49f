"""The command line: parse, call one library function, print."""

import contextlib
import io
import json as json_format
import logging
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Protocol

import tyro
from rich import box
from rich.console import Console
from rich.table import Table

from terrarium import __doc__ as _SLOGAN
from terrarium import __version__
from terrarium.bench.engine import EngineBenchConfig, Throughput, bench_engine
from terrarium.data.facts import Unit, Weapon
from terrarium.data.rulesets import load_ruleset, ruleset_names
from terrarium.data.scenario import Scenario
from terrarium.data.scenarios import load_scenario, scenario_names
from terrarium.data.terrains import load_terrain, terrain_names
from terrarium.data.vocabulary import KINDS, RACES
from terrarium.errors import TerrariumError, nearest

if TYPE_CHECKING:
    from terrarium.demo import Moment

# The engine has its own TICKS_PER_S and MAX_SEED; asking it would load numba.
TICKS_PER_S = 16  # of game time, in which the facts are written
TICKS_PER_S_PLAYED = 22.4  # at the speed "faster", at which the game is played
MAX_SEED = 2**63 - 1
BAR_CELLS = 12
TIMES = "\N{MULTIPLICATION SIGN}"

# What tyro says, and what we say instead.
_REPHRASED = {
    "^Error parsing ": "",
    r"invalid literal for int\(\) with base 10: (.*)": r"\1 is not a whole number",
    r"could not convert string to float: (.*)": r"\1 is not a number",
    r"Could not find valid parse for arguments: \[(.*)\]": r"\1 does not fit",
    "^Missing value for argument '(.*)'.*": r"\1 needs a value",
    "^Unrecognized options": "too many words",
}


class Command(Protocol):
    """A dataclass whose fields are options; its docstring is the help."""

    def run(self) -> None: ...


@dataclass(frozen=True)
class ListUnits:
    """Show the units of a rule set: life, speed, weapons, cost.

    Example:  terrarium list units --race terran
    """

    rules: str = "lotv-4.10"
    """rule set, or a rule-set file of your own; see: terrarium list rules"""
    race: str = "all"
    """terran, zerg, protoss or all"""
    json: bool = False
    """print every known fact as JSON"""

    def __post_init__(self) -> None:
        races = ["all", *(race.lower() for race in RACES)]
        if self.race.lower() not in races:
            raise TerrariumError(
                f'unknown race "{self.race}".{nearest(self.race.lower(), races)} '
                f"Allowed: {', '.join(races)}"
            )

    def run(self) -> None:
        rules = load_ruleset(self.rules)
        units = [u for u in rules.units.values() if self.race.lower() in ("all", u.race.lower())]
        if self.json:
            _print_json([asdict(unit) for unit in units])
            return
        console = _console()
        console.print(f"{rules.name}: {rules.title}")
        name_width = 25 if console.width >= 90 else 17
        for race in RACES:
            for kind in KINDS:
                chosen = [unit for unit in units if (unit.race, unit.kind) == (race, kind)]
                if chosen:
                    console.print()
                    console.print(_units_table(f"{race} {kind}s", chosen, name_width))
        console.print(
            "\nlife: hit points+shields · speed: cells a second · cost: minerals/gas/supply\n"
            "a second is 16 ticks\n"
            f"weapons: damage+largest bonus {TIMES}attacks r range / ticks from shot to shot"
        )


@dataclass(frozen=True)
class ListScenarios:
    """Show the battles that come with Terrarium.

    Example:  terrarium list scenarios smac
    """

    family: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[FAMILY]")] = "all"
    """smac, smacv2 or all"""
    json: bool = False
    """print JSON"""

    def run(self) -> None:
        names = scenario_names(None if self.family == "all" else self.family)
        rows = [_scenario_row(load_scenario(name)) for name in names]
        _print_rows(rows, self.json)


@dataclass(frozen=True)
class ListRules:
    """Show the rule sets: balance versions of the game.

    Example:  terrarium list rules
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        sets = [load_ruleset(name) for name in ruleset_names()]
        _print_rows(
            [
                {"name": s.name, "units": len(s.units), "version": s.version, "title": s.title}
                for s in sets
            ],
            self.json,
        )


@dataclass(frozen=True)
class ListTerrains:
    """Show the grounds that a scenario can be set on.

    Example:  terrarium list terrains
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        terrains = [load_terrain(name) for name in terrain_names()]
        _print_rows(
            [
                {
                    "name": t.name,
                    "size": f"{t.width} x {t.height}",
                    "walkable": int(t.walkable.sum()),
                    "title": t.title,
                }
                for t in terrains
            ],
            self.json,
        )


@dataclass(frozen=True)
class Demo:
    """Play one battle and print its course.

    A script leads the passive allies: the weakest enemy in range, else the nearest.

    Example:  terrarium demo smac/MMM2 --seed 7
    """

    scenario: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[SCENARIO]")] = (
        "smac/2s3z"
    )
    """a scenario, or a scenario file of your own; see: terrarium list scenarios"""
    seed: int = 0
    """which battle: the same seed plays the same battle"""

    def __post_init__(self) -> None:
        if not 0 <= self.seed <= MAX_SEED:
            raise TerrariumError(f"seed is {self.seed}; allowed are 0 to {MAX_SEED}")

    def run(self) -> None:
        scenario = load_scenario(self.scenario)
        from terrarium.demo import outcome, play
        from terrarium.engine.simulator import Simulator

        sim = Simulator(scenario)
        sim.reset(self.seed)
        moments, engine_s = play(sim)
        console = _console(piped_width=80)
        console.print(f"{scenario.name}, seed {self.seed}: {scenario.title}\n")
        console.print(_course_table(moments, "█░" if console.encoding.startswith("utf") else "#."))
        ticks = int(sim.ticks[0])
        speed = ticks / max(engine_s, 1e-9) / TICKS_PER_S_PLAYED
        console.print(
            f"\n{outcome(sim)}\n{ticks:,} ticks in {1e3 * engine_s:.1f} ms: "
            f"{speed:,.0f} times as fast as the game is played."
        )


@dataclass(frozen=True)
class BenchEngine(EngineBenchConfig):
    """Measure how many ticks and steps a second the engine plays on this machine.

    Example:  terrarium bench engine --scenarios 3m MMM2 --batch 1024 --threads 1 2
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        with Console(stderr=True).status("") as status:
            result = bench_engine(self, lambda text: status.update(f"measuring {text}"))
        if self.json:
            _print_json(asdict(result))
            return
        console = _console()
        m = result.machine
        load = "" if m.load is None else f", load {m.load:.1f}"
        console.print(
            f"{m.cpu}, {m.cores} cores{load}, {m.system}\n"
            f"Python {m.python}, numpy {m.numpy}, numba {m.numba}, "
            f"terrarium {m.terrarium}, rules version {m.rules_version}"
        )
        if result.rows:
            console.print()
            console.print(_throughput_table(result.rows))
        if result.scale:
            console.print()
            console.print(_throughput_table(result.scale))
            console.print(f"Twice the units cost {result.cost_of_doubling:.1f} times the time.")
        console.print("\nMedians of three; spread: (fastest - slowest) / median.")


COMMANDS: Mapping[str, type[Command]] = {
    "demo": Demo,
    "list units": ListUnits,
    "list scenarios": ListScenarios,
    "list rules": ListRules,
    "list terrains": ListTerrains,
    "bench engine": BenchEngine,
}


def main() -> None:
    """Run one command. What a user did wrong ends in one line and exit code 2."""
    logging.basicConfig(format="%(message)s")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a bar must not fail where there is no UTF-8
    try:
        _run(sys.argv[1:])
        sys.stdout.flush()
    except TerrariumError as error:
        _fail(str(error))
    except MemoryError:
        _fail("there is not enough memory for this; use a smaller batch")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has gone (`| head`). Python flushes at exit: into nothing, not into the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


def _fail(message: str) -> NoReturn:
    print("terrarium:", message.replace("\n", "\\n"), file=sys.stderr)
    sys.exit(2)


def _run(args: Sequence[str]) -> None:
    if args[:1] == ["--version"]:
        print(f"terrarium {__version__}")
        return
    words: list[str] = []
    while " ".join(words) not in COMMANDS:
        rest = args[len(words) :]
        wanted = [name.split() for name in COMMANDS if name.split()[: len(words)] == words]
        allowed = list(dict.fromkeys(name[len(words)] for name in wanted))
        allowed += ["--help"] if words else ["--help", "--version"]
        if not rest or rest[0] in ("--help", "-h"):
            _print_overview(" ".join(words))
            return
        if rest[0] not in allowed:
            what = "option" if rest[0].startswith("-") else "command"
            raise TerrariumError(
                f'unknown {what} "{" ".join([*words, rest[0]])}".{nearest(rest[0], allowed)} '
                f"Allowed: {', '.join(allowed)}"
            )
        words.append(rest[0])
    name = " ".join(words)
    _parse(name, COMMANDS[name], args[len(words) :]).run()


def _parse(name: str, command: type[Command], args: Sequence[str]) -> Command:
    """Turn arguments into a command; what tyro says in a box becomes one line."""
    _check_options(name, command, args)
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(
                command,
                prog=f"terrarium {name}",
                description=_help_text(command),
                args=args,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as stop:
        if not stop.code:
            raise
        problem = _first_sentence(said.getvalue())
        raise TerrariumError(f"{problem}. See: terrarium {name} --help") from None


def _check_options(name: str, command: type[Command], args: Sequence[str]) -> None:
    options = [f"--{option}" for option in _options(command)]
    for arg in args:
        option = arg.split("=")[0]
        if re.match("--?[a-zA-Z]", option) and option not in (*options, "--help", "-h"):
            raise TerrariumError(
                f'unknown option "{option}" of terrarium {name}.{nearest(option, options)} '
                f"Allowed: {', '.join(options)}"
            )


def _options(command: type[Any]) -> list[str]:
    """The fields that are written with their name; positional ones carry an annotation."""
    return [field.name for field in fields(command) if not hasattr(field.type, "__metadata__")]


def _first_sentence(boxed: str) -> str:
    """The message in one of tyro's boxes, in our words: between its title and the first rule."""
    lines = [line.strip("│| ") for line in boxed.splitlines()[1:]]
    is_text = [bool(line.strip("─-╰╯+ ")) for line in lines]
    begin = is_text.index(True) if True in is_text else 0
    end = is_text.index(False, begin) if False in is_text[begin:] else len(lines)
    message = " ".join(lines[begin:end]).rstrip(".")
    for theirs, ours in _REPHRASED.items():
        message = re.sub(theirs, ours, message)
    return message


def _help_text(command: type[Command]) -> str:
    return re.sub("^ +", "", command.__doc__ or "", flags=re.MULTILINE).strip()


def _print_overview(group: str) -> None:
    """The commands that begin with a word, or all of them."""
    console = _console(piped_width=80)
    if not group:
        console.print(f"{_SLOGAN}\n", style="bold")
    console.print(f"usage: terrarium {group or 'COMMAND'} ...\n")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="cyan", no_wrap=True)
    for name, command in COMMANDS.items():
        if name.startswith(group):
            table.add_row(name, _help_text(command).splitlines()[0])
    console.print(table)
    examples = [_help_text(c).splitlines()[-1] for n, c in COMMANDS.items() if n.startswith(group)]
    console.print(f"\n{examples[0]}\nMore about one of them:  terrarium COMMAND --help")


def _console(piped_width: int = 200) -> Console:
    """Where tables go. A pipe has no width: rows of a list stay on one line there."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else piped_width
    return Console(width=width, markup=False, highlight=False)


def _print_json(value: object) -> None:
    print(json_format.dumps(value, indent=2))


def _print_rows(rows: list[dict[str, Any]], json: bool) -> None:
    if json:
        _print_json(rows)
        return
    table = _table()
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, int) else "left")
    for row in rows:
        cells = (_army_text(v) if isinstance(v, Mapping) else str(v) for v in row.values())
        table.add_row(*cells)
    table.columns[0].style, table.columns[0].no_wrap = "cyan", True
    _console().print(table)


def _table(title: str | None = None, gap: int = 2) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap - 1, 0, 0),
    )


def _units_table(title: str, units: list[Unit], name_width: int) -> Table:
    table = _table(title, gap=1)
    table.add_column("name", width=name_width, style="cyan", overflow="fold")
    table.add_column("life", width=9, justify="right")
    for name in ("armor", "speed", "sight"):
        table.add_column(name, width=5, justify="right")
    table.add_column("cost", width=9, justify="right")
    table.add_column("build", width=6, justify="right")
    table.add_column("weapons", overflow="fold")
    for u in units:
        build = u.api.build_time_loops
        table.add_row(
            u.name,
            f"{u.hp:g}+{u.shields:g}" if u.shields else f"{u.hp:g}",
            f"{u.armor:g}",
            f"{u.speed:.2f}" if u.speed else "",
            f"{u.sight:g}",
            f"{u.minerals_total:g}/{u.vespene_total:g}/{u.supply_used:g}",
            f"{build / TICKS_PER_S:.0f} s" if build else "",
            "\n".join(_weapon_text(weapon) for weapon in u.weapons),
        )
    return table


def _weapon_text(weapon: Weapon) -> str:
    damage = "?" if weapon.damage is None else f"{weapon.damage:g}"
    bonus = f"+{max(weapon.bonus.values()):g}" if weapon.bonus else ""
    reload_ticks = round(weapon.cooldown_loops, 1)
    return f"{damage}{bonus} {TIMES}{weapon.attacks} r{weapon.range:g} /{reload_ticks:g}"


def _scenario_row(scenario: Scenario) -> dict[str, Any]:
    armies = {"ally": Counter[str](), "enemy": Counter[str]()}
    for group in scenario.groups:
        armies[group.side].update(group.units)
    if generator := scenario.generator:
        armies["ally"]["drawn"], armies["enemy"]["drawn"] = generator.n_allies, generator.n_enemies
    return {
        "name": scenario.name,
        "terrain": scenario.terrain.name,
        "allies": armies["ally"],
        "enemies": armies["enemy"],
        "limit": scenario.limit_steps,
        "rules": scenario.rules,
    }


def _army_text(army: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in army.items())


def _throughput_table(rows: Sequence[Throughput]) -> Table:
    table = _table()
    table.add_column("scenario", style="cyan", no_wrap=True)
    for name in ("units", "batch", "threads", "ticks/s", "steps/s", "spread"):
        table.add_column(name, justify="right")
    for row in rows:
        counts = (
            row.n_units,
            row.batch,
            row.threads,
            round(row.ticks_per_s),
            round(row.steps_per_s),
        )
        table.add_row(row.scenario, *(f"{count:,}" for count in counts), f"{row.spread:.0%}")
    return table


def _course_table(moments: Sequence["Moment"], cells: str) -> Table:
    """The moments in which something changed."""
    table = _table()
    table.add_column("time", justify="right")
    table.add_column("allies", style="green", no_wrap=True)
    table.add_column("enemies", style="red", no_wrap=True)
    table.add_column("allies lose", style="green")
    table.add_column("enemies lose", style="red")
    shown = None
    for moment in moments:
        bars = [_bar(*side, cells) for side in zip(moment.life, moment.n_alive, strict=True)]
        if bars != shown or moment is moments[-1]:
            table.add_row(
                f"{moment.tick / TICKS_PER_S:.1f} s", *bars, *map(_army_text, moment.lost)
            )
        shown = bars
    return table


def _bar(share: float, n_alive: int, cells: str) -> str:
    n_full = min(BAR_CELLS, math.ceil(share * BAR_CELLS))
    return cells[0] * n_full + cells[1] * (BAR_CELLS - n_full) + f" {n_alive:>2}"
