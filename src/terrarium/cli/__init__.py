"""The command line: parse, call one library function, print."""

import io
import logging
import os
import sys
from typing import NoReturn

from terrarium.cli.ablate import Ablate, ListPlans
from terrarium.cli.bench import BenchEngine, BenchEnv, BenchPettingZoo, BenchTrain, BenchUpdates
from terrarium.cli.bench_economy import BenchEconomy
from terrarium.cli.bench_fidelity import BenchFidelity
from terrarium.cli.bench_fuzz import BenchFuzz
from terrarium.cli.bench_games import BenchGame, BenchOpponents
from terrarium.cli.bench_server import BenchServer
from terrarium.cli.compare import Compare
from terrarium.cli.crossplay import Crossplay
from terrarium.cli.demo import Demo
from terrarium.cli.eval import Eval
from terrarium.cli.list_abilities import ListAbilities, ListUpgrades
from terrarium.cli.list_opponents import ListOpponents
from terrarium.cli.list_training import ListAlgos, ListPresets, ListSettings
from terrarium.cli.lists import ListRules, ListScenarios, ListTerrains, ListUnits
from terrarium.cli.maps import ImportMap, ListMaps, ShowMap
from terrarium.cli.parsing import Commands, run
from terrarium.cli.play import Play, PlayMatch
from terrarium.cli.run_smac import RunSmac
from terrarium.cli.serve import Sc2Path, Serve
from terrarium.cli.train import Train
from terrarium.cli.warm import Warm
from terrarium.cli.watch import Watch
from terrarium.errors import TerrariumError

COMMANDS: Commands = {
    "demo": Demo,
    "train": Train,
    "watch": Watch,
    "eval": Eval,
    "compare": Compare,
    "crossplay": Crossplay,
    "ablate": Ablate,
    "list units": ListUnits,
    "list abilities": ListAbilities,
    "list upgrades": ListUpgrades,
    "list scenarios": ListScenarios,
    "list rules": ListRules,
    "list terrains": ListTerrains,
    "list maps": ListMaps,
    "list opponents": ListOpponents,
    "list algos": ListAlgos,
    "list settings": ListSettings,
    "list presets": ListPresets,
    "list plans": ListPlans,
    "map": ShowMap,
    "import-map": ImportMap,
    "run-smac": RunSmac,
    "serve": Serve,
    "sc2path": Sc2Path,
    "play": Play,
    "match": PlayMatch,
    "warm": Warm,
    "bench engine": BenchEngine,
    "bench env": BenchEnv,
    "bench train": BenchTrain,
    "bench updates": BenchUpdates,
    "bench pettingzoo": BenchPettingZoo,
    "bench fidelity": BenchFidelity,
    "bench economy": BenchEconomy,
    "bench fuzz": BenchFuzz,
    "bench game": BenchGame,
    "bench opponents": BenchOpponents,
    "bench server": BenchServer,
}

EXTRAS = {
    **dict.fromkeys(("torch", "tensorboard", "matplotlib"), "marl"),
    "mpe2": "mpe",
    **dict.fromkeys(("websockets", "s2clientprotocol"), "server"),
    "sc2": "bot",
}
"""Packages that only an extra of the distribution installs"""


def main() -> None:
    """Run one command. What a user did wrong ends in one line and exit code 2."""
    logging.basicConfig(format="%(message)s")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a bar must not fail where there is no UTF-8
    try:
        run(COMMANDS, sys.argv[1:])
        sys.stdout.flush()
    except TerrariumError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        install = f"pip install 'terrarium-sc2[{EXTRAS[package]}]'"
        _fail(f"this command needs {package}, which is not installed: {install}")
    except MemoryError:
        _fail("there is not enough memory for this; use a smaller batch")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has gone (`| head`). Python flushes at exit: into nothing, not into the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        if error.filename is None:
            _fail(error.strerror or str(error))
        _fail(f"{error.filename}: {error.strerror}")


def _fail(message: str) -> NoReturn:
    print("terrarium:", message.replace("\n", "\\n"), file=sys.stderr)
    sys.exit(2)
