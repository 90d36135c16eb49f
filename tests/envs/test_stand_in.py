"""`terrarium run-smac`: programs written for SMAC run unchanged, and fail as they would anyway."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

import terrarium
from terrarium.data.battles.scenarios import scenario_names
from terrarium.envs.smac.maps import get_map_params, get_smacv2_map_registry, map_present
from terrarium.envs.smac.multi_agent_env import MultiAgentEnv
from terrarium.errors import TerrariumError

pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-c", "from terrarium.cli import main; main()", "run-smac"]

# Programs run in folders of their own, where a relative path to the package would lead nowhere.
ENVIRON = {**os.environ, "PYTHONPATH": str(Path(terrarium.__file__).parent.parent)}

RANDOM_AGENTS = """
    import argparse

    import numpy as np
    from smac.env import StarCraft2Env

    parser = argparse.ArgumentParser()
    parser.add_argument("--map", default="8m")
    parser.add_argument("--episodes", type=int, default=2)
    args = parser.parse_args()

    env = StarCraft2Env(map_name=args.map, seed=3)
    info = env.get_env_info()
    rng = np.random.default_rng(0)
    for _ in range(args.episodes):
        env.reset()
        terminated, total = False, 0.0
        while not terminated:
            obs, state = env.get_obs(), env.get_state()
            assert (len(obs), len(obs[0])) == (info["n_agents"], info["obs_shape"])
            assert len(state) == info["state_shape"]
            actions = []
            for agent in range(info["n_agents"]):
                available = np.nonzero(env.get_avail_agent_actions(agent))[0]
                actions.append(rng.choice(available))
            reward, terminated, _ = env.step(actions)
            total += reward
        print(f"return {total:.2f}")
    print(env.get_stats()["battles_game"], "battles")
    env.close()
"""

# As a learner has it: a registry of environments, episodes in a batch, environments in processes.
RUNNER = """
    import multiprocessing
    from functools import partial

    import numpy as np
    from smac.env import MultiAgentEnv, StarCraft2Env
    from smac.env.starcraft2.maps import get_map_params

    def build(env, **settings) -> MultiAgentEnv:
        return env(**settings)

    REGISTRY = {"sc2": partial(build, env=StarCraft2Env)}

    def work(pipe, seed):
        env = REGISTRY["sc2"](map_name="2s3z", seed=seed, reward_only_positive=True, step_mul=8,
                              difficulty="7", game_version=None, replay_dir="", debug=False)
        assert isinstance(env, MultiAgentEnv)
        sizes = env.get_env_info()
        rng, steps, over = np.random.default_rng(seed), [], False
        env.reset()
        while not over:
            avail = np.array(env.get_avail_actions())
            chosen = [rng.choice(np.flatnonzero(row)) for row in avail]
            step = {"state": env.get_state(), "obs": env.get_obs(), "avail_actions": avail}
            reward, over, info = env.step(np.array(chosen))
            ended = over and not info.get("episode_limit", False)
            steps.append({**step, "actions": chosen, "reward": reward, "terminated": ended})
        pipe.send((sizes["episode_limit"], len(steps), env.get_stats()))
        env.close()

    if __name__ == "__main__":
        context = multiprocessing.get_context("spawn")
        mine, theirs = zip(*[context.Pipe() for _ in range(2)])
        workers = [context.Process(target=work, args=(pipe, i)) for i, pipe in enumerate(theirs)]
        for worker in workers:
            worker.start()
        for pipe in mine:
            limit, n_steps, stats = pipe.recv()
            assert limit == get_map_params("2s3z")["limit"] and 1 <= n_steps <= limit
            print(stats["battles_game"])
        for worker in workers:
            worker.join()
