"""The settings of a run: presets, other names, mistakes, and the diagram that shows them."""

import re
import tomllib
from pathlib import Path

import pytest

from terrarium.config import Layer, describe, layer_from_words, load_preset, preset_names
from terrarium.envs.tasks.battles import BattleTask
from terrarium.errors import TerrariumError
from terrarium.marl.algos import ALGOS
from terrarium.marl.diagram import diagram, settings_of_parts
from terrarium.marl.run_folder import settings_from
from terrarium.marl.sections import every_config
from terrarium.marl.settings import Settings, from_layers, resolve, sections
from terrarium.marl.trainer import check_start
from tests.covering import few_quick

DOCS = Path(__file__).parents[2] / "docs"


def made(*words: str, algo: str = "mappo", scenario: str = "smac/3m") -> Settings:
    return resolve(algo, scenario, layer_from_words(words))


def test_another_name_means_the_same() -> None:
    assert made(algo="mppo") == made(algo="mappo")
    assert made(scenario="3m").scenario == "smac/3m"


def test_what_the_command_line_says_wins() -> None:
    assert made("algo.lr=3e-4", "net.core=gru", "task.reward_sparse=true").algo.lr.at(1.0) == 3e-4
    chosen = made("task.reward_sparse=true")
    game = chosen.task_of("smac/3m")
    assert isinstance(game, BattleTask)
    assert game.options.reward_sparse
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
        (["algo.entropy_coef=0.01 -> -1"], "algo.entropy_coef is 0.01 -> -1; allowed: 0 or more"),
        (["alg.lr=1"], 'unknown section "alg". Did you mean "algo"?'),
        (["run.max_steps=many"], 'run.max_steps is "many"; it must be a whole number'),
        (["run.target_win_rate=95"], "run.target_win_rate is 95.0; allowed: 0 to 1: 0.95 is 95 %"),
        (["run.seed=-1"], "run.seed is -1; allowed: 0 to"),
        (["eval.episodes=10"], "eval.episodes is 10; allowed: 64 to"),
        (["env.n_envs=0"], "env.n_envs is 0; allowed: 1 to"),
        (["env.n_envs=2"], "algo.n_minibatches is 4 and env.n_envs 2"),
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


@pytest.mark.parametrize(
    ("algo", "words", "message"),
    [
        (
            "iql",
            ["differ.select=all"],
            "iql has no differ.*, which belongs to algorithms that split",
        ),
        ("iql", ["differ.select=all"], "these have it: vdn, qmix, qplex"),
        (
            "mappo",
            ["differ.select=all"],
            "mappo has no differ.*, which belongs to algorithms that split",
        ),
        (
            "mappo",
            ["replay.batch_size=3"],
            "mappo has no replay.*, which belongs to algorithms that learn from a replay",
        ),
        ("iql", ["mixer.embed_dim=8"], "iql has no mixer.*"),
        ("vdn", ["mixer.embed_dim=8"], "vdn has no mixer.*, which belongs to algorithms that mix"),
        ("vdn", ["mixer.embed_dim=8"], "these have it: qmix, qplex"),
        (
            "qtran",
            ["share.rule=quantile"],
            "qtran has no share.*, which belongs to algorithms whose agents have TD",
        ),
        ("qmix", ["repaly.batch=3"], 'unknown section "repaly". Did you mean "replay"?'),
        (
            "qmix",
            ["replay.bach_size=3"],
            'unknown setting "replay.bach_size". Did you mean "batch_size"?',
        ),
        ("qmix", ["algo.replay=3"], 'unknown setting "algo.replay"'),
        ("qmix", ['curriculum.stages=[{scenario="3m", target=0.5}]'], "fits one scenario only"),
        ("qmix", ['curriculum.stages=[{scenario="3m", target=0.5}]'], "mappo, ippo, iql, vdn"),
        ("vdn", ["algo.n_step_return=3"], "algo.n_step_return is 3 and algo.td_lambda 0.6"),
        (
            "vdn",
            ["algo.n_step_return=3", "algo.td_lambda=0", "replay.chunk_length=2"],
            "set replay.chunk_length=3 or more",
        ),
        (
            "vdn",
            ["replay.batch_size=33", "replay.buffer_size=32"],
            "replay.batch_size is 33 and replay.buffer_size",
        ),
        ("vdn", ["replay.buffer_size=0"], "replay.buffer_size is 0; allowed: 1 to"),
        ("vdn", ["replay.per_alpha=2"], "replay.per_alpha is 2.0; allowed: 0.0 to 1.0"),
        ("vdn", ["replay.per_beta=2"], "replay.per_beta is 2; allowed: 0 to 1"),
        ("vdn", ["replay.hindsight_ratio=0.5"], "battles have no goals"),
        ("vdn", ["explore.kind=epsilo"], 'explore.kind is "epsilo". Did you mean "epsilon"?'),
        ("vdn", ["explore.kind=random"], "Allowed: epsilon, boltzmann, noisy, ucb"),
        ("vdn", ["explore.epsilon=2"], "explore.epsilon is 2; allowed: 0 to 1"),
        (
            "vdn",
            ["algo.optimizer=adma"],
            'algo.optimizer is adma; allowed: adam, rmsprop. Did you mean "adam"?',
        ),
        ("vdn", ["algo.tau=0"], "algo.tau is 0.0"),
        ("ippo", ["critic.n_heads=2"], "critic.* sets up a centralized critic, and ippo has none"),
        ("vdn", ["core.window=4"], "core.window is a setting of net.core=transformer, which was"),
        ("qplex", ["mixer.embed_dim=4"], "mixer.embed_dim is a setting of mixer.kind=qmix, which"),
        ("vdn", ["algo.steps_per_update=0"], "algo.steps_per_update is 0.0"),
        ("qmix", ["mixer.hypernet_layers=3"], "mixer.hypernet_layers is 3; allowed: 1 to 2"),
        ("qmix", ["differ.select=al"], 'differ.select is "al". Did you mean "all"?'),
        ("qmix", ["share.rule=quantil"], 'share.rule is "quantil". Did you mean "quantile"?'),
        ("qtran", ["algo.opt_coef=-1"], "algo.opt_coef is -1.0; allowed: 0 or more"),
    ],
    ids=str,
)
def test_mistakes_about_parts_of_algorithms_are_named(
    algo: str, words: list[str], message: str
) -> None:
    with pytest.raises(TerrariumError) as caught:
        made(*words, algo=algo)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


