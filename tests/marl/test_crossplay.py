"""Cross-play: the right team is played by the right run, on the same episodes in every pairing."""

import csv
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from terrarium.cli.crossplay import cross_table
from terrarium.config import layer_from_words
from terrarium.envs.pettingzoo.evaluate import evaluate_pettingzoo
from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
from terrarium.envs.pettingzoo.spec import find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.envs.tasks.pettingzoo_tasks import PettingZooTask
from terrarium.envs.tasks.task import EvalRound
from terrarium.marl.playing.crossplay import Contestant, Entrants, cross_play, find_entrants
from terrarium.marl.playing.player import PolicyPlayer
from terrarium.marl.run_folder import create_run, load_algo
from terrarium.marl.settings import resolve
from terrarium.marl.trainer import Trainer
from tests.marl.duels import name_of
from tests.program import Run, call_program

pytestmark = pytest.mark.slow

SMALL = (
    *("env.n_envs=8", "net.hidden_dim=16", "run.threads=1", "run.max_steps=64"),
    *("eval.interval=64", "eval.episodes=64", "eval.replays=false"),
)


class Constant:
    """All agents say the same number all the time."""

    def __init__(self, number: int) -> None:
        self.number = number

    def act(self, env: PettingZooVecEnv) -> NDArray[Any]:
        return np.full((env.n_envs, env.n_agents), 1 + self.number)


class Counting:
    """Says how often it was asked since an episode began: it remembers, as networks may."""

    def __init__(self) -> None:
        self.asked = np.zeros(0, np.int64)

    def act(self, env: PettingZooVecEnv) -> NDArray[Any]:
        if len(self.asked) != env.n_envs:
            self.asked = np.zeros(env.n_envs, np.int64)
        self.asked = np.where(env.episode_steps == 0, 0, self.asked + 1)
        return np.repeat(1 + self.asked[:, None] % 3, env.n_agents, axis=1)


def entrants(factory: str, *players: Callable[[], Any]) -> Entrants:
    task = PettingZooTask.find(name_of(factory), {})
    teams = [team for team, _ in task.teams]
    contestants = (
        Contestant(f"p{i}", dict.fromkeys(teams, f"algo{i}"), player)
        for i, player in enumerate(players)
    )
    return Entrants(task, tuple(contestants), ())


def constants(factory: str) -> Entrants:
    return entrants(factory, *(lambda number=number: Constant(number) for number in range(3)))


@pytest.mark.parametrize("factory", ["duel", "apart"])
@pytest.mark.parametrize("team", ["a", "b"])
def test_the_row_plays_the_team_and_the_column_the_others(factory: str, team: str) -> None:
    table = cross_play(constants(factory), team, EvalRound(episodes=12))
    other = "b" if team == "a" else "a"
    assert (table.team, table.others) == (team, (other,))
    for row in range(3):
        for column in range(3):
            pairing = table.at(row, column)
            assert (pairing.row, pairing.column) == (row, column)
            assert 3.0 < pairing.mean_steps < 4.0
            worth = (row - column) * pairing.mean_steps
            assert pairing.earned[team].mean == pytest.approx(worth)
            assert pairing.earned[other].mean == pytest.approx(-worth)
    assert len({pairing.mean_steps for pairing in table.pairings}) == 1  # the same episodes


def test_of_three_teams_the_column_plays_two() -> None:
    table = cross_play(constants("three"), "b", EvalRound(episodes=5))
    assert table.others == ("a", "c")
    earned, steps = table.at(2, 0).earned, table.at(2, 0).mean_steps
    # b says 2, a and c say 0: they earn 0 less the mean of 2 and 0.
    assert earned["b"].mean == pytest.approx(2.0 * steps)
    assert earned["a"].mean == earned["c"].mean == pytest.approx(-steps)


def test_means_are_those_of_rows_and_columns() -> None:
    table = cross_play(constants("duel"), how=EvalRound(episodes=6))
    assert table.team == "a"  # the first one
    returns, steps = table.returns("a"), table.at(0, 0).mean_steps
    assert returns[:3, 3] == pytest.approx(np.array([-1.0, 0.0, 1.0]) * steps)
    assert returns[3, :3] == pytest.approx(np.array([1.0, 0.0, -1.0]) * steps)
    assert returns[3, 3] == pytest.approx(0.0)


