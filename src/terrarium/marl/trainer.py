"""The training loop: collect, update, evaluate, log, checkpoint."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from terrarium.envs.tasks.task import EnvSetup, EvalRound, Task, TaskError, VectorEnv
from terrarium.errors import TerrariumError
from terrarium.import_paths import is_import_path
from terrarium.log import MetricsLog
from terrarium.loggers import check_installed
from terrarium.marl.algo_fit import check_algo
from terrarium.marl.algos import ALGO_CONTRACT, find_algo
from terrarium.marl.algos.algo import ATTRIBUTES, Metrics
from terrarium.marl.algos.per_team import TeamConfig, TeamsConfig
from terrarium.marl.batch import obs_from_views
from terrarium.marl.buffers.replay_batch import ReplayConfig
from terrarium.marl.checkpoint import save_checkpoint
from terrarium.marl.memory import how_to_keep_less, kept_bytes
from terrarium.marl.playing.player import PolicyPlayer
from terrarium.marl.rollout import Collector, EndedEpisodes
from terrarium.marl.run_folder import RunFolder, load_weights_of
from terrarium.marl.runtime import ThreadChoice, free_memory, make_runtime, n_cores
from terrarium.marl.settings import Settings

TEST_SEED = 1_000_000_000
"""Of the first episode of every evaluation; training draws its seeds from 2^62 others"""


@dataclass
class Progress:
    """How far a run is. All of it goes into checkpoints."""

    steps: int = 0
    seconds: float = 0.0
    stage: int = 0
    """which of the curriculum's scenarios"""
    next_test: int = 0
    """steps at which the next evaluation is due"""
    last_test: int = 0
    """steps at the last one"""
    test_win_rate: float = -1.0
    """of the last evaluation of this stage; -1 before the first, and where nothing is won"""
    best_win_rate: float = -1.0
    test_return: float = 0.0
    """of the last evaluation, the mean of all agents"""
    best_return: float = -math.inf
    last_kept: int = 0
    """steps at the last checkpoint that is kept for good"""
    train_win_rate: float = 0.0
    train_return: float = 0.0