INNER = {
    "replay": (
        "replay.chunk_length=4",
        "replay.per_beta=0.3 -> 1 at 50%",
        "replay.save_to_disk=false",
    ),
    "explore": ("explore.kind=boltzmann", "explore.temperature=2 -> 0.1 at 10% cosine"),
    "mixer": ("mixer.embed_dim=8",),
    "differ": ("differ.select=PER_weight",),
    "share": ("share.rule=quantile", "net.share_params=false"),
}


@pytest.mark.parametrize("algo", ALGOS)
def test_a_run_file_says_everything_again(algo: str) -> None:
    words = [word for section in INNER if section in sections(algo) for word in INNER[section]]
    words = [word.replace("embed_dim", "hypernet_dim") for word in words]  # all mixers have it
    settings = made(*words, "algo.lr=2e-4", "task.reward_sparse=true", algo=algo)
    text = settings.to_toml({"version": "1"})
    again = settings_from(Layer("run.toml", tomllib.loads(text)))
    assert again == settings
    for word in words:  # what was set is really in it
        name, _, value = word.partition("=")
        section, key = name.split(".")
        assert str(getattr(again.section(section), key)).lower() == value.lower()


def test_a_buffer_larger_than_the_memory_is_refused_with_one_that_fits() -> None:
    with pytest.raises(TerrariumError) as caught:
        check_start(made("replay.buffer_size=100000000", algo="qmix"), "cpu")
    found = re.search(r"GB are free\. replay\.buffer_size=(\d+) fits$", str(caught.value))
    assert found is not None
    check_start(made(f"replay.buffer_size={found[1]}", algo="qmix"), "cpu")  # it does


def test_chunks_with_memories_take_more() -> None:
    """What agents remember is kept with each chunk, and counts as well."""
    words = ("replay.chunk_length=1", "replay.buffer_size=10000")
    sizes = [
        check_start(made(*words, f"net.core={core}", algo="vdn"), "cpu")
        for core in ("none", "gru", "lstm")
    ]
    n_rows, n_agents, width = 10_000 + 64, 3, 64
    assert sizes[1] - sizes[0] == 4 * n_rows * n_agents * width
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]


def test_a_curriculum_has_room_for_its_longest_episodes() -> None:
    one = check_start(made(algo="vdn", scenario="smac/3m"), "cpu")
    stages = 'curriculum.stages=[{scenario="smac/3m", target=0.5}]'
    both = check_start(made(stages, algo="vdn", scenario="smac/2m_vs_1z"), "cpu")
    assert both == pytest.approx(one * 150 / 60, rel=0.02)  # steps until their limits


def test_rules_of_ones_own_are_found_again_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.toml").write_text('title = "Own"\nversion = 1\nbase = "liberty"\n')
    monkeypatch.chdir(tmp_path)
    words = layer_from_words(["task.rules=own.toml"])
    task = resolve("mappo", "smac/3m", words).task
    assert task["rules"] == str(tmp_path / "own.toml")


def test_unknown_algorithms_and_presets_are_named() -> None:
    with pytest.raises(TerrariumError, match=r'unknown algorithm "mapo"\. Did you mean "mappo"\?'):
        made(algo="mapo")
    with pytest.raises(TerrariumError, match='unknown preset "mappo/3m"'):
        resolve("mappo", "smac/3m", preset="mappo/3m")


def test_every_setting_has_a_meaning_and_a_default_or_none() -> None:
    for algo in ALGOS:
        for section, kind in sections(algo).items():
            for config in every_config(section, kind):
                for setting in describe(section, config):
                    assert setting.meaning, setting.name


@pytest.mark.parametrize("name", few_quick(preset_names()))
def test_every_preset_can_be_trained_with(name: str) -> None:
    algo, scenario = name.split("/", 1) if "/" in name else ("mappo", name)
    layers = load_preset(name)
    if scenario == "pettingzoo":  # for all of them
        scenario = "mpe/simple_spread"
    if scenario == "gymnasium":
        scenario = "gym:CartPole-v1"
    scenario = scenario.replace("gym/", "gym:", 1)
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


@pytest.mark.parametrize("name", ["episode", "parallel"])
def test_pymarls_presets_play_smacs_own_contract(name: str) -> None:
    chosen = resolve("qmix", "smac/3m", preset=f"qmix/pymarl/{name}")
    assert chosen.task["contract"] == "exact"
    assert chosen.net.init == "default"


def test_drills_are_shaped_with_the_discount_of_the_algorithm() -> None:
    for words, expected in (
        ((), 0.99),
        (("algo.gamma=0.9",), 0.9),
        (("algo.gamma=0.9", "task.reward_gamma=0.5"), 0.5),
    ):
        chosen = resolve("mappo", "skills/siege_line", layer_from_words(words))
        task = chosen.task_of(chosen.scenario)
        assert isinstance(task, BattleTask)
        assert task.options.reward_gamma == expected
