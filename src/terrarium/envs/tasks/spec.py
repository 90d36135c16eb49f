"""The sizes of a task that networks and buffers have to fit. Needs nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from terrarium.envs.task_info import TaskInfo


@dataclass(frozen=True)
class Spec:
    """What a network has to fit. With views of units only the kinds of actions matter."""

    n_agents: int
    n_actions: int
    first_target: int
    obs_width: int
    state_size: int
    n_self: int = 0
    """abilities without a target, among the actions before `first_target`"""
    n_aimed: int = 0
    """abilities with a target; 0 = agents have no abilities, and views no columns for them"""
    limit_steps: int = 0
    """the most steps of an episode, for buffers; networks do not care"""
    parts: tuple[tuple[tuple[str, int], ...], ...] = ()
    """parts of each agent's actions, see `marl.actions`; empty: one choice among all"""
    teams: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """names of teams with the places of their agents; empty: all agents are one"""
    own_rewards: bool = False
    """agents earn, come and go each for itself; False: the team earns, whoever has died"""

    @property
    def discrete(self) -> bool:
        """Each agent has one choice and nothing else: actions are indices."""
        return all(len(parts) == 1 and parts[0][0] == "choice" for parts in self.parts)

    @property
    def parts_of_each(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        return self.parts or ((("choice", self.n_actions - 1),),) * self.n_agents

    @property
    def action_columns(self) -> int:
        """Of an action as environments take it; 0: an index."""
        return 0 if self.discrete else self.n_actions

    @property
    def n_own(self) -> int:
        """Columns of what agents earn: one for each of them, or one for all."""
        return self.n_agents if self.own_rewards else 1


def spec_of_some(spec: Spec, some: Sequence[int]) -> Spec:
    """What fits some of the agents: they see and do what they did, but are fewer."""
    parts = tuple(spec.parts_of_each[a] for a in some)
    return replace(spec, n_agents=len(some), parts=parts, teams=())


def spec_of(info: TaskInfo) -> Spec:
    return Spec(
        info.n_agents,
        info.n_actions,
        info.first_target,
        info.obs_width,
        info.state_size,
        info.n_self,
        info.n_aimed,
        info.limit_steps,
    )