"""

SMACV2 = """
    import smacv2
    from smacv2.env import MultiAgentEnv, StarCraft2Env, StarCraftCapabilityEnvWrapper
    from smacv2.env.starcraft2.maps.smac_maps import get_smac_map_registry
    from smacv2.env.starcraft2.starcraft2 import StarCraft2Env as Same
    from smacv2.env.starcraft2.wrapper import StarCraftCapabilityEnvWrapper as Wrapper

    assert Same is StarCraft2Env and Wrapper is StarCraftCapabilityEnvWrapper
    config = {
        "n_units": 4,
        "n_enemies": 6,
        "team_gen": {
            "dist_type": "weighted_teams",
            "unit_types": ["stalker", "zealot", "colossus"],
            "weights": [0.45, 0.45, 0.1],
            "observe": True,
        },
        "start_positions": {
            "dist_type": "surrounded_and_reflect", "p": 0.5, "map_x": 32, "map_y": 32,
        },
    }
    env = StarCraftCapabilityEnvWrapper(
        capability_config=config, map_name="10gen_protoss", obs_own_pos=True, use_unit_ranges=True,
        conic_fov=False, debug=False, min_attack_range=2,
    )
    assert isinstance(env, MultiAgentEnv)
    obs, state = env.reset()
    reward, over, info = env.step([1] * 4)
    print(len(obs), env.get_env_info()["n_actions"], sorted(get_smac_map_registry())[:2])
    assert isinstance(env.env, StarCraft2Env)
    plain = StarCraft2Env(map_name="MMM")
    assert isinstance(plain, MultiAgentEnv)
    plain.reset()
    print(plain.get_env_info()["cap_shape"], plain.get_cap_size(), len(plain.get_capabilities()))
"""


class Answer(NamedTuple):
    code: int
    out: str
    err: str


def run_smac(folder: Path, *words: str) -> Answer:
    done = subprocess.run(
        [*PROGRAM, *words], cwd=folder, env=ENVIRON, capture_output=True, text=True, check=False
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def saved(folder: Path, code: str, name: str = "program.py") -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(dedent(code))
    return name


def test_random_agents_play_with_their_own_arguments(tmp_path: Path) -> None:
    script = saved(tmp_path, RANDOM_AGENTS)
    answer = run_smac(tmp_path, script, "--map", "3m", "--episodes", "3")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.count("return") == 3
    assert answer.out.endswith("3 battles\n")


def test_a_runner_with_processes_of_its_own_plays(tmp_path: Path) -> None:
    assert run_smac(tmp_path, saved(tmp_path, RUNNER)) == (0, "1\n1\n", "")


def test_programs_for_smacv2_play(tmp_path: Path) -> None:
    answer = run_smac(tmp_path, saved(tmp_path, SMACV2))
    assert answer == (0, "4 12 ['10gen_protoss', '10gen_terran']\n3 3 30\n", "")


def test_a_module_is_run_as_python_does(tmp_path: Path) -> None:
    saved(tmp_path, "", "mine/__init__.py")
    saved(tmp_path, "VALUE = 5", "mine/other.py")
    saved(
        tmp_path,
        """
        import sys
        from pathlib import Path

        from smac.env import StarCraft2Env
        from .other import VALUE

        print(__name__, Path(sys.argv[0]).name, sys.argv[1:], VALUE, StarCraft2Env.__module__)
        """,
        "mine/train.py",
    )
    answer = run_smac(tmp_path, "-m", "mine.train", "--help", "-m")
    assert answer == (0, "__main__ train.py ['--help', '-m'] 5 terrarium.envs.smac.env\n", "")


def test_a_script_is_main_and_finds_what_lies_beside_it(tmp_path: Path) -> None:
    saved(tmp_path, "VALUE = 5", "folder/beside.py")
    code = """
        import logging, sys
        import beside
        logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
        logging.info("%s %s %s", __name__, sys.argv, beside.VALUE)
    """
    script = saved(tmp_path, code, "folder/program.py")
    answer = run_smac(tmp_path, script, "-x", "--help")
    assert answer == (0, "__main__ ['folder/program.py', '-x', '--help'] 5\n", "")


def test_the_exit_code_is_passed_on(tmp_path: Path) -> None:
    assert run_smac(tmp_path, saved(tmp_path, "import sys; sys.exit(3)")) == (3, "", "")


def test_errors_of_a_program_look_as_if_python_had_run_it(tmp_path: Path) -> None:
    programs = {
        "wrong": "def inner():\n    raise ValueError('mine')\n\ninner()\n",
        "grammar": "x = = 1\n",
        "missing": "import smac.env.pettingzoo\n",
        "memory": "raise MemoryError('mine')\n",
    }
    for name, code in programs.items():
        script = saved(tmp_path, code, f"{name}.py")
        plain = subprocess.run(
            [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        answer = run_smac(tmp_path, script)
        assert answer.code == plain.returncode == 1
        # Python writes the folder before the script's name or not, by how it was started.
        ours, theirs = (text.replace(f"{tmp_path}/", "") for text in (answer.err, plain.stderr))
        if name == "missing":
            theirs = theirs.replace("'smac'", "'smac.env.pettingzoo'")
        assert ours == theirs


def test_a_mistake_with_our_environment_has_a_traceback_too(tmp_path: Path) -> None:
    code = """
        from smac.env import StarCraft2Env
        env = StarCraft2Env("3m")
        env.reset()
        env.step([0, 1, 1])
    """
    answer = run_smac(tmp_path, saved(tmp_path, code))
    assert (answer.code, answer.out) == (1, "")
    first, second, *_ = answer.err.splitlines()
    assert first == "Traceback (most recent call last):"
    assert second.endswith('program.py", line 5, in <module>')
    assert "EnvError: agent 0: action 0 (no-op) is not available now" in answer.err


def test_another_smac_is_hidden_and_named(tmp_path: Path) -> None:
    saved(tmp_path, "raise RuntimeError('the other one')", "folder/smac/__init__.py")
    script = saved(tmp_path, "import smac; print(smac.__doc__)", "folder/program.py")
    answer = run_smac(tmp_path, script)
    place = tmp_path / "folder" / "smac" / "__init__.py"
    assert answer == (
        0,
        "Stands in for SMAC.\n",
        f"terrarium: there is also smac in {place}; this run uses ours\n",
    )


REFUSED = {
    "none.py": "none.py: there is no such file",
    ".": ".: there is no such file",
    "": "a script is missing. See: terrarium run-smac --help",
    "-m": "-m needs the name of a module. See: terrarium run-smac --help",
    "-m none": 'there is no module "none" to run',
    "-m none.train": 'there is no module "none.train" to run',
    "--map 3m": 'unknown option "--map" of terrarium run-smac. Allowed: -m, --help',
}
# One process for all of them: to start one takes longer than to be refused.
ASK_ALL = """
import contextlib, io, json, sys
from terrarium.cli import main

