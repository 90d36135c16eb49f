"""One file for each algorithm; `ALGOS` names them."""

from terrarium.marl.algos.ippo import Ippo
from terrarium.marl.algos.mappo import Mappo
from terrarium.marl.algos.ppo import Ppo

ALGOS: dict[str, type[Ppo]] = {"mappo": Mappo, "ippo": Ippo}

OTHER_NAMES = {"mppo": "mappo"}
"""What people also call them"""
