"""The page about MADDPG: what its code prints, what its script measures, its environment."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
from terrarium.envs.pettingzoo.spec import find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.errors import TerrariumError
from tests.test_docs import ROOT, blocks

PAGE = ROOT / "docs" / "maddpg.md"
PICTURE = ROOT / "docs" / "images" / "discrete_gradients.png"
MY_ENVIRONMENT = next(code for code in blocks(PAGE, "python") if "ParallelEnv" in code)
PRINTING = [code for code in blocks(PAGE, "python") if "print(" in code]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "examples" / "discrete_gradients.py"))


@pytest.fixture
def run(
    script: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> Callable[[list[str]], list[str]]:
    """Runs the script with some words, and gives the lines that it prints."""

    def lines(words: list[str]) -> list[str]:
        script["main"](words)
        return capsys.readouterr().out.splitlines()

    return lines


def on_the_page(first: str, n: int) -> list[str]:
    """The `n` lines of the page that begin with `first`."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    at = lines.index(first)
    return lines[at : at + n]


def numbers_in(line: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", line)]


def without_numbers(line: str) -> str:
    return re.sub(r"\d+(?:\.\d+)?", "#", line)


@pytest.mark.parametrize("number", range(len(PRINTING)))
def test_the_code_prints_what_the_page_says(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    code = PRINTING[number]
    exec(compile(code, str(PAGE), "exec"), {})
    said = re.findall(r"print\(.*\)  # (.*)$", code, re.MULTILINE)
    if not said:  # it prints in a loop: the lines are in the block that follows
        after = PAGE.read_text(encoding="utf-8").split(code)[1]
        said = after.split("```text\n")[1].split("\n```")[0].splitlines()
    assert capsys.readouterr().out.splitlines() == said


def test_the_table_is_what_the_script_prints(run: Callable[[list[str]], list[str]]) -> None:
    printed = run([])
    shown = on_the_page(printed[0], len(printed))
    assert list(map(without_numbers, shown)) == list(map(without_numbers, printed))
    for old, new in zip(shown, printed, strict=True):
        # Sums of other machines are rounded in other ways: the third digit may be another.
        assert numbers_in(old) == pytest.approx(numbers_in(new), abs=0.0015)


@pytest.mark.slow
def test_the_survey_is_what_the_script_prints(run: Callable[[list[str]], list[str]]) -> None:
    printed = run(["--survey", "40", "--samples", "20000"])
    shown = on_the_page(printed[0], len(printed))
    for old, new in zip(shown, printed, strict=True):
        assert without_numbers(old) == without_numbers(new)
        # A fifth of the page's samples, to save time: comparisons of nearly equal numbers may come
        # out otherwise, one of 40 at most where this was written, and another on other machines.
        assert numbers_in(old) == pytest.approx(numbers_in(new), abs=2)


def test_the_script_draws_what_it_prints(
    run: Callable[[list[str]], list[str]], tmp_path: Path
) -> None:
    words = ["--samples", "500", "--seed", "3"]
    printed = run([*words, "--out", str(tmp_path / "small.png")])
    assert printed == run(words)  # the same seed, the same numbers
    assert printed != run(["--samples", "500"])
    with Image.open(tmp_path / "small.png") as drawn, Image.open(PICTURE) as kept:
        assert drawn.size == kept.size
        assert len(drawn.getcolors() or []) > 5
    assert PICTURE.stat().st_size < 60_000


def test_the_script_knows_the_right_gradient(script: dict[str, Any]) -> None:
    for seed in range(5):
        problem = script["random_problem"](seed)
        chances = problem.logits.softmax(-1)
        values = (2.0 * problem.weights).tanh() + problem.weights**2
        by_hand = chances * (values - chances @ values)
        assert problem.gradient().tolist() == pytest.approx(by_hand.tolist(), abs=1e-12)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--samples", "1"], "--samples is 1; a deviation needs at least 2"),
        (["--survey", "0"], "--survey takes a number from 1 on"),
        (["--survey", "2", "--out", "x.png"], "leave --out away"),
    ],
)
def test_the_script_refuses_what_makes_no_sense(
    script: dict[str, Any],
    words: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="2"):
        script["main"](words)
    assert complaint in capsys.readouterr().err


@pytest.fixture
def my_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment of the page, saved under another name: a module is imported once only."""
    (tmp_path / "my_environment_of_the_page.py").write_text(MY_ENVIRONMENT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return "pettingzoo:my_environment_of_the_page:parallel_env"


def test_the_environment_of_the_page_can_be_played(my_environment: str) -> None:
    spec = find_spec(my_environment, {"size": 5})
    assert spec.limit_steps == 15
    assert [[(part.kind, part.n) for part in parts] for parts in spec.info.parts] == [
        [("choice", 5)],
        [("real", 1)],
    ]
    env, player = PettingZooVecEnv(spec, n_envs=3, seed=1), RandomPettingZooPlayer(seed=1)
    env.reset()
    for _ in range(15):
        assert not env.truncated.any()
        env.step(player.act(env))
    assert env.truncated.all()
    assert np.abs(env.final.obs).max() <= 1.0
    env.close()


def test_a_misspelt_option_is_answered_with_the_right_name(
    my_environment: str,
) -> None:
    with pytest.raises(TerrariumError, match=r'no option "sise"\. Did you mean "size"\?'):
        _ = find_spec(my_environment, {"sise": 5}).info
