"""One file for each algorithm; `ALGOS` names them."""

from terrarium.marl.algos.algo import Algo
from terrarium.marl.algos.coma import Coma
from terrarium.marl.algos.ddpg import Ddpg
from terrarium.marl.algos.ippo import Ippo
from terrarium.marl.algos.iql import Iql
from terrarium.marl.algos.maddpg import Maddpg
from terrarium.marl.algos.mappo import Mappo
from terrarium.marl.algos.matd3 import Matd3
from terrarium.marl.algos.qmix import Qmix
from terrarium.marl.algos.qplex import Qplex
from terrarium.marl.algos.qtran import Qtran
from terrarium.marl.algos.teams import Teams, is_teams
from terrarium.marl.algos.vdn import Vdn

ALGOS: dict[str, type[Algo]] = {
    "mappo": Mappo,
    "ippo": Ippo,
    "coma": Coma,
    "iql": Iql,
    "vdn": Vdn,
    "qmix": Qmix,
    "qplex": Qplex,
    "qtran": Qtran,
    "maddpg": Maddpg,
    "matd3": Matd3,
    "ddpg": Ddpg,
}

OTHER_NAMES = {"mppo": "mappo", "ppo": "ippo"}
"""What people also call them"""


def find_algo(name: str) -> type[Algo]:
    """One of them, or what lets each team learn by one: adversary=maddpg,agent=ddpg."""
    return Teams if is_teams(name) else ALGOS[name]
