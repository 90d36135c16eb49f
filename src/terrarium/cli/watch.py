"""`terrarium watch`: an episode as a page for the browser, or as pictures."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from terrarium.cli.outputs import check_output, progress_bar, report_file
from terrarium.cli.players import is_run_word, learned_player, scripted_player
from terrarium.errors import TerrariumError, nearest
from terrarium.replay import EPISODE_SUFFIX, SUFFIX

if TYPE_CHECKING:
    from terrarium.replay.replays import Replay

# The engine has its own MAX_SEED; asking it would load numba.
MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class Watch:
    """Write an episode as one HTML page that plays it, or as pictures.

    It is a record, the latest one of a run, or a task that is played now.

    Example:  terrarium watch smac/MMM2 --seed 7 --out battle.html --gif battle.gif
    """

    battle: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="[FILE|RUN|SCENARIO|TASK]")
    ] = "smac/2s3z"
    """a record, the folder of a run, a scenario, a scenario file of your own, or another task:
    mpe/simple_tag, pettingzoo:package.module:factory, gym:CartPole-v1, game/simple_64"""
    players: tuple[str, ...] = ()
    """of a whole game, two computer opponents such as hard-zerg easy-terran; see: terrarium list
    opponents"""
    policy: str | None = None
    """who plays a scenario: random, heuristic, kiting (the default), attack_move, tactics or a
    run; who plays another task: random (the default) or a run; in a whole game LEVEL-RACE"""
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
        if self.players and (len(self.players) != 2 or self.policy is not None):
            raise TerrariumError(
                f"{len(self.players)} players; name two, and leave out --policy. "
                "See: terrarium list opponents"
            )
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
        is_record = path.suffix in (SUFFIX, EPISODE_SUFFIX) or (
            path.suffix != ".toml" and path.is_file()
        )
        if is_record:
            replay, stem = self._load(path), path.stem
        else:
            replay, stem = self._play()
        with progress_bar("replaying") as tell:
            replay.prepare(tell)
        self._write(replay, stem)

    def _load(self, path: Path) -> "Replay":
        if self.policy is not None:
            raise TerrariumError(f"{path}: a record shows who played it; leave out --policy")
        if self.seed is not None:
            raise TerrariumError(f"{path}: a record has its own seed; leave out --seed")
        if not path.exists():
            raise TerrariumError(f"{path}: there is no such file.{_neighbor(path)}")
        from terrarium.replay.replays import load_replay

        return load_replay(path)

    def _play(self) -> tuple["Replay", str]:
        """An episode of a task, or of a run on its own one, and the name of its files."""
        from terrarium.envs.tasks.registry import find_task

        seed = self.seed or 0
        if is_run_word(self.battle):
            if self.policy is not None:
                raise TerrariumError(f"{self.battle}: a run plays itself; leave out --policy")
            who = Path(self.battle).name
            player, task = learned_player(self.battle)
        else:
            task = find_task(self.battle, {"opponent": self.players[1]} if self.players else None)
            who = (self.players or (self.policy,))[0] or type(task).default_player
            if is_run_word(who):
                player, task = learned_player(who, task)
            else:
                player = scripted_player(who, type(task), seed)
        replay = task.record(player, seed, f"{Path(who).name}, seed {seed}: {task.title}")
        return replay, f"{_file_name(task.name)}_seed{seed}"

    def _write(self, replay: "Replay", stem: str) -> None:
        if self.save_record:
            report_file(self.save_record, replay.save(self.save_record))
        if self.png:
            report_file(self.png, replay.save_png(self.png, self.at))
        if self.gif:
            with progress_bar("drawing") as tell:
                size = replay.save_gif(self.gif, tell)
            report_file(self.gif, size)
        if self.out or not (self.png or self.gif):
            out = self.out or f"{stem}.html"
            report_file(out, replay.save_page(out))


def _file_name(task: str) -> str:
    """Of a task's name what a file may be called; of a scenario file its own name."""
    return re.sub(r"[^\w.-]+", "_", Path(task).stem if task.endswith(".toml") else task)


def _latest_record(run: Path) -> Path:
    """What a run has recorded last."""
    records = [*run.glob(f"replays/*{SUFFIX}"), *run.glob(f"replays/*{EPISODE_SUFFIX}")]
    if not records:
        raise TerrariumError(
            f"{run}: nothing has been recorded here. With eval.replays=true each test records an "
            "episode; --seed plays one now"
        )
    return max(records, key=lambda path: path.stem)


def _neighbor(path: Path) -> str:
    """A record in the same folder that was probably meant."""
    try:
        return nearest(path.name, [file.name for file in path.parent.glob(f"*{path.suffix}")])
    except OSError:
        return ""
