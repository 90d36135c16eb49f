"""JaxMARL's SMAX as a peer: plays random battles when asked to, and says how many.

A program of its own, run by the Python of the peer's virtual environment: it knows jax, jaxmarl and
the standard library, and nothing of ours; nothing of ours imports it. `terrarium.bench.peers`
starts it and speaks with it: one JSON object a line, a question on stdin, its answer on stdout.

    (at the start)                       {"versions": {...}, "device": ..., "scenarios": [...],
                                          "ticks_per_step": 8, "steps_per_call": 16}
    {"setup": ["3m", 1024]}              {"batch": 1024}
    {"play": 1.5}                        {"steps": 98304, "seconds": 1.52, "episodes": 5400}
    (anything that fails)                {"error": "..."}
"""

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, TextIO

# Steps of every battle in one compiled call. Long enough that dispatching costs nothing, short
# enough that a call with large armies fits into a slice.
STEPS_PER_CALL = 16

# A jax pytree: random key, states, masks.
Carry = Any


class SmaxBattles:
    """A batch of SMAX battles under random play, in the environment's standard configuration."""

    def __init__(self, scenario: str, batch: int) -> None:
        import jax
        from jaxmarl.environments.smax import HeuristicEnemySMAX, map_name_to_scenario

        env = HeuristicEnemySMAX(scenario=map_name_to_scenario(scenario))
        self._batch = batch
        self._call = jax.jit(_random_play(env, batch))
        self._carry = jax.jit(_beginning(env, batch))(jax.random.key(0))
        self.play(0.0)  # the first call compiles

    def play(self, seconds: float) -> dict[str, float]:
        """Play on for a time, at least one call."""
        n_calls, n_episodes = 0, 0
        start = time.perf_counter()
        elapsed = 0.0
        while n_calls == 0 or elapsed < seconds:
            self._carry, checksum, ended = self._call(self._carry)
            # Two numbers reach the host: reading them waits for the call. All else stays inside.
            n_episodes += int(ended)
            float(checksum)
            n_calls += 1
            elapsed = time.perf_counter() - start
        n_steps = n_calls * STEPS_PER_CALL * self._batch
        return {"steps": n_steps, "seconds": elapsed, "episodes": n_episodes}


def _beginning(env: Any, batch: int) -> Callable[[Any], Carry]:
    import jax

    def begin(key: Any) -> Carry:
        key, reset_key = jax.random.split(key)
        _, states = jax.vmap(env.reset)(jax.random.split(reset_key, batch))
        # Python's own numbers among them have weak types, which a call would hand back as strong
        # ones: the second call would compile everything again.
        states = jax.tree.map(lambda x: jax.lax.convert_element_type(x, x.dtype), states)
        return key, states, _masks(env, states)

    return begin


def _masks(env: Any, states: Any) -> Any:
    import jax
    import jax.numpy as jnp

    masks = jax.vmap(env.get_avail_actions)(states)
    return jnp.stack([masks[agent] for agent in env.agents], axis=1).astype(bool)  # [N, A, K]


def _random_play(env: Any, batch: int) -> Callable[[Carry], tuple[Carry, Any, Any]]:
    """A number of steps as one program: actions, battles, resets, observations, states, masks."""
    import jax
    import jax.numpy as jnp

    def step(carry: Carry, _: None) -> tuple[Carry, tuple[Any, Any]]:
        key, states, masks = carry
        key, action_key, step_key = jax.random.split(key, 3)
        drawn = jax.random.categorical(action_key, jnp.where(masks, 0.0, -jnp.inf))  # [N, A]
        actions = {agent: drawn[:, i] for i, agent in enumerate(env.agents)}
        step_keys = jax.random.split(step_key, batch)
        # `env.step` begins a battle anew by itself when it is over.
        obs, states, rewards, dones, _infos = jax.vmap(env.step)(step_keys, states, actions)
        masks = _masks(env, states)
        # XLA leaves out what nobody uses. A sum over everything (`obs` holds the world state too)
        # is a cheap use: keeping the arrays themselves instead was not faster beyond noise.
        products = jax.tree.leaves((obs, rewards, masks))
        checksum = sum(product.sum() for product in products)
        return (key, states, masks), (checksum, dones["__all__"].sum())

    def call(carry: Carry) -> tuple[Carry, Any, Any]:
        carry, (checksums, ended) = jax.lax.scan(step, carry, None, STEPS_PER_CALL)
        return carry, checksums.sum(), ended.sum()

    return call


def _describe() -> dict[str, Any]:
    import jax
    from jaxmarl.environments.smax import SMAX
    from jaxmarl.environments.smax.smax_env import MAP_NAME_TO_SCENARIO

    packages = {name: version(name) for name in ("jaxmarl", "jax", "jaxlib")}
    return {
        "versions": {**packages, "python": platform.python_version()},
        "device": jax.devices()[0].device_kind,
        "scenarios": list(MAP_NAME_TO_SCENARIO),
        "ticks_per_step": SMAX().world_steps_per_env_step,
        "steps_per_call": STEPS_PER_CALL,
    }


def _serve(questions: TextIO, answers: TextIO) -> None:
    def answer(content: dict[str, Any]) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    # Kept, so that going back to a batch does not compile it again.
    known: dict[tuple[str, int], SmaxBattles] = {}
    battles: SmaxBattles | None = None
    try:
        answer(_describe())
        for line in questions:
            question = json.loads(line)
            if "setup" in question:
                scenario, batch = question["setup"]
                if (scenario, batch) not in known:
                    known[scenario, batch] = SmaxBattles(scenario, batch)
                battles = known[scenario, batch]
                answer({"batch": batch})
            elif battles is None:
                raise ValueError(f"{line.strip()} came before a setup")
            else:
                answer(battles.play(question["play"]))
    except Exception as error:
        answer({"error": f"{type(error).__name__}: {error}"})
        raise


if __name__ == "__main__":
    # jaxmarl prints while it is imported. Answers keep the real stdout, prints go to stderr.
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as real_stdout:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        _serve(sys.stdin, real_stdout)
