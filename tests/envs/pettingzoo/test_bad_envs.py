"""What is wrong with an environment is said in one line, in every mode."""

import re
from typing import Any

import numpy as np
import pytest

from terrarium.envs.pettingzoo.errors import PettingZooError
from terrarium.envs.pettingzoo.spec import find_spec, spec_names
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.envs.tasks.battles import BattleTask
from terrarium.envs.tasks.pettingzoo_tasks import PettingZooTask
from terrarium.envs.tasks.registry import kind_of
from terrarium.envs.vector import EnvError
from terrarium.errors import TerrariumError
from tests.envs.pettingzoo.playing import play, zoo

FAULTS = {
    "sees nan": "toy_1: its observation holds nan in column 1 of 3; finite numbers are expected",
    "sees too much": "toy_1: its observation holds inf in column 1 of 3",
    "sees more": r"toy_1: an observation has shape \(5,\) instead of \(3,\); its space is Box",
    "sees words": "toy_1: an observation is .* instead of numbers",
    "sees a stranger": "unknown agent 'nobody_7'; its possible_agents are toy_0, toy_1",
    "is blind": "toy_1: it takes part, but no observation was given",
    "is paid inf": "toy_1: its reward is inf; a finite number is expected",
    "is paid in words": "toy_1: its reward is 'much'; a finite number is expected",
    "is not paid": "toy_1: it took part, but was given no reward",
    "vanishes": "toy_1: it is no longer in `agents`, but neither terminated nor truncated",
    "raises": "step raised ValueError: the floor$",
    "grows": r"toy_1: its space has changed from Box\(-inf, inf, \(3,\), float32\) to Box\(-1.0",
    "acts otherwise": r"toy_1: its space has changed from Discrete\(2\) to Discrete\(3\)",
    "is empty": "reset leaves `agents` empty",
}


def fail(spec: Any, **setting: Any) -> str:
    env = PettingZooVecEnv(spec, n_envs=2, **setting)
    try:
        env.reset()
        play(env, 7)
    except PettingZooError as error:
        return str(error)
    finally:
        env.close()
    return "nothing went wrong"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_line_that_names_the_environment(fault: str) -> None:
    spec = zoo("faulty", fault=fault)
    message = fail(spec)
    assert re.search(FAULTS[fault], message)
    assert message.startswith(spec.name)
    assert "\n" not in message
    assert fail(spec, mode="threads", workers=2) == message


def test_a_fault_in_a_worker_process_is_the_same_line() -> None:
    spec = zoo("faulty", fault="sees nan")
    env = PettingZooVecEnv(spec, n_envs=2, workers=2)
    for _ in range(2):  # after a reset all is well until it happens again
        env.reset()
        play(env, 1)
        with pytest.raises(PettingZooError) as error:
            play(env, 1)
        assert str(error.value) == fail(spec)
        with pytest.raises(EnvError, match="no episode has begun: call reset"):
            env.step(np.ones((2, 2), np.int64))
    env.close()


def test_a_worker_that_dies_is_one_line() -> None:
    env = PettingZooVecEnv(zoo("faulty", fault="dies"), n_envs=3, workers=2)
    env.reset()
    play(env, 1)
    with pytest.raises(PettingZooError, match=r"worker process 1 of 2 ended .* \(exit code 7\)"):
        play(env, 1)
    with pytest.raises(EnvError, match="a worker is lost: close this environment"):
        env.reset()
    workers = list(env._crew._workers)  # type: ignore[attr-defined]
    pids = [worker.pid for worker in workers]
    env.close()
    assert len(pids) == 2
    with pytest.raises(ValueError, match="process object is closed"):
        workers[1].is_alive()


def test_a_factory_that_gives_the_same_object_twice_cannot_be_vectorized() -> None:
    spec = zoo("always_the_same")
    env = PettingZooVecEnv(spec)
    env.reset()
    play(env, 7)
    with pytest.raises(PettingZooError, match="its factory gives the same environment twice"):
        PettingZooVecEnv(spec, n_envs=2)


