"""Damage: whom a hit concerns, what armor and shields leave of it, and who notices."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import add_buff, end_buff
from terrarium.engine.kernels.economy.score import count_damage
from terrarium.engine.kernels.events import note_hurt
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.movement.paths import cell_of
from terrarium.engine.kernels.owners import is_enemy, is_friend
from terrarium.engine.kernels.random import toss
from terrarium.engine.kernels.vision.visibility import show_attacker
from terrarium.engine.records import Records
from terrarium.engine.scratch import N_CALLERS, N_HITS
from terrarium.engine.state import Game, has_economy, is_unit, keeps_sight

MINIMUM_DAMAGE = 0.5


@kernel
def may_hurt(game: Game, h: int, owner: int, v: int, x: float, y: float) -> bool:
    """Can this hit, falling at (x, y), concern that unit at all?"""
    hit, other = game.rules.hits[h], game.units[v]
    row = game.rules.types[other.kind]
    if not hit.hits_own and not is_enemy(game, owner, other.owner):
        return False
    if hit.only & codes.NO_STRUCTURES and row.structure:
        return False
    only = hit.only & ~codes.NO_STRUCTURES
    if only == 0:
        planes = game.rules.weapons[hit.weapon].planes
        if not planes & other.plane:
            return False
    elif not (
        (only & codes.ONLY_GROUND and other.plane & codes.GROUND)
        or (only & codes.ONLY_AIR and other.plane & codes.AIR)
        or (only & codes.ONLY_STRUCTURES and row.structure)
    ):
        return False
    if hit.same_level and not row.flying:
        return (
            game.ground.level[cell_of(game, x, y)]
            == game.ground.level[cell_of(game, other.x, other.y)]
        )
    return True


@kernel
def damage_on(game: Game, h: int, owner: int, kind: int) -> float:
    """What a hit of a player takes from a type, before armor, with the player's upgrades."""
    hit, player = game.rules.hits[h], game.players[owner]
    damage = game.rules.damage[h, kind]
    level = player.levels[hit.family]
    if level > 0:
        damage += level * game.rules.damage_step[h, kind]
    if player.techs & hit.tech:
        damage += game.rules.damage_extra[h, kind]
    return damage


@kernel
def add_hit(game: Game, v: int, h: int, cause: Records, share: float) -> None:
    """Note a hit that an effect or a buff deals. It counts at the end of the phase: two who shoot
    each other dead both die."""
    k = game.scratch.counts[N_HITS]
    if game.units[v].status & codes.UNTOUCHABLE:
        return
    if is_unit(game, cause.source, cause.source_tag):
        if game.units[cause.source].status & codes.HALLUCINATED:
            return
    if k >= game.scratch.hits.shape[0]:
        game.clock[0].fault = codes.TOO_MANY_HITS
        return
    game.scratch.counts[N_HITS] = k + 1
    hit = game.scratch.hits[k]
    hit.target, hit.row = v, h
    hit.source, hit.source_tag, hit.owner = cause.source, cause.source_tag, cause.owner
    hit.damage = damage_on(game, h, cause.owner, game.units[v].kind) * share
    hit.pure, hit.direct = 0.0, share == 1.0
    hit.applied = False
    if game.rules.hits[h].weapon >= 0 and is_unit(game, cause.source, cause.source_tag):
        if game.units[cause.source].status & codes.EMPOWERED:
            empower(game, k)
    hit.next = game.scratch.first_hit[v]
    game.scratch.first_hit[v] = k


@kernel
def empower(game: Game, k: int) -> None:
    """What the attacker's own buffs add to a hit; some are spent by it."""
    hit = game.scratch.hits[k]
    source = hit.source
    attributes = game.rules.types[game.units[hit.target].kind].attributes
    for b in range(game.buffs.shape[1]):
        row = game.buffs[source, b].row
        if row < 0:
            continue
        if game.rules.buffs[row].damage_vs & attributes:
            hit.damage += game.rules.buffs[row].damage_add
        if game.rules.buffs[row].first_hit_damage > 0.0:
            hit.pure += game.rules.buffs[row].first_hit_damage
            end_buff(game, source, row)


@kernel
def deal_hit(game: Game, shot: Records, v: int) -> None:
    """A hit arrives where it was aimed at, on unit `v` if that still lives: note whom it hurts."""
    h, x, y = shot.hit, shot.aim_x, shot.aim_y
    form = game.rules.hits[h].form
    if v >= 0 and form != codes.LINE and form != codes.CONE:
        add_hit(game, v, h, shot, 1.0)
    if form == codes.SINGLE or form == codes.BOUNCE:
        return
    for j in range(game.clock[0].n_living):
        o = game.living[j]
        if not game.units[o].alive or (o == v and form == codes.SPLASH):
            continue
        if not may_hurt(game, h, shot.owner, o, x, y):
            continue
        share = 0.0
        if form == codes.SPLASH:
            share = splash_share(game, h, shot.source, o, x, y)
        elif form == codes.LINE or form == codes.CONE:
            share = 1.0 if o == v or in_front(game, h, shot.source, o, x, y) else 0.0
        if share > 0.0:
            add_hit(game, o, h, shot, share)


