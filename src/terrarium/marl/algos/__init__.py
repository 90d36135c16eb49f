"""The algorithms; `ALGOS` names them."""

from terrarium.errors import TerrariumError, nearest
from terrarium.import_paths import Contract, find_class, is_import_path
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

OTHER_NAMES = {"mppo": "mappo", "ppo": "ippo"}
"""What people also call them"""


ALGO_CONTRACT = Contract(
    "an algorithm",
    ("Config", "act", "observe", "update", "state_dict", "load_state_dict"),
    ("spec", "net", "cfg", "runtime"),
    Algo,
)


def find_algo(name: str) -> type[Algo]:
    """One of them, one of your own, or what lets each team learn by one:
    adversary=maddpg,agent=ddpg."""
    if is_teams(name):
        return Teams
    if name not in (*ALGOS, *OTHER_NAMES) and not is_import_path(name):
        close = nearest(name, [*ALGOS, *OTHER_NAMES])
        raise TerrariumError(
            f'unknown algorithm "{name}".{close} Allowed: {", ".join([*ALGOS, *OTHER_NAMES])}, or '
            "package.module:Class of your own"
        )
    return find_class("the algorithm", OTHER_NAMES.get(name, name), ALGOS, ALGO_CONTRACT)
