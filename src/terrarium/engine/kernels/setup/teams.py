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
    attempt = first_allowed(game, seed, 0, n_allies)
    # The enemy's team is a copy of the allies'; those that it has more are drawn like a team.
    extra_attempt = first_allowed(game, seed, n_allies, n_enemies)
    reflected = settings.positions == REFLECT or (
        settings.positions == EITHER
        and uniform(seed, 0, 0, POSITION) <= settings.reflect_probability
    )
    for i in range(n_allies):
        kind = game.plan.members[draw_member(game, seed, attempt, i)].ally_kind
        x, y = ally_place(game, seed, i, reflected)
        spawn(game, kind, 1, x, y, settings.passive_allies)
    for i in range(n_enemies):
        drawn = attempt if i < n_allies else extra_attempt
        kind = game.plan.members[draw_member(game, seed, drawn, i)].enemy_kind
        x, y = enemy_place(game, seed, i, reflected)
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
def first_allowed(game: Game, seed: np.uint64, first: int, last: int) -> int:
    """The first attempt in which some of these may be a team of their own."""
    attempt = 0
    while is_forbidden(game, seed, attempt, first, last):
        attempt += 1
    return attempt


@kernel
def is_forbidden(game: Game, seed: np.uint64, attempt: int, first: int, last: int) -> bool:
    """Is this a team that could not fight, of exceptions only?"""
    for i in range(first, last):
        if not game.plan.members[draw_member(game, seed, attempt, i)].never_only:
            return False
    return first < last


@kernel
def ally_place(game: Game, seed: np.uint64, i: int, reflected: bool) -> tuple[float, float]:
    width, height = float(game.ground.size[0]), float(game.ground.size[1])
    if not reflected:
        return width * 0.5, height * 0.5
    x = uniform(seed, 1, 2 * i, POSITION) * (width * 0.5 - 1.0)
    return x, uniform(seed, 1, 2 * i + 1, POSITION) * height


@kernel
def enemy_place(game: Game, seed: np.uint64, i: int, reflected: bool) -> tuple[float, float]:
    width, height = float(game.ground.size[0]), float(game.ground.size[1])
    if reflected and i < game.plan.settings[0].n_allies:
        x, y = ally_place(game, seed, i, True)
        return width - x, y
    if reflected:
        x = width * 0.5 + uniform(seed, 1, 2 * i, POSITION) * width * 0.5
        return x, uniform(seed, 1, 2 * i + 1, POSITION) * height
    n_groups = 1 + int(uniform(seed, 2, 0, POSITION) * 4.0)
    group = group_of_enemy(seed, i, game.plan.settings[0].n_enemies, n_groups)
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
def group_of_enemy(seed: np.uint64, i: int, n_enemies: int, n_groups: int) -> int:
    """Groups are runs of consecutive enemies; each enemy adds one to the size of a drawn group."""
    end = 0
    for group in range(n_groups - 1):
        for j in range(n_enemies):
            end += int(int(uniform(seed, 3, j, POSITION) * n_groups) == group)
        if i < end:
            return group
    return n_groups - 1


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
