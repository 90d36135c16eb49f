"""Plans of ablations: what they stand for, and what is refused before anything starts."""

from pathlib import Path

import pytest

from terrarium.config import preset_names
from terrarium.errors import TerrariumError
from terrarium.marl.ablation.cells import (
    Done,
    checked_plan,
    last_line,
    read_done,
    settings_of_cell,
    write_done,
)
from terrarium.marl.ablation.experiment import keep_plan, locked
from terrarium.marl.ablation.plan_file import find_plan, plan_names, read_plan
from terrarium.marl.ablation.pool import PoolConfig
from terrarium.marl.ablation.run_plan import AblationPlan
from terrarium.marl.ablation.run_status import Watcher
from terrarium.marl.settings import RunConfig

PLAN = """
title = "Cores and widths"
scenarios = ["3m", "smac/8m"]
seeds = [3, 0]
minutes = 2

[settings]
"run.max_steps" = 5_000
net.hidden_dim = 32

[[variant]]
algo = "mppo"
settings = { "net.core" = "gru" }
grid = { "algo.lr" = [1e-3, 5e-4], "net.hidden_dim" = [16, 32] }

[[variant]]
name = "alone: IPPO"
algo = "ippo"

[quick]
seeds = [1]
scenarios = ["smac/3m"]
minutes = 0.5
settings = { "run.max_steps" = 500, "net.core" = "none" }
"""


def plan_of(folder: Path, text: str = PLAN, quick: bool = False) -> AblationPlan:
    file = folder / "own.toml"
    file.write_text(text, encoding="utf-8")
    return checked_plan(read_plan(file, quick))


