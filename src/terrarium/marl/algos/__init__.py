"""One file for each algorithm; `ALGOS` names them."""

from terrarium.marl.algos.algo import Algo
from terrarium.marl.algos.coma import Coma
from terrarium.marl.algos.ippo import Ippo
from terrarium.marl.algos.iql import Iql
from terrarium.marl.algos.mappo import Mappo
from terrarium.marl.algos.qmix import Qmix
from terrarium.marl.algos.qplex import Qplex
from terrarium.marl.algos.qtran import Qtran
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
}

OTHER_NAMES = {"mppo": "mappo"}
"""What people also call them"""
