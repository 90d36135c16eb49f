"""The package without its extras, and without its sources beside it."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_WITHOUT_TORCH = "import sys; sys.modules['torch'] = None; from terrarium.cli import main; main()"


def without_torch(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _WITHOUT_TORCH, *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "words",
    [("train", "mappo", "smac/3m"), ("list", "algos"), ("list", "settings"), ("eval", "a_run")],
    ids=" ".join,
)
def test_without_torch_one_line_names_the_extra(words: tuple[str, ...], tmp_path: Path) -> None:
    if words[-1] == "a_run":
        (tmp_path / "run.toml").write_text("[about]\n")
        words = ("eval", str(tmp_path))
    done = without_torch(*words)
    assert done.stderr == (
        "terrarium: this command needs torch, which is not installed: "
        "pip install 'terrarium-sc2[marl]'\n"
    )
    assert (done.returncode, done.stdout) == (2, "")


EXTRAS = ("torch", "tensorboard", "matplotlib", "mpl_toolkits", "mpe2", "wandb", "mlflow")
"""What only the extras install, by the beginning of its name"""


class Installed:
    """The wheel in a virtual environment of its own, called as a user calls it."""

    def __init__(self, folder: Path, wheel: Path, packages: Path) -> None:
        """`packages`: a folder with what it depends on, in place of what pip would download."""
        self.python, self.home = folder / "env" / "bin" / "python", folder / "home"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
        self.home.mkdir()
        install = [*PIP, "--python", self.python, "install", "--no-deps", wheel]
        subprocess.run(install, check=True)
        (site,) = (folder / "env" / "lib").glob("python*/site-packages")
        (site / "packages.pth").write_text(f"{packages}\n")

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        hidden = ("PYTHONPATH", "PYTHONHOME")  # the sources are nowhere to be found
        return subprocess.run(
            [self.python.with_name("terrarium"), *words],
            env={name: value for name, value in os.environ.items() if name not in hidden},
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )

    def prints(self, *words: str) -> str:
        """What a command prints that succeeds."""
        done = self(*words)
        assert (done.returncode, done.stdout != "") == (0, True), done.stderr
        return done.stdout


PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    # A copy, because building leaves folders beside the sources, also of other versions.
    sources = folder / "sources"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", sources / "src", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources / name)
    subprocess.run([*PIP, "wheel", "--no-deps", "-w", folder, sources], check=True)
    (found,) = folder.glob("terrarium_sc2-*.whl")
    return found


def site_packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


@pytest.fixture(scope="module")
def with_extras(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("with"), wheel, site_packages())


@pytest.fixture(scope="module")
def without_extras(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("without")
    packages = folder / "packages"
    packages.mkdir()
    for entry in site_packages().iterdir():
        if not entry.name.lower().startswith((*EXTRAS, "terrarium", "__editable__")):
            (packages / entry.name).symlink_to(entry)
    return Installed(folder, wheel, packages)


@pytest.mark.slow
def test_the_wheel_lists_plays_evaluates_watches_and_trains(with_extras: Installed) -> None:
    run, home = with_extras, with_extras.home
    where = subprocess.run(
        [run.python, "-c", "import terrarium; print(terrarium.__file__)"],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        cwd=home,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(run.python.parents[1]))
    assert "smac/27m_vs_30m" in run.prints("list", "scenarios", "smac")
    presets = run.prints("list", "presets")
    assert "qmix/smac/3m" in presets
    assert "ippo/gym/CartPole-v1" in presets
    assert "mappo" in run.prints("list", "algos")
    assert "smac/3m" in run.prints("eval", "kiting", "smac/3m", "--episodes", "64")
    run.prints("watch", "smac/3m", "--out", "battle.html")
    run.prints("watch", "mpe/simple_tag", "--out", "episode.html")
    few = ("env.n_envs=8", "net.hidden_dim=16", "run.max_steps=256", "eval.episodes=64")
    run.prints(
        "train", "mappo", "smac/3m", *few, "encoder.n_heads=2", "run.folder=run", "log.to=csv"
    )
    run.prints("train", "ppo", "gym:CartPole-v1", *few, "run.folder=cart")
    assert "smac/3m" in run.prints("eval", "run", "--episodes", "64")
    assert "gym:CartPole-v1" in run.prints("eval", "cart", "--episodes", "8")
    run.prints("watch", "run", "--out", "run.html")
    for name in ("battle.html", "episode.html", "run.html"):
        assert (home / name).stat().st_size > 10_000
    assert (home / "run" / "metrics.csv").read_text().startswith("step,seconds,scenario,")


@pytest.mark.slow
def test_the_wheel_alone_lists_plays_and_watches(without_extras: Installed) -> None:
    run, home = without_extras, without_extras.home
    assert "smac/27m_vs_30m" in run.prints("list", "scenarios", "smac")
    assert "smac/3m" in run.prints("eval", "kiting", "smac/3m", "--episodes", "64")
    assert "gym:CartPole-v1" in run.prints("eval", "random", "gym:CartPole-v1", "--episodes", "8")
    run.prints("watch", "smac/3m", "--out", "battle.html")
    assert (home / "battle.html").stat().st_size > 10_000


MISSING = [
    (("list", "algos"), "torch", "marl"),
    (("list", "settings"), "torch", "marl"),
    (("train", "mappo", "smac/3m"), "torch", "marl"),
    (("eval", "a_run"), "torch", "marl"),
    (("watch", "a_run", "--seed", "1"), "torch", "marl"),
    (("crossplay", "a_run", "random"), "torch", "marl"),
    (("demo",), "torch", "marl"),
    (("compare", "a_run"), "matplotlib", "marl"),
    (("eval", "random", "mpe/simple_tag"), "mpe2", "mpe"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("words", "package", "extra"), MISSING, ids=str)
def test_without_an_extra_one_line_names_it(
    without_extras: Installed, words: tuple[str, ...], package: str, extra: str
) -> None:
    run = without_extras.home / "a_run"
    run.mkdir(exist_ok=True)
    (run / "run.toml").write_text('[about]\nalgo = "mappo"\nscenario = "smac/3m"\n')
    done = without_extras(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert package in done.stderr
    assert f"terrarium-sc2[{extra}]" in done.stderr