def test_intervals_are_those_of_the_episodes() -> None:
    table = cross_play(constants("duel"), how=EvalRound(episodes=9, seed=4))
    earned = table.at(2, 0).earned["a"]
    steps = evaluate_pettingzoo(Constant(0), find_spec(name_of("duel")), 9, 4).steps
    half = 1.959964 * float((2.0 * steps).std(ddof=1)) / 3.0
    assert half > 0.0
    assert (earned.low, earned.high) == pytest.approx((earned.mean - half, earned.mean + half))
    assert earned.half == pytest.approx(half)


def test_the_batch_does_not_matter() -> None:
    some = entrants("apart", lambda: RandomPettingZooPlayer(3), Counting, lambda: Constant(1))
    tables = [cross_play(some, how=EvalRound(11, seed=2, n_envs=batch)) for batch in (1, 4, 64)]
    assert tables[0] == tables[1] == tables[2]
    other = cross_play(some, how=EvalRound(11, seed=30))
    assert other.returns("a")[0].tolist() != tables[0].returns("a")[0].tolist()


def test_each_side_of_a_pairing_has_a_memory_of_its_own() -> None:
    some = entrants("duel", Counting, lambda: Constant(0))
    table = cross_play(some, how=EvalRound(episodes=7, n_envs=3))
    assert table.at(0, 0).earned["a"].mean == 0.0  # both count alike
    steps = evaluate_pettingzoo(Constant(0), find_spec(name_of("duel")), 7).steps
    said = [sum(t % 3 for t in range(n)) for n in steps]
    assert table.at(0, 1).earned["a"].mean == pytest.approx(float(np.mean(said)))
    assert table.at(1, 0).earned["a"].mean == pytest.approx(-float(np.mean(said)))


def trained(folder: Path, algo: str, factory: str, *words: str) -> str:
    """A run of a moment."""
    words = (*SMALL, f"run.folder={folder}", *words)
    chosen = resolve(algo, name_of(factory), layer_from_words(words))
    trainer = Trainer(chosen, create_run(chosen))
    try:
        trainer.train()
    finally:
        trainer.close()
    return str(folder)


FEW = ("algo.n_steps=8", "algo.n_minibatches=2")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two of the same task, one of which remembers, and some that do not fit."""
    home = tmp_path_factory.mktemp("runs")
    battle = resolve("mappo", "smac/3m", layer_from_words([f"run.folder={home / 'battle'}"]))
    create_run(battle)
    return {
        "teams": trained(home / "teams", "a=maddpg,b=ippo", "duel", "b.n_steps=8"),
        "gru": trained(home / "gru", "mappo", "duel", "net.core=gru", "run.seed=3", *FEW),
        "three": trained(home / "three", "ippo", "three", *FEW),
        "alone": trained(home / "alone", "ippo", "alone", *FEW),
        "short": trained(home / "x" / "gru", "mappo", "duel", "task.max_cycles=3", *FEW),
        "battle": str(home / "battle"),
    }


def test_a_run_against_itself_does_what_eval_says(runs: dict[str, str]) -> None:
    some = find_entrants([runs["teams"], runs["gru"]])
    table = cross_play(some, how=EvalRound(episodes=10, n_envs=4))
    for number, name in enumerate(("teams", "gru")):
        player = PolicyPlayer(load_algo(Path(runs[name]))[0])
        alone = evaluate_pettingzoo(player, some.task.env, 10, 0, n_envs=4)
        found = {team: earned.mean for team, earned in table.at(number, number).earned.items()}
        assert found == pytest.approx({team: part.mean for team, part in alone.by_team().items()})
    assert table.row_labels == ("maddpg", "mappo")
    assert table.column_labels == ("ippo", "mappo")


class ByHand:
    """Two of team a as one policy wants it, and b as another does."""

    def __init__(self, a: PolicyPlayer, b: PolicyPlayer) -> None:
        self.a, self.b = a, b

    def act(self, env: PettingZooVecEnv) -> NDArray[Any]:
        first, second = self.a.act(env), self.b.act(env)
        return np.column_stack((first[:, 0], first[:, 1], second[:, 2]))


def test_each_run_plays_its_own_team_only(runs: dict[str, str]) -> None:
    some = find_entrants([runs["gru"], runs["teams"]])
    table = cross_play(some, "b", EvalRound(episodes=10, n_envs=4))
    gru, teams = (PolicyPlayer(load_algo(Path(runs[name]))[0]) for name in ("gru", "teams"))
    by_hand = evaluate_pettingzoo(ByHand(a=teams, b=gru), some.task.env, 10, 0, n_envs=4)
    found = {team: earned.mean for team, earned in table.at(0, 1).earned.items()}
    assert found == pytest.approx({team: part.mean for team, part in by_hand.by_team().items()})


def test_labels_say_no_more_than_is_needed(runs: dict[str, str]) -> None:
    words = [runs["gru"], runs["short"], runs["teams"], "random"]
    found = find_entrants(words)
    table = cross_play(found, how=EvalRound(episodes=1))
    home = Path(runs["gru"]).parent.name
    assert table.row_labels == (f"mappo ({home}/gru)", "mappo (x/gru)", "maddpg", "random")
    assert table.column_labels[2:] == ("ippo", "random")
    # Options that change neither agents nor spaces are no reason to refuse, but are told.
    assert [note.split(" has learned with ")[1] for note in found.notes] == [
        f"task.max_cycles=3; all play with no options, as {runs['gru']} has"
    ]
    assert cross_table(table).row_count == 5


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Call the program in a folder of its own."""
    return functools.partial(call_program, "crossplay", home=tmp_path)


