"""Battles that follow from one seed, one after the other."""

import numpy as np

from terrarium.engine.jit import entry
from terrarium.engine.kernels.random import BATTLE, bits

_SIGN_BIT = np.uint64(1)


@entry
def battle_seed(seed: np.uint64, number: int) -> np.uint64:
    """The seed of the battle of that number, counted from 0."""
    return bits(seed, number, 0, BATTLE) >> _SIGN_BIT
