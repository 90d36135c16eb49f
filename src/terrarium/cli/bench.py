"""`terrarium bench`: measurements on this machine."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table

from terrarium.bench.engine import EngineBenchConfig, Machine, Throughput, bench_engine
from terrarium.bench.env import EnvBenchConfig, EnvBenchResult, EnvBenchRow, Rate, bench_env
from terrarium.bench.pettingzoo_batch import (
    PettingZooBenchConfig,
    PettingZooBenchResult,
    bench_pettingzoo,
)
from terrarium.bench.train import TrainBenchConfig, TrainBenchResult, bench_train
from terrarium.bench.updates import UpdateBenchConfig, UpdateBenchResult, bench_updates
from terrarium.cli.tables import new_table, open_console, print_json


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
            print_json(asdict(result))
            return
        console = open_console()
        console.print(_machine_text(result.machine))
        if result.rows:
            console.print()
            console.print(_throughput_table(result.rows))
        if result.scale:
            console.print()
            console.print(_throughput_table(result.scale))
            console.print(f"Twice the units cost {result.cost_of_doubling:.1f} times the time.")
        console.print("\nMedians of three; spread: (fastest - slowest) / median.")


@dataclass(frozen=True)
class BenchEnv(EnvBenchConfig):
    """Measure how many steps a second the vector environment plays at random.

    `--vs smax` measures JaxMARL's SMAX in the same run; `make bench` installs it.

    Example:  terrarium bench env --vs smax --scenarios 3m 2s3z
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        with Console(stderr=True).status("") as status:
            result = bench_env(self, lambda text: status.update(f"measuring {text}"))
        if self.json:
            print_json(asdict(result))
            return
        console = open_console()
        console.print(_machine_text(result.machine))
        if result.peer:
            versions = ", ".join(
                f"{name} {number}" for name, number in result.peer.versions.items()
            )
            console.print(
                f"SMAX: {versions}, on {result.peer.device}, "
                f"{result.peer.ticks_per_step} ticks a step"
            )
        console.print()
        console.print(_env_table(result))
        console.print(
            f"\n{self.threads} threads; {', '.join(self.views)}. Medians of {self.slices}; spread: "
            "(fastest - slowest) / median; episode: mean length in steps."
        )


@dataclass(frozen=True)
class BenchTrain(TrainBenchConfig):
    """Measure how long an algorithm takes to win most of its battles.

    What a gradient step costs is measured by terrarium bench updates.

    Example:  terrarium bench train --scenario smac/3m --target 0.85 --seeds 0 1 2
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        with Console(stderr=True).status("") as status:
            result = bench_train(self, lambda text: status.update(f"training {text}"))
        if self.json:
            print_json(asdict(result))
            return
        console = open_console()
        console.print(_machine_text(result.machine))
        console.print()
        console.print(_train_table(result))
        median = "-" if result.median_s is None else f"{result.median_s:.1f} s"
        console.print(
            f"\n{result.algo} on {result.scenario} to {result.target:.0%}: median {median}"
        )


@dataclass(frozen=True)
class BenchUpdates(UpdateBenchConfig):
    """Measure gradient steps and environment steps a second of QMIX.

    Beside it a plain learner, written as in PyMARL, has the same episodes.

    Example:  terrarium bench updates --scenario smac/2s3z --batch 32
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        with Console(stderr=True).status("") as status:
            result = bench_updates(self, lambda text: status.update(f"measuring: {text}"))
        if self.json:
            print_json(asdict(result))
            return
        console = open_console()
        console.print(_machine_text(result.machine))
        console.print(f"{result.scenario}: {result.shapes}\n")
        console.print(_updates_table(result))
        console.print(
            f"\n{self.threads} threads. Medians of {self.updates} gradient steps in turns; "
            f"env-steps/s: {self.envs} battles, acting and keeping, without learning."
        )


@dataclass(frozen=True)
class BenchPettingZoo(PettingZooBenchConfig):
    """Measure how many steps a second a batch of particle environments plays.

    Beside it a plain loop steps as many of mpe2's own environments.

    Example:  terrarium bench pettingzoo --scenario mpe/simple_spread --envs 16
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        with Console(stderr=True).status("") as status:
            result = bench_pettingzoo(self, lambda text: status.update(f"measuring: {text}"))
        if self.json:
            print_json(asdict(result))
            return
        console = open_console()
        console.print(_machine_text(result.machine))
        console.print(f"{result.scenario}, {result.envs} environments\n")
        console.print(_pettingzoo_table(result))
        console.print(
            "\nMedians of slices in turns; spread: (fastest - slowest) / median; "
            "steps of single environments."
        )


def _pettingzoo_table(result: PettingZooBenchResult) -> Table:
    table = new_table()
    table.add_column("side", style="cyan", no_wrap=True)
    for name in ("steps/s", "spread", "times as fast"):
        table.add_column(name, justify="right")
    for row in result.rows:
        cells = (f"{round(row.steps_per_s):,}", f"{row.spread:.0%}", f"{row.ratio:.2f}")
        table.add_row(row.name, *cells)
    return table


def _updates_table(result: UpdateBenchResult) -> Table:
    table = new_table()
    table.add_column("learner", style="cyan", no_wrap=True)
    for name in ("ms a gradient step", "updates/s", "times as fast", "env-steps/s"):
        table.add_column(name, justify="right")
    for row in result.learners:
        steps = "-" if row.steps_per_s is None else f"{row.steps_per_s:,.0f}"
        speed = f"{1e3 / row.ms:.1f}"
        table.add_row(row.name, f"{row.ms:.1f}", speed, f"{row.ratio:.2f}", steps)
    return table


def _train_table(result: TrainBenchResult) -> Table:
    table = new_table()
    for name in ("seed", "reached", "seconds", "steps", "win rate"):
        table.add_column(name, justify="right")
    for run in result.runs:
        reached = "yes" if run.reached else "no"
        table.add_row(
            str(run.seed), reached, f"{run.seconds:.1f}", f"{run.steps:,}", f"{run.win_rate:.1%}"
        )
    return table


def _machine_text(m: Machine) -> str:
    load = "" if m.load is None else f", load {m.load:.1f}"
    return (
        f"{m.cpu}, {m.cores} cores{load}, {m.system}\n"
        f"Python {m.python}, numpy {m.numpy}, numba {m.numba}, "
        f"terrarium {m.terrarium}, rules version {m.rules_version}"
    )


def _env_table(result: EnvBenchResult) -> Table:
    """A line for each side of each row; the ratio stands with ours."""
    table = new_table()
    table.add_column("scenario", style="cyan", no_wrap=True)
    table.add_column("side")
    for name in ("batch", "steps/s", "spread", "episode", *(["ratio"] if result.peer else [])):
        table.add_column(name, justify="right")
    for row in result.rows:
        for cells in _env_cells(row):
            table.add_row(*cells)
    return table


def _env_cells(row: EnvBenchRow) -> list[tuple[str, ...]]:
    if row.peer is None:
        return [(row.scenario, "terrarium", *_rate_cells(row.ours))]
    return [
        (row.scenario, "terrarium", *_rate_cells(row.ours), f"{row.ratio:.1f}"),
        ("", "SMAX", *_rate_cells(row.peer), "1.0"),
    ]


def _rate_cells(rate: Rate) -> tuple[str, ...]:
    episode = "-" if rate.episode_steps is None else f"{rate.episode_steps:.1f}"
    return (f"{rate.batch:,}", f"{round(rate.steps_per_s):,}", f"{rate.spread:.0%}", episode)


def _throughput_table(rows: Sequence[Throughput]) -> Table:
    table = new_table()
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