@kernel
def splash_share(game: Game, h: int, source: int, o: int, x: float, y: float) -> float:
    """The fraction that a victim takes: the first zone that contains its edge counts."""
    hit, other = game.rules.hits[h], game.units[o]
    radius = game.rules.types[other.kind].radius
    for z in range(hit.n_zones):
        if hit.zone_cos[z] >= -1.0:
            # A sector in front of the attacker (Ultralisk).
            me = game.units[source]
            dx, dy = other.x - me.x, other.y - me.y
            distance = length(dx, dy)
            ahead = me.face_x * dx + me.face_y * dy >= hit.zone_cos[z] * distance - NEARLY
            reach = hit.zone_radius[z] + game.rules.types[me.kind].radius + radius
            if ahead and distance <= reach + NEARLY:
                return hit.zone_share[z]
            continue
        dx, dy = other.x - x, other.y - y
        # Bodies in contact are often exactly at a zone's edge: rounding must not decide.
        if length(dx, dy) <= hit.zone_radius[z] + radius + NEARLY:
            return hit.zone_share[z]
    return 0.0


@kernel
def in_front(game: Game, h: int, source: int, o: int, x: float, y: float) -> bool:
    """Does a unit stand in the line or cone that leads from the attacker through (x, y)?"""
    hit, me, other = game.rules.hits[h], game.units[source], game.units[o]
    ax, ay = x - me.x, y - me.y
    size = length(ax, ay)
    if size < 1e-9:
        return False
    ax, ay = ax / size, ay / size
    dx, dy = other.x - me.x, other.y - me.y
    along, beside = dx * ax + dy * ay, abs(dx * ay - dy * ax)
    radius = game.rules.types[other.kind].radius
    if hit.form == codes.LINE:
        rest = along - min(max(along, 0.0), hit.length)
        return length(rest, beside) <= hit.radius + radius + NEARLY
    if length(dx, dy) > hit.radius + radius + NEARLY:
        return False
    # The cone is extended by the victim's radius: its distance from the cone's side counts.
    outside = beside * hit.arc_cos - along * hit.arc_sin
    return outside <= radius + NEARLY and along > -radius


@kernel
def resolve_hits(game: Game) -> None:
    """Apply all noted hits. On one victim the heaviest comes first, from any source."""
    for k in range(game.scratch.counts[N_HITS]):
        v = game.scratch.hits[k].target
        if game.scratch.first_hit[v] < 0:
            continue
        notice(game, v)
        while True:
            heaviest = -1
            h = game.scratch.first_hit[v]
            while h >= 0:
                hit = game.scratch.hits[h]
                if not hit.applied:
                    if heaviest < 0 or hit.damage > game.scratch.hits[heaviest].damage:
                        heaviest = h
                h = hit.next
            if heaviest < 0:
                break
            game.scratch.hits[heaviest].applied = True
            hurt(game, v, heaviest)
        game.scratch.first_hit[v] = -1
    game.scratch.counts[N_HITS] = 0
    call_for_help(game)


@kernel
def hurt(game: Game, v: int, k: int) -> None:
    """One hit on one victim: shields first, then what armor leaves of the rest."""
    hit, victim = game.scratch.hits[k], game.units[v]
    row = game.rules.hits[hit.row]
    if game.players[victim.owner].cheats & codes.IS_UNHURT:
        return
    left = max(hit.damage, MINIMUM_DAMAGE)
    if victim.status & codes.WARDED:
        left = ward_off(game, v, left, row.manner, hit.source, hit.source_tag)
    before, shield = victim.hp + victim.shield, victim.shield
    if victim.shield > 0.0 and left > 0.0:
        # Shields have their own armor, and what it takes does not come back as damage to life.
        armor = victim.shield_armor if row.armor_applies else 0.0
        on_shield = max(left + row.shield_bonus - armor, min(left, MINIMUM_DAMAGE))
        absorbed = min(victim.shield, on_shield)
        victim.shield -= absorbed
        left = max(0.0, left - armor - absorbed)
    if left > 0.0:
        armor = victim.armor if row.armor_applies else 0.0
        victim.hp -= max(left - armor, min(left, MINIMUM_DAMAGE))
    if hit.pure > 0.0:
        absorbed = min(victim.shield, hit.pure)
        victim.shield -= absorbed
        victim.hp -= hit.pure - absorbed
    if row.buff >= 0 and hit.direct and victim.hp > 0.0:
        if game.players[hit.owner].techs & row.buff_tech == row.buff_tech:
            add_buff(game, v, row.buff, hit.source, hit.owner, 0.0)
    victim.hurt_tick = game.clock[0].tick
    dealt = max(0.0, before - max(victim.hp, 0.0) - victim.shield)
    note_hurt(game, v, hit.source, hit.source_tag, hit.owner, dealt)
    if keeps_sight(game) and is_unit(game, hit.source, hit.source_tag):
        show_attacker(game, hit.source, victim.owner)
    if has_economy(game):
        count_damage(game, hit.owner, v, codes.SHIELDS, shield - victim.shield)
        count_damage(game, hit.owner, v, codes.LIFE, dealt - (shield - victim.shield))
    if is_enemy(game, hit.owner, victim.owner):
        game.players[hit.owner].damage_dealt += dealt


