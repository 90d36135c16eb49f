"""Teams that learn against each other, each by an algorithm of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from terrarium.envs.tasks.spec import Spec, spec_of_some
from terrarium.errors import TerrariumError, nearest
from terrarium.marl.actions.action_layout import ActionLayout
from terrarium.marl.algos.algo import Algo, Metrics
from terrarium.marl.algos.maddpg import Maddpg, OtherTeams
from terrarium.marl.algos.q_learning import QLearner
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime

GOOD = "good"
"""What environments with adversaries call those that are none, though their names do not say it"""


@dataclass(frozen=True)
class TeamConfig:
    """By what a team learns."""

    name: str
    algo: str
    """what the algorithm is called"""
    kind: type[Algo]
    cfg: Any


@dataclass(frozen=True)
class TeamsConfig:
    """All teams; their settings are in sections with their names."""

    teams: tuple[TeamConfig, ...]


class TeamLearner:
    """A team's algorithm, and its places among all agents."""

    def __init__(
        self, algo: Algo, places: Sequence[int], whole: ActionLayout, device: torch.device
    ):
        self.algo, self.places = algo, list(places)
        self._whole, self._own = whole, ActionLayout(algo.spec, device)

    def act(self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool) -> PolicyOutput:
        """Of the team's own agents; obs [B, ...] and carry [B, A, C] are of all."""
        carry = carry[:, self.places, : self.algo.carry_size]
        return self.algo.act(obs.of_agents(self.places), carry, resets, greedy)

    def vectors(self, choice: PolicyOutput) -> Tensor:
        """[B, J, N] what was chosen."""
        return self._own.vectors(choice.actions)

    def planned(self, obs: Obs, target: bool) -> Tensor:
        """[B, J, N] what the team would do that sees this [B, A, ...], by its target policy if it
        has one; nobody remembers anything. Stochastic policies are sampled."""
        algo, own = self.algo, obs.of_agents(self.places)
        if isinstance(algo, Maddpg):
            return algo.planned(own, target)
        n_rows, device = len(own.avail), own.avail.device
        begins = torch.ones(n_rows, dtype=torch.bool, device=device)
        carry = torch.zeros((n_rows, len(self.places), algo.carry_size), device=device)
        if isinstance(algo, QLearner):
            agents = (algo.target if target else algo.online).agents
            agents.draw_noise(None)
            q, _ = agents(own[:, None], carry, begins[:, None])
            return self._own.vectors(q[:, 0].argmax(-1))
        return self._own.vectors(algo.act(own, carry, begins).actions)

    def part_of(self, rollout: Rollout) -> Rollout:
        """A rollout of all agents as the team's algorithm wants it."""
        size = self.algo.carry_size
        carries = rollout.carries[:, :, self.places, :size]
        if isinstance(self.algo, Maddpg):  # its critics see all agents
            return replace(rollout, carries=carries)
        own, places = rollout.own.of_agents(self.places), self.places
        actions = self._own.actions(self._whole.vectors(rollout.actions)[:, :, places])
        return replace(
            rollout,
            obs=rollout.obs.of_agents(places),
            actions=actions,
            log_probs=rollout.log_probs[:, :, places],
            advice=rollout.advice[:, :, places],
            rewards=own.rewards.mean(-1),
            own=own,
            carries=carries,
            ends=rollout.ends.of_agents(places),
        )


