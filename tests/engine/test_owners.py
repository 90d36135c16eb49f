"""Owners: up to 16 players and neutral, and what they are to each other."""

import pytest

from terrarium.engine import codes
from terrarium.engine.simulator import EngineError, Simulator
from tests.engine.arena import open_ground

PLENTY = 10_000.0


def test_neutral_units_stand_in_the_way_and_are_attacked_on_order_only() -> None:
    arena = open_ground()
    marine = arena.add("marine", at=(10, 20))
    rock = arena.add("bunker", at=(16, 20), owner=codes.NEUTRAL_OWNER, hp=PLENTY)
    enemy = arena.add("zealot", at=(40, 20), owner=2, passive=True, hp=PLENTY)

    marine.attack_move(30, 20)
    closest = [float("inf")]

    def passed() -> bool:
        closest[0] = min(closest[0], marine.distance(*rock.at))
        return marine.x > 20.0

    assert arena.run(200, until=passed)
    assert closest[0] > 1.5, "it walked through the rock instead of around it"
    assert not arena.blows_on(rock)
    assert not arena.shots_of(marine)

    marine.attack(rock)
    assert arena.run(200, until=lambda: bool(arena.blows_on(rock)))
    assert not arena.blows_on(enemy)


def test_neutral_units_attack_nobody_and_splash_spares_them() -> None:
    arena = open_ground()
    guard = arena.add("marine", at=(20, 20), owner=codes.NEUTRAL_OWNER, hp=PLENTY)
    target = arena.add("zergling", at=(21, 20), owner=2, passive=True, hp=PLENTY)
    baneling = arena.add("baneling", at=(24, 20))
    baneling.attack(target)
    assert arena.run(100, until=lambda: bool(arena.blows_on(target)))
    arena.run(50)
    assert not arena.shots_of(guard)
    assert not arena.blows_on(guard)


def test_allies_do_not_fight_each_other_and_share_their_sight() -> None:
    arena = open_ground(teams=((1, 3), (2,))).fog()
    mine = arena.add("marine", at=(10, 20), hp=PLENTY)
    ally = arena.add("marine", at=(30, 20), owner=3, hp=PLENTY)
    enemy = arena.add("zealot", at=(36, 20), owner=2, passive=True, hp=PLENTY)
    arena.run(4)
    assert mine.sees(enemy), "an ally sees it"
    assert not enemy.sees(mine)
    mine.move(28, 20)
    arena.run(150)
    assert arena.shots_of(ally)
    assert not arena.blows_on(mine)
    assert not arena.blows_on(ally)


def test_every_player_fights_every_other_one() -> None:
    n_players = 16
    arena = open_ground(slots=n_players, teams=tuple((owner,) for owner in range(1, n_players + 1)))
    marines = [
        arena.add("marine", at=(26 + i % 4, 26 + i // 4), owner=i + 1) for i in range(n_players)
    ]
    arena.run(400, until=lambda: sum(marine.alive for marine in marines) <= 1)
    assert sum(marine.alive for marine in marines) <= 1
    assert arena.sim.players["n_lost"][0, 1:].sum() >= n_players - 1
    assert arena.sim.players["n_lost"][0, codes.NEUTRAL_OWNER] == 0


@pytest.mark.parametrize(
    ("teams", "says"),
    [
        (((1,),), "2 to 16"),
        (((1,), (1, 2)), "once"),
        (((0,), (1,)), "players 1 to n"),
        (tuple((owner,) for owner in range(1, 18)), "2 to 16"),
    ],
)
def test_teams_that_cannot_be_are_refused(teams: tuple[tuple[int, ...], ...], says: str) -> None:
    with pytest.raises(EngineError, match=says):
        Simulator("smac/3m", teams=teams)


@pytest.mark.parametrize("owner", [-1, 3, 99])
def test_an_owner_that_does_not_exist_is_refused(owner: int) -> None:
    sim = Simulator("smac/3m", slots=8)
    with pytest.raises(EngineError, match=f"owner {owner}"):
        sim.create(0, "marine", owner, 10.0, 10.0)


@pytest.mark.parametrize("owner", [codes.NEUTRAL_OWNER, 3])
def test_only_players_have_upgrades(owner: int) -> None:
    with pytest.raises(EngineError, match=f"owner {owner}"):
        open_ground().sim.research(0, owner, "stimpack")
