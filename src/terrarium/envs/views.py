"""What a step of the environments hands to a learner. Needs NumPy only.

The annotations give the axes of one environment; the arrays have environments [N] in front.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Views(NamedTuple):
    """Observations. A view that was not asked for has no columns."""

    obs: Annotated[NDArray[np.float32], "f4", "A O"]
    state: Annotated[NDArray[np.float32], "f4", "S"]
    avail: Annotated[NDArray[np.bool_], "?", "A K"]
    tokens: Annotated[NDArray[np.float32], "f4", "A M F"]
    pairs: Annotated[NDArray[np.float32], "f4", "A M R"]
    token_mask: Annotated[NDArray[np.bool_], "?", "A M"]  # of tokens and pairs
    table: Annotated[NDArray[np.float32], "f4", "M F"]
    table_mask: Annotated[NDArray[np.bool_], "?", "M"]


class StepOutput(NamedTuple):
    """Reward and endings of a step; statistics are valid where an episode has ended in it."""

    reward: Annotated[NDArray[np.float64], "f8", "1"]
    terminated: Annotated[NDArray[np.bool_], "?", "1"]
    truncated: Annotated[NDArray[np.bool_], "?", "1"]
    won: Annotated[NDArray[np.bool_], "?", "1"]
    measure: Annotated[NDArray[np.float64], "f8", "1"]  # what the scenario measures, 0 to 1
    dead_allies: Annotated[NDArray[np.int64], "i8", "1"]
    dead_enemies: Annotated[NDArray[np.int64], "i8", "1"]
    episode_return: Annotated[NDArray[np.float64], "f8", "1"]
    episode_steps: Annotated[NDArray[np.int64], "i8", "1"]
