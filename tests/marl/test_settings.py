"""The settings of a run: presets, other names, mistakes, and the diagram that shows them."""

from pathlib import Path

import pytest

from terrarium.config import describe, layer_from_words, load_preset, preset_names
from terrarium.errors import TerrariumError
from terrarium.marl.algos import ALGOS
from terrarium.marl.diagram import diagram, settings_of_parts
from terrarium.marl.settings import Settings, from_layers, resolve, sections

DOCS = Path(__file__).parents[2] / "docs"


def made(*words: str, algo: str = "mappo", scenario: str = "smac/3m") -> Settings:
    return resolve(algo, scenario, layer_from_words(words))


def test_another_name_means_the_same() -> None:
    assert made(algo="mppo") == made(algo="mappo")
    assert made(scenario="3m").scenario == "smac/3m"


def test_what_the_command_line_says_wins() -> None:
    assert made("algo.lr=3e-4", "net.core=gru", "task.reward_sparse=true").algo.lr.at(1.0) == 3e-4
    chosen = made("task.reward_sparse=true")
    assert chosen.options("smac/3m").reward_sparse
    assert dict(chosen.task) == {"reward_sparse": True}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["algo.lrr=1"], 'unknown setting "algo.lrr". Did you mean "lr"?'),
        (
            ["algo.lr=1 -> 0.1 at 10"],
            'command line: algo.lr: "1 -> 0.1 at 10" is no schedule: "at 10"',
        ),
        (["algo.lr=0"], "algo.lr is 0; allowed: 0 to 1, and not always 0"),
        (["algo.lr=1e-3 -> 2"], "algo.lr is 1e-3 -> 2; allowed: 0 to 1"),
        (["algo.entropy=0.01 -> -1"], "algo.entropy is 0.01 -> -1; allowed: 0 or more"),
        (["alg.lr=1"], 'unknown section "alg". Did you mean "algo"?'),
        (["run.max_steps=many"], 'run.max_steps is "many"; it must be a whole number'),
        (["run.target_win_rate=95"], "run.target_win_rate is 95.0; allowed: 0 to 1: 0.95 is 95 %"),
        (["run.seed=-1"], "run.seed is -1; allowed: 0 to"),
        (["eval.episodes=10"], "eval.episodes is 10; allowed: 64 to"),
        (["env.n_envs=0"], "env.n_envs is 0; allowed: 1 to"),
        (["env.n_envs=2"], "algo.minibatches is 8 and env.n_envs 2"),
        (["net.core=rnn"], 'net.core is "rnn"'),
        (["task.reward_wni=1"], 'unknown setting "task.reward_wni"'),
        (["task.heuristic_ai=true"], "there is nothing to learn"),
        (["task.contract=fxied"], 'contract is "fxied". Did you mean "fixed"?'),
        (['curriculum.stages=[{scenario="smac/33m", target=0.5}]'], "unknown scenario"),
        (['curriculum.stages=[{scenario="smac/3m", target=5.0}]'], "target of a stage is 5.0"),
        (["run.threads=-1"], "run.threads is -1"),
        (["run.max_minutes=-1"], "run.max_minutes is -1"),
    ],
    ids=str,
)
def test_mistakes_are_named(words: list[str], message: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        made(*words)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_algorithms_and_presets_are_named() -> None:
    with pytest.raises(TerrariumError, match=r'unknown algorithm "mapo"\. Did you mean "mappo"\?'):
        made(algo="mapo")
    with pytest.raises(TerrariumError, match='unknown preset "mappo/3m"'):
        resolve("mappo", "smac/3m", preset="mappo/3m")


def test_every_setting_has_a_meaning_and_a_default_or_none() -> None:
    for algo in ALGOS:
        for section, kind in sections(algo).items():
            for setting in describe(section, kind):
                assert setting.meaning, setting.name


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_can_be_trained_with(name: str) -> None:
    algo, scenario = name.split("/", 1)
    layers = load_preset(name)
    if scenario.startswith(("curriculum/", "pymarl/")):  # for several scenarios
        scenario = "smac/3m"
    assert from_layers(algo, scenario, layers).algo_name in ALGOS
    known = {
        setting.name: setting.default
        for section, kind in sections(algo).items()
        for setting in describe(section, kind)
    }
    for layer in layers:  # a preset holds only differences, also from the one that it is based on
        for section, table in layer.values.items():
            for key, value in table.items():
                assert known[f"{section}.{key}"] != str(value), f"{section}.{key} says nothing new"
                known[f"{section}.{key}"] = str(value)


@pytest.mark.parametrize(("algo", "page"), [("mappo", "train.md"), ("qmix", "value.md")])
def test_the_diagram_shows_every_setting_once_and_the_page_shows_the_diagram(
    algo: str, page: str
) -> None:
    placed = [line.split(" = ")[0] for lines in settings_of_parts(algo).values() for line in lines]
    known = [
        setting.name
        for section, kind in sections(algo).items()
        for setting in describe(section, kind)
        if section != "task"
    ]
    assert sorted(placed) == sorted(known)
    text = (DOCS / page).read_text(encoding="utf-8")
    assert f"```mermaid\n{diagram(algo)}\n```" in text
