"""How the parts of a run relate, as a mermaid diagram drawn from the settings themselves."""

from terrarium.config import describe
from terrarium.errors import TerrariumError
from terrarium.marl.settings import sections

Parts = dict[str, tuple[str, ...]]

_AROUND: Parts = {
    "evaluation": ("eval.*",),
    "stop rules": ("run.max_minutes", "run.target_win_rate"),
    "run": ("run.seed", "run.folder", "run.start_from", "run.keep_checkpoints", "run.threads"),
    "loggers": ("log.*",),
    "curriculum": ("curriculum.*",),
}
_ARROWS_AROUND = """\
optimizer -- weights --> agent
agent -- greedy --> evaluation
evaluation -- win rate --> stop_rules
evaluation -- win rate --> curriculum
evaluation -- checkpoints, replays --> run
evaluation -- metrics --> loggers
"""
POLICY_PARTS: Parts = {
    "environment": ("env.*",),
    "agent": ("net.*", "encoder.*", "core.*", "comm.*"),
    "policy": (
        "algo.clip_range",
        "algo.log_std_init",
        "algo.sticky_action_prob",
        "algo.target_kl",
    ),
    "teacher": ("algo.teacher", "algo.teacher_coef", "algo.teacher_end"),
    "value": (
        "algo.gamma",
        "algo.gae_lambda",
        "algo.value_clip_range",
        "algo.value_coef",
        "algo.huber_delta",
        "critic.*",
    ),
    "buffer": ("algo.n_steps", "algo.n_epochs", "algo.n_minibatches"),
    "optimizer": ("algo.max_grad_norm",),
    "schedules": ("algo.lr", "algo.entropy_coef", "run.max_steps"),
    **_AROUND,
}
"""Each setting has its place in one part; `task.*`, SMAC's options, belong to the environment."""
POLICY_ARROWS = (
    """\
curriculum -- which scenario --> environment
run -- seeds, threads --> environment
environment -- what is seen --> agent
agent -- features --> policy
agent -- features --> value
policy -- actions --> environment
environment -- steps --> buffer
buffer -- minibatches --> optimizer
value -- advantages --> policy
teacher -- advice --> policy
policy -- loss --> optimizer
value -- loss --> optimizer
schedules -- lr, entropy --> optimizer
"""
    + _ARROWS_AROUND
)
VALUE_PARTS: Parts = {
    "environment": ("env.*",),
    "agent": ("net.*", "encoder.*", "core.*", "comm.*"),
    "exploration": ("explore.*",),
    "replay": ("algo.n_steps", "replay.*"),
    "mixer": ("mixer.*",),
    "target": (
        "algo.gamma",
        "algo.td_lambda",
        "algo.n_step_return",
        "algo.double_q",
        "algo.target_update_interval",
        "algo.tau",
    ),
    "DIFFER": ("differ.*",),
    "sharing": ("share.*",),
    "optimizer": ("algo.optimizer", "algo.max_grad_norm", "algo.steps_per_update"),
    "schedules": ("algo.lr", "run.max_steps"),
    **_AROUND,
}
VALUE_ARROWS = (
    """\
curriculum -- which scenario --> environment
run -- seeds, threads --> environment
environment -- what is seen --> agent
agent -- values of actions --> exploration
exploration -- actions --> environment
environment -- episodes --> replay
replay -- rows --> agent
agent -- values of agents --> mixer
mixer -- value of the team --> target
target -- errors --> optimizer
target -- errors --> DIFFER
mixer -- slopes --> DIFFER
DIFFER -- errors of agents --> sharing
sharing -- errors of receivers --> optimizer
target -- priorities --> replay
schedules -- lr, epsilon, beta --> optimizer
"""
    + _ARROWS_AROUND
)


def parts_and_arrows(algo: str) -> tuple[Parts, str]:
    """What a run of MAPPO consists of, or one of QMIX."""
    if "replay" in sections(algo):
        return VALUE_PARTS, VALUE_ARROWS
    return POLICY_PARTS, POLICY_ARROWS


def settings_of_parts(algo: str = "mappo") -> dict[str, list[str]]:
    """The settings of each part, with their defaults; one that has no place is an error."""
    known = {
        setting.name: setting
        for section, kind in sections(algo).items()
        for setting in describe(section, kind)
        if section != "task"
    }
    parts, _ = parts_and_arrows(algo)
    placed: dict[str, list[str]] = {part: [] for part in parts}
    left = dict(known)
    for part, patterns in parts.items():
        for pattern in patterns:
            names = [n for n in known if n == pattern or f"{n.split('.')[0]}.*" == pattern]
            if not names and pattern.removesuffix(".*") not in sections(algo):
                raise TerrariumError(f'the diagram names "{pattern}", which is no setting')
            for name in names:
                default = left.pop(name).default.replace('"', "")
                placed[part].append(f"{name} = {default or 'none'}")
    if left:
        raise TerrariumError(f"these settings have no place in the diagram: {', '.join(left)}")
    return placed


def diagram(algo: str = "mappo") -> str:
    """The text of the diagram."""
    lines = ["flowchart LR"]
    for part, settings in settings_of_parts(algo).items():
        name = part.replace(" ", "_")
        lines.append(f'    {name}["<b>{part}</b><br/>{"<br/>".join(settings)}"]')
    lines += [f"    {arrow}" for arrow in parts_and_arrows(algo)[1].splitlines()]
    return "\n".join(lines)
