"""A stranger greps the learning code for a word of the field: the first hit is the right file."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

MARL = Path(__file__).parents[2] / "src" / "terrarium" / "marl"
WHERE = {
    "advantages": "advantages_and_returns.py",
    "gae_lambda": "advantages_and_returns.py",
    "td_lambda": "advantages_and_returns.py",
    "n_step_return": "advantages_and_returns.py",
    "ValueNorm": "advantages_and_returns.py",
    "epsilon": "actions/action_selectors.py",
    "boltzmann": "actions/action_selectors.py",
    "ucb": "actions/action_selectors.py",
    "gumbel": "actions/relaxed.py",
    "straight_through": "actions/relaxed.py",
    "entropy_coef": "algos/actor_critic.py",
    "max_grad_norm": "algos/actor_critic.py",
    "minibatches": "algos/actor_critic.py",
    "teacher_coef": "algos/actor_critic.py",
    "target_update_interval": "algos/base.py",
    "soft_update": "algos/base.py",
    "clip_grad_norm": "algos/base.py",
    "counterfactual": "algos/coma.py",
    "policy_delay": "algos/maddpg.py",
    "target_policy_noise": "algos/maddpg.py",
    "mixer": "algos/mixers.py",
    "hypernet": "algos/mixers.py",
    "clip_range": "algos/ppo.py",
    "target_kl": "algos/ppo.py",
    "value_coef": "algos/ppo.py",
    "double_q": "algos/q_learning.py",
    "qmix_loss": "algos/q_learning.py",
    "nopt_coef": "algos/qtran.py",
    "replay_buffer": "buffers/replay_buffer.py",
    "per_alpha": "buffers/replay_batch.py",
    "selected_ratio": "differ.py",
    "hidden_dim": "net_config.py",
    "share_params": "net_config.py",
    "grid_size": "nets/cnn.py",
    "GRU": "nets/recurrent.py",
    "bandwidth": "sharing/config.py",
    "checksum": "checkpoint.py",
}


def first_hit(word: str) -> str:
    """As `grep -rn --include=*.py WORD . | sort` has it."""
    for path in sorted(MARL.rglob("*.py"), key=lambda path: path.relative_to(MARL).as_posix()):
        if word in path.read_text(encoding="utf-8"):
            return path.relative_to(MARL).as_posix()
    return "nowhere"


@pytest.mark.parametrize("word", WHERE)
def test_the_first_hit_is_the_right_file(word: str) -> None:
    assert first_hit(word) == WHERE[word]


def test_qmix_is_read_from_batch_to_loss_within_sixty_lines() -> None:
    tree = ast.parse((MARL / "algos" / "q_learning.py").read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    chain = ["q_values", "qmix_loss", "team_targets", "td_targets", "td_loss"]
    assert names[: len(chain)] == chain  # one behind the other
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert (functions["td_loss"].end_lineno or 0) - functions["q_values"].lineno + 1 <= 60


def test_no_module_of_learning_has_the_name_of_another_idea() -> None:
    """Sibling folders may have modules of one kind, such as the settings of nets and of sharing."""
    homes: dict[str, set[str]] = defaultdict(set)
    for path in MARL.parent.rglob("*.py"):
        if path.name != "__init__.py":
            homes[path.name].add(path.relative_to(MARL.parent).parts[0])
    shared = {name for name, folders in homes.items() if "marl" in folders and len(folders) > 1}
    # `config.py`: settings of sharing, of a measurement and the loader of all; `settings.py` of a
    # run: how they are made and how a report reads them; `crossplay.py`: the library, the command.
    assert shared == {"config.py", "settings.py", "crossplay.py"}
