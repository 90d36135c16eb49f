"""Other names of settings: those of PyMARL, on-policy, CleanRL and SB3, and our own earlier ones.

A setting under such a name is refused with the name that is meant here. `docs/glossary.md` lists
them side by side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from terrarium.config import ConfigError, Layer

MEANT: dict[str, tuple[str, ...]] = {
    # our earlier names
    "actor_every": ("algo.policy_delay",),
    "alpha": ("differ.per_alpha", "replay.per_alpha"),
    "batch": ("replay.batch_size",),
    "best_weight": ("algo.opt_coef",),
    "beta": ("differ.per_beta", "replay.per_beta"),
    "bonus": ("explore.ucb_coef",),
    "capacity": ("replay.buffer_size",),
    "change": ("share.entropy_change",),
    "chunk": ("replay.chunk_length",),
    "clip": ("algo.clip_range",),
    "correction": ("replay.per_beta",),
    "critic_epochs": ("algo.n_critic_epochs",),
    "critic_memory": ("algo.recurrent_critic",),
    "discount": ("algo.gamma",),
    "double": ("algo.double_q",),
    "embed": ("mixer.embed_dim",),
    "entropy": ("algo.entropy_coef",),
    "epochs": ("algo.n_epochs",),
    "every": ("eval.interval", "share.interval"),
    "first": ("algo.update_first",),
    "floor": ("algo.epsilon",),
    "heads": ("net.n_heads", "mixer.n_heads"),
    "hindsight": ("replay.hindsight_ratio",),
    "huber": ("algo.huber_delta",),
    "joint_width": ("algo.joint_hidden_dim",),
    "layers": ("net.n_layers", "mixer.hypernet_layers"),
    "max_grad": ("algo.max_grad_norm",),
    "minibatches": ("algo.n_minibatches",),
    "n_step": ("algo.n_step_return",),
    "noise": ("algo.action_noise",),
    "noise_pull": ("algo.ou_theta",),
    "noise_scale": ("algo.action_noise_std",),
    "on_disk": ("replay.save_to_disk",),
    "ordinary": ("share.uniform_fraction",),
    "other_weight": ("algo.nopt_coef",),
    "others": ("algo.other_actions",),
    "output_decay": ("algo.actor_reg",),
    "persistence": ("algo.sticky_action_prob",),
    "priority": ("replay.per_alpha",),
    "raster": ("net.grid_size",),
    "ratio": ("differ.selected_ratio",),
    "roles": ("share.n_roles",),
    "share": ("net.share_params",),
    "similarity": ("share.min_similarity",),
    "target": ("algo.target_action",),
    "target_every": ("algo.target_update_interval",),
    "target_noise": ("algo.target_policy_noise",),
    "target_rate": ("algo.tau",),
    "teacher_weight": ("algo.teacher_coef",),
    "token": ("net.token_dim",),
    "trace": ("algo.gae_lambda", "algo.td_lambda"),
    "twins": ("algo.twin_critics",),
    "value_clip": ("algo.value_clip_range",),
    "value_weight": ("algo.value_coef",),
    "weight": ("share.coef",),
    "width": ("net.hidden_dim", "mixer.hypernet_dim"),
    # PyMARL, PyMARL2/3, EPyMARL
    "batch_size_run": ("env.n_envs",),
    "buffer_size": ("replay.buffer_size",),
    "checkpoint_path": ("run.start_from",),
    "epsilon_anneal_time": ("explore.epsilon", "algo.epsilon"),
    "epsilon_finish": ("explore.epsilon", "algo.epsilon"),
    "epsilon_start": ("explore.epsilon", "algo.epsilon"),
    "gae_lambda": ("algo.td_lambda",),
    "grad_norm_clip": ("algo.max_grad_norm",),
    "hypernet_embed": ("mixer.hypernet_dim",),
    "lr_actor": ("algo.lr",),
    "lr_critic": ("algo.critic_lr",),
    "mixing_embed_dim": ("mixer.embed_dim", "algo.joint_hidden_dim"),
    "nopt_min_loss": ("algo.nopt_coef",),
    "obs_agent_id": ("net.agent_id",),
    "opt_loss": ("algo.opt_coef",),
    "q_nstep": ("algo.n_step_return", "algo.n_steps"),
    "reg": ("algo.actor_reg",),
    "rnn_hidden_dim": ("net.hidden_dim",),
    "save_model_interval": ("run.keep_checkpoints",),
    "t_max": ("run.max_steps",),
    "target_update_interval_or_tau": ("algo.target_update_interval",),
    "td_lambda": ("algo.gae_lambda",),
    "test_interval": ("eval.interval",),
    "test_nepisode": ("eval.episodes",),
    # on-policy
    "clip_param": ("algo.clip_range",),
    "data_chunk_length": ("replay.chunk_length", "algo.n_steps"),
    "episode_length": ("algo.n_steps",),
    "eval_episodes": ("eval.episodes",),
    "hidden_size": ("net.hidden_dim",),
    "n_rollout_threads": ("env.n_envs",),
    "num_env_steps": ("run.max_steps",),
    "num_mini_batch": ("algo.n_minibatches",),
    "ppo_epoch": ("algo.n_epochs",),
    "save_interval": ("run.keep_checkpoints",),
    "share_policy": ("net.share_params",),
    "value_loss_coef": ("algo.value_coef",),
    # SB3
    "clip_range_vf": ("algo.value_clip_range",),
    "ent_coef": ("algo.entropy_coef",),
    "eval_freq": ("eval.interval",),
    "exploration_final_eps": ("explore.epsilon",),
    "exploration_fraction": ("explore.epsilon",),
    "exploration_initial_eps": ("explore.epsilon",),
    "learning_rate": ("algo.lr",),
    "n_eval_episodes": ("eval.episodes",),
    "total_timesteps": ("run.max_steps",),
    "train_freq": ("algo.steps_per_update",),
    "vf_coef": ("algo.value_coef",),
    # CleanRL
    "track": ("log.to",),
    "wandb_project_name": ("log.project",),
    "clip_coef": ("algo.clip_range",),
    "end_e": ("explore.epsilon",),
    "exploration_noise": ("algo.action_noise_std",),
    "num_envs": ("env.n_envs",),
    "num_minibatches": ("algo.n_minibatches",),
    "num_steps": ("algo.n_steps",),
    "policy_frequency": ("algo.policy_delay",),
    "start_e": ("explore.epsilon",),
    "target_network_frequency": ("algo.target_update_interval",),
    "train_frequency": ("algo.steps_per_update",),
    "update_epochs": ("algo.n_epochs",),
}


def refuse_other_names(kinds: Mapping[str, type[Any]], layers: Sequence[Layer]) -> None:
    """Raise for the first setting whose name means a setting of ours."""
    for layer in layers:
        for section, table in layer.values.items():
            for key in table if section in kinds and is_dataclass(kinds[section]) else ():
                meant = _meant(section, key, kinds)
                if meant:
                    raise ConfigError(
                        f'{layer.source}: unknown setting "{section}.{key}". '
                        f'Did you mean "{meant}"? See docs/glossary.md'
                    )


def _meant(section: str, key: str, kinds: Mapping[str, type[Any]]) -> str:
    """The setting that a name means; empty: it is a setting itself, or nothing is known of it."""
    if _has(kinds[section], key):
        return ""
    # A team's sections are called after the team: `agent` for algo, `agent_replay` for replay.
    team = section.partition("_")[0]
    found = []
    for name in MEANT.get(key, ()):
        home, _, setting = name.partition(".")
        for place in (home, section, f"{team}_{home}"):
            if place in kinds and _has(kinds[place], setting):
                found.append(f"{place}.{setting}")
                break
    same = [name for name in found if name.startswith(f"{section}.")]
    return (same or found or [""])[0]


def _has(kind: type[Any], key: str) -> bool:
    return is_dataclass(kind) and key in (field.name for field in fields(kind))
