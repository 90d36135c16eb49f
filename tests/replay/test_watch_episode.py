"""`terrarium watch` for tasks that are no battles, as a person meets it."""

import functools
from pathlib import Path

import pytest
from PIL import Image

from terrarium.config import layer_from_words
from terrarium.marl.run_folder import create_run
from terrarium.marl.settings import resolve
from terrarium.marl.trainer import Trainer
from terrarium.replay.episodes.episode_record import load_episode_record, save_episode_record
from tests.program import Run, call_program
from tests.replay.episodes import chase


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Call the program in an empty folder."""
    return functools.partial(call_program, "watch", home=tmp_path)


def make_run(folder: Path, scenario: str = "mpe/simple_tag") -> Path:
    (folder / "replays").mkdir(parents=True)
    (folder / "run.toml").write_text(f'[about]\nalgo = "maddpg"\nscenario = "{scenario}"\n')
    return folder


def test_a_task_becomes_a_page_named_after_it(run: Run, tmp_path: Path) -> None:
    code, out, err = run("mpe/simple_tag", "--policy", "random", "--seed", "3")
    assert (code, err) == (0, "")
    size = (tmp_path / "mpe_simple_tag_seed3.html").stat().st_size
    assert out == f"mpe_simple_tag_seed3.html ({size / 1e3:.1f} kB)\n"
    assert [file.name for file in tmp_path.iterdir()] == ["mpe_simple_tag_seed3.html"]


@pytest.mark.slow
def test_everything_at_once_and_again_from_the_record(run: Run, tmp_path: Path) -> None:
    code, out, err = run(
        *("mpe/simple_world_comm", "--out", "a.html", "--png", "a.png", "--at", "1.2"),
        *("--gif", "a.gif", "--save-record", "a.episode"),
    )
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [
        "a.episode",
        "a.png",
        "a.gif",
        "a.html",
    ]
    record = load_episode_record(tmp_path / "a.episode")
    assert record.task == "mpe/simple_world_comm"
    assert record.title.startswith("random, seed 0: ")
    page = (tmp_path / "a.html").read_bytes()
    (tmp_path / "a.html").unlink()
    assert run("a.episode") == (0, f"a.html ({len(page) / 1e3:.1f} kB)\n", "")
    assert (tmp_path / "a.html").read_bytes() == page
    for name in ("a.png", "a.gif"):
        with Image.open(tmp_path / name) as image:
            image.verify()


def test_a_run_shows_what_it_recorded_last(run: Run, tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    for step in (5, 40, 300):
        file = folder / "replays" / f"step_{step:012d}.episode"
        save_episode_record(chase(title=f"After {step} steps"), file)
    code, out, err = run("run", "--save-record", "last.episode")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].startswith("step_000000000300.html (")
    assert load_episode_record(tmp_path / "last.episode").title == "After 300 steps"


def test_a_run_plays_its_own_task(run: Run, tmp_path: Path) -> None:
    words = (
        "task.N=2",
        "task.max_cycles=6",
        "net.hidden_dim=8",
        "run.max_steps=64",
        "run.threads=1",
        "eval.interval=64",
        "eval.episodes=64",
    )
    chosen = resolve(
        "maddpg", "mpe/simple_spread", layer_from_words((*words, f"run.folder={tmp_path / 'mine'}"))
    )
    trainer = Trainer(chosen, create_run(chosen))
    trainer.train()
    trainer.close()
    code, _, err = run("mine", "--seed", "4", "--save-record", "a.episode", "--out", "a.html")
    assert (code, err) == (0, "")
    record = load_episode_record(tmp_path / "a.episode")
    assert (record.seed, record.agents) == (4, ("agent_0", "agent_1"))
    assert record.title.startswith("mine, seed 4: ")
    assert run("mpe/simple_spread", "--policy", "mine", "--save-record", "b.episode")[0] == 0
    assert load_episode_record(tmp_path / "b.episode").agents == record.agents  # with its N
    code, _, err = run("mpe/simple_tag", "--policy", "mine")
    assert code == 2
    assert err.startswith(
        "terrarium: mine: this run was trained on mpe/simple_spread, whose agents differ from "
    )
    code, _, err = run("mine", "--seed", "4", "--policy", "random")
    assert (code, err) == (2, "terrarium: mine: a run plays itself; leave out --policy\n")


BAD_INPUT = [
    ("mpe/simple_tagg", 'unknown environment "mpe/simple_tagg". Did you mean "mpe/simple_tag"?'),
    ("mpe/simple_tag --policy rndom", 'unknown player "rndom". Did you mean "random"?'),
    ("mpe/simple_tag --policy kiting", 'unknown player "kiting". Allowed: random, or'),
    ("chse.episode", 'chse.episode: there is no such file. Did you mean "chase.episode"?'),
    ("chase.episode --seed 3", "chase.episode: a record has its own seed; leave out --seed"),
    ("chase.episode --policy random", "chase.episode: a record shows who played it; leave out"),
    ("text.episode", "text.episode: this is no record of an episode"),
    ("mpe/simple_tag --png x.png --at 99", "at is 99 s; the episode lasts from 0 to 2.5 s"),
    ("mpe/simple_tag --out none/x.html", "none/x.html: there is no folder none; make it first"),
    ("pettingzoo:none.such:env", "pettingzoo:none.such:env: importing none.such raised"),
    ("empty", "empty: nothing has been recorded here."),
]


@pytest.mark.parametrize(("line", "expected"), BAD_INPUT)
def test_mistakes_get_one_clear_line(run: Run, line: str, expected: str, tmp_path: Path) -> None:
    save_episode_record(chase(), tmp_path / "chase.episode")
    (tmp_path / "text.episode").write_text("hello")
    make_run(tmp_path / "empty")
    code, out, err = run(*line.split())
    assert err.startswith(f"terrarium: {expected}")
    assert err.count("\n") == 1
    assert (code, out) == (2, "")
