"""Run folders as a trainer would leave them, with curves that are known in advance."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from terrarium.report.runs import TrainedRun, load_run

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "about": {
        "algo": "mappo",
        "scenario": "smac/3m",
        "version": "0.1.0",
        "rules_version": 1,
        "revision": "abc1234",
        "created": "2026-11-16T03:00:00Z",
    },
    "run": {"seed": 0, "max_steps": 100_000, "folder": "runs/a"},
    "env": {"n_envs": 64, "views": ["obs", "state"]},
    "net": {"core": "gru", "hidden": 64},
    "algo": {"lr": 0.0005, "use_gae": True},
    "eval": {"episodes": 100},
}


def write_run(
    folder: Path,
    win_rates: Sequence[float] = (0.0, 0.4, 0.8, 1.0),
    steps: Sequence[int] | None = None,
    steps_per_s: float = 1000.0,
    scenario_of_line: str | None = None,
    **settings: Any,
) -> Path:
    """Write a run with evaluations; settings are named with two underscores: `net__core="lstm"`."""
    tables = {name: dict(table) for name, table in SETTINGS.items()}
    tables["run"]["folder"] = str(folder)
    for name, value in settings.items():
        table, key = name.split("__")
        tables.setdefault(table, {})[key] = value
    folder.mkdir(parents=True)
    (folder / "run.toml").write_text(to_toml(tables), encoding="utf-8")
    max_steps = tables["run"]["max_steps"]
    if steps is None:
        steps = [round(i * max_steps / (len(win_rates) - 1)) for i in range(len(win_rates))]
    scenario = scenario_of_line or tables["about"]["scenario"]
    lines: list[dict[str, Any]] = []
    for step, win_rate in zip(steps, win_rates, strict=True):
        place = {"step": step, "seconds": step / steps_per_s, "scenario": scenario}
        lines.append(place | {"train/win_rate": 0.5, "learn/policy_loss": -0.01})
        lines.append(place | {"test/win_rate": win_rate, "test/return": 20.0 * win_rate})
    write_lines(folder, lines)
    return folder


def write_lines(folder: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "metrics.jsonl").write_text(text, encoding="utf-8")


def load(folder: Path, *args: Any, **kwargs: Any) -> TrainedRun:
    return load_run(write_run(folder, *args, **kwargs))


def learning(best: float, speed: float, seed: int, n_points: int = 41) -> list[float]:
    """A curve with the noise of 100 battles, from formulas alone: no generator, no luck."""
    rates = []
    for i in range(n_points):
        rise = best / (1.0 + math.exp(-speed * (i / (n_points - 1) - 0.35 - 0.05 * math.sin(seed))))
        noise = 0.05 * math.sin(12.9 * i + 78.2 * seed) * (0.2 + rise * (1.0 - rise) * 3.0)
        rates.append(round(min(1.0, max(0.0, rise + noise)), 2))
    return rates


def to_toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    lines = []
    for name, table in tables.items():
        lines.append(f"[{name}]")
        for key, value in table.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                for item in value:
                    lines.append(f"[[{name}.{key}]]")
                    lines += [f"{k} = {_text(v)}" for k, v in item.items()]
            else:
                lines.append(f"{_text(key)} = {_text(value)}")
    return "\n".join(lines) + "\n"


def _text(value: object) -> str:
    """As in JSON, of which TOML shares texts, numbers, truths and arrays."""
    return json.dumps(value, ensure_ascii=False)