@kernel
def ward_off(game: Game, v: int, damage: float, manner: int, source: int, tag: int) -> float:
    """What buffs of the victim leave of a hit (Guardian Shield, anti-armor missile, barrier)."""
    victim = game.units[v]
    passive = game.rules.types[victim.kind].shields_itself
    if (
        passive >= 0
        and game.skills[v].ready[game.rules.abilities[passive].cooldown_slot] <= game.clock[0].tick
    ):
        ready = game.clock[0].tick + int(game.rules.abilities[passive].cooldown)
        game.skills[v].ready[game.rules.abilities[passive].cooldown_slot] = ready
        add_buff(game, v, game.rules.abilities[passive].buff, v, victim.owner, 0.0)
    attacker_traits = 0
    if is_unit(game, source, tag):
        attacker_traits = game.rules.types[game.units[source].kind].traits
    for b in range(game.buffs.shape[1]):
        row = game.buffs[v, b].row
        if row < 0 or not game.rules.buffs[row].taken_manners & manner:
            continue
        kind = game.rules.buffs[row]
        if attacker_traits & kind.taken_from != kind.taken_from:
            continue
        damage = max(damage * kind.taken_mult + kind.taken_add, MINIMUM_DAMAGE)
        if kind.absorbs > 0.0:
            taken = min(damage, game.buffs[v, b].absorbs)
            game.buffs[v, b].absorbs -= taken
            damage -= taken
            if game.buffs[v, b].absorbs <= 0.0:
                end_buff(game, v, row)
    return damage


@kernel
def notice(game: Game, v: int) -> None:
    """A victim learns who hit it hardest, and wants to call its friends every now and then."""
    victim = game.units[v]
    worst = -1
    h = game.scratch.first_hit[v]
    while h >= 0:
        hit = game.scratch.hits[h]
        if hit.owner != victim.owner and is_unit(game, hit.source, hit.source_tag):
            if worst < 0 or hit.damage > game.scratch.hits[worst].damage:
                worst = h
            elif hit.damage == game.scratch.hits[worst].damage:
                old = game.scratch.hits[worst].source_tag
                if toss(game.clock[0].seed, victim.tag, hit.source_tag, old):
                    worst = h
        h = hit.next
    if worst < 0:
        return
    victim.attacker = game.scratch.hits[worst].source
    victim.attacker_tag = game.scratch.hits[worst].source_tag
    tick = game.clock[0].tick
    if victim.help_tick <= tick and game.rules.types[victim.kind].response == codes.RESPOND_ACQUIRE:
        victim.help_tick = tick + game.rules.targeting[0].help_ticks
        game.scratch.callers[game.scratch.counts[N_CALLERS]] = v
        game.scratch.counts[N_CALLERS] += 1


@kernel
def call_for_help(game: Game) -> None:
    """Those near a victim who have nothing to do learn of its attacker; the nearest call counts."""
    n_callers = game.scratch.counts[N_CALLERS]
    game.scratch.counts[N_CALLERS] = 0
    if n_callers == 0:
        return
    radius = game.rules.targeting[0].help_radius
    for i in range(game.clock[0].n_living):
        f = game.living[i]
        friend = game.units[f]
        if not friend.alive or friend.passive or friend.target >= 0 or friend.attacker >= 0:
            continue
        best, best_distance = codes.NO_UNIT, radius
        for c in range(n_callers):
            victim = game.units[game.scratch.callers[c]]
            distance = length(friend.x - victim.x, friend.y - victim.y)
            if not is_friend(game, victim.owner, friend.owner) or distance > best_distance + NEARLY:
                continue
            if distance > best_distance - NEARLY and best >= 0:
                if not toss(game.clock[0].seed, friend.tag, victim.tag, game.units[best].tag):
                    continue
            best, best_distance = game.scratch.callers[c], distance
        if best >= 0:
            friend.attacker = game.units[best].attacker
            friend.attacker_tag = game.units[best].attacker_tag
