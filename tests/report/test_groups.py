"""Which runs become one curve, and what it is called."""

from pathlib import Path
from typing import Any

import pytest

from terrarium.errors import TerrariumError
from terrarium.report.groups import differing_settings, group_runs
from terrarium.report.notes import notes_on
from terrarium.report.runs import TrainedRun, load_run
from terrarium.report.settings import value_text
from tests.report.folders import load


class Runs:
    """Runs in a folder, added one by one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.all: list[TrainedRun] = []

    def add(self, *args: Any, **settings: Any) -> None:
        self.all.append(load(self._folder / str(len(self.all)), *args, **settings))

    def labels(self, *by: str) -> list[str]:
        return [group.label for group in group_runs(self.all, by)]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_seeds_are_one_group_in_their_order(runs: Runs) -> None:
    for seed in (10, 2, 0):
        runs.add(run__seed=seed, about__created=f"2026-11-1{seed % 3}", about__revision=str(seed))
    (group,) = group_runs(runs.all)
    assert (group.label, group.scenario) == ("mappo", "smac/3m")
    assert [run.seed for run in group.runs] == [0, 2, 10]


def test_a_label_names_what_differs_and_nothing_else(runs: Runs) -> None:
    for core in ("lstm", "gru"):
        for seed in (0, 1):
            runs.add(net__core=core, run__seed=seed)
    assert runs.labels() == ["mappo, net.core=gru", "mappo, net.core=lstm"]


def test_other_rules_are_another_group(runs: Runs) -> None:
    for version in (1, 2):
        runs.add(about__rules_version=version)
    assert runs.labels() == ["mappo, about.rules_version=1", "mappo, about.rules_version=2"]


def test_options_that_only_one_algorithm_has_are_not_named(runs: Runs) -> None:
    runs.add(algo__clip_range=0.2)
    runs.add(about__algo="qmix", algo__buffer=5000)
    assert runs.labels() == ["mappo", "qmix"]
    runs.add(about__algo="qmix", net__core="lstm", algo__buffer=5000)
    assert runs.labels() == ["mappo, net.core=gru", "qmix, net.core=gru", "qmix, net.core=lstm"]


def test_an_option_that_is_missing_is_a_difference(runs: Runs) -> None:
    runs.add()
    runs.add(algo__clip_range=0.2)
    assert runs.labels() == ["mappo", "mappo, algo.clip_range=0.2"]


def test_what_differs_between_scenarios_alone_needs_no_name(runs: Runs) -> None:
    runs.add(about__scenario="smac/10m_vs_11m", run__max_steps=500)
    runs.add(about__scenario="smac/3m", run__max_steps=100)
    groups = group_runs(runs.all)
    assert [(group.scenario, group.label) for group in groups] == [
        ("smac/3m", "mappo"),
        ("smac/10m_vs_11m", "mappo"),
    ]
    assert differing_settings(groups) == {"run.max_steps": ["100", "500"]}


def test_what_differs_in_one_scenario_is_named_in_all(runs: Runs) -> None:
    for scenario, core in (("smac/3m", "gru"), ("smac/8m", "gru"), ("smac/8m", "lstm")):
        runs.add(about__scenario=scenario, net__core=core)
    gru, lstm = "mappo, net.core=gru", "mappo, net.core=lstm"
    assert runs.labels() == [gru, gru, lstm]  # so that gru has one color in both panels


def test_long_values_are_cut_but_labels_stay_unique(runs: Runs) -> None:
    for end in "ab":
        runs.add(net__file="x" * 50 + end)
    short = f"mappo, net.file={'x' * 27}…"
    assert runs.labels() == [short, f"{short} #2"]


def test_stages_of_a_curriculum_do_not_flood_the_label(runs: Runs) -> None:
    runs.add()
    stages = [{"scenario": "smac/2m_vs_1z"}, {"scenario": "smac/3m"}]
    runs.add(curriculum__stages=stages)
    assert runs.labels() == ["mappo", "mappo, curriculum.stages=[…]"]


def test_by_chooses_what_makes_a_group(runs: Runs) -> None:
    for core in ("gru", "lstm"):
        for lr in (0.001, 0.0005):
            runs.add(net__core=core, algo__lr=lr)
    assert len(runs.labels()) == 4
    assert runs.labels("net.core") == ["mappo, net.core=gru", "mappo, net.core=lstm"]
    assert runs.labels("run.seed") == ["mappo"]
    (note, _) = notes_on(group_runs(runs.all, ["net.core"]))
    assert "its runs differ in algo.lr and are put together" in note


def named(runs: Runs, label: str, place: int, **settings: Any) -> None:
    """Add a run that brings its name along."""
    runs.add(**settings)
    (runs.all[-1].path / "label.toml").write_text(f'label = "{label}"\nplace = {place}\n')
    runs.all[-1] = load_run(runs.all[-1].path)


def test_runs_may_bring_their_names_and_places_along(runs: Runs) -> None:
    for seed in (0, 1):
        named(runs, "with GRU", 1, net__core="gru", run__seed=seed)
        named(runs, "no memory", 0, net__core="none", run__seed=seed)
    runs.add(net__core="lstm")
    assert runs.labels() == ["no memory", "with GRU", "mappo"]
    assert [group.settings for group in group_runs(runs.all)] == [
        {"net.core": core} for core in ("none", "gru", "lstm")
    ]


def test_a_name_for_different_settings_is_told_apart_by_these(runs: Runs) -> None:
    for steps in (100, 200):
        named(runs, "GRU", steps, run__max_steps=steps)
    assert runs.labels() == ["GRU, run.max_steps=100", "GRU, run.max_steps=200"]


@pytest.mark.parametrize("text", ["label = 3", "place = 1", 'label = "a"\nplace = -1', "label ="])
def test_a_broken_name_is_refused(runs: Runs, text: str) -> None:
    runs.add()
    (runs.all[0].path / "label.toml").write_text(text)
    with pytest.raises(TerrariumError, match=r"label\.toml: "):
        load_run(runs.all[0].path)


def test_threads_make_no_group_but_a_note(runs: Runs) -> None:
    for threads in (0, 1):
        runs.add(run__threads=threads, run__seed=threads)
    assert runs.labels() == ["mappo"]
    (note,) = notes_on(group_runs(runs.all))
    assert "different numbers of threads" in note


def test_by_an_unknown_setting_is_refused(runs: Runs) -> None:
    runs.add()
    with pytest.raises(TerrariumError, match=r'"net\.cor"\. Did you mean "net\.core"'):
        runs.labels("net.cor")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (True, "true"),
        ("true", '"true"'),
        ("1", '"1"'),
        ("lstm", "lstm"),
        ("a, net.core=b", '"a, net.core=b"'),
        (3e-4, "0.0003"),
        (1e300, "1e+300"),
        (float("nan"), "nan"),
        ("", '""'),
        ([1, "a", [2.5]], "[1, a, [2.5]]"),
        ({"a": 1}, "{a=1}"),
    ],
)
def test_values_are_shown_so_that_only_equals_look_equal(value: object, text: str) -> None:
    assert value_text(value) == text


def test_notes_tell_what_is_odd(runs: Runs) -> None:
    runs.add(run__seed=0, about__revision="a")
    runs.add(run__seed=0, about__revision="b")
    runs.add((0.0, 0.5), steps=(0, 50), run__seed=2)
    assert notes_on(group_runs(runs.all)) == (
        "smac/3m, mappo: the run with seed 2 ended before run.max_steps; "
        "the curve of the group ends with the first of them.",
        "smac/3m, mappo: seed 0 occurs more than once, which makes the spread look smaller.",
        "smac/3m, mappo: its runs come from 3 revisions of the program.",
    )


def test_runs_in_good_order_need_no_notes(runs: Runs) -> None:
    for seed in range(3):
        runs.add(run__seed=seed)
    assert notes_on(group_runs(runs.all)) == ()
