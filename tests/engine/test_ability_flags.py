"""Flags of abilities: what they forbid, and what goes without them."""

from pathlib import Path

import numpy as np
import pytest

from terrarium.engine import codes
from tests.engine.arena import Arena, Piece, flat, on_terrain, open_ground


def stalker_in_fog(arena: Arena) -> Piece:
    me = arena.research("blink_tech").fog().add("stalker", at=(10, 10), passive=True)
    arena.run(2)
    return me


def test_a_stalker_blinks_to_places_that_it_sees() -> None:
    me = stalker_in_fog(open_ground())
    assert me.use("blink", at=(15, 10)) == "Success"
    me.arena.run(3)
    assert me.x == pytest.approx(15.0, abs=0.1)


def test_a_stalker_does_not_blink_into_the_fog() -> None:
    me = stalker_in_fog(open_ground())
    assert me.use("blink", at=(30, 10)) == "MustTargetVisibleLocation"
    assert me.n_orders == 0


@pytest.mark.parametrize("spotter", ["marine", "overlord"])
def test_a_friend_who_sees_the_place_is_enough(spotter: str) -> None:
    me = stalker_in_fog(open_ground())
    me.arena.add(spotter, at=(30, 10), passive=True)
    assert me.use("blink", at=(30, 10)) == "Success"


def test_an_enemy_who_sees_the_place_is_not() -> None:
    me = stalker_in_fog(open_ground())
    me.arena.add("marine", at=(30, 10), owner=2, passive=True)
    assert me.use("blink", at=(30, 10)) == "MustTargetVisibleLocation"


def test_a_scan_shows_the_place() -> None:
    me = stalker_in_fog(open_ground())
    orbital = me.arena.add("orbital_command", at=(50, 50), energy=50.0)
    assert orbital.use("scanner_sweep", at=(30, 10)) == "Success"
    me.arena.run(4)
    assert me.use("blink", at=(30, 10)) == "Success"


def test_high_ground_is_seen_from_above_only() -> None:
    level = np.ones((48, 48), np.uint8)
    level[:, 14:] = 2
    me = stalker_in_fog(on_terrain(flat(48, 48, level=level), "lotv-4.10"))
    assert me.use("blink", at=(16, 10)) == "MustTargetVisibleLocation"
    me.arena.add("observer", at=(11, 11), passive=True)
    assert me.use("blink", at=(16, 10)) == "Success"


def test_a_place_that_got_out_of_sight_before_the_jump_is_no_longer_one() -> None:
    me = stalker_in_fog(open_ground())
    spotter = me.arena.add("marine", at=(30, 10), passive=True)
    me.move(14, 10)
    assert me.use("blink", at=(34, 10), queued=True) == "Success"
    spotter.set(hp=0.0)
    me.arena.run(60)
    assert me.x == pytest.approx(14.0, abs=0.1)
    assert me.skill["error"] == codes.MUST_TARGET_VISIBLE_LOCATION


@pytest.mark.parametrize("flags", [["may_cast_while_moving", "holds_weapons"], []])
def test_a_battlecruiser_does_not_shoot_while_it_charges_its_cannon(
    tmp_path: Path, flags: list[str]
) -> None:
    assert not shoots_while_it_casts(tmp_path, flags)


def test_without_the_flag_it_shoots_on(tmp_path: Path) -> None:
    assert shoots_while_it_casts(tmp_path, ["may_cast_while_moving"])


def shoots_while_it_casts(folder: Path, flags: list[str]) -> bool:
    """Does a Battlecruiser shoot in its wind-up, if its cannon had these flags?"""
    rules = folder / "cannon.toml"
    rules.write_text(
        'title = "Another cannon"\nversion = 1\nbase = "lotv-4.10"\n'
        f"[ability.yamato]\nflags = {flags}\n",
        encoding="utf-8",
    )
    arena = on_terrain(flat(48, 48), str(rules)).research("battlecruiser_enable_specializations")
    me = arena.add("battlecruiser", at=(20, 20))
    foe = arena.add("ultralisk", at=(25, 20), owner=2, passive=True)
    assert me.use("yamato", on=foe) == "Success"
    arena.run(40)
    assert me.skill["cast"] >= 0
    return bool(arena.blows_on(foe))
