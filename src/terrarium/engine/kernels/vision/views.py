"""Views: what units, scans and the dead show their players, and which units each player sees in a
whole game (game_rules.md, 6)."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import ALL_PLAYERS, is_hidden
from terrarium.engine.kernels.owners import is_friend
from terrarium.engine.kernels.vision.sight import in_scan, within
from terrarium.engine.kernels.vision.snapshots import change_sight, clear_snapshots, forget_gone
from terrarium.engine.kernels.vision.towers import CAPTURE_TICKS, capture_towers
from terrarium.engine.kernels.vision.visibility import hide, is_body_visible, move_view
from terrarium.engine.state import Game

BUILDING_SIGHT = 4.0
"""of a structure that is not finished"""
DEAD_SIGHT, DEAD_TICKS = 3.0, 64
"""what a unit that dies still shows, and for how long"""
DETECTORS, RADARS = range(2)


@kernel
def clear_views(game: Game) -> None:
    """Nothing shows anything."""
    for v in range(game.views.shape[0]):
        view = game.views[v]
        view.owner, view.holder = codes.NEUTRAL_OWNER, codes.NEUTRAL_OWNER
        view.shown_to, view.shown_until = 0, 0
    game.vision[0].n_glimpses = 0
    clear_snapshots(game)


@kernel
def see(game: Game) -> None:
    """One tick of vision: what the units show, then which of them each player sees."""
    if game.clock[0].tick % CAPTURE_TICKS == 0:
        capture_towers(game)
    if game.clock[0].fog:
        for i in range(game.clock[0].n_living):
            renew_view(game, int(game.living[i]))
        end_glimpses(game)
        show_maps(game)
    else:
        reveal_all(game)
    list_watching(game)
    for i in range(game.clock[0].n_living):
        v = int(game.living[i])
        if game.units[v].alive:
            sight(game, v)
    forget_gone(game)


@kernel
def sight(game: Game, v: int) -> None:
    """Work out which players see a unit."""
    other, view, tick = game.units[v], game.views[v], game.clock[0].tick
    hidden = is_hidden(other)
    seen = 1 << other.owner | 1 << game.skills[v].true_owner
    if view.shown_to != 0:
        if tick >= view.shown_until:
            view.shown_to = 0
        elif not hidden:
            seen |= view.shown_to
    for p in range(1, game.players.shape[0]):
        if not seen >> p & 1 and is_seen_by(game, v, p, hidden):
            seen |= 1 << p
    if game.standings[other.owner].revealed and game.rules.types[other.kind].structure:
        seen = ALL_PLAYERS
    change_sight(game, v, view.sighted, seen)
    view.sighted = seen
    other.seen = 0 if other.status & codes.UNTOUCHABLE else seen
    view.blips = 0
    if game.scratch.n_watching[RADARS] > 0 and game.rules.types[other.kind].mobile and not hidden:
        view.blips = blips_of(game, v) & ~seen


@kernel
def renew_view(game: Game, u: int) -> None:
    """Let a unit show what is around the cell that it is in now; the dead, for a while, a little
    of where they were."""
    me, view, wish = game.units[u], game.views[u], game.scratch.wish[0]
    row, owner = game.rules.types[me.kind], me.owner
    if row.capture > 0.0:
        owner = view.holder
    if not me.alive or owner == codes.NEUTRAL_OWNER or row.sight <= 0.0:
        if view.owner != codes.NEUTRAL_OWNER:
            if me.hp <= 0.0 and me.inside < 0:
                wish.owner, wish.x, wish.y = view.owner, view.x, view.y
                wish.reach, wish.over = DEAD_SIGHT, view.over
                glimpse(game, DEAD_TICKS)
            hide(game, u)
        return
    reach = min(row.sight, BUILDING_SIGHT) if me.status & codes.UNFINISHED else row.sight
    x, y = half_cell(me.x), half_cell(me.y)
    if view.x == x and view.y == y and view.owner == owner:
        if view.reach == reach and view.over == row.sees_up:
            return
    wish.owner, wish.x, wish.y, wish.reach, wish.over = owner, x, y, reach, row.sees_up
    move_view(game, u)


@kernel
def half_cell(x: float) -> int:
    """A coordinate in half cells: between two cells, or the middle of one."""
    cell = int(x)
    return 2 * cell if x == cell else 2 * cell + 1


@kernel
def glimpse(game: Game, ticks: float) -> None:
    """Show for some time what `scratch.wish` says; if there are as many glimpses as there is room
    for, instead of the one that ends first."""
    first, n_glimpses = game.units.shape[0], game.vision[0].n_glimpses
    v = first + n_glimpses
    if v < game.views.shape[0]:
        game.vision[0].n_glimpses += 1
    else:
        v = first
        for other in range(first + 1, game.views.shape[0]):
            if game.views[other].until < game.views[v].until:
                v = other
    move_view(game, v)
    game.views[v].until = game.clock[0].tick + int(ticks)


@kernel
def end_glimpses(game: Game) -> None:
    """End those whose time is up; the last one takes the place of each."""
    first, vision = game.units.shape[0], game.vision[0]
    v = first
    while v < first + vision.n_glimpses:
        view, last = game.views[v], game.views[first + vision.n_glimpses - 1]
        if view.until > game.clock[0].tick:
            v += 1
            continue
        hide(game, v)
        view.owner, view.x, view.y = last.owner, last.x, last.y
        view.reach, view.over, view.until = last.reach, last.over, last.until
        last.owner = codes.NEUTRAL_OWNER
        vision.n_glimpses -= 1


@kernel
def show_maps(game: Game) -> None:
    """Who cheats so sees all of the map; what views count meanwhile holds for later."""
    for p in range(1, game.players.shape[0]):
        if game.players[p].cheats & codes.SHOWS_MAP:
            for cell in range(game.visibility.shape[1]):
                game.visibility[p, cell] = codes.VISIBLE


@kernel
def reveal_all(game: Game) -> None:
    """Without fog all players see everything."""
    for p in range(1, game.players.shape[0]):
        if game.visibility[p, 0] != codes.VISIBLE:
            for cell in range(game.visibility.shape[1]):
                game.visibility[p, cell] = codes.VISIBLE


@kernel
def list_watching(game: Game) -> None:
    """Collect the units that detect and the Sensor Towers."""
    counts = game.scratch.n_watching
    counts[DETECTORS] = counts[RADARS] = 0
    for i in range(game.clock[0].n_living):
        u = int(game.living[i])
        me = game.units[u]
        if not me.alive or me.status & codes.BLINDED:
            continue
        if me.status & codes.DETECTS:
            game.scratch.detectors[counts[DETECTORS]] = u
            counts[DETECTORS] += 1
        if game.rules.types[me.kind].radar > 0.0:
            game.scratch.radars[counts[RADARS]] = u
            counts[RADARS] += 1


@kernel
def is_seen_by(game: Game, v: int, owner: int, hidden: bool) -> bool:
    """Does a player see a unit of another one? What is hidden must also be detected."""
    other = game.units[v]
    if not is_body_visible(game, owner, other.kind, other.x, other.y):
        return False
    if not hidden or in_scan(game, owner, other.x, other.y):
        return True
    for k in range(game.scratch.n_watching[DETECTORS]):
        u = game.scratch.detectors[k]
        if is_friend(game, owner, game.units[u].owner):
            if within(game, u, v, game.rules.types[game.units[u].kind].detects):
                return True
    return False


@kernel
def blips_of(game: Game, v: int) -> int:
    """Bits of the players whose Sensor Towers reach a unit."""
    blips = 0
    for k in range(game.scratch.n_watching[RADARS]):
        u = game.scratch.radars[k]
        if within(game, u, v, game.rules.types[game.units[u].kind].radar):
            for p in range(1, game.players.shape[0]):
                if is_friend(game, p, game.units[u].owner):
                    blips |= 1 << p
    return blips
