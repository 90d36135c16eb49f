"""Random numbers without a hidden stream: each draw is a hash of who draws what, and when.

A draw depends on the seed of the environment, the tick, the tag of the unit and the purpose, never
on the slot or on how many others drew before. So results do not depend on batch or slot order.
"""

import numpy as np

from terrarium.engine.jit import kernel

# Purposes of a draw.
COOLDOWN, TIE, DIRECTION, LIFETIME, PHASE, VOLLEY, ORDER_POINT, TEAM, POSITION, MORPHING = range(10)
HARVEST, COCOON = 10, 11
# Those of environments, which draw beside the game.
SIGHTING, TURN, CHOICE, BATTLE = range(12, 16)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_PURPOSES = np.uint64(16)
_UNIT = 1.0 / 9007199254740992.0  # 2**-53


@kernel
def mix(z: np.uint64) -> np.uint64:
    """The finalizer of splitmix64: every input bit reaches every output bit."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel
def bits(seed: np.uint64, tick: int, tag: int, purpose: int) -> np.uint64:
    """64 random bits for one purpose of one unit at one tick."""
    key = np.uint64(tag) * _PURPOSES + np.uint64(purpose)
    return mix(mix(mix(seed + _GOLDEN) + np.uint64(tick)) + key * _GOLDEN)


@kernel
def toss(seed: np.uint64, tag: int, one: int, other: int) -> bool:
    """Between two things that are equal to unit `tag`: does it take `one` rather than `other`?"""
    return bool(bits(seed, tag, one, TIE) < bits(seed, tag, other, TIE))


@kernel
def uniform(seed: np.uint64, tick: int, tag: int, purpose: int) -> float:
    """A number in [0, 1)."""
    return float(bits(seed, tick, tag, purpose) >> _S11) * _UNIT
