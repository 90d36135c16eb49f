"""`terrarium watch`: a battle as a page for the browser, or as pictures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from rich.console import Console
from rich.progress import Progress

from terrarium.cli.demo import MAX_SEED
from terrarium.cli.tables import size_text
from terrarium.data.scenario import Scenario
from terrarium.data.scenarios import load_scenario
from terrarium.errors import TerrariumError, nearest
from terrarium.replay import SUFFIX

if TYPE_CHECKING:
    from terrarium.replay.frames import Frames
    from terrarium.replay.record import Record


@dataclass(frozen=True)
class Watch:
    """Write a battle as one HTML page that plays it, or as pictures.

    It is a record, the latest battle of a run, or a scenario to be played.

    Example:  terrarium watch smac/MMM2 --seed 7 --out battle.html --gif battle.gif
    """

    battle: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[FILE|RUN|SCENARIO]")] = (
        "smac/2s3z"
    )
    """a record, the folder of a run, a scenario, or a scenario file of your own"""
    policy: str | None = None
    """who plays a scenario: random, heuristic, kiting (the default), attack_move, tactics or a
    run"""
    seed: int | None = None
    """which battle of a scenario or of a run's policy, default 0; a record has its own"""
    out: str | None = None
    """where the page goes; without --png and --gif it is named after the battle"""
    png: str | None = None
    """also, or instead of the page: a picture of one moment"""
    at: float | None = None
    """second of the picture, default the middle of the fight"""
    gif: str | None = None
    """also, or instead of the page: an animation"""
    save_record: str | None = None
    """keep the record, a few kilobytes that play the battle again"""

    def __post_init__(self) -> None:
        if self.seed is not None and not 0 <= self.seed <= MAX_SEED:
            raise TerrariumError(f"seed is {self.seed}; allowed are 0 to {MAX_SEED}")
        if self.at is not None and self.png is None:
            raise TerrariumError("--at is the moment of a picture; name one with --png")
        named = [name for name in (self.out, self.png, self.gif, self.save_record) if name]
        for name in named:
            _check_output(Path(name))
        if len({Path(name).absolute() for name in (*named, self.battle)}) <= len(named):
            raise TerrariumError("two of the files have the same name; give each its own")

    def run(self) -> None:
        path = Path(self.battle)
        if path.is_dir() and self.seed is None:
            path = _latest_record(path)
            if self.policy is not None:
                raise TerrariumError("a record shows who played it; leave out --policy")
        is_record = path.suffix == SUFFIX or (path.suffix != ".toml" and path.is_file())
        if is_record and self.seed is not None:
            raise TerrariumError(f"{path}: a record has its own seed; leave out --seed")
        if is_record and not path.exists():
            raise TerrariumError(f"{path}: there is no such file.{_neighbor(path)}")
        is_run = path.is_dir()
        scenario = None if is_record or is_run else load_scenario(self.battle)
        # Only now, when the words are known to be right: this loads numba.
        from terrarium.replay.playback import frames_of
        from terrarium.replay.record_file import load_record

        if is_record:
            record = load_record(path)
        else:
            player = self.battle if is_run else self.policy or "kiting"
            record = _play(scenario, player, self.seed or 0)
        with _progress("replaying") as tell:
            frames = frames_of(record, str(path) if is_record else None, progress=tell)
        name = record.about.scenario.replace("/", "_")
        stem = path.stem if is_record else f"{name}_seed{self.seed or 0}"
        self._write(record, frames, stem)

    def _write(self, record: "Record", frames: "Frames", stem: str) -> None:
        from terrarium.replay.animation import save_gif
        from terrarium.replay.page import save_page
        from terrarium.replay.picture import save_png
        from terrarium.replay.record_file import save_record

        if self.save_record:
            _report(self.save_record, save_record(record, self.save_record))
        if self.png:
            _report(self.png, save_png(frames, self.png, self.at))
        if self.gif:
            with _progress("drawing") as tell:
                size = save_gif(frames, self.gif, tell)
            _report(self.gif, size)
        if self.out or not (self.png or self.gif):
            out = self.out or f"{stem}.html"
            _report(out, save_page(frames, out))


def _play(scenario: Scenario | None, player: str, seed: int) -> "Record":
    """One battle of a player; a run plays its own scenario if none is named."""
    from terrarium.cli.eval import resolve_player
    from terrarium.envs.players import record_battle

    who, own_scenario = resolve_player(player)
    scenario = scenario or own_scenario
    assert scenario is not None
    title = f"{Path(player).name}, seed {seed}: {scenario.title}"
    return record_battle(who, scenario, seed, title)


def _latest_record(run: Path) -> Path:
    """What a run has recorded last."""
    records = sorted(run.glob(f"replays/*{SUFFIX}"))
    if not records:
        raise TerrariumError(
            f"{run}: nothing has been recorded here. A run records a battle at each evaluation; "
            "--seed plays one now"
        )
    return records[-1]


def _check_output(path: Path) -> None:
    """Before a battle is played: it would be a pity to find out afterwards."""
    if path.is_dir():
        raise TerrariumError(f"{path}: this is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise TerrariumError(f"{path}: there is no folder {path.parent}; make it first")


def _neighbor(path: Path) -> str:
    """A record in the same folder that was probably meant."""
    try:
        return nearest(path.name, [file.name for file in path.parent.glob(f"*{SUFFIX}")])
    except OSError:
        return ""


@contextmanager
def _progress(what: str) -> Iterator[Callable[[float], None]]:
    """A bar while it takes time; nothing is left of it afterwards, and nothing goes to a pipe."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _report(path: str, size: int) -> None:
    print(f"{path} ({size_text(size)})")
