"""What `terrarium watch` does for worlds that are no battles."""

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from terrarium.cli.outputs import progress_bar, report_file
from terrarium.errors import TerrariumError, nearest
from terrarium.replay import EPISODE_SUFFIX

if TYPE_CHECKING:
    from terrarium.envs.pettingzoo.players import PettingZooPlayer
    from terrarium.envs.pettingzoo.spec import PettingZooSpec
    from terrarium.replay.episodes.episode_record import EpisodeRecord

RANDOM = "random"
RUN_FILE = "run.toml"


@dataclass(frozen=True)
class WorldFiles:
    """What is to be written."""

    out: str | None
    png: str | None
    at: float | None
    gif: str | None
    save_record: str | None


def is_world_word(word: str) -> bool:
    """Whether a world is meant by its name."""
    from terrarium.envs.pettingzoo.spec import is_pettingzoo

    return is_pettingzoo(word)


def shows_world(path: Path) -> bool:
    """Whether a file or a folder is about a world: its record, or a run that was trained in it."""
    if path.suffix == EPISODE_SUFFIX and not path.is_dir():
        return True
    try:
        settings = tomllib.loads((path / RUN_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # no run, or a broken one; who opens it says what is wrong
    about = settings.get("about")
    return isinstance(about, dict) and is_world_word(str(about.get("scenario", "")))


def watch_record(path: Path, policy: str | None, files: WorldFiles) -> None:
    """Show a record."""
    from terrarium.replay.episodes.episode_record import load_episode_record

    if policy is not None:
        raise TerrariumError(f"{path}: a record shows who played it; leave out --policy")
    _write(load_episode_record(path), path.stem, files)


def watch_world(word: str, policy: str | None, seed: int, files: WorldFiles) -> None:
    """Play an episode of a world, or of the world of a run, and show it."""
    player, world = _who_and_where(word, policy, seed)
    from terrarium.envs.pettingzoo.recording import record_pettingzoo

    who = Path(word if Path(word).is_dir() else policy or RANDOM).name
    record = record_pettingzoo(player, world, seed, f"{who}, seed {seed}: {world.title}")
    name = re.sub(r"[^\w.-]+", "_", world.name)
    _write(record, f"{name}_seed{seed}", files)


def _who_and_where(
    word: str, policy: str | None, seed: int
) -> tuple["PettingZooPlayer", "PettingZooSpec"]:
    from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
    from terrarium.envs.pettingzoo.spec import find_spec

    is_run = Path(word).is_dir()
    if is_run and policy is not None:
        raise TerrariumError(f"{word}: a run plays itself; leave out --policy")
    world = None if is_run else find_spec(word, {})
    if world is not None and policy in (None, RANDOM):
        return RandomPettingZooPlayer(seed), world
    run = Path(word if is_run else policy or "")
    if not (run.is_dir() or run.suffix == ".pt"):
        raise TerrariumError(
            f'unknown player "{policy}" of a world.{nearest(str(policy), [RANDOM])} '
            f"Allowed: {RANDOM}, or the folder of a run"
        )
    # Only now, when the words are known to be right: this loads torch.
    from terrarium.cli.eval_world import resolve_world_player

    player, own = resolve_world_player(str(run))
    if world is not None and replace(own.info, name=world.name) != world.info:
        raise TerrariumError(
            f"{run}: this run was trained in {own.name}, whose agents differ from those of "
            f"{world.name}. Watch it where it was trained: terrarium watch {run} --seed {seed}"
        )
    return player, world or own


def _write(record: "EpisodeRecord", stem: str, files: WorldFiles) -> None:
    from terrarium.replay.episodes.episode_page import save_episode_page
    from terrarium.replay.episodes.episode_picture import save_episode_gif, save_episode_png
    from terrarium.replay.episodes.episode_record import save_episode_record

    if files.save_record:
        report_file(files.save_record, save_episode_record(record, files.save_record))
    if files.png:
        report_file(files.png, save_episode_png(record, files.png, files.at))
    if files.gif:
        with progress_bar("drawing") as tell:
            size = save_episode_gif(record, files.gif, tell)
        report_file(files.gif, size)
    if files.out or not (files.png or files.gif):
        out = files.out or f"{stem}.html"
        report_file(out, save_episode_page(record, out))
