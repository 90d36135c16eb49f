"""The package without its extras, and without its sources beside it."""

import os
import subprocess
import sys
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


@pytest.mark.slow
def test_the_wheel_works_without_the_sources_beside_it(tmp_path: Path) -> None:
    wheels, site = tmp_path / "wheels", tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(wheels), str(ROOT)], check=True)
    (wheel,) = wheels.glob("terrarium_sc2-*.whl")
    install = [*pip, "install", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True)

    def run(code: str, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            env={**os.environ, "PYTHONPATH": str(site)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    program = "from terrarium.cli import main; main()"
    assert run("import terrarium; print(terrarium.__file__)").startswith(str(site))
    assert "smac/27m_vs_30m" in run(program, "list", "scenarios", "smac")
    assert "qmix/smac/3m" in run(program, "list", "presets")
    assert "mappo" in run(program, "list", "algos")
    assert "smac/3m" in run(program, "eval", "random", "smac/3m", "--episodes", "64")
    run(program, "watch", "smac/3m", "--out", "battle.html")
    assert (tmp_path / "battle.html").stat().st_size > 10_000
    few = ("env.n_envs=8", "net.hidden_dim=16", "encoder.n_heads=2", "run.max_steps=256")
    run(program, "train", "mappo", "smac/3m", *few, "eval.episodes=64", "run.folder=run")
    assert "smac/3m" in run(program, "eval", "run", "--episodes", "64")
