"""The sizes and names of a task. Needs nothing: networks read it where no engine is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TaskInfo:
    """Sizes and names, for people and for learners."""

    name: str
    n_agents: int
    n_enemies: int
    n_actions: int
    first_target: int
    """the action that attacks enemy 0; a healer's heals ally 0"""
    n_targets: int
    n_self: int
    """abilities without a target: the last actions before `first_target`; 0 = agents have none"""
    n_aimed: int
    """abilities with a target: each an action for every member, after those of the targets"""
    obs_size: int
    """as SMAC reports it: with its time step, exact observations are one longer"""
    obs_width: int
    state_size: int
    limit_steps: int
    obs_features: tuple[str, ...]
    """SMACv2's names of the columns, with agent 0's numbers of the allies"""
    state_features: tuple[str, ...]
    action_names: tuple[str, ...]
    agent_features: tuple[str, ...]
    enemy_features: tuple[str, ...]
    n_tokens: int
    token_features: tuple[str, ...]
    pair_features: tuple[str, ...]

    @property
    def first_skill(self) -> int:
        """the action that uses the first ability without a target"""
        return self.first_target - self.n_self

    @property
    def first_aimed(self) -> int:
        """the action that uses the first ability with a target on agent 0"""
        return self.first_target + self.n_targets
