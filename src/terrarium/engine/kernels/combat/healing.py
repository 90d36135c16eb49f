"""Healing: the Medivac's beam, by order or on its own."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import NEARLY, edge_distance
from terrarium.engine.kernels.orders.orders import current_order
from terrarium.engine.kernels.owners import is_friend
from terrarium.engine.kernels.random import toss
from terrarium.engine.scratch import N_PATIENTS
from terrarium.engine.state import Game, has_economy


@kernel
def choose_patients(game: Game) -> None:
    """Healers without other orders pick the friend with the lowest share of life, then nearest."""
    list_patients(game)
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive or not me.status & codes.HEALS:
            continue
        order = current_order(game, u)
        if order == codes.HEAL:
            continue
        if me.passive or order == codes.MOVE or order == codes.FOLLOW or is_off(game, u):
            me.heal_target = codes.NO_UNIT
        else:
            me.heal_target = best_patient(game, u)


@kernel
def is_off(game: Game, u: int) -> bool:
    """Has its player switched off that a healer looks for patients by itself?"""
    if game.skills[u].switched == 0:
        return False
    kind = game.units[u].kind
    for k in range(game.rules.kit.shape[1]):
        ability = game.rules.kit[kind, k]
        if ability >= 0 and game.rules.abilities[ability].mechanic == codes.HEALING:
            return game.skills[u].switched >> k & 1 != 0
    return False


@kernel
def list_patients(game: Game) -> None:
    """Note who could be healed: usually a few, and every healer looks at them."""
    n_patients = 0
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        if is_patient(game, v):
            game.scratch.patients[n_patients] = v
            n_patients += 1
    game.scratch.counts[N_PATIENTS] = n_patients


@kernel
def best_patient(game: Game, u: int) -> int:
    me = game.units[u]
    row = game.rules.types[me.kind]
    if me.energy < row.heal_min_energy and me.heal_target < 0:
        return codes.NO_UNIT
    best, best_share, best_distance = codes.NO_UNIT, 1.0, 1e30
    for k in range(game.scratch.counts[N_PATIENTS]):
        v = game.scratch.patients[k]
        if v == u or not is_friend(game, me.owner, game.units[v].owner):
            continue
        other = game.units[v]
        distance = edge_distance(game, me, game.units[v])
        share = other.hp / other.hp_max
        if distance > row.heal_scan or share > best_share + NEARLY:
            continue
        if share > best_share - NEARLY:
            if distance > best_distance + NEARLY:
                continue
            equal = distance > best_distance - NEARLY
            if equal and not toss(game.clock[0].seed, me.tag, other.tag, game.units[best].tag):
                continue
        best, best_share, best_distance = v, share, distance
    return best


@kernel
def is_patient(game: Game, v: int) -> bool:
    """Alive, of flesh, no building, and hurt."""
    other = game.units[v]
    if not other.alive or other.hp <= 0.0 or other.hp >= other.hp_max:
        return False
    row = game.rules.types[other.kind]
    return row.biological and not row.structure


@kernel
def heal(game: Game) -> None:
    """Heal by rate, energy and need. Healers of one patient share the need, so none is first."""
    n_living = game.clock[0].n_living
    any_healer = False
    for i in range(n_living):
        u = game.living[i]
        if game.units[u].alive and can_heal(game, u):
            if not any_healer:
                any_healer = True
                for j in range(n_living):
                    game.scratch.healing[game.living[j]] = 0.0
            game.scratch.healing[game.units[u].heal_target] += offer(game, u)
    if not any_healer:
        return
    # Healers first: what each gives depends on the need before any of them gave.
    for i in range(n_living):
        u = game.living[i]
        if game.units[u].alive and can_heal(game, u):
            me = game.units[u]
            v = me.heal_target
            need = game.units[v].hp_max - game.units[v].hp
            part = min(1.0, need / game.scratch.healing[v])
            cost = game.rules.types[me.kind].heal_cost
            me.energy = max(0.0, me.energy - offer(game, u) * part * cost)
    for j in range(n_living):
        v = game.living[j]
        if game.scratch.healing[v] > 0.0:
            patient = game.units[v]
            before = patient.hp
            patient.hp = min(patient.hp_max, patient.hp + game.scratch.healing[v])
            if has_economy(game):
                game.scores[patient.owner].total_healed[codes.LIFE] += patient.hp - before
            game.scratch.healing[v] = 0.0


@kernel
def can_heal(game: Game, u: int) -> bool:
    me = game.units[u]
    if not me.status & codes.HEALS or me.heal_target < 0 or me.energy <= 0.0 or me.hp <= 0.0:
        return False
    if not is_patient(game, me.heal_target):
        return False
    distance = edge_distance(game, me, game.units[me.heal_target])
    return distance <= game.rules.types[me.kind].heal_range


@kernel
def offer(game: Game, u: int) -> float:
    """How much life a healer could give in this tick."""
    row = game.rules.types[game.units[u].kind]
    return min(row.heal_life, game.units[u].energy / max(row.heal_cost, 1e-9))
