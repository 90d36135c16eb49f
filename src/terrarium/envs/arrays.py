"""The arrays of an environment, allocated once."""

from collections.abc import Sequence

import numpy as np

from terrarium.engine.battle import UNIT
from terrarium.engine.records import records
from terrarium.envs.kernels.tables import EPISODE, EpisodeState
from terrarium.envs.task_info import TaskInfo
from terrarium.envs.views import StepOutput, Views


def empty_views(n: int, info: TaskInfo, views: Sequence[str]) -> Views:
    """Room for what `n` environments show; views that were not asked for get no columns."""
    a, m, f = info.n_agents, info.n_tokens, len(info.token_features)

    def columns(view: str, width: int) -> int:
        return width if view in views else 0

    tokens, table = columns("tokens", f), columns("table", f)
    pairs = columns("pairs", len(info.pair_features))
    return Views(
        obs=np.zeros((n, a, columns("obs", info.obs_width)), np.float32),
        state=np.zeros((n, columns("state", info.state_size)), np.float32),
        avail=np.zeros((n, a, info.n_actions), np.bool_),
        tokens=np.zeros((n, a, m, tokens), np.float32),
        pairs=np.zeros((n, a, m, pairs), np.float32),
        token_mask=np.zeros((n, a, m if tokens or pairs else 0), np.bool_),
        table=np.zeros((n, m, table), np.float32),
        table_mask=np.zeros((n, m if table else 0), np.bool_),
    )


def empty_output(n: int) -> StepOutput:
    """Room for what a step of `n` environments brings."""
    return StepOutput(
        reward=np.zeros(n),
        terminated=np.zeros(n, np.bool_),
        truncated=np.zeros(n, np.bool_),
        won=np.zeros(n, np.bool_),
        measure=np.zeros(n),
        dead_allies=np.zeros(n, np.int64),
        dead_enemies=np.zeros(n, np.int64),
        episode_return=np.zeros(n),
        episode_steps=np.zeros(n, np.int64),
    )


def empty_state(n: int, info: TaskInfo, exact: bool) -> EpisodeState:
    """Room for what `n` environments remember; `exact`: by SMAC's contract."""
    a, k = info.n_agents, info.n_enemies
    return EpisodeState(
        episode=records((n, 1), EPISODE),
        slots=np.zeros((n, a + k), np.int64),
        tags=np.full((n, a + k), -1, np.int64),
        worth=np.zeros((n, a + k)),
        dead=np.zeros((n, a + k), np.bool_),
        places=np.zeros((n, a + k, 2)),
        last_actions=np.full((n, a), -1, np.int64),
        headings=np.zeros((n, a), np.int64),
        focus=np.full((n, a), -1, np.int64),
        turns=np.zeros((n, a), np.int64),
        sighters=np.full((n, k), -1, np.int64),
        grants=np.zeros((n, a, k), np.bool_),
        fresh=np.zeros((n, k), np.bool_),
        told=records((n, a + k if exact else 0), UNIT),
    )
