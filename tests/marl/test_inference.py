"""A trained policy acts where there is no engine: with torch and NumPy alone, as on the ladder."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from terrarium.envs.make import make_vec
from terrarium.errors import TerrariumError
from terrarium.marl.checkpoint import CheckpointError, save_checkpoint
from terrarium.marl.playing.player import load_player
from tests.marl.test_trainer import settings, train

ACT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED or name in BLOCKED:
            raise ModuleNotFoundError(f"{name} is not installed here", name=name)

BLOCKED = {
    "numba", "llvmlite", "scipy", "pettingzoo", "rich", "tyro", "PIL", "matplotlib", "tensorboard",
    "terrarium.engine", "terrarium.replay", "terrarium.envs.kernels",
}
sys.meta_path.insert(0, Absent())
sys.modules["gymnasium"] = None  # as if it were not installed

from pathlib import Path
from types import SimpleNamespace
import importlib, pkgutil
import numpy as np
import terrarium.marl.nets
from terrarium.envs.views import Views
from terrarium.marl.playing.player import load_player

for module in pkgutil.iter_modules(terrarium.marl.nets.__path__, "terrarium.marl.nets."):
    importlib.import_module(module.name)
for folder in map(Path, sys.argv[1:]):
    player = load_player(folder / "run" / "checkpoints" / "last.pt")
    seen = np.load(folder / "seen.npz")
    views = Views(**{name: seen[name] for name in Views._fields})
    n_envs, n_agents = views.avail.shape[:2]
    episodes = SimpleNamespace(
        n_envs=n_envs, n_agents=n_agents, now=views, episode_steps=np.zeros(n_envs, np.int64)
    )
    np.save(folder / "acted.npy", player.act(episodes))
"""


@pytest.mark.slow
def test_checkpoints_are_loaded_and_act_without_numba(tmp_path: Path) -> None:
    folders = [tmp_path / algo for algo in ("mappo", "qmix")]
    acted = []
    for folder in folders:
        words = ("run.max_steps=64", "eval.replays=false")
        trainer, _ = train(settings(folder / "run", *words, algo=folder.name))
        here = load_player(trainer.folder.last)
        env = make_vec("smac/8m", n_envs=4, views=here.views)  # not the battle it was trained on
        np.savez(folder / "seen.npz", **env.now._asdict())
        acted.append(here.act(env))
    answer = subprocess.run(
        [sys.executable, "-c", ACT, *folders], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    for folder, here_too in zip(folders, acted, strict=True):
        np.testing.assert_array_equal(np.load(folder / "acted.npy"), here_too)


def test_a_checkpoint_that_names_no_algorithm_we_know_is_refused(tmp_path: Path) -> None:
    spec = {"n_agents": 1, "n_actions": 2, "first_target": 1, "obs_width": 1, "state_size": 1}
    content = {"spec": spec, "algo": {}}
    save_checkpoint(tmp_path / "no.pt", {**content, "settings": '[about]\nalgo = "mapo"\n'})
    with pytest.raises(TerrariumError, match=r'no\.pt: unknown algorithm "mapo"\. Did you mean'):
        load_player(tmp_path / "no.pt")
    save_checkpoint(tmp_path / "no.pt", {**content, "settings": "[about]\n"})
    with pytest.raises(CheckpointError, match="damaged"):
        load_player(tmp_path / "no.pt")