def test_the_command_prints_a_table_and_writes_files(
    run: Run, runs: dict[str, str], tmp_path: Path
) -> None:
    words = (runs["teams"], runs["gru"], "random", "--episodes", "8", "--seed", "5")
    answer = run(*words, "--csv", "t.csv", "--png", "t.png")
    assert answer.code == 0
    assert not answer.err
    for part in ("a \\ b", "maddpg", "mappo", "ippo", "random", "mean", "±", "seeds 5 to 12"):
        assert part in answer.out
    assert "t.png (" in answer.out
    with Image.open(tmp_path / "t.png") as picture:
        assert min(picture.size) > 400
    found = json.loads(run(*words, "--json").out)
    assert [player["row"] for player in found["players"]] == ["maddpg", "mappo", "random"]
    assert len(found["pairings"]) == 9
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 18
    for pairing in found["pairings"]:
        (line,) = (
            line
            for line in lines
            if line["row_player"] == words[pairing["row"]]
            and line["column_player"] == words[pairing["column"]]
            and line["team"] == "a"
        )
        assert float(line["mean_return"]) == pairing["returns"]["a"]["mean"]
        low, high = pairing["returns"]["a"]["interval"]
        assert low <= pairing["returns"]["a"]["mean"] <= high
        assert f"{pairing['returns']['a']['mean']:.2f} ±" in answer.out


def test_one_episode_has_no_interval(run: Run, runs: dict[str, str]) -> None:
    answer = run(runs["gru"], "random", "--episodes", "1", "--json")
    assert json.loads(answer.out)["pairings"][0]["returns"]["a"]["interval"] == [None, None]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "crossplay needs at least two players, and there are 0"),
        (["gru"], "crossplay needs at least two players, and there is 1"),
        (["gru", "gru"], "is named twice"),
        (["random", "random"], "random is named twice"),
        (["gru", "battle"], "has learned smac/3m, a battle"),
        (["gru", "three"], "crossplay needs runs of the same task"),
        (["alone", "random"], "has one team only, a:"),
        (["gru", "randm"], 'unknown player "randm". Did you mean "random"?'),
        (["gru", "nowhere"], "nowhere: there is no run here"),
        (["gru", "random", "--team", "c"], 'unknown team "c" of'),
        (["gru", "random", "--episodes", "0"], "episodes is 0; allowed are 1 to"),
        (["gru", "random", "--seed", "-1"], "seed is -1"),
        (["gru", "random", "--png", "no/where.png"], "there is no folder no"),
        (["gru", "random", "--tem", "a"], 'Did you mean "--team"?'),
    ],
    ids=str,
)
def test_mistakes_get_one_line(
    run: Run, runs: dict[str, str], words: list[str], message: str
) -> None:
    answer = run(*(runs.get(word, word) for word in words))
    assert answer.code == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not answer.out


def test_other_spaces_are_refused(run: Run, runs: dict[str, str], tmp_path: Path) -> None:
    wider = trained(tmp_path / "wider", "ippo", "duel", "task.n_numbers=4", *FEW)
    answer = run(runs["gru"], wider)
    assert answer.code == 2
    assert "with other actions: no options, and task.n_numbers=4" in answer.err
