"""What `examples/extending` says: its commands run in copies of its folders."""

import contextlib
import re
import runpy
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from terrarium import cli
from terrarium.envs.pettingzoo.errors import PettingZooError
from terrarium.envs.tasks.registry import find_task
from terrarium.marl.playing.player import load_player

FOLDER = Path(__file__).parents[1] / "examples" / "extending"
NAMES = ["algorithm", "network", "sharing_rule", "environment", "scenario", "tactic"]
FEW = (
    *("env.n_envs=4", "net.hidden_dim=16", "algo.n_steps=8", "run.threads=1"),
    *("run.max_steps=64", "eval.interval=64", "eval.episodes=64"),
)
FEW_OF = {
    "mappo": ("algo.n_minibatches=2",),
    "values": ("algo.steps_per_update=16", "replay.batch_size=4", "replay.buffer_size=64"),
}


def commands(name: str) -> list[list[str]]:
    """The commands of a README, in their order."""
    text = (FOLDER / name / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.strip().splitlines()]


def shortened(words: list[str]) -> list[str]:
    """The same command, with a training of a moment."""
    if words[1] == "train" and "--resume" in words:
        return [re.sub(r"run.max_steps=\d+", "run.max_steps=96", word) for word in words]
    if words[1] == "train":
        return [*words, *FEW, *FEW_OF.get(words[2], FEW_OF["values"])]
    if words[1] == "eval":
        return [*words, *([] if "--episodes" in words else ["--episodes", "8"])]
    return words


def few_steps(plan: Path) -> None:
    """An ablation of moments, of one seed."""
    words = (word.split("=") for word in (*FEW, *FEW_OF["values"]))
    lines = [f'"{key}" = {value}' for key, value in words]
    text = re.sub(r"\[settings\]\n.*\n", "[settings]\n" + "\n".join(lines) + "\n", plan.read_text())
    plan.write_text(text.replace("seeds = [0, 1]", "seeds = [0]"))


def run_python(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path.cwd())  # as `python` does
    if words[1] == "-c":
        exec(words[2], {})
    else:
        runpy.run_path(words[1], run_name="__main__")


def run_terrarium(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", words)
    cli.main()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_commands_of_the_examples_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / name
    shutil.copytree(FOLDER / name, home)
    monkeypatch.chdir(home)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for plan in home.glob("plan.toml"):
        few_steps(plan)
    for words in commands(name):
        if words[0] == "python":
            run_python(words, monkeypatch)
        else:
            run_terrarium(shortened(words), monkeypatch)
    for file in home.glob("runs/*/checkpoints/last.pt"):  # what has learned also plays from a file
        assert load_player(file).views


def test_environments_in_the_current_folder_are_found_by_an_installed_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -c` has the folder on its path, the program `terrarium` its own instead."""
    for k, name in enumerate(("pettingzoo:{}:parallel_env", "gym:{}:parallel_env")):
        home, module = tmp_path / str(k), f"meeting_{k}"
        home.mkdir()
        shutil.copy(FOLDER / "environment" / "meeting.py", home / f"{module}.py")
        monkeypatch.chdir(home)
        monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
        with contextlib.suppress(PettingZooError) if k else contextlib.nullcontext():
            assert find_task(name.format(module)).agents  # it is none of Gymnasium, once found
        assert module in sys.modules


def test_every_example_has_a_numbered_readme_and_one_file_to_copy() -> None:
    assert sorted(path.name for path in FOLDER.iterdir() if path.is_dir()) == sorted(NAMES)
    for name in NAMES:
        steps = re.findall(r"^(\d)\. ", (FOLDER / name / "README.md").read_text(), re.MULTILINE)
        assert steps == [str(k) for k in range(1, len(steps) + 1)], name
        assert len(steps) >= 3, name
        files = [path for path in (FOLDER / name).iterdir() if path.suffix in (".py", ".toml")]
        assert [path for path in files if path.stem != "plan"], name


MODULE = """
from torch import nn
from terrarium.marl.net_config import PartConfig
from terrarium.marl.algos.algo import Algo
from terrarium.marl.algos.q_learning import Qmix

class NoUpdate(Algo):
    Config = PartConfig
    def act(self, obs, carry, resets, greedy=False): ...
    def observe(self, rollout): ...
    def state_dict(self): ...
    def load_state_dict(self, state): ...

class Unset(NoUpdate):
    def __init__(self, spec, net, cfg, runtime):
        self.spec, self.net = spec, net
    def update(self, progress): ...

class OtherArguments(Qmix):
    def __init__(self, spec): ...

class NoForward(nn.Module):
    Config, reads_units, n_sides, token_dim = PartConfig, False, 1, 0
    def __init__(self, spec, net, cfg):
        super().__init__()

class TooNarrow(NoForward):
    def forward(self, obs, ids=None):
        return obs.vector[..., :3], None
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("my_lab:Nobody smac/3m", "my_lab has no class Nobody"),
        ("my_lb:Qmix2 smac/3m", "the algorithm is my_lb:Qmix2: importing my_lb raised ModuleNot"),
        ("my_lab: smac/3m", 'is "my_lab:"; a class of your own is written package.module:Class'),
        ("my_lab:NoUpdate smac/3m", "my_lab:NoUpdate lacks update: an algorithm has Config, act"),
        ("my_lab:Unset smac/3m", "my_lab:Unset lacks device: an algorithm sets spec, net, device"),
        ("my_lab:OtherArguments smac/3m", "cannot be made from (spec, net, cfg, runtime)"),
        ("qmix smac/3m net.encoder=my_lab:Gn", "net.encoder is my_lab:Gn: my_lab has no class Gn"),
        ("qmix smac/3m net.encoder=my_lab:NoForward", "my_lab:NoForward lacks forward: an enc"),
        ("qmix smac/3m net.encoder=my_lab:TooNarrow", "gives features [1, 3, 3], and [B, A, net."),
        ("qmix smac/3m net.core=my_lab:NoForward", "my_lab:NoForward lacks forward: a core has"),
        ("qmix smac/3m mixer.kind=my_lab:NoForward", "my_lab:NoForward lacks forward: a mixer"),
        ("qmix smac/3m explore.kind=my_lab:NoForward", "lacks choose: an explorer has choose"),
        ("vdn smac/3m share.rule=my_lab:NoForward", "lacks select or weigh: a sharing rule"),
    ],
)
def test_what_does_not_keep_a_contract_is_one_line_that_says_where_it_is(
    words: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "my_lab.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "my_lab", raising=False)
    monkeypatch.setattr(sys, "argv", ["terrarium", "train", *words.split(), "run.max_steps=8"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    said = capsys.readouterr().err
    assert stopped.value.code == 2
    assert message in said
    assert said.count("\n") == 1
    assert "lacks" not in said or "contract is in terrarium.marl." in said
    assert not (tmp_path / "runs").exists()