def test_a_plan_is_the_product_of_its_parts(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert [variant.name for variant in plan.variants] == [
        "mppo, core=gru, lr=0.001, hidden_dim=16",
        "mppo, core=gru, lr=0.001, hidden_dim=32",
        "mppo, core=gru, lr=0.0005, hidden_dim=16",
        "mppo, core=gru, lr=0.0005, hidden_dim=32",
        "alone: IPPO",
    ]
    cells = list(plan.cells())
    assert len(cells) == 5 * 2 * 2
    assert len({cell.folder for cell in cells}) == 20
    assert cells[0].folder == "mppo_core=gru_lr=0.001_hidden_dim=16/3m/seed3"
    assert cells[4].folder == "alone_IPPO/3m/seed3"
    first = settings_of_cell(cells[0], tmp_path / "out", threads=1)
    assert (first.algo_name, first.scenario, first.run.seed) == ("mappo", "smac/3m", 3)
    assert (first.net.hidden_dim, first.net.core, first.algo.lr) == (16, "gru", "0.001")
    assert (first.run.max_steps, first.run.max_minutes, first.run.threads) == (5000, 2.0, 1)
    assert first.run.folder == str(tmp_path / "out" / cells[0].folder)
    assert settings_of_cell(cells[4]).net.hidden_dim == 32


def test_quick_changes_what_it_names_and_wins_over_variants(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, quick=True)
    assert (plan.scenarios, plan.seeds, plan.minutes) == (("smac/3m",), (1,), 0.5)
    for cell in plan.cells():
        settings = settings_of_cell(cell)
        assert (settings.run.max_steps, settings.net.core) == (500, "none")


def test_scenarios_of_one_last_name_have_folders_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "3m.toml"
    other = find_scenario_file("smac/3m")
    file.write_text(other.read_text(encoding="utf-8"), encoding="utf-8")
    text = PLAN.replace('["3m", "smac/8m"]', f'["smac/3m", "{file}"]')
    folders = [cell.folder.split("/")[1] for cell in plan_of(tmp_path, text).cells()]
    assert folders[0] == "smac_3m"
    assert folders[5].endswith("_3m")
    assert len(set(folders)) == 2


def find_scenario_file(name: str) -> Path:
    from terrarium import data

    return Path(data.__file__).parent / "scenarios" / f"{name}.toml"


def test_a_kept_plan_says_the_same(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    kept = keep_plan(plan, tmp_path / "out")
    assert kept.variants == plan.variants
    assert [cell.folder for cell in kept.cells()] == [cell.folder for cell in plan.cells()]
    assert keep_plan(plan, tmp_path / "out") == kept


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("[3, 0]", "[3, 0, 1]", r"seeds \[3, 0, 1\] instead of \[3, 0\]"),
        ("minutes = 2", "", "minutes none instead of 2.0"),
        ('"alone: IPPO"', '"alone"', 'a variant "alone"'),
        ('algo = "ippo"', 'algo = "mappo"', 'variant "alone: IPPO" with mappo instead of ippo'),
        ("5_000", "6_000", "run.max_steps=6000 instead of 5000"),
        ("[16, 32]", "[16]", 'no variant "mppo, core=gru, lr=0.001, hidden_dim=32"'),
    ],
)
def test_another_plan_in_the_folder_is_refused(
    tmp_path: Path, old: str, new: str, difference: str
) -> None:
    keep_plan(plan_of(tmp_path), tmp_path / "out")
    other = plan_of(tmp_path, PLAN.replace(old, new, 1))
    with pytest.raises(TerrariumError, match=f"out: holds another plan: .*{difference}"):
        keep_plan(other, tmp_path / "out")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds = [3, 0]", "seed = [3, 0]", 'unknown key "seed". Did you mean "seeds"?'),
        ("[3, 0]", "[]", "seeds: the list is empty"),
        ("[3, 0]", "[3, 0, 3]", "seeds: 3 stands there twice"),
        ("[3, 0]", "[-1]", "seeds: -1 must be a whole number"),
        ("[3, 0]", "[true]", "seeds: true must be a whole number"),
        ("[3, 0]", "3", "seeds is 3; it must be a list"),
        ("seeds = [3, 0]", "", 'needs "seeds"'),
        ('["3m", "smac/8m"]', '["3m", "smac/3m"]', "scenarios: smac/3m stands there twice"),
        ('["3m", "smac/8m"]', '["smac/33m"]', 'unknown scenario "smac/33m"'),
        ('"mppo"', '"mapo"', 'unknown algorithm "mapo". Did you mean "mappo"?'),
        ('"net.core" =', '"net.coree" =', 'unknown setting "net.coree". Did you mean "core"?'),
        ('"net.core" =', '"core" =', '"core" is not a setting; write section.key'),
        ('"gru"', '"gruu"', 'net.core is "gruu". Did you mean "gru"?'),
        ("5_000", "0", "run.max_steps is 0; allowed: 1 to"),
        ("[16, 32]", "16", "grid: net.hidden_dim is 16; write a list"),
        ('"algo.lr"', '"net.core"', "net.core stands in settings and in grid"),
        ('"run.max_steps" = 5', '"run.seed" = 5', 'run.seed is decided by "seeds"'),
        ("minutes = 2", "minutes = 0", "minutes is 0; allowed: above 0"),
        (
            "[16, 32]",
            "[16, 16]",
            'two variants are called "mppo, core=gru, lr=0.001, hidden_dim=16"',
        ),
        ('"alone: IPPO"', '"..."', '"..." is no name for a variant'),
        ("[[variant]]", "[[variants]]", 'unknown key "variants". Did you mean "variant"?'),
        ("name =", "nme =", 'variant 2: unknown key "nme". Did you mean "name"?'),
        ("[quick]\nseeds", "[quick]\nseedz", '[quick]: unknown key "seedz"'),
        ("title =", "title", "not valid TOML"),
    ],
)
def test_a_bad_plan_is_refused_in_one_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in PLAN
    with pytest.raises(TerrariumError) as error:
        plan_of(tmp_path, PLAN.replace(old, new))
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "own.toml"))
    assert "\n" not in str(error.value)


def test_names_that_become_one_folder_are_refused(tmp_path: Path) -> None:
    text = PLAN + '\n[[variant]]\nname = "Alone, ippo"\nalgo = "ippo"\n'
    with pytest.raises(TerrariumError, match='"alone: IPPO" and "Alone, ippo" would share'):
        plan_of(tmp_path, text)


