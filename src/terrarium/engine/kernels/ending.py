"""The end of a game: who is out, who has won, ties, and players who are revealed (game_rules.md,
11)."""

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.events import new_event
from terrarium.engine.kernels.owners import is_friend
from terrarium.engine.state import Game

JUDGE_TICKS = 16
"""How often it is looked whether players could go on; a lost structure is noticed at once."""
REVEAL_TICKS = 400
QUIET_TICKS = 2880
"""Nothing is mined, built or destroyed: so long until the warning, and as long until the tie."""


@kernel
def begin_match(game: Game) -> None:
    """Those who begin with structures play against each other."""
    count_structures(game)
    for p in range(game.standings.shape[0]):
        standing = game.standings[p]
        standing.plays = standing.n_structures > 0 and p != codes.NEUTRAL_OWNER
        standing.out, standing.revealed, standing.bare_since = False, False, -1
        standing.result = codes.UNDECIDED
    match = game.match[0]
    match.ended, match.warned, match.active_tick = False, False, 0
    match.activity = activity(game)


@kernel
def judge(game: Game) -> None:
    """One tick: is anybody out, revealed, or the game over?"""
    clock, match = game.clock[0], game.match[0]
    if match.ended or not (clock.any_dead or clock.tick % JUDGE_TICKS == 0):
        return
    count_structures(game)
    for p in range(1, game.standings.shape[0]):
        standing = game.standings[p]
        if standing.plays and standing.n_structures == 0:
            standing.out = True
    if clock.tick % JUDGE_TICKS == 0:
        for p in range(1, game.standings.shape[0]):
            reveal(game, p)
        watch_activity(game)
    decide(game)


@kernel
def count_structures(game: Game) -> None:
    """How many structures keep each player in the game, and how many of them are townhalls."""
    for p in range(game.standings.shape[0]):
        game.standings[p].n_structures = game.standings[p].n_townhalls = 0
    for i in range(game.clock[0].n_living):
        me = game.units[game.living[i]]
        if not me.alive:
            continue
        row, standing = game.rules.types[me.kind], game.standings[me.owner]
        if row.keeps_in_game:
            standing.n_structures += 1
            standing.n_townhalls += int(row.hall)


@kernel
def decide(game: Game) -> None:
    """A team that has nobody left has lost; the last one wins. Who goes at once, ties."""
    n_before, n_left = 0, 0
    for p in range(1, game.standings.shape[0]):
        standing = game.standings[p]
        if standing.plays and standing.result == codes.UNDECIDED and is_first(game, p):
            n_before += 1
            n_left += int(stands(game, p))
    if n_left == n_before:
        return
    for p in range(1, game.standings.shape[0]):
        standing = game.standings[p]
        if standing.plays and standing.result == codes.UNDECIDED:
            if not stands(game, p):
                give_result(game, p, codes.DEFEAT if n_left > 0 or n_before == 1 else codes.TIE)
            elif n_left == 1:
                give_result(game, p, codes.VICTORY)
    game.match[0].ended = n_left <= 1


@kernel
def is_first(game: Game, p: int) -> bool:
    """Is it the first player of its team? Teams are counted by it."""
    for other in range(1, p):
        if game.standings[other].plays and is_friend(game, p, other):
            return False
    return True


@kernel
def stands(game: Game, p: int) -> bool:
    """Is any player of a team still in the game?"""
    for other in range(1, game.standings.shape[0]):
        standing = game.standings[other]
        if standing.plays and not standing.out and is_friend(game, p, other):
            return True
    return False


@kernel
def give_result(game: Game, p: int, result: int) -> None:
    game.standings[p].result = result
    event = game.events[new_event(game, codes.GAME_OVER, codes.NO_UNIT)]
    event.owner, event.amount = p, float(result)


@kernel
def leave(game: Game, p: int) -> None:
    """A player gives up."""
    if not game.match[0].ended and game.standings[p].plays:
        game.standings[p].out = True
        decide(game)


@kernel
def reveal(game: Game, p: int) -> None:
    """A player without a townhall who can have no other is revealed after some time."""
    standing, tick = game.standings[p], game.clock[0].tick
    if not standing.plays or standing.n_townhalls > 0 or can_have_townhall(game, p):
        standing.bare_since, standing.revealed = -1, False
        return
    if standing.bare_since < 0:
        standing.bare_since = tick
    if not standing.revealed and tick - standing.bare_since >= REVEAL_TICKS:
        standing.revealed = True
        event = game.events[new_event(game, codes.REVEALED_PLAYER, codes.NO_UNIT)]
        event.owner = p


@kernel
def can_have_townhall(game: Game, p: int) -> bool:
    """Does a player have a worker, and the price of a townhall that it can build?"""
    player = game.players[p]
    for k in range(game.rules.products.shape[0]):
        product = game.rules.products[k]
        if product.how != codes.HOW_BUILD or not game.rules.types[product.makes].hall:
            continue
        if player.minerals < product.minerals or player.vespene < product.vespene:
            continue
        for i in range(game.clock[0].n_living):
            me = game.units[game.living[i]]
            if me.owner == p and me.kind == product.by and (me.alive or me.inside >= 0):
                return True
    return False


@kernel
def activity(game: Game) -> float:
    """A sum that changes with whatever is mined, built or destroyed."""
    total = 0.0
    for p in range(1, game.scores.shape[0]):
        score, account = game.scores[p], game.accounts[p]
        total += account.gathered_minerals + account.gathered_vespene
        for k in range(score.lost_minerals.shape[0]):
            total += score.lost_minerals[k] + score.lost_vespene[k]
        total += score.total_value_units + score.total_value_structures
    return total


@kernel
def watch_activity(game: Game) -> None:
    """Warn when nothing has happened for long, and end the game when nothing happens after it."""
    match, tick, now = game.match[0], game.clock[0].tick, activity(game)
    if now != match.activity:
        match.activity, match.active_tick, match.warned = now, tick, False
    quiet = tick - match.active_tick
    if quiet >= QUIET_TICKS and not match.warned:
        match.warned = True
        new_event(game, codes.STALEMATE_WARNING, codes.NO_UNIT)
    if quiet >= 2 * QUIET_TICKS:
        for p in range(1, game.standings.shape[0]):
            if game.standings[p].plays and game.standings[p].result == codes.UNDECIDED:
                give_result(game, p, codes.TIE)
        match.ended = True


@entry
def surrender(game: Game, owner: int) -> None:
    """A player leaves a running game."""
    leave(game, owner)