class Trainer:
    """One run: networks, battles and a folder."""

    def __init__(
        self,
        settings: Settings,
        folder: RunFolder,
        device: str = "cpu",
        checkpoint: dict[str, Any] | None = None,
    ) -> None:
        """A new run, or one that goes on from a checkpoint as if nothing had happened since."""
        self.settings, self.folder = settings, folder
        self.progress = Progress(next_test=settings.eval.interval)
        self.threads = settings.run.threads or n_cores()
        """of battles"""
        self.choice = ThreadChoice(settings.run.threads, n_cores())
        """of PyTorch"""
        self.choice.apply()
        root = np.random.SeedSequence(settings.run.seed)
        runtime_seed, self._battle_seed = root.spawn(2)
        self._env = self._open_battles()
        views = find_algo(settings.algo_name).views(settings.net)
        spec = replace(self.task.spec(views), limit_steps=_longest(settings))
        self._runtime = make_runtime(runtime_seed, device)
        self.algo = find_algo(settings.algo_name)(spec, settings.net, settings.algo, self._runtime)
        self._collector = self._new_collector()
        if checkpoint is not None:
            self._load(checkpoint)
        elif settings.run.start_from:
            self.algo.load_weights(load_weights_of(Path(settings.run.start_from)))

    @property
    def scenario(self) -> str:
        """What is trained on now."""
        return self.settings.scenarios[self.progress.stage]

    @property
    def task(self) -> Task:
        """The same, as what can be played."""
        return self.settings.task_of(self.scenario)

    @property
    def work(self) -> EnvSetup:
        return EnvSetup(self.threads, self.settings.env.workers, self.settings.env.reward)

    @property
    def in_last_stage(self) -> bool:
        return self.progress.stage == len(self.settings.curriculum.stages)

    def train(
        self,
        tell: Callable[[Progress], None] = lambda progress: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> str:
        """Until a stop rule holds or somebody stops it; says what: target, steps, minutes, stopped.

        However it ends, it goes on from here later.
        """
        try:
            with self.folder.open_log(self.progress.steps, self.settings.log) as log:
                try:
                    return self._loop(log, tell, is_stopped)
                except TaskError as error:
                    self._save_after(log)
                    raise TerrariumError(
                        f"{error}. The run has stopped; what was learned is in {self.folder.last}"
                    ) from None
        except OSError as error:
            where = error.filename or self.folder.path
            raise TerrariumError(
                f"{where}: cannot be written: {error.strerror}. Go on later from the last "
                f"checkpoint: terrarium train --resume {self.folder.path}"
            ) from None

    def _loop(
        self, log: MetricsLog, tell: Callable[[Progress], None], is_stopped: Callable[[], bool]
    ) -> str:
        progress = self.progress
        while not (reason := self._reason_to_stop()):
            if is_stopped():
                reason = "stopped"
                break
            self._learn_once(log)
            self._keep_checkpoint()
            if progress.steps >= progress.next_test:
                self._test(log)
                tell(progress)
                self._advance_stage()
                self._save(log)
            tell(progress)
        if reason != "stopped" and progress.last_test < progress.steps:
            self._test(log)  # what was reached in the end is known, too
            tell(progress)
        self._save(log)
        return reason

    def close(self) -> None:
        """Let the battles' threads go."""
        self._env.close()

    def _reason_to_stop(self) -> str:
        progress, run = self.progress, self.settings.run
        reached = self.in_last_stage and progress.test_win_rate >= run.target_win_rate
        if run.target_win_rate and reached:
            return "target"
        if progress.steps >= run.max_steps:
            return "steps"
        if run.max_minutes and progress.seconds >= 60.0 * run.max_minutes:
            return "minutes"
        return ""

    def _learn_once(self, log: MetricsLog) -> None:
        """One rollout and what is learned from it."""
        start, progress = time.perf_counter(), self.progress
        share = min(1.0, progress.steps / self.settings.run.max_steps)
        n_threads = self.choice.apply()
        self._call_teacher(self.algo.teacher(share))
        rollout, episodes = self._collector.collect(self.algo.act)
        collected = time.perf_counter()
        self.algo.observe(rollout)
        n_steps = self._collector.n_steps * self._env.n_envs
        metrics = self.algo.update(share)
        progress.steps += n_steps
        seconds = time.perf_counter() - start
        progress.seconds += seconds
        learned = start + seconds - collected
        n_updates = [n for name, n in metrics.items() if name.startswith("learn/n_updates")]
        self.choice.note(collected - start, learned, sum(n_updates))
        metrics |= {
            "train/threads": float(n_threads),
            "train/steps_per_s": n_steps / seconds,
            "train/collect_s": collected - start,
            "train/learn_s": learned,
            **_summary(episodes),
        }
        if episodes.won:
            progress.train_win_rate = metrics["train/win_rate"]
            progress.train_return = metrics["train/return"]
        log.write(progress.steps, progress.seconds, self.scenario, metrics)

    def _test(self, log: MetricsLog) -> None:
        """Greedy battles on held-apart seeds, one of them recorded; and the same with actions that
        are drawn, from a stochastic policy or by exploration."""
        start, progress, settings = time.perf_counter(), self.progress, self.settings
        player, task, episodes = PolicyPlayer(self.algo), self.task, settings.eval.episodes
        how = EvalRound(episodes, TEST_SEED, episodes, self.work)
        result = task.evaluate(player, how)
        metrics = result.metrics()
        if self.algo.stochastic:
            with self._runtime.drawing(TEST_SEED), self.algo.without_traces():
                drawn = task.evaluate(PolicyPlayer(self.algo, greedy=False), how)
            name = "win_rate" if task.is_won else "return"
            metrics[f"test/sampled_{name}"] = drawn.metrics()[f"test/{name}"]
        if settings.eval.replays and task.is_drawable:
            seed = TEST_SEED + progress.steps % episodes
            title = f"{settings.algo_name} after {progress.steps:,} steps: {task.title}"
            replay = task.record(player, seed, title)
            replay.save(self.folder.replay_path(progress.steps, replay.suffix))
        progress.seconds += time.perf_counter() - start
        progress.last_test = progress.steps
        progress.next_test = progress.steps + settings.eval.interval
        progress.test_return = result.mean_return
        if task.is_won:
            progress.test_win_rate = result.score
        log.write(progress.steps, progress.seconds, self.scenario, metrics)
        if self.in_last_stage and self._is_best(task, result.score):
            save_checkpoint(self.folder.best, self._policy())

    def _is_best(self, task: Task, score: float) -> bool:
        """Whether a test was as good as any before. Of opponents the last ones are the best: what
        one side gains, the other loses."""
        progress = self.progress
        if not task.is_won:
            better = score >= progress.best_return or not task.cooperative
            progress.best_return = max(score, progress.best_return)
            return better
        better = score >= progress.best_win_rate
        progress.best_win_rate = max(score, progress.best_win_rate)
        return better

    def _advance_stage(self) -> None:
        """In a curriculum: the next scenario, when this one is won often enough."""
        progress, stages = self.progress, self.settings.curriculum.stages
        if self.in_last_stage or progress.test_win_rate < stages[progress.stage].target:
            return
        progress.stage += 1
        progress.test_win_rate = -1.0
        self._enter_stage()

    def _enter_stage(self) -> None:
        self._env.close()
        self._env = self._open_battles()
        self._collector = self._new_collector()

    def _open_battles(self) -> VectorEnv:
        """The battles of this stage; each has its own seed, drawn from the run's."""
        settings = self.settings
        seed = np.random.SeedSequence(
            self._battle_seed.entropy, spawn_key=(*self._battle_seed.spawn_key, self.progress.stage)
        )
        n_envs = settings.env.n_envs
        seeds = seed.generate_state(n_envs, np.uint64) >> np.uint64(2)
        views = find_algo(settings.algo_name).views(settings.net)
        return self.task.open(n_envs, seeds, views, self.work)

    def _new_collector(self) -> Collector:
        algo = self.algo
        return Collector(self._env, algo.n_steps, algo.carry_size, algo.device, algo.keeps_carries)

    def _call_teacher(self, name: str) -> None:
        """Attach or detach the scripted teacher."""
        if name and self._collector.teacher is None:
            player, env = self.task.player(name), self._env
            self._collector.teacher = lambda: player.act(env)
        elif not name and self._collector.teacher is not None:
            self._collector.dismiss_teacher()

    def _policy(self) -> dict[str, Any]:
        """What it takes to play on as it is now."""
        return {
            "settings": self.folder.settings_text,
            "spec": vars(self.algo.spec),
            "progress": vars(self.progress),
            "algo": self.algo.state_dict(),
        }

    def _save(self, log: MetricsLog) -> None:
        experience = self.algo.save_experience(self.folder.experience)
        save_checkpoint(
            self.folder.last,
            {
                **self._policy(),
                "experience": experience,
                "collector": self._collector.state_dict(),
                "threads": self.choice.state_dict(),
                "metrics_bytes": log.n_bytes,
            },
        )

    def _keep_checkpoint(self) -> None:
        """Keep the policy of now, if as many steps as `run.keep_checkpoints` have passed."""
        progress, every = self.progress, self.settings.run.keep_checkpoints
        if every and progress.steps // every > progress.last_kept // every:
            progress.last_kept = progress.steps
            save_checkpoint(self.folder.kept(progress.steps), self._policy())

    def _save_after(self, log: MetricsLog) -> None:
        """A checkpoint after an environment failed: episodes begin anew when the run goes on."""
        self._env.abandon()
        self._collector.begins.fill_(True)
        self._save(log)

    def _load(self, content: dict[str, Any]) -> None:
        for name, value in content["progress"].items():
            setattr(self.progress, name, value)
        if self.progress.stage:
            self._enter_stage()
        self.choice.load_state_dict(content["threads"])
        self.algo.load_state_dict(content["algo"])
        self.algo.load_experience(self.folder.experience, content["experience"])
        self._collector.load_state_dict(content["collector"])


def _summary(episodes: EndedEpisodes) -> Metrics:
    if not episodes.won:
        return {"train/episodes": 0.0}
    return {
        "train/episodes": float(len(episodes.won)),
        "train/win_rate": float(np.mean(episodes.won)),
        "train/return": float(np.mean(episodes.returns)),
        "train/episode_steps": float(np.mean(episodes.steps)),
    }


def check_start(settings: Settings, device: str) -> int:
    """Find out what cannot be before a folder is made; how many bytes of steps will be kept."""
    make_runtime(np.random.SeedSequence(0), device)
    check_installed(settings.log)
    if settings.run.start_from:
        load_weights_of(Path(settings.run.start_from))
    kept = max(_checked_memory(settings, scenario) for scenario in settings.scenarios)
    _try_networks(settings)
    return kept


def _try_networks(settings: Settings) -> None:
    """Make the algorithm and let it act once: classes of the user's own may not fit each other."""
    kind, task = find_algo(settings.algo_name), settings.task_of(settings.scenario)
    views = kind.views(settings.net)
    spec, obs = task.spec(views), obs_from_views(task.blank(views))
    names = (settings.algo_name, settings.net.encoder, settings.net.core, settings.net.comm)
    own = [name for name in names if is_import_path(name)]
    try:
        algo = kind(spec, settings.net, settings.algo, make_runtime(np.random.SeedSequence(0)))
        missing = [name for name in ATTRIBUTES if not hasattr(algo, name)]
        if missing:
            raise TerrariumError(
                f"{settings.algo_name} lacks {missing[0]}: an algorithm sets "
                f"{', '.join(ATTRIBUTES)}; the contract is in {ALGO_CONTRACT.home}"
            )
        carry = torch.zeros((1, spec.n_agents, algo.carry_size))
        algo.act(obs, carry, torch.ones(1, dtype=torch.bool), greedy=True)
    except (RuntimeError, TypeError, ValueError, AttributeError, LookupError) as error:
        if not own:
            raise
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TerrariumError(
            f"{' and '.join(own)} cannot act on {settings.scenario}: {type(error).__name__}: "
            f"{said}. The contracts are in {ALGO_CONTRACT.home} and terrarium.marl.nets"
        ) from error


def _longest(settings: Settings) -> int:
    """The most steps of an episode in any stage: what is kept has room for them."""
    return max(settings.task_of(name).limit_steps for name in settings.scenarios)


def _check_length(settings: Settings, name: str) -> None:
    """Whole episodes can be kept only if it is known how long they are."""
    for section in settings.names():
        kept = settings.section(section)
        if isinstance(kept, ReplayConfig) and kept.chunk_length == 0:
            raise TerrariumError(
                f"{section}.chunk_length is 0, whole episodes, and the longest episode of "
                f"{name} is not known; set {section}.chunk_length=16 for sequences, "
                "or 1 for transitions"
            )


def _checked_memory(settings: Settings, name: str) -> int:
    """What a scenario's steps will take, unless that is more than there is."""
    algo, task = find_algo(settings.algo_name), settings.task_of(name)
    if isinstance(settings.algo, TeamsConfig):
        for team in settings.algo.teams:
            check_algo(task, team, settings.net, settings.env.reward, of_all=False)
    else:
        learner = TeamConfig("algo", settings.algo_name, algo, settings.algo)
        check_algo(task, learner, settings.net, settings.env.reward)
    views = algo.views(settings.net)
    spec = replace(task.spec(views), limit_steps=_longest(settings))
    if spec.limit_steps == 0:
        _check_length(settings, name)
    obs, n_envs = obs_from_views(task.blank(views)), settings.env.n_envs
    needed = kept_bytes(settings.algo, spec, settings.net, obs, n_envs)
    free = free_memory()
    if needed > free:
        raise TerrariumError(
            f"{settings.algo_name} would keep {needed / 1e9:.1f} GB of steps of {name}, and "
            f"{free / 1e9:.1f} GB are free. {how_to_keep_less(settings.algo, free / needed)}"
        )
    return needed
