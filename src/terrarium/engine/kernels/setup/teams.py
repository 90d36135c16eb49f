"""SMACv2's random teams and where they appear (reference: SMACv2's capability config)."""

import numpy as np

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.random import POSITION, TEAM, uniform
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.state import Game
from terrarium.engine.tables.plan import EITHER, REFLECT


@kernel
def draw_teams(game: Game) -> None:
    """Draw both teams and their places."""
    settings = game.plan.settings[0]
    n_allies, n_enemies = settings.n_allies, settings.n_enemies
    seed = game.clock[0].seed
    attempt = 0
    while is_forbidden(game, seed, attempt, n_allies):
        attempt += 1
    reflected = settings.positions == REFLECT or (
        settings.positions == EITHER
        and uniform(seed, 0, 0, POSITION) <= settings.reflect_probability
    )
    for i in range(n_allies):
        kind = game.plan.members[draw_member(game, seed, attempt, i)].kind
        x, y = ally_place(game, seed, i, reflected)
        spawn(game, kind, 1, x, y, settings.passive_allies)
    for i in range(n_enemies):
        # The enemy's team is a copy of the allies'; what it has more is drawn the same way.
        kind = game.plan.members[draw_member(game, seed, attempt, i)].kind
        x, y = enemy_place(game, seed, i, n_allies, reflected)
        spawn(game, kind, 2, x, y, False)


@kernel
def draw_member(game: Game, seed: np.uint64, attempt: int, i: int) -> int:
    """Which type the i-th unit of a team is."""
    draw = uniform(seed, attempt, i, TEAM)
    last = game.plan.members.shape[0] - 1
    for m in range(last):
        if draw < game.plan.members[m].up_to:
            return m
    return last


@kernel
def is_forbidden(game: Game, seed: np.uint64, attempt: int, n: int) -> bool:
    """Is this a team that could not fight, of exceptions only?"""
    for i in range(n):
        if not game.plan.members[draw_member(game, seed, attempt, i)].never_only:
            return False
    return True


@kernel
def ally_place(game: Game, seed: np.uint64, i: int, reflected: bool) -> tuple[float, float]:
    width, height = float(game.ground.size[0]), float(game.ground.size[1])
    if not reflected:
        return width * 0.5, height * 0.5
    x = uniform(seed, 1, 2 * i, POSITION) * (width * 0.5 - 1.0)
    return x, uniform(seed, 1, 2 * i + 1, POSITION) * height


@kernel
def enemy_place(
    game: Game, seed: np.uint64, i: int, n_allies: int, reflected: bool
) -> tuple[float, float]:
    width, height = float(game.ground.size[0]), float(game.ground.size[1])
    if reflected and i < n_allies:
        x, y = ally_place(game, seed, i, True)
        return width - x, y
    if reflected:
        x = width * 0.5 + uniform(seed, 1, 2 * i, POSITION) * width * 0.5
        return x, uniform(seed, 1, 2 * i + 1, POSITION) * height
    n_groups = 1 + int(uniform(seed, 2, 0, POSITION) * 4.0)
    group = int(uniform(seed, 3, i, POSITION) * n_groups)
    corner = corner_of_group(seed, group)
    corner_x = width if corner & 1 else 0.0
    corner_y = height if corner & 2 else 0.0
    inner_x = width * 0.5 + (2.0 if corner & 1 else -2.0)
    inner_y = height * 0.5 + (2.0 if corner & 2 else -2.0)
    share = uniform(seed, 4, group, POSITION)
    return (
        inner_x * share + corner_x * (1.0 - share),
        inner_y * share + corner_y * (1.0 - share),
    )


@kernel
def corner_of_group(seed: np.uint64, group: int) -> int:
    """The group-th entry of a random order of the four corners."""
    taken = 0
    corner = 0
    for g in range(group + 1):
        choice = int(uniform(seed, 5, g, POSITION) * (4 - g))
        corner = -1
        while choice >= 0:
            corner += 1
            if not taken >> corner & 1:
                choice -= 1
        taken |= 1 << corner
    return corner
