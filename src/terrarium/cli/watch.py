"""`terrarium watch`: a battle or a world as a page for the browser, or as pictures."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from terrarium.cli.demo import MAX_SEED
from terrarium.cli.outputs import check_output, progress_bar, report_file
from terrarium.cli.watch_world import (
    WorldFiles,
    is_world_word,
    shows_world,
    watch_record,
    watch_world,
)
from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.errors import TerrariumError, nearest
from terrarium.replay import EPISODE_SUFFIX, SUFFIX

if TYPE_CHECKING:
    from terrarium.replay.frames import Frames
    from terrarium.replay.record import Record


@dataclass(frozen=True)
class Watch:
    """Write a battle, or a world, as one HTML page that plays it, or as pictures.

    It is a record, the latest one of a run, or a scenario or a world to be played.

    Example:  terrarium watch smac/MMM2 --seed 7 --out battle.html --gif battle.gif
    """

    battle: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="[FILE|RUN|SCENARIO|WORLD]")
    ] = "smac/2s3z"
    """a record, the folder of a run, a scenario, a scenario file of your own, or a world:
    mpe/simple_tag, or pettingzoo:package.module:factory"""
    policy: str | None = None
    """who plays a scenario: random, heuristic, kiting (the default), attack_move, tactics or a
    run; who plays a world: random (the default) or a run"""
    seed: int | None = None
    """which battle of a scenario or of a run's policy, default 0; a record has its own"""
    out: str | None = None
    """where the page goes; without --png and --gif it is named after the battle"""
    png: str | None = None
    """also, or instead of the page: a picture of one moment"""
    at: float | None = None
    """second of the picture, default the middle of the fight or of the episode"""
    gif: str | None = None
    """also, or instead of the page: an animation"""
    save_record: str | None = None
    """keep the record, a few kilobytes that play it again"""

    def __post_init__(self) -> None:
        if self.seed is not None and not 0 <= self.seed <= MAX_SEED:
            raise TerrariumError(f"seed is {self.seed}; allowed are 0 to {MAX_SEED}")
        if self.at is not None and self.png is None:
            raise TerrariumError("--at is the moment of a picture; name one with --png")
        named = [name for name in (self.out, self.png, self.gif, self.save_record) if name]
        for name in named:
            check_output(Path(name))
        if len({Path(name).absolute() for name in (*named, self.battle)}) <= len(named):
            raise TerrariumError("two of the files have the same name; give each its own")

    def run(self) -> None:
        path = Path(self.battle)
        if path.is_dir() and self.seed is None:
            path = _latest_record(path)
            if self.policy is not None:
                raise TerrariumError("a record shows who played it; leave out --policy")
        is_pettingzoo = is_world_word(self.battle)
        is_record = not is_pettingzoo and (
            path.suffix in (SUFFIX, EPISODE_SUFFIX) or (path.suffix != ".toml" and path.is_file())
        )
        if is_record and self.seed is not None:
            raise TerrariumError(f"{path}: a record has its own seed; leave out --seed")
        if is_record and not path.exists():
            raise TerrariumError(f"{path}: there is no such file.{_neighbor(path)}")
        if is_pettingzoo or shows_world(path):
            files = WorldFiles(self.out, self.png, self.at, self.gif, self.save_record)
            if is_record:
                watch_record(path, self.policy, files)
            else:
                watch_world(self.battle, self.policy, self.seed or 0, files)
            return
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
        with progress_bar("replaying") as tell:
            frames = frames_of(record, str(path) if is_record else None, progress=tell)
        name = record.about.scenario.replace("/", "_")
        stem = path.stem if is_record else f"{name}_seed{self.seed or 0}"
        self._write(record, frames, stem)

    def _write(self, record: "Record", frames: "Frames", stem: str) -> None:
        from terrarium.replay.page import save_page
        from terrarium.replay.pictures.animation import save_gif
        from terrarium.replay.pictures.picture import save_png
        from terrarium.replay.record_file import save_record

        if self.save_record:
            report_file(self.save_record, save_record(record, self.save_record))
        if self.png:
            report_file(self.png, save_png(frames, self.png, self.at))
        if self.gif:
            with progress_bar("drawing") as tell:
                size = save_gif(frames, self.gif, tell)
            report_file(self.gif, size)
        if self.out or not (self.png or self.gif):
            out = self.out or f"{stem}.html"
            report_file(out, save_page(frames, out))


def _play(scenario: Scenario | None, player: str, seed: int) -> "Record":
    """One battle of a player; a run plays its own scenario if none is named."""
    from terrarium.cli.eval import resolve_player
    from terrarium.envs.players.players import record_battle

    who, own_scenario = resolve_player(player)
    scenario = scenario or own_scenario
    assert scenario is not None
    title = f"{Path(player).name}, seed {seed}: {scenario.title}"
    return record_battle(who, scenario, seed, title)


def _latest_record(run: Path) -> Path:
    """What a run has recorded last."""
    records = [*run.glob(f"replays/*{SUFFIX}"), *run.glob(f"replays/*{EPISODE_SUFFIX}")]
    if not records:
        raise TerrariumError(
            f"{run}: nothing has been recorded here. A run records a battle at each evaluation; "
            "--seed plays one now"
        )
    return max(records, key=lambda path: path.stem)


def _neighbor(path: Path) -> str:
    """A record in the same folder that was probably meant."""
    try:
        return nearest(path.name, [file.name for file in path.parent.glob(f"*{path.suffix}")])
    except OSError:
        return ""
