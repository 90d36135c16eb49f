"""The pages do what they say: their code runs, their commands exist, their links lead somewhere."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from terrarium import cli
from terrarium.config import layer_from_words
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.battles.terrains import load_terrain
from terrarium.engine.simulator import Simulator
from terrarium.envs.schema import FEATURES, SKILL_FEATURES
from terrarium.marl.settings import resolve

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
MARKED_PAGES = [
    pytest.param(page, marks=pytest.mark.slow) if page.stem in ("compare", "train") else page
    for page in PAGES
]
"""The code of two pages trains and draws for seconds: the quick selection leaves it out."""
SCENARIO_PAGE = ROOT / "docs" / "scenarios.md"


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def beside_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the reader has saved the example of the scenario page."""
    (tmp_path / "hold_the_throat.toml").write_text(blocks(SCENARIO_PAGE, "toml")[0])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("number", range(4))
def test_the_scenarios_of_the_page_can_be_played(number: int, tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(blocks(SCENARIO_PAGE, "toml")[number])
    sim = Simulator(load_scenario(file), n_envs=2)
    while sim.players["n_lost"].sum() == 0:
        sim.step()
        assert sim.ticks[0] < 8 * sim.scenario.limit_steps


def test_the_terrain_of_the_page_can_be_fought_on(tmp_path: Path) -> None:
    scenario, *_, terrain = blocks(SCENARIO_PAGE, "toml")
    (tmp_path / "pass.toml").write_text(terrain)
    assert load_terrain(tmp_path / "pass.toml").walkable.sum() == 6 * 14 - 8
    scenario = scenario.replace('"corridor"', '"pass.toml"').replace("[24.0, 25.0]", "[12.0, 4.0]")
    scenario = scenario.replace("[7.0, 9.0]", "[3.0, 4.0]")
    (tmp_path / "own.toml").write_text(scenario)
    sim = Simulator(tmp_path / "own.toml")
    sim.step()
    assert sim.scenario.terrain.width == 16


@pytest.mark.parametrize("page", MARKED_PAGES, ids=lambda page: page.name)
def test_the_python_of_the_pages_runs(page: Path, beside_the_example: Path) -> None:
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), {})


def test_the_mistake_of_the_page_is_answered_as_it_says(
    beside_the_example: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = beside_the_example / "hold_the_throat.toml"
    file.write_text(file.read_text().replace("zergling", "zerglin"))
    monkeypatch.setattr(sys, "argv", ["terrarium", "watch", file.name])
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert capsys.readouterr().err == blocks(SCENARIO_PAGE, "text")[0]


def begins_with(args: list[str], command: str) -> bool:
    return args[: len(command.split())] == command.split()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_the_pages_exist(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    for line in lines:
        program, *args = line.split("#")[0].split()
        if program.endswith("terrarium"):
            command = next(name.split() for name in cli.COMMANDS if begins_with(args, name))
            rest = args[len(command) :]
            monkeypatch.setattr(sys, "argv", ["terrarium", *command, "--help", *rest])
            with pytest.raises(SystemExit, match="0"):
                cli.main()
        elif program == "make":
            assert re.search(rf"^{args[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def trainings() -> list[str]:
    """The settings of all trainings of the pages, but of those with parts of the reader's own."""
    lines = [line for page in PAGES for text in blocks(page, "sh") for line in text.splitlines()]
    begun = [line.partition(" train ")[2] for line in lines if "terrarium train " in line]
    own = ("--", "my_", "weighted_qmix")
    return list(dict.fromkeys(line for line in begun if not any(word in line for word in own)))


@pytest.mark.parametrize("line", trainings())
def test_the_settings_of_the_pages_exist(line: str) -> None:
    algo, task, *words = shlex.split(line, comments=True)
    assert resolve(algo, task, layer_from_words(words)).names()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_the_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_the_entity_table_of_the_page_is_the_schema() -> None:
    page = (ROOT / "docs" / "smac.md").read_text(encoding="utf-8")
    table = page.split("| feature | meaning |\n|---|---|\n")[1].split("\n\n")[0]
    assert table.splitlines() == [f"| `{name}` | {text} |" for name, text in FEATURES.items()]


def test_the_conditions_of_the_page_are_the_schema() -> None:
    page = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
    table = page.split("| condition | meaning |\n|---|---|\n")[1].split("\n\n")[0]
    rows = [f"| `{name}` | {text} |" for name, text in SKILL_FEATURES.items()]
    assert table.splitlines() == rows