def test_without_a_quick_part_there_is_no_quick(tmp_path: Path) -> None:
    with pytest.raises(TerrariumError, match=r"there is no \[quick\] part"):
        plan_of(tmp_path, PLAN[: PLAN.index("[quick]")], quick=True)


@pytest.mark.parametrize("name", plan_names())
@pytest.mark.parametrize("quick", [False, True])
def test_every_plan_can_be_run(name: str, quick: bool) -> None:
    plan = checked_plan(read_plan(find_plan(name), quick))
    assert list(plan.cells())


@pytest.mark.parametrize(("quick", "n_cells", "steps"), [(False, 9, 250_000), (True, 3, 20_000)])
def test_a_plan_may_compare_algorithms_in_a_world(quick: bool, n_cells: int, steps: int) -> None:
    cells = list(checked_plan(read_plan(find_plan("maddpg"), quick)).cells())
    assert len(cells) == n_cells
    assert cells[0].folder == "MADDPG/simple_speaker_listener/seed0"
    found = [settings_of_cell(cell) for cell in cells]
    assert [one.algo_name for one in found[:3]] == ["maddpg", "ddpg", "matd3"]
    assert {(one.scenario, one.run.max_steps) for one in found} == {
        ("mpe/simple_speaker_listener", steps)
    }


def test_plans_are_found_by_name_and_are_no_presets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "core" in plan_names()
    assert find_plan("presets/ablations/core.toml") == find_plan("core")
    with pytest.raises(TerrariumError, match=r'unknown plan "cor"\. Did you mean "core"\?'):
        find_plan("cor")
    with pytest.raises(TerrariumError, match="unknown plan"):
        find_plan("elsewhere/core.toml")
    assert not [name for name in preset_names() if "ablations" in name]


def test_a_folder_is_for_one_program_at_a_time(tmp_path: Path) -> None:
    with (
        locked(tmp_path),
        pytest.raises(TerrariumError, match="another program trains these cells"),
        locked(tmp_path),
    ):
        pass
    with locked(tmp_path):
        pass


@pytest.mark.parametrize("jobs", [0, -1, 1000])
def test_jobs_have_limits(jobs: int) -> None:
    with pytest.raises(TerrariumError, match=f"jobs is {jobs}; allowed: 1 to 256"):
        PoolConfig(jobs=jobs)


def test_a_glance_follows_the_metrics_as_they_grow_and_shrink(tmp_path: Path) -> None:
    watcher, file = Watcher(tmp_path), tmp_path / "metrics.jsonl"
    run = RunConfig(max_steps=100, max_minutes=1.0)
    assert watcher.poll().steps == 0
    file.write_text('{"step": 10, "seconds": 1.5, "test/win_rate": 0.5}\n{"step": 20, "sec')
    glance = watcher.poll()
    assert (glance.steps, glance.win_rate, glance.share(run)) == (10, 0.5, 0.1)
    with file.open("a") as more:
        more.write('onds": 30}\n')
    glance = watcher.poll()
    assert (glance.steps, glance.win_rate, glance.share(run)) == (20, 0.5, 0.5)
    file.write_text('{"step": 5, "seconds": 1}\n')
    assert (watcher.poll().steps, watcher.poll().win_rate) == (5, None)


def test_a_glance_at_a_world_has_a_return_and_no_win_rate(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"step": 9, "seconds": 1, "test/return": -12.5}\n')
    glance = Watcher(tmp_path).poll()
    assert (glance.win_rate, glance.test_return) == (None, -12.5)


def test_how_a_cell_ended_is_read_as_it_was_written(tmp_path: Path) -> None:
    for done in (Done("steps", 9, 1.5, -1.0, -12.5), Done("minutes", 9, 1.5, -1.0)):
        write_done(tmp_path, done)
        assert read_done(tmp_path) == done


def test_the_last_line_of_an_error_is_what_it_says() -> None:
    assert last_line("Traceback\n  x\nterrarium.errors.TerrariumError: a: b\n\n") == "a: b"
    assert last_line("Traceback\nValueError: a") == "ValueError: a"
    assert last_line("") == "it ended without a word"
