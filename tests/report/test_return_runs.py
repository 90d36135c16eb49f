"""Comparing runs where nothing is won: returns instead of win rates, teams, and both kinds."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from terrarium.errors import TerrariumError
from terrarium.report.comparison import Comparison, compare
from terrarium.report.curves import curves_figure, png_of
from terrarium.report.figures import png_of_figure
from terrarium.report.final_table import curves_csv, json_statistics, statistics_csv
from terrarium.report.final_table import headings as final_headings
from terrarium.report.measures import RETURN, WIN_RATE, number_text
from terrarium.report.page import page
from terrarium.report.runs import load_run
from terrarium.report.statistics_figure import statistics_figure
from terrarium.report.table import cells, csv_text, headings
from tests.program import call_program
from tests.report.folders import write_lines, write_run
from tests.report.return_runs import SPREAD, TAG, write_return_run


def spread(folder: Path) -> Path:
    """Two algorithms, two seeds each, of a task without teams."""
    for algo, better in (("maddpg", 2.0), ("ddpg", 0.0)):
        for seed in range(2):
            returns = (-40.0, -20.0 + better, -18.0 + better + seed)
            write_return_run(folder / f"{algo}{seed}", returns, about__algo=algo, run__seed=seed)
    return folder


def tag(folder: Path) -> Path:
    """Two seeds of a task in which one team gains what the other loses."""
    for seed in range(2):
        teams = {"adversary": (0.0, 10.0 + seed), "agent": (0.0, -20.0 - seed)}
        write_return_run(folder / f"tag{seed}", (0.0, 2.5), teams, TAG, run__seed=seed)
    return folder


def battles(folder: Path) -> Path:
    for seed in range(2):
        write_run(folder / f"battle{seed}", run__seed=seed)
    return folder


def text_of(comparison: Comparison) -> str:
    parts = (comparison.groups, comparison.rows, comparison.statistics, comparison.notes)
    return page(*parts)


def lines_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_where_nothing_is_won_the_return_counts(tmp_path: Path) -> None:
    run = load_run(write_return_run(tmp_path / "a", (-40.0, -20.0, -18.5)))
    assert (run.measure, run.scores, run.steps) == (RETURN, (-40.0, -20.0, -18.5), (0, 1000, 2000))
    battle = load_run(write_run(tmp_path / "b"))
    assert (battle.measure, battle.scores) == (WIN_RATE, (0.0, 0.4, 0.8, 1.0))


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e300", "null", "true", '"3"'])
def test_a_return_that_is_none_is_refused_with_its_line(tmp_path: Path, value: str) -> None:
    folder = write_return_run(tmp_path / "a", (-40.0, -20.0))
    file = folder / "metrics.jsonl"
    file.write_text(file.read_text().replace("-20.0", value))
    with pytest.raises(TerrariumError) as caught:
        load_run(folder)
    message = str(caught.value)
    assert f"metrics.jsonl, line 3: test/return is {value}" in message.replace("1e+300", "1e300")
    assert message.endswith("allowed are -1e+15 to 1e+15")


def test_the_row_of_a_world_has_numbers_and_no_levels(tmp_path: Path) -> None:
    ddpg, maddpg = compare([spread(tmp_path)]).rows
    assert (ddpg.group, ddpg.final_mean, maddpg.final_mean) == ("ddpg", -17.5, -15.5)
    assert (maddpg.final_worst, maddpg.final_best, maddpg.reached) == (-16.0, -15.0, ())
    assert len(cells(maddpg)) == len(headings(RETURN))
    assert cells(maddpg)[:6] == [
        *(SPREAD, "maddpg", "2", "-15.50", "-16.00 to -15.00", "-15.00"),
    ]
    (first, _) = lines_of(csv_text([ddpg, maddpg]))
    assert (first["measure"], first["final_mean"]) == ("return", "-17.5")
    assert "steps_to_50" not in first


def test_curves_of_returns_have_no_percent_and_no_limits(tmp_path: Path) -> None:
    upper, lower = curves_figure(compare([spread(tmp_path)]).groups).axes
    for axes in (upper, lower):
        assert axes.get_ylabel() == "test return"
        low, high = axes.get_ylim()
        assert low < -40.0
        assert -15.0 < high < 0.0
        assert axes.yaxis.get_major_formatter()(-20.0) == "-20"


def test_a_world_has_intervals_but_no_optimum(tmp_path: Path) -> None:
    comparison = compare([spread(tmp_path)])
    (scale,) = comparison.statistics
    found = scale.aggregates[1].final.estimates
    assert set(found) == {"iqm", "median", "mean"}
    assert (found["mean"].value, found["mean"].low, found["mean"].high) == (-15.5, -16.0, -15.0)
    (better,) = [one for one in scale.improvements if one.label == "maddpg"]
    assert better.probability.value == 1.0
    # The profile reaches from below the worst run to above the best.
    profile = scale.aggregates[0].profile
    assert (profile.shares[0], profile.shares[-1]) == (1.0, 0.0)
    assert "optimality gap" not in final_headings(RETURN)
    figure = statistics_figure(comparison.groups, comparison.statistics)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert "optimality gap" not in titles
    assert "performance profile" in titles


def test_equal_returns_can_be_drawn(tmp_path: Path) -> None:
    for seed in range(2):
        write_return_run(tmp_path / str(seed), (0.0, 0.0), run__seed=seed)
    result = compare([tmp_path])
    assert len(png_of(result.groups)) > 10_000
    drawn = png_of_figure(lambda: statistics_figure(result.groups, result.statistics))
    assert len(drawn) > 10_000


def test_each_team_has_a_panel_and_a_row(tmp_path: Path) -> None:
    comparison = compare([tag(tmp_path)])
    assert [row.panel for row in comparison.rows] == [TAG, f"{TAG}: adversary", f"{TAG}: agent"]
    assert [row.final_mean for row in comparison.rows] == [2.5, 10.5, -20.5]
    titles = [axes.get_title(loc="left") for axes in curves_figure(comparison.groups).axes]
    assert [title for title in titles if title] == [TAG, f"{TAG}: adversary", f"{TAG}: agent"]
    points = lines_of(curves_csv(comparison.groups, comparison.statistics))
    assert {point["team"] for point in points} == {"", "adversary", "agent"}
    finals = lines_of(statistics_csv(comparison.statistics))
    assert ("agent", "mean", "-20.5") in {(f["team"], f["statistic"], f["value"]) for f in finals}
    assert any("opponents of its own run" in note for note in comparison.notes)


def test_teams_that_always_earn_the_same_are_one(tmp_path: Path) -> None:
    same = {"speaker": (-30.0, -9.0), "listener": (-30.0, -9.0)}
    write_return_run(tmp_path / "a", (-30.0, -9.0), same, "mpe/simple_speaker_listener")
    comparison = compare([tmp_path])
    assert [row.team for row in comparison.rows] == [""]
    assert comparison.notes == ()


@pytest.mark.slow
def test_battles_and_other_tasks_have_tables_of_their_own(tmp_path: Path) -> None:
    comparison = compare([battles(tmp_path / "b"), spread(tmp_path / "s"), tag(tmp_path / "t")])
    assert [(scale.measure, scale.scope) for scale in comparison.statistics] == [
        *((RETURN, SPREAD), (RETURN, TAG), (RETURN, f"{TAG}: adversary")),
        *((RETURN, f"{TAG}: agent"), (WIN_RATE, "smac/3m")),
    ]
    text = text_of(comparison)
    assert "Final win rates and returns" in text
    assert "8 runs in 4 groups" in text  # teams are not more runs
    assert text.count("<h3>") == 4
    assert text.count(">optimality gap</th>") == 1
    assert text.count(">final return</th>") == 1
    assert any("no common scale" in note for note in comparison.notes)
    battle, other = lines_of(csv_text([comparison.rows[-1], comparison.rows[0]]))
    assert (battle["measure"], battle["steps_to_50"] != "") == ("win_rate", True)
    assert (other["measure"], other["steps_to_50"]) == ("return", "")
    found = json_statistics(comparison.statistics)
    assert json.loads(json.dumps(found))["finals"][0]["measure"] == "return"


def test_returns_beside_each_other_keep_their_own_numbers(tmp_path: Path) -> None:
    groups = compare([battles(tmp_path / "b"), spread(tmp_path / "s")]).groups
    axes = curves_figure(groups).axes
    assert [one.get_ylabel() for one in axes] == ["test return", "test win rate"] * 2


def test_one_scenario_with_both_measures_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path / "a")
    write_return_run(tmp_path / "b", (1.0, 2.0), scenario="smac/3m")
    with pytest.raises(TerrariumError, match=r"has a return on smac/3m, and .*a has a win rate"):
        compare([tmp_path])


def test_a_return_is_never_a_target(tmp_path: Path) -> None:
    """A win rate of 0.5 is no return of 0.5, and a run that ended early was cut off."""
    folder = write_return_run(
        tmp_path / "a", (0.0, 9.0), run__max_steps=9000, run__target_win_rate=0.5
    )
    run = load_run(folder)
    assert run.ended_early
    assert not run.reached_target


def test_returns_of_battles_are_not_looked_at(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a")
    place: Mapping[str, object] = {"step": 1, "seconds": 1.0, "scenario": "smac/3m"}
    odd = {"test/return": None, "test/return/x": "?"}
    write_lines(folder, [{**place, **odd}, {**place, **odd, "test/win_rate": 0.5}])
    assert load_run(folder).scores == (0.5,)


@pytest.mark.slow
def test_the_command_prints_both_kinds(
    tmp_path: Path,
) -> None:
    battles(tmp_path / "runs" / "b")
    spread(tmp_path / "runs" / "s")
    answer = call_program("compare", "runs", home=tmp_path)
    lines = [line.strip() for line in answer.out.splitlines()]
    assert "final win rates, with 95 % intervals" in lines
    assert "final returns, with 95 % intervals" in lines
    others = [line for line in lines if line.startswith(SPREAD)]
    assert len(others) == 4  # two groups in each of two tables
    assert all("%" not in line for line in others)
    assert "-18.00 to -17.00" in others[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (0.03125, "0.0312"),
        (-15.476, "-15.48"),
        (12_345.6, "12,346"),
        (-1.234e9, "-1.23e+09"),
        (1e-6, "1.00e-06"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text