answers = []
for words in json.load(sys.stdin):
    sys.argv = ["terrarium", "run-smac", *words.split()]
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as stop:
            code = stop.code
    answers.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    done = subprocess.run(
        [sys.executable, "-c", ASK_ALL],
        cwd=tmp_path_factory.mktemp("empty"),
        env=ENVIRON,
        input=json.dumps(list(REFUSED)),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = (Answer(*answer) for answer in json.loads(done.stdout))
    return dict(zip(REFUSED, answers, strict=True))


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_run_gets_one_line(refusals: dict[str, Answer], words: str) -> None:
    answer = refusals[words]
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"terrarium: {REFUSED[words]}")
    assert answer.err.count("\n") == 1


def test_the_maps_are_described_as_smac_does() -> None:
    assert get_map_params("3s5z_vs_3s6z") == {
        "n_agents": 8,
        "n_enemies": 9,
        "limit": 170,
        "a_race": "P",
        "b_race": "P",
        "unit_type_bits": 2,
        "map_type": "stalkers_and_zealots",
    }
    for race in ("terran", "protoss", "zerg"):  # whatever the sizes of a configuration are
        assert get_map_params(f"10gen_{race}") == {
            "n_agents": 10,
            "n_enemies": 10,
            "limit": 200,
            "a_race": race[0].upper(),
            "b_race": race[0].upper(),
            "unit_type_bits": 3,
            "map_type": f"{race}_gen",
        }
    assert set(get_smacv2_map_registry()) == {
        *(name.removeprefix("smac/") for name in scenario_names("smac")),
        *("10gen_terran", "10gen_protoss", "10gen_zerg"),
    }
    assert map_present("2c_vs_64zg")
    assert not map_present("3mm")
    with pytest.raises(TerrariumError, match=r'unknown map "3mm"\. Did you mean "3m"'):
        get_map_params("3mm")


def test_an_environment_of_ones_own_derives_from_smacs_base_class() -> None:
    whole = {name: lambda self, *_: 7 for name in sorted(MultiAgentEnv.__abstractmethods__)}
    own = type("Own", (MultiAgentEnv,), {**whole, "n_agents": 2, "episode_limit": 9})()
    assert own.get_env_info() == {
        "state_shape": 7,
        "obs_shape": 7,
        "n_actions": 7,
        "n_agents": 2,
        "episode_limit": 9,
    }
    own.close()
    del whole["get_state"]
    with pytest.raises(TypeError, match="get_state"):
        type("Own", (MultiAgentEnv,), whole)()