@pytest.mark.parametrize(
    ("factory", "options", "match"),
    [
        ("odd_actions", {"kind": "unbounded"}, r"toy_1: actions in Box\(-inf.* Supported: Discr"),
        ("odd_actions", {"kind": "dict"}, r"toy_1: actions in Dict.* are not supported"),
        ("odd_actions", {"kind": "text"}, r"toy_1: actions in Text.* are not supported"),
        ("odd_observations", {"kind": "text"}, r"toy_1: observations in Text.* Supported: Box"),
        ("odd_observations", {"kind": "sequence"}, r"toy_1: observations in Sequence"),
        ("without_possible_agents", {}, "its environment has no possible_agents"),
        ("no_environment", {}, "gives int instead of an environment of PettingZoo"),
        ("needs_more", {}, r"making an environment raised TypeError: needs_more\(\) missing"),
        ("plain", {"max_cycle": 3}, 'no option "max_cycle". Did you mean "max_cycles"?'),
        ("forgetful", {"speed": 3}, "making an environment raised TypeError: .* 'speed'"),
        ("odd_actions", {"kind": "none"}, "making an environment raised KeyError: 'none'"),
    ],
)
def test_an_environment_that_cannot_be_played_says_why(
    factory: str, options: dict[str, Any], match: str
) -> None:
    with pytest.raises(PettingZooError, match=match):
        _ = zoo(factory, **options).info


@pytest.mark.parametrize(
    ("kind", "match"),
    [
        ("short", r"its action_mask has 2 values .* Discrete\(3\) needs 3 of 0 and 1"),
        ("odd", "its action_mask has 3 values from 0 to 2"),
        ("box", "it has an action_mask, but acts in Box"),
    ],
)
def test_an_odd_mask_is_refused(kind: str, match: str) -> None:
    with pytest.raises(PettingZooError, match=f"toy_0: {match}"):
        PettingZooVecEnv(zoo("bad_mask", kind=kind)).reset()


@pytest.mark.parametrize(
    ("word", "match"),
    [
        (
            "mpe/simple_sprad",
            'unknown environment "mpe/simple_sprad". Did you mean "mpe/simple_spread"?',
        ),
        ("smac/3m", '"smac/3m" is no environment'),
        ("pettingzoo:tests.envs", "write it as pettingzoo:package.module:factory"),
        ("pettingzoo:no_such_thing:env", "importing no_such_thing raised ModuleNotFoundError"),
        ("pettingzoo:tests.envs.pettingzoo.zoo:plane", 'no function plane. Did you mean "plain"?'),
        ("pettingzoo:tests.envs.pettingzoo.zoo:LIMIT", "has no function LIMIT"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(word: str, match: str) -> None:
    with pytest.raises(TerrariumError, match=match):
        find_spec(word, {}).make()


def test_an_option_that_a_particle_environment_does_not_have_is_refused() -> None:
    with pytest.raises(
        PettingZooError, match=r'no option "max_cycels"\. Did you mean "max_cycles"?'
    ):
        find_spec("mpe/simple_spread", {"max_cycels": 3}).make()


def test_names_of_worlds_are_told_from_scenarios() -> None:
    assert all(kind_of(name) is PettingZooTask for name in spec_names())
    assert kind_of("pettingzoo:a.b:c") is PettingZooTask
    assert kind_of("smac/3m") is BattleTask


def test_only_who_wants_a_window_gets_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    spec = zoo("with_window")
    for _ in range(2):
        assert spec.make().screen == (None, "dummy")
        assert spec.make("human").screen == ("human", None)
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")  # what the user has set is left alone
    assert spec.make().screen == (None, "x11")
    assert spec.make("human").screen == ("human", "x11")


def test_an_environment_that_cannot_draw_says_so() -> None:
    with pytest.raises(PettingZooError, match='no option "render_mode"'):
        PettingZooVecEnv(zoo("plain"), render_mode="human")


def test_an_environment_tells_about_itself() -> None:
    spec = zoo("plain", max_cycles=9)
    assert (spec.limit_steps, spec.cooperative, spec.title) == (9, True, "toy (PettingZoo)")
    assert zoo("turns").cooperative is None
    assert zoo("turns").limit_steps == 0
    assert find_spec("mpe/simple_tag", {}).title == "Simple tag (particle environment)"
    tag = find_spec("mpe/simple_tag", {}).info
    assert tag.teams == (("adversary", (0, 1, 2)), ("agent", (3,)))
