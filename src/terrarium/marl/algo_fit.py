"""Which algorithm can learn which task."""

from terrarium.envs.tasks.spec import spec_of_some
from terrarium.envs.tasks.task import Task
from terrarium.errors import TerrariumError
from terrarium.marl.algos.per_team import TeamConfig
from terrarium.marl.algos.ppo import PpoConfig
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.encoders import reads_units


def check_algo(
    task: Task, learner: TeamConfig, net: NetConfig, reward: str, of_all: bool = True
) -> None:
    """Refuse an algorithm, of all agents or of a team, that cannot learn the task."""
    algo, algo_name, team = learner.kind, learner.algo, "" if of_all else learner.name
    if not task.has_units and reads_units(net):
        raise TerrariumError(
            f"net.encoder={net.encoder} reads units, and {task.name} shows vectors; "
            "set net.encoder=mlp or linear"
        )
    spec, agents = task.spec(algo.views(net)), task.agents
    members = dict(task.teams)[team] if team else tuple(range(len(agents)))
    for a in members if not algo.any_action else ():
        parts = spec.parts_of_each[a]
        if len(parts) != 1 or parts[0][0] != "choice":
            has = " and ".join(f"{n} x {kind}" for kind, n in parts)
            raise TerrariumError(
                f"{algo_name} chooses one of several actions, and {agents[a]} of {task.name} has "
                f"{has}; mappo, ippo, maddpg, matd3 and ddpg take every kind of action"
            )
    is_sticky = isinstance(learner.cfg, PpoConfig) and learner.cfg.sticky_action_prob
    if is_sticky and not spec_of_some(spec, members).discrete:
        raise TerrariumError(
            f"{learner.name}.sticky_action_prob repeats choices, and {task.name} takes vectors of "
            "numbers, bits or several choices; set it to 0"
        )
    if algo.needs_team and not team and not _is_team(task, reward):
        stems = ", ".join(name for name, _ in task.teams)
        friends = "" if task.cooperative is False else "; or env.reward=team if they help"
        raise TerrariumError(
            f"{algo_name} learns for a team with one reward, and {task.name} has agents that "
            f"may be opponents: {stems}. Use maddpg, ddpg, mappo, ippo or iql; or one "
            f"algorithm for each team{friends}"
        )


def _is_team(task: Task, reward: str) -> bool:
    """Whether all agents want the same: known, or said by whoever pays them together."""
    return reward == "team" if task.cooperative is None else task.cooperative
