"""The command line as a person meets it: what it prints, and what it says to mistakes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import terrarium
from terrarium import cli
from terrarium.data.battles.scenarios import scenario_names
from terrarium.data.facts.rulesets import load_ruleset
from tests.program import Run, call_program

PROGRAM = [sys.executable, "-c", "from terrarium.cli import main; main()"]


@pytest.fixture
def run() -> Run:
    """Call the program in this process."""
    return call_program


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"terrarium {terrarium.__version__}\n", "")


@pytest.mark.parametrize("args", [(), ("--help",), ("-h",)])
def test_without_a_command_it_names_them_all(run: Run, args: tuple[str, ...]) -> None:
    answer = run(*args)
    assert answer.code == 0
    assert all(name in answer.out for name in cli.COMMANDS)


def test_list_alone_explains_what_can_be_listed(run: Run) -> None:
    answer = run("list")
    assert answer.code == 0
    for name in ("list units", "list scenarios", "list rules", "list terrains"):
        assert name in answer.out
    assert "demo" not in answer.out


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_has_help_with_an_example(run: Run, command: str) -> None:
    answer = run(*command.split(), "--help")
    assert answer.code == 0
    assert f"Example:  terrarium {command}" in answer.out
    assert max(len(line) for line in answer.out.splitlines()) <= 80
    assert "None}" not in answer.out
    assert not re.search(r"default:\s*(None|''|)\)", answer.out)


def test_units_are_listed_with_their_numbers(run: Run) -> None:
    answer = run("list", "units", "--race", "terran")
    marine = next(line for line in answer.out.splitlines() if line.startswith("marine "))
    # Marine: 45 life, no armor, speed 2.25, sight 9, cost 50/0/1, 25 s; 6 damage once, range 5.
    expected = "marine 45 0 2.25 9 50/0/1 25 s 6 \N{MULTIPLICATION SIGN}1 r5 /13.8"
    assert marine.split() == expected.split()
    assert "zergling" not in answer.out
    assert "Terran structures" in answer.out


@pytest.mark.parametrize("what", ["units", "abilities", "upgrades", "scenarios", "terrains"])
def test_lists_fit_into_80_columns(run: Run, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(len(line) for line in run("list", what).out.splitlines()) <= 80


def test_abilities_are_listed_with_their_numbers(run: Run) -> None:
    lines = run("list", "abilities", "--unit", "ghost").out.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line}
    # 50 energy, range 10, 170 damage; cloak needs its upgrade; a nuke 300 (+200) up to 8 away.
    assert rows["steady_targeting"] == ["channel", "50e", "10", "170"]
    assert rows["cloak_ghost"] == ["toggle", "25e", "personal_cloaking", "ghost_cloak"]
    assert rows["tactical_nuke"] == ["channel", "12", "300+200", "r8,", "nuke_dot"]
    assert "yamato" not in rows
    (yamato,) = (
        line for line in run("list", "abilities").out.splitlines() if line.startswith("yamato ")
    )
    # A cooldown of 1600 ticks is 100 seconds.
    assert yamato.split()[1:4] == ["missile", "100", "10"]


def test_upgrades_are_listed_with_what_they_change(run: Run) -> None:
    out = run("list", "upgrades", "--unit", "marine", "--rules", "lotv-5.0.3").out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}
    assert rows["stimpack"] == ["100/100", "140s", "allows", "stimpack_marine"]
    assert rows["shield_wall"] == ["100/100", "110s", "marine", "hp", "+10"]
    assert rows["terran_infantry_weapons_level1"][2:] == ["gauss_rifle", "damage", "+1"]
    assert "banshee_cloak" not in rows


@pytest.mark.parametrize("what", ["abilities", "upgrades"])
def test_abilities_and_upgrades_as_json_are_every_fact(run: Run, what: str) -> None:
    facts = getattr(load_ruleset("lotv-4.10"), what)
    rows = json.loads(run("list", what, "--json").out)
    assert [row["name"] for row in rows] == list(facts)
    assert [row["id"] for row in rows] == [fact.id for fact in facts.values()]
    assert json.loads(run("list", what, "--rules", "liberty", "--json").out) == []
    assert run("list", what, "--rules", "liberty").out.endswith("none\n")


def test_units_as_json_are_every_fact(run: Run) -> None:
    units = json.loads(run("list", "units", "--rules", "liberty", "--json").out)
    facts = load_ruleset("liberty").units
    assert [unit["name"] for unit in units] == list(facts)
    assert units[0]["weapons"][0]["range"] == facts[units[0]["name"]].weapons[0].range


@pytest.mark.parametrize("family", ["smac", "smacv2"])
def test_scenarios_are_listed_one_a_line(run: Run, family: str) -> None:
    names = scenario_names(family)
    lines = run("list", "scenarios", family).out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(names)
    rows = json.loads(run("list", "scenarios", family, "--json").out)
    assert [row["name"] for row in rows] == list(names)
    assert all(row["limit"] > 0 and row["allies"] and row["enemies"] for row in rows)


@pytest.mark.parametrize("what", ["rules", "terrains"])
def test_rules_and_terrains_are_listed(run: Run, what: str) -> None:
    rows = json.loads(run("list", what, "--json").out)
    out = run("list", what).out
    assert rows
    assert all(row["name"] in out and row["title"] in out for row in rows)


BAD_INPUT = [
    ("lst", 'unknown command "lst". Did you mean "list"?'),
    ("list unit", 'unknown command "list unit". Did you mean "units"?'),
    ("--verson", 'unknown option "--verson". Did you mean "--version"?'),
    ("list units --rase zerg", 'unknown option "--rase" of terrarium list units. Did you mean'),
    ("list units -r zerg", 'unknown option "-r" of terrarium list units'),
    ("list units --race zergg", 'unknown race "zergg". Did you mean "zerg"?'),
    ("list units --rules lotv-4.1", 'unknown rule set "lotv-4.1". Did you mean "lotv-4.10"?'),
    ("list units marine", "too many words: marine"),
    ("list units --race", "--race needs a value"),
    ("list abilities --unit marin", 'unknown unit "marin" in lotv-4.10. Did you mean "marine"?'),
    ("list upgrades --unit ghost --rules liberty", 'unknown unit "ghost" in liberty.'),
    ("list scenarios smax", 'unknown family "smax". Did you mean "smac"?'),
    ("watch smac/3mm", 'unknown scenario "smac/3mm". Did you mean "smac/3m"?'),
    ("watch none.toml", "none.toml: cannot be read"),
    ("watch --seed -1", "seed is -1; allowed are 0 to"),
    ("watch --seed 9223372036854775808", "seed is 9223372036854775808; allowed are 0 to"),
    ("eval random 3m --seed one", "--seed: 'one' is not a whole number"),
    ("eval random 3m --seed 1.5", "--seed: '1.5' is not a whole number"),
    ("bench engine --batch 0", "batch is 0; allowed are 1 to"),
    ("bench engine --batch 1 x", "--batch: '1', 'x' does not fit"),
    ("bench engine --batch", "batch needs at least one number"),
    ("bench engine --threads -2", "threads is -2; allowed are 1 to"),
    ("bench engine --seconds 0", "seconds is 0; allowed is more than 0"),
    ("bench engine --seconds soon", "--seconds: 'soon' is not a number"),
    ("bench engine --scenarios 3mm", 'unknown scenario "3mm". Did you mean "3m"?'),
    ("bench engine --scenarios", "scenarios needs at least one name"),
    ("bench env --peer_python x", 'unknown option "--peer_python" of terrarium bench env. Did you'),
    ("bench env --vs sma", "invalid choice 'sma' for argument '--vs'"),
    ("bench env --slices 1", "slices is 1; allowed are 3 to"),
    ("bench updates --threads -1", "threads is -1; allowed are 1 to"),
    ("bench updates --envs 0", "envs is 0; allowed are 1 to"),
    ("bench opponents --limit-ticks 0", "limit-ticks is 0; allowed are 1 to"),
    ("bench train --target 0", "target is 0; allowed is more than 0, up to 1"),
    ("bench fidelity --only scrpt", 'unknown comparison "scrpt". Did you mean "script"?'),
    ("bench fidelity --recordings none.npz", "none.npz: recordings cannot be read"),
    ("bench fidelity --rules librety", 'unknown rule set "librety". Did you mean "liberty"?'),
    ("bench fidelity --episodes 0", "episodes is 0; allowed are 1 to"),
    ("watch 3m --policy kitting", 'unknown player "kitting". Did you mean "kiting"?'),
    ("eval kitting 3m", 'unknown player "kitting". Did you mean "kiting"? Allowed: random, heur'),
    ("eval kiting 3mm", 'unknown scenario "3mm". Did you mean "3m"?'),
    ("eval kiting none.toml", "none.toml: cannot be read"),
    ("eval", "PLAYER|RUN is missing. See: terrarium eval --help"),
    ("eval kiting", "eval needs a scenario. See: terrarium list scenarios"),
    ("eval kiting 3m --episodes 0", "episodes is 0; allowed are 1 to"),
    ("eval kiting 3m --threads 0", "threads is 0; allowed are 1 to"),
    ("eval kiting 3m --batch -1", "batch is -1; allowed are 1 to"),
    ("eval kiting 3m --seed -1", "seed is -1; allowed are 0 to"),
    ("eval kiting 3m --contract exat", 'contract is "exat". Did you mean "exact"?'),
    ("eval kiting 3m --rules librety", 'unknown rule set "librety". Did you mean "liberty"?'),
    ("eval kiting 3m --rules none.toml", "none.toml"),
    (
        "eval random mpe/simple_spread --rules liberty",
        'mpe/simple_spread has no option "rules". Allowed: N, ',
    ),
    ("train mappo 3m task.rules=librety", 'unknown rule set "librety". Did you mean "liberty"?'),
    ("compare", "compare needs a run folder. See: terrarium compare --help"),
    ("compare none", "none: there is no such folder."),
    ("compare src --outt x", 'unknown option "--outt" of terrarium compare. Did you mean "--out"?'),
    ("eval kiting 3m --episode 5", 'unknown option "--episode" of terrarium eval. Did you mean'),
]


@pytest.mark.parametrize(("line", "expected"), BAD_INPUT)
def test_bad_input_gets_one_clear_line_and_exit_code_2(run: Run, line: str, expected: str) -> None:
    answer = run(*line.split())
    assert answer.err.startswith(f"terrarium: {expected}")
    assert answer.err.count("\n") == 1
    assert (answer.code, answer.out) == (2, "")


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("title", "", "not valid TOML"),
        ("terrain", '"bnd"', 'line 2: terrain: unknown terrain "bnd". Did you mean "band"?'),
        ("rules", '"freedom"', 'line 3: rules: unknown rule set "freedom".'),
        ("units", "{ marin = 3 }", 'unknown unit "marin". Did you mean "marine"?'),
    ],
)
def test_a_mistake_in_a_scenario_file_is_named_with_its_line(
    run: Run, tmp_path: Path, key: str, value: str, expected: str
) -> None:
    keys = {
        "title": '"Three"',
        "terrain": '"band"',
        "rules": '"liberty"',
        "limit_steps": "60",
        "[[group]]\nside": '"ally"',
        "at": "[9.0, 16.0]",
        "units": "{ marine = 3 }",
    }
    file = tmp_path / "three.toml"
    file.write_text("".join(f"{name} = {text}\n" for name, text in (keys | {key: value}).items()))
    answer = run("watch", str(file))
    assert answer.code == 2
    assert str(file) in answer.err
    assert expected in answer.err
    assert answer.err.count("\n") == 1


def test_a_line_break_in_an_argument_does_not_break_the_message(run: Run) -> None:
    answer = run("list", "units", "--rules", "a\nb")
    assert answer.code == 2
    assert answer.err.count("\n") == 1


def test_interruption_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("terrarium.cli.lists.load_ruleset", interrupted)
    assert run("list", "units") == (130, "", "")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    # All units as JSON are more than a pipe holds, so that the writer notices.
    with subprocess.Popen(
        [*PROGRAM, "list", "units", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline() == b"[\n"
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait() == 141


def test_the_exit_code_reaches_the_shell() -> None:
    done = subprocess.run([*PROGRAM, "watch", "3mm"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith('terrarium: unknown scenario "3mm".')


@pytest.mark.slow
def test_demo_trains_evaluates_and_writes_a_page(tmp_path: Path) -> None:
    answer = call_program("demo", "--max-steps", "2048", home=tmp_path)
    assert answer.code == 0
    assert "all steps are done: test win rate" in answer.out
    assert "demo, contract fixed, seeds 0 to 199" in answer.out
    assert "Open demo.html in a browser" in answer.out
    assert (tmp_path / "demo.html").stat().st_size > 10_000
    assert (tmp_path / "demo" / "checkpoints" / "best.pt").exists()


def test_bench_prints_a_table_or_json(run: Run) -> None:
    small = ("--scenarios", "3m", "--batch", "2", "--threads", "1", "--seconds", "0.01")
    answer = run("bench", "engine", *small)
    assert answer.code == 0
    row = next(line for line in answer.out.splitlines() if line.startswith("smac/3m"))
    assert row.split()[1:4] == ["6", "2", "1"]
    result = json.loads(run("bench", "engine", *small, "--json").out)
    assert result["machine"]["terrarium"] == terrarium.__version__
    assert [row["scenario"] for row in result["rows"]] == ["smac/3m"]


def test_eval_prints_a_row_for_each_scenario_of_a_list_or_a_family(run: Run) -> None:
    answer = run("eval", "random", "3m", "smacv2", "--episodes", "2", "--threads", "1")
    assert (answer.code, answer.err) == (0, "")
    names = [line.split()[0] for line in answer.out.splitlines()[2:] if "/" in line.split(" ")[0]]
    assert names == ["smac/3m", *scenario_names("smacv2")]
    assert answer.out.endswith("random, contract fixed, seeds 0 to 1\n")


def test_eval_answers_in_json(run: Run) -> None:
    few = ("--episodes", "20", "--seed", "7", "--json")
    result = json.loads(run("eval", "heuristic", "3m", *few).out)
    low, high = result["interval"]
    assert low <= result["win_rate"] == result["wins"] / 20 <= high
    assert (result["scenario"], result["episodes"], result["seed"]) == ("smac/3m", 20, 7)
    both = json.loads(run("eval", "heuristic", "3m", "8m", *few).out)
    assert [row["scenario"] for row in both] == ["smac/3m", "smac/8m"]
    assert {**both[0], "steps_per_s": 0} == {**result, "steps_per_s": 0}
