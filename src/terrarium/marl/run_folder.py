"""A run on the disk: its settings, checkpoints, metrics and replays."""

import datetime
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terrarium import __version__
from terrarium.config import Layer, layer_from_file, read_toml
from terrarium.engine.tables.rules import RULES_VERSION
from terrarium.errors import TerrariumError, nearest
from terrarium.log import MetricsLog
from terrarium.loggers import LogConfig
from terrarium.marl.algos.algo import Algo
from terrarium.marl.checkpoint import CheckpointError, load_checkpoint
from terrarium.marl.playing.policy import load_policy
from terrarium.marl.settings import Settings, algo_of, from_layers

SETTINGS_FILE = "run.toml"
FORMAT = 3
"""Of run folders; 3: the settings of an encoder, a core and the like are sections of their own"""
_RESUMABLE = {
    "progress": dict,
    "algo": dict,
    "experience": dict,
    "collector": dict,
    "metrics_bytes": int,
}


@dataclass(frozen=True)
class RunFolder:
    """Where everything of a run is. `metrics_bytes` of its metrics belong to the checkpoint."""

    path: Path
    settings_text: str
    metrics_bytes: int = 0

    @property
    def last(self) -> Path:
        return self.path / "checkpoints" / "last.pt"

    @property
    def best(self) -> Path:
        return self.path / "checkpoints" / "best.pt"

    def kept(self, step: int) -> Path:
        """A checkpoint that is kept for good."""
        return self.path / "checkpoints" / f"step_{step:012d}.pt"

    @property
    def experience(self) -> Path:
        """Where a replay buffer is kept."""
        return self.path / "experience"

    def replay_path(self, step: int, suffix: str) -> Path:
        return self.path / "replays" / f"step_{step:012d}{suffix}"

    def open_log(self, step: int, cfg: LogConfig) -> MetricsLog:
        settings = tomllib.loads(self.settings_text)
        return MetricsLog(self.path, cfg, settings, self.metrics_bytes, step)


def create_run(settings: Settings) -> RunFolder:
    """A new folder with the settings in it."""
    path = Path(settings.run.folder) if settings.run.folder else _free_folder(settings)
    if (path / SETTINGS_FILE).exists():
        raise TerrariumError(
            f"{path}: there is a run already. Go on with it: terrarium train --resume {path}"
        )
    text = settings.to_toml(
        {
            "format": FORMAT,
            "version": __version__,
            "rules_version": RULES_VERSION,
            "revision": _revision(),
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        }
    )
    try:
        for name in ("checkpoints", "replays", "events"):
            (path / name).mkdir(parents=True, exist_ok=True)
        (path / SETTINGS_FILE).write_text(text, encoding="utf-8")
    except OSError as error:
        raise TerrariumError(f"{path}: the run cannot be kept there: {error.strerror}") from None
    return RunFolder(path, text)


def open_run(path: Path) -> tuple[RunFolder, Settings, dict[str, Any] | None]:
    """A run that was begun: its settings and its last checkpoint, if it came to one."""
    settings = settings_of(path)
    text = (path / SETTINGS_FILE).read_text(encoding="utf-8")
    folder = RunFolder(path, text)
    if not folder.last.exists():
        return folder, settings, None
    content = load_checkpoint(folder.last)
    for name, kind in _RESUMABLE.items():
        if not isinstance(content.get(name), kind):
            raise CheckpointError(f"{folder.last}: cannot be resumed: it has no {name}")
    return RunFolder(path, text, content["metrics_bytes"]), settings, content


def is_run(path: Path) -> bool:
    return (path / SETTINGS_FILE).is_file()


def settings_of(path: Path) -> Settings:
    """The settings in a run's folder."""
    if not is_run(path):
        raise TerrariumError(f"{path}: there is no run here: no {SETTINGS_FILE}.{_neighbor(path)}")
    layer = layer_from_file(path / SETTINGS_FILE, read_toml(path / SETTINGS_FILE))
    found = layer.values.get("about", {}).get("format", 1)
    if found != FORMAT:
        raise TerrariumError(
            f"{layer.source}: is a run of format {found}, and this version reads format {FORMAT} "
            "only: settings have other names since; train the run again"
        )
    return settings_from(layer)


def settings_from(layer: Layer) -> Settings:
    """Settings as `run.toml` holds them."""
    tables = dict(layer.values)
    about = tables.pop("about", {})
    algo, scenario = about.get("algo"), about.get("scenario")
    if not isinstance(algo, str) or not isinstance(scenario, str):
        raise TerrariumError(f"{layer.source}: [about] must name the algorithm and the scenario")
    return from_layers(algo_of(algo, scenario), scenario, [Layer(layer.source, tables)])


def checkpoint_path(path: Path) -> Path:
    """The checkpoint that a run or a file means: of a run the best one, else the last."""
    if not path.is_dir():
        return path
    if not is_run(path):
        settings_of(path)  # says what is missing
    folder = RunFolder(path, "")
    found = [file for file in (folder.best, folder.last) if file.exists()]
    if not found:
        raise CheckpointError(f"{path}: this run has no checkpoint yet; let it train for longer")
    return found[0]


def load_weights_of(path: Path) -> dict[str, Any]:
    """What a run has learned."""
    file = checkpoint_path(path)
    algo = load_checkpoint(file).get("algo")
    if not isinstance(algo, dict):
        raise CheckpointError(f"{file}: holds no weights")
    return algo


def load_algo(path: Path) -> tuple[Algo, Settings]:
    """An algorithm as a checkpoint left it, with the settings of its run."""
    algo, layer = load_policy(checkpoint_path(path))
    return algo, settings_from(layer)


def _free_folder(settings: Settings) -> Path:
    name = f"seed{settings.run.seed}"
    home = (
        Path("runs")
        / settings.algo_name.replace(":", ".")
        / Path(settings.scenario).with_suffix("").name
    )
    path, n = home / name, 1
    while path.exists():
        n += 1
        path = home / f"{name}-{n}"
    return path


def _neighbor(path: Path) -> str:
    """A run in the same folder that was probably meant."""
    try:
        return nearest(path.name, [run.name for run in path.parent.iterdir() if is_run(run)])
    except OSError:
        return ""


def _revision() -> str:
    """The commit of the program, where it runs from a clone."""
    try:
        here = Path(__file__).parent
        said = subprocess.run(
            ["git", "-C", here, "rev-parse", "--short=12", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5.0,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""
