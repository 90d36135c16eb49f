"""Makes every scenario known to Gymnasium; `import terrarium` does it.

`terrarium/smac-3m-v0` is the team as one learner, `terrarium/smac-3m-central-v0` sees the global
state alone.
"""

import gymnasium

from terrarium.data.battles.scenarios import scenario_names

NAMESPACE = "terrarium"
VERSION = 0


def env_id(scenario: str, central: bool = False) -> str:
    """The id of a scenario: `smac/3m` is `terrarium/smac-3m-v0`."""
    view = "-central" if central else ""
    return f"{NAMESPACE}/{scenario.replace('/', '-')}{view}-v{VERSION}"


def register_scenarios() -> None:
    """Register each scenario that is not yet known. Nothing is loaded until one is made."""
    for scenario in scenario_names():
        for central in (False, True):
            name = env_id(scenario, central)
            if name not in gymnasium.registry:
                gymnasium.register(
                    name,
                    entry_point="terrarium.envs.adapters.gym:TeamEnv",
                    vector_entry_point="terrarium.envs.adapters.gym:TeamVectorEnv",
                    kwargs={"scenario": scenario, "central": central},
                )
