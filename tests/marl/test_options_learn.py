"""Every option of learning without a curve of its own learns a game, where possible one that needs
it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from terrarium.testing.algorithms import train_on_game
from terrarium.testing.games import N_ACTIONS, Coordination, Memory, SmallGame

FLAT = ("net.encoder=mlp", "net.hidden_dim=32", "env.n_envs=16", "algo.n_steps=12")
WORDS = {
    "vdn": (
        *("algo.lr=0.005 -> 0.0005", "algo.steps_per_update=64", "replay.batch_size=32"),
        "algo.target_update_interval=20",
    ),
    "mappo": ("algo.lr=0.005", "algo.n_minibatches=2"),
}
N_UPDATES = 150
FEW_UPDATES = 40
"""More than agents with messages need"""
MESSAGES = [(algo, comm) for algo in WORDS for comm in ("commnet", "tarmac")]


class Telling(SmallGame):
    """One step. The first agent is shown a place, and both have to name it: the other one is told,
    or right once in four times."""

    def begin(self) -> None:
        self.cue = self.rng.integers(1, N_ACTIONS, self.n_envs)
        self.now.obs[:] = 0.0
        self.now.obs[:, 0] = np.eye(self.obs_width)[self.cue - 1]

    def pay(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        paid: NDArray[np.float64] = (actions == self.cue[:, None]).all(1).astype(np.float64)
        return paid


def paid(kind: type[SmallGame], algo: str, *words: str, n_updates: int = N_UPDATES) -> float:
    like = WORDS["mappo" if algo == "mappo" else "vdn"]
    explore = "explore.epsilon=1 -> 0.05 at 50%"
    drawn = algo == "mappo" or "explore.kind=noisy" in words
    given = (*FLAT, *like, *(() if drawn else (explore,)), *words)
    return train_on_game(kind(16), algo, given, n_updates, enough=0.95)


@pytest.mark.slow
@pytest.mark.parametrize(("algo", "comm"), MESSAGES)
def test_agents_learn_to_tell_and_to_listen(algo: str, comm: str) -> None:
    words = ("net.core=none", f"net.comm={comm}")
    assert paid(Telling, algo, *words, n_updates=FEW_UPDATES) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("algo", WORDS)
def test_without_messages_nobody_knows(algo: str) -> None:
    assert paid(Telling, algo, "net.core=none", n_updates=FEW_UPDATES) <= 0.6


@pytest.mark.slow
def test_noisy_layers_explore() -> None:
    assert paid(Coordination, "vdn", "net.core=none", "explore.kind=noisy") >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("net.core=gru", "replay.chunk_length=2", "replay.burn_in=1"),
        ("net.core=lstm", "replay.chunk_length=2", "replay.burn_in=1"),
        ("net.core=gru", "net.role_dim=3"),
        *(("net.core=gru", f"share.rule={r}") for r in ("scorer", "embedding")),
        ("net.core=gru", "share.rule=mutual_information"),
    ],
    ids="-".join,
)
def test_agents_remember_with_each_option(words: tuple[str, ...]) -> None:
    assert paid(Memory, "vdn", *words) >= 0.95


@pytest.mark.slow
def test_agents_with_roles_remember_by_ppo() -> None:
    assert paid(Memory, "mappo", "net.core=gru", "net.role_dim=3") >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["scorer", "embedding", "mutual_information"])
@pytest.mark.parametrize("storage", ["batch", "buffer"])
def test_agents_with_networks_of_their_own_meet_with_each_rule(rule: str, storage: str) -> None:
    sharing = (f"share.rule={rule}", f"share.storage={storage}")
    assert paid(Coordination, "iql", "net.core=none", "net.share_params=false", *sharing) >= 0.95
