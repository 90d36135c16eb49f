"""The settings of an algorithm, or of each team's, in sections. Needs torch and NumPy only."""

from typing import Any

from terrarium.config import inner_sections
from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.per_team import TeamConfig, TeamsConfig, is_teams, split_teams


def algo_sections(algo_name: str) -> dict[str, type[Any]]:
    """Of an algorithm: algo, replay, ...; of teams: adversary, adversary_replay, ..."""
    if not is_teams(algo_name):
        config = ALGOS[algo_name].Config
        return {"algo": config, **inner_sections(config)}
    kinds: dict[str, type[Any]] = {}
    for team, algo in split_teams(algo_name).items():
        config = ALGOS[algo].Config
        kinds[team] = config
        kinds |= {f"{team}_{name}": kind for name, kind in inner_sections(config).items()}
    return kinds


def algo_settings(algo_name: str, values: dict[str, dict[str, Any]]) -> Any:
    """Take the settings of an algorithm, or those of each team's, out of all."""

    def built(config: type[Any], section: str, inside: str) -> Any:
        """An algorithm's settings, with those of its inner sections."""
        inner = inner_sections(config)
        table = values.pop(section)
        table |= {name: kind(**values.pop(f"{inside}{name}")) for name, kind in inner.items()}
        return config(**table)

    if not is_teams(algo_name):
        return built(ALGOS[algo_name].Config, "algo", "")
    return TeamsConfig(
        tuple(
            TeamConfig(team, algo, ALGOS[algo], built(ALGOS[algo].Config, team, f"{team}_"))
            for team, algo in split_teams(algo_name).items()
        )
    )