class Teams(Algo):
    """Each team acts and learns for itself; critics that see everything see the others, too."""

    Config: ClassVar[type[Any]] = TeamsConfig
    any_action: ClassVar[bool] = True

    def __init__(self, spec: Spec, net: NetConfig, cfg: TeamsConfig, runtime: Runtime) -> None:
        self.spec, self.net, self.cfg = spec, net, cfg
        self.device, self._layout = runtime.device, ActionLayout(spec, runtime.device)
        self.members: dict[str, TeamLearner] = {}
        for number, team in enumerate(cfg.teams):
            places = dict(spec.teams)[team.name]
            own = spec_of_some(spec, places)
            # Teams of the same kind must not begin as copies of each other.
            there = replace(runtime, weights_seed=runtime.weights_seed + number)
            if issubclass(team.kind, Maddpg):
                others = OtherTeams(spec, places, self.plan)
                algo: Algo = team.kind(own, net, team.cfg, there, others)
            else:
                algo = team.kind(own, net, team.cfg, there)
            self.members[team.name] = TeamLearner(algo, places, self._layout, runtime.device)
        learners = [member.algo for member in self.members.values()]
        self.n_steps = max(learner.n_steps for learner in learners)
        self.carry_size = max(learner.carry_size for learner in learners)
        self.keeps_carries = any(learner.keeps_carries for learner in learners)

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        return ("obs", "state")

    @classmethod
    def check(cls, net: NetConfig, cfg: TeamsConfig, n_envs: int) -> None:
        for team in cfg.teams:
            if net.core != "none" and issubclass(team.kind, Maddpg):
                raise TerrariumError(
                    f"net.core is {net.core}: critics of team {team.name} ask what the others "
                    "would do, and who remembers cannot be asked about single moments; set "
                    "net.core=none"
                )
            team.kind.check(net, team.cfg, n_envs)

    def act(self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False) -> PolicyOutput:
        vectors = torch.zeros(obs.avail.shape, device=self.device)  # [B, A, N]
        log_probs = torch.zeros(obs.avail.shape[:-1], device=self.device)
        after = torch.zeros_like(carry)
        for member in self.members.values():
            choice = member.act(obs, carry, resets, greedy)
            vectors[:, member.places] = member.vectors(choice)
            log_probs[:, member.places] = choice.log_probs
            after[:, member.places, : member.algo.carry_size] = choice.carry
        return PolicyOutput(self._layout.actions(vectors), log_probs, after)

    @torch.no_grad()
    def plan(self, obs: Obs, target: bool) -> Tensor:
        """[..., A, N] what everybody would do who sees this [...], by their target policies or by
        those of now; nobody remembers anything."""
        shape = obs.avail.shape
        flat = obs.merge(len(shape) - 2)
        vectors = torch.zeros(flat.avail.shape, device=self.device)  # [B, A, N]
        for member in self.members.values():
            vectors[:, member.places] = member.planned(flat, target)
        return vectors.view(shape)

    def observe(self, rollout: Rollout) -> None:
        for member in self.members.values():
            member.algo.observe(member.part_of(rollout))

    def update(self, progress: float) -> Metrics:
        metrics: Metrics = {}
        for name, member in self.members.items():
            learned = member.algo.update(progress)
            metrics |= {f"{metric}/{name}": value for metric, value in learned.items()}
        return metrics

    def save_experience(self, folder: Path) -> dict[str, Any]:
        folder.mkdir(exist_ok=True)
        return {
            name: member.algo.save_experience(folder / name)
            for name, member in self.members.items()
        }

    def load_experience(self, folder: Path, saved: dict[str, Any]) -> None:
        for name, member in self.members.items():
            member.algo.load_experience(folder / name, saved[name])

    def state_dict(self) -> dict[str, Any]:
        return {name: member.algo.state_dict() for name, member in self.members.items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, member in self.members.items():
            member.algo.load_state_dict(state[name])

    def load_weights(self, state: dict[str, Any]) -> None:
        for name, member in self.members.items():
            member.algo.load_weights(state[name])


def is_teams(word: str) -> bool:
    """Whether a word names an algorithm for each team: adversary=maddpg,good=ddpg."""
    return "=" in word


def split_teams(word: str) -> dict[str, str]:
    """Team by team the word of its algorithm."""
    pairs = [part.partition("=") for part in word.split(",")]
    if not all(name and algo for name, _, algo in pairs):
        raise TerrariumError(
            f'"{word}" does not name an algorithm for each team; write adversary=maddpg,good=ddpg'
        )
    names = [name.strip() for name, _, _ in pairs]
    if len(set(names)) < len(names):
        raise TerrariumError(f'"{word}" names a team twice')
    return {name.strip(): algo.strip() for name, _, algo in pairs}


def find_team(word: str, known: Sequence[str], task: str) -> str:
    """The team of a task that a word means: the only one beside adversaries is also the good."""
    others = [name for name in known if name != "adversary"]
    if word == GOOD and GOOD not in known and len(others) == 1 and len(known) > 1:
        return others[0]
    if word not in known:
        raise TerrariumError(
            f'unknown team "{word}" of {task}.{nearest(word, known)} Allowed: {", ".join(known)}'
        )
    return word


def fit_teams(given: dict[str, str], known: Sequence[str], task: str) -> dict[str, str]:
    """The same with the task's own names of its teams, in its order; all must be there."""
    renamed: dict[str, str] = {}
    for word, algo in given.items():
        name = find_team(word, known, task)
        if name in renamed:
            raise TerrariumError(f"team {name} of {task} is named twice: {', '.join(given)}")
        renamed[name] = algo
    missing = [name for name in known if name not in renamed]
    if missing:
        raise TerrariumError(
            f"team {missing[0]} of {task} has no algorithm; name one for each: "
            + ",".join(f"{name}={renamed.get(name, 'maddpg')}" for name in known)
        )
    return {name: renamed[name] for name in known}
