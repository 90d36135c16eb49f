"""Settings under another name: each is refused with the one that is meant."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import torch

from terrarium.config import ConfigError, inner_sections, layer_from_words
from terrarium.errors import TerrariumError
from terrarium.marl.algos import ALGOS
from terrarium.marl.checkpoint import CheckpointError, load_checkpoint
from terrarium.marl.run_folder import create_run, settings_of
from terrarium.marl.sections import every_config
from terrarium.marl.setting_names import other_names
from terrarium.marl.settings import resolve, sections


@pytest.mark.parametrize(
    ("algo", "word", "meant"),
    [
        ("mappo", "algo.discount=0.9", "algo.gamma"),
        ("mappo", "algo.trace=0.9", "algo.gae_lambda"),
        ("mappo", "algo.td_lambda=0.9", "algo.gae_lambda"),
        ("mappo", "algo.lr_actor=1e-3", "algo.lr"),
        ("coma", "algo.lr_critic=1e-3", "algo.critic_lr"),
        ("mappo", "algo.ppo_epoch=5", "algo.n_epochs"),
        ("mappo", "algo.ent_coef=0.01", "algo.entropy_coef"),
        ("mappo", "algo.hidden_size=64", "net.hidden_dim"),
        ("mappo", "net.share=false", "net.share_params"),
        ("qmix", "algo.trace=0.9", "algo.td_lambda"),
        ("qmix", "algo.gae_lambda=0.9", "algo.td_lambda"),
        ("qmix", "algo.epsilon_anneal_time=50000", "explore.epsilon"),
        ("qmix", "algo.mixing_embed_dim=32", "mixer.embed_dim"),
        ("qmix", "mixer.width=64", "mixer.hypernet_dim"),
        ("qmix", "mixer.heads=4", "mixer.n_heads"),
        ("qmix", "net.width=64", "net.hidden_dim"),
        ("qmix", "net.grid_size=11", "encoder.grid_size"),
        ("qmix", "net.n_heads=2", "encoder.n_heads"),
        ("qmix", "net.comm_rounds=2", "comm.n_rounds"),
        ("qmix", "eval.every=1000", "eval.interval"),
        ("qmix", "share.every=2", "share.interval"),
        ("qmix", "algo.batch_size_run=8", "env.n_envs"),
        ("qtran", "algo.nopt_min_loss=0.1", "algo.nopt_coef"),
        ("maddpg", "algo.target_rate=0.01", "algo.tau"),
    ],
)
def test_another_name_is_refused_with_ours(algo: str, word: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(f'Did you mean "{meant}"?')) as caught:
        resolve(algo, "smac/3m", layer_from_words([word]))
    assert "\n" not in str(caught.value)


def test_a_teams_settings_under_another_name_are_refused_as_well() -> None:
    word = "adversary=maddpg,agent=ddpg"
    for given, meant in (
        ("agent.discount=0.9", "agent.gamma"),
        ("agent_replay.capacity=9", "agent_replay.buffer_size"),
    ):
        with pytest.raises(ConfigError, match=re.escape(f'Did you mean "{meant}"?')):
            resolve(word, "mpe/simple_tag", layer_from_words([given]))


def test_every_meant_setting_exists() -> None:
    known = {
        f"{section}.{field.name}"
        for algo in ALGOS
        for section, kind in sections(algo).items()
        for config in every_config(section, kind)
        for field in fields(config)
    }
    assert {name for names in other_names().values() for name in names} <= known


def test_runs_of_an_earlier_format_are_refused_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    create_run(resolve("mappo", "smac/3m", layer_from_words([f"run.folder={folder}"])))
    file = folder / "run.toml"
    file.write_text(file.read_text().replace("format = 3\n", "").replace("gamma", "discount"))
    with pytest.raises(TerrariumError, match="is a run of format 1, and this version reads") as e:
        settings_of(folder)
    assert "\n" not in str(e.value)


def test_checkpoints_of_an_earlier_format_are_refused_in_one_line(tmp_path: Path) -> None:
    torch.save({"kind": "terrarium checkpoint", "version": 1}, tmp_path / "old.pt")
    with pytest.raises(CheckpointError, match="is a checkpoint of format 1, and this version"):
        load_checkpoint(tmp_path / "old.pt")


def test_every_setting_is_in_the_glossary() -> None:
    page = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+\.\w+)` \|", page, re.MULTILINE)
    known = {
        f"{section}.{field.name}"
        for algo in ALGOS
        for section, kind in sections(algo).items()
        if section != "task"
        for config in every_config(section, kind)
        for field in fields(config)
        if field.name not in inner_sections(config)
    }
    assert set(rows) == known
    assert len(rows) == len(set(rows))
