"""What can be asked of a game without changing it: commands, offers, places and ways."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.handles import handle
from terrarium.engine.kernels.orders.asking import Asked, ask_commands, ask_offers
from terrarium.engine.kernels.orders.surveying import Places, Ways, ask_places, ask_ways
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator, quiet_wraparound


def judge_commands(sim: Simulator, e: int, commands: Records) -> NDArray[np.int64]:
    """Write into each command of a list, records of COMMAND, what its answer would be now, each by
    itself; the kinds of the orders that they would be, 0 where it is none."""
    orders = np.zeros(len(commands), np.int64)
    if len(commands):
        with quiet_wraparound():
            ask_commands(sim.handles[e], handle(Asked(commands, orders)))
    return orders


def judge_offers(sim: Simulator, e: int, commands: Records, free: bool) -> None:
    """Write into each command SUCCESS if the unit's command card offers it now, whatever it is
    aimed at. `free`: its price, energy and cooldowns do not count."""
    if len(commands):
        with quiet_wraparound():
            orders = np.zeros(len(commands), np.int64)
            ask_offers(sim.handles[e], handle(Asked(commands, orders)), free)


def judge_places(sim: Simulator, e: int, places: Records) -> None:
    """Write into each record of PLACE whether it is one, as far as its player knows."""
    if len(places):
        with quiet_wraparound():
            ask_places(sim.handles[e], handle(Places(places)))


def measure_ways(sim: Simulator, e: int, ways: Records) -> None:
    """Write into each record of WAY how far it is."""
    if len(ways):
        with quiet_wraparound():
            ask_ways(sim.handles[e], handle(Ways(ways)))
