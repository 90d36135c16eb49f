"""The algorithms; `ALGOS` names them."""

from terrarium.marl.algos.algo import Algo
from terrarium.marl.algos.coma import Coma
from terrarium.marl.algos.ddpg import Ddpg
from terrarium.marl.algos.maddpg import Maddpg
from terrarium.marl.algos.matd3 import Matd3
from terrarium.marl.algos.per_team import Teams, is_teams
from terrarium.marl.algos.ppo import Ippo, Mappo
from terrarium.marl.algos.q_learning import Iql, Qmix, Qplex, Vdn
from terrarium.marl.algos.qtran import Qtran

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

OTHER_NAMES = {"mppo": "mappo"}
"""What people also call them"""


def find_algo(name: str) -> type[Algo]:
    """One of them, or what lets each team learn by one: adversary=maddpg,agent=ddpg."""
    return Teams if is_teams(name) else ALGOS[name]
