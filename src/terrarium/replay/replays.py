"""Recorded episodes of any kind behind one interface: kept as a file, or shown."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from terrarium.errors import TerrariumError
from terrarium.replay import EPISODE_SUFFIX, SUFFIX
from terrarium.replay.episodes.episode_page import save_episode_page
from terrarium.replay.episodes.episode_picture import save_episode_gif, save_episode_png
from terrarium.replay.episodes.episode_record import (
    EpisodeRecord,
    load_episode_record,
    save_episode_record,
)
from terrarium.replay.errors import ReplayError
from terrarium.replay.frames import Frames
from terrarium.replay.games.game_file import GAME_KINDS, read_game_record, save_game_record
from terrarium.replay.games.game_frames import GameFrames
from terrarium.replay.games.game_page import save_game_page
from terrarium.replay.games.game_picture import save_game_gif, save_game_png
from terrarium.replay.games.game_playback import game_frames_of
from terrarium.replay.games.game_record import GameRecord
from terrarium.replay.page import save_page
from terrarium.replay.pictures.animation import save_gif
from terrarium.replay.pictures.picture import save_png
from terrarium.replay.playback import frames_of
from terrarium.replay.record import Record
from terrarium.replay.record_file import KINDS, read_record, save_record
from terrarium.replay.storage.container import read_container

Tell = Callable[[float], None]
"""Is told which share of the work is done"""


class Replay(Protocol):
    """A recorded episode. What writes a file gives back its size in bytes."""

    suffix: str
    """of files that hold its record"""

    def save(self, path: str | Path) -> int:
        """The record itself"""

    def prepare(self, tell: Tell | None = None) -> None:
        """Do the work that everything that is shown needs"""

    def save_page(self, path: str | Path) -> int: ...

    def save_png(self, path: str | Path, at_s: float | None = None) -> int: ...

    def save_gif(self, path: str | Path, tell: Tell | None = None) -> int: ...


class BattleReplay:
    """A battle: its orders are played again to see it."""

    suffix = SUFFIX

    def __init__(self, record: Record, source: str | None = None) -> None:
        """`source`: the file that the record comes from, for messages."""
        self.record, self._source = record, source
        self._frames: Frames | None = None

    def save(self, path: str | Path) -> int:
        return save_record(self.record, path)

    def prepare(self, tell: Tell | None = None) -> None:
        self._frames = frames_of(self.record, self._source, progress=tell)

    @property
    def frames(self) -> Frames:
        if self._frames is None:
            self._frames = frames_of(self.record, self._source)
        return self._frames

    def save_page(self, path: str | Path) -> int:
        return save_page(self.frames, path)

    def save_png(self, path: str | Path, at_s: float | None = None) -> int:
        return save_png(self.frames, path, at_s)

    def save_gif(self, path: str | Path, tell: Tell | None = None) -> int:
        return save_gif(self.frames, path, tell)


class GameReplay:
    """A whole game: of an exact record the engine plays it again."""

    suffix = SUFFIX

    def __init__(self, record: GameRecord, source: str | None = None) -> None:
        """`source`: the file that the record comes from, for messages."""
        self.record, self._source = record, source
        self._frames: GameFrames | None = None

    def save(self, path: str | Path) -> int:
        return save_game_record(self.record, path)

    def prepare(self, tell: Tell | None = None) -> None:
        self._frames = game_frames_of(self.record, self._source, progress=tell)

    @property
    def frames(self) -> GameFrames:
        if self._frames is None:
            self._frames = game_frames_of(self.record, self._source)
        return self._frames

    def save_page(self, path: str | Path) -> int:
        return save_game_page(self.frames, path)

    def save_png(self, path: str | Path, at_s: float | None = None) -> int:
        return save_game_png(self.frames, path, at_s)

    def save_gif(self, path: str | Path, tell: Tell | None = None) -> int:
        return save_game_gif(self.frames, path, tell)


class EpisodeReplay:
    """An episode of any other task: its record holds what was seen."""

    suffix = EPISODE_SUFFIX

    def __init__(self, record: EpisodeRecord) -> None:
        self.record = record

    def save(self, path: str | Path) -> int:
        return save_episode_record(self.record, path)

    def prepare(self, tell: Tell | None = None) -> None:
        """Nothing has to be done."""

    def save_page(self, path: str | Path) -> int:
        return save_episode_page(self.record, path)

    def save_png(self, path: str | Path, at_s: float | None = None) -> int:
        return save_episode_png(self.record, path, at_s)

    def save_gif(self, path: str | Path, tell: Tell | None = None) -> int:
        return save_episode_gif(self.record, path, tell)


def load_replay(path: Path) -> Replay:
    """The replay that a file holds."""
    if path.suffix == EPISODE_SUFFIX:
        return EpisodeReplay(load_episode_record(path))
    header, body = read_container(path)
    is_game = header.choice("kind", (*KINDS, *GAME_KINDS)) in GAME_KINDS
    try:
        if is_game:
            return GameReplay(read_game_record(header, body), str(path))
        return BattleReplay(read_record(header, body), str(path))
    except TerrariumError as error:
        raise ReplayError(f"{path}: {error}") from error
