"""Records and frames hold what abilities do."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.frames import SPAN_KINDS, Frames
from terrarium.replay.names import glyphs, title_of_skill, title_of_upgrade
from terrarium.replay.pictures.picture import Painter
from terrarium.replay.playback import frames_of
from terrarium.replay.record import MAX_REASON, MAX_REASONS, ExactRecord, Kind, Reasons, Recorder
from terrarium.replay.record_file import from_bytes, to_bytes
from tests.replay import drill
from tests.replay.battles import forged

KINDS: tuple[Kind, ...] = ("exact", "light")


def spans(battle: Frames, what: str, name: str) -> np.ndarray:
    found = [
        span
        for span in battle.spans
        if SPAN_KINDS[span["what"]] == what and battle.skills[span["skill"]].name == name
    ]
    return np.array(found, battle.spans.dtype)


def slot_of(battle: Frames, name: str, k: int = 0) -> int:
    kinds = [battle.types[kind].name for kind in battle.units["kind"][k]]
    return kinds.index(name)


@pytest.mark.parametrize("kind", KINDS)
def test_a_battle_with_abilities_comes_back_from_its_file(kind: Kind) -> None:
    record = drill.recorded(kind)
    content = to_bytes(record)
    assert len(content) < (2_500 if kind == "exact" else 8_000)
    again = from_bytes(content)
    assert to_bytes(again) == content
    shown, before = frames_of(again), drill.frames(kind)
    for name in ("units", "spans", "whys", "missiles", "commands"):
        assert np.array_equal(getattr(shown, name), getattr(before, name)), name
    assert (shown.skills, shown.reasons) == (before.skills, before.reasons)


def test_upgrades_and_fog_are_part_of_the_record() -> None:
    about = drill.recorded().about
    assert about.fog
    allies, enemies = about.upgrades
    assert {"stimpack", "terran_infantry_weapons_level2"} <= set(allies)
    assert "terran_infantry_weapons_level1" not in allies  # the highest level says it all
    assert set(enemies) == {"psi_storm_tech", "blink_tech", "protoss_shields_level1"}


def test_what_was_researched_by_hand_is_replayed() -> None:
    sim = Simulator(drill.scenario())
    sim.reset(5)
    sim.research(0, 1, "terran_infantry_armors_level1")
    sim.research(0, 1, "banshee_speed")
    recorder = Recorder(sim)
    sim.step()
    recorder.note()
    assert "terran_infantry_armors_level1" in recorder.record().about.upgrades[0]
    assert frames_of(recorder.record()).ticks[-1] == 8


def test_casts_of_the_rules_are_replayed_and_others_are_not_kept() -> None:
    sim = Simulator(drill.scenario())
    sim.reset(5)
    recorder = Recorder(sim)
    sim.use(0, 0, "stimpack_marine")
    sim.order(0, 1, codes.CAST, ability=9999)
    sim.order(0, 2, codes.CAST, ability=-1)
    sim.step()
    recorder.note()
    record = recorder.record()
    assert isinstance(record, ExactRecord)
    assert record.commands[["slot", "kind"]].tolist() == [(0, codes.CAST)]
    stim = spans(frames_of(record), "buff", "stimpack")
    assert stim["slot"].tolist() == [0]
    forged_commands = record.commands.copy()
    forged_commands["ability"] = 4000
    with pytest.raises(ReplayError, match=r"uses ability 4000, and the rule set lotv-4\.10 has"):
        frames_of(replace(record, commands=forged_commands))


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("buff", "stimpack"),
        ("buff", "ghost_cloak"),
        ("buff", "guardian_shield"),
        ("cast", "yamato"),
        ("cast", "psi_storm"),
        ("morph", "siege_mode"),
        ("morph", "burrow_widow_mine"),
        ("lock", "lock_on"),
        ("area", "psi_storm"),
        ("area", "scanner_sweep"),
        ("area", "liberator_zone"),
        ("fall", "corrosive_bile"),
        ("summon", "auto_turret"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_everything_that_lasts_is_there(kind: Kind, what: str, name: str) -> None:
    battle = drill.frames(kind)
    if kind == "light" and what in ("summon", "cast") and name != "yamato":
        return  # over before the next step looks
    found = spans(battle, what, name)
    assert len(found)
    assert (found["tick"] < found["until"]).all()
    assert found["until"].max() <= battle.ticks[-1] + 1


def test_spans_say_who_where_and_for_how_long() -> None:
    battle = drill.frames()
    storm = spans(battle, "area", "psi_storm")[0]
    assert (storm["x"], storm["y"], storm["side"]) == (12.0, 14.5, 1)
    assert battle.skills[storm["skill"]].radius == 1.5
    assert storm["until"] - storm["tick"] == storm["ticks"]
    stim = spans(battle, "buff", "stimpack")
    assert battle.skills[stim["skill"][0]].effect == "boost"
    # Marines fall before it ends, and the span with them.
    assert (stim["until"] - stim["tick"] <= stim["ticks"]).all()
    assert (stim["ticks"] >= 239).all()  # 15 s of 16 ticks, one of which has passed
    yamato = spans(battle, "cast", "yamato")[0]
    assert battle.types[battle.units["kind"][0, yamato["target"]]].name == "stalker"
    shield = spans(battle, "area", "guardian_shield")[0]
    assert shield["target"] == slot_of(battle, "sentry")
    assert spans(battle, "area", "corrosive_bile")["target"].tolist() == [-1, -1]


def test_forms_and_states_are_those_of_the_moment() -> None:
    battle = drill.frames()
    tank, mine, ghost = (slot_of(battle, name) for name in ("siege_tank", "widow_mine", "ghost"))
    last = battle.units[-1]
    sieged, burrowed = (battle.types[last["kind"][u]] for u in (tank, mine))
    assert (sieged.name, sieged.form_of, sieged.burrowed) == (
        *("siege_tank_sieged", "siege_tank"),
        False,
    )
    assert (burrowed.form_of, burrowed.burrowed) == ("widow_mine", True)
    assert not battle.units["cloaked"][0, ghost]
    assert battle.units["cloaked"][5, ghost]
    assert battle.units["seen_by_allies"][5, ghost]
    assert not battle.units["seen_by_enemies"][5, ghost]
    assert battle.units["hp_max"][0, slot_of(battle, "marine")] == 55.0  # with Combat Shield


def test_passengers_live_and_are_no_dead() -> None:
    battle = drill.frames()
    medivac = slot_of(battle, "medivac")
    aboard = battle.units["inside"] == medivac  # [T, U]
    assert aboard.any()
    assert not (aboard & battle.units["alive"]).any()
    assert (battle.units["hp"][aboard] > 0.0).all()
    k = int(np.flatnonzero(aboard.any(axis=1))[0])
    before, after = battle.strength()[1][k - 1 : k + 1]
    n_fallen = ((battle.deaths["tick"] > battle.ticks[k - 1]) & (battle.deaths["side"] == 0)).sum()
    assert before[0] - after[0] in (0, n_fallen)
    passenger = int(np.flatnonzero(aboard[k])[0])
    died = battle.deaths["tick"][battle.deaths["slot"] == passenger]
    assert not len(died) or died[0] > battle.ticks[aboard[:, passenger]].max()


def test_passengers_who_fall_with_their_carrier_are_dead() -> None:
    sim = Simulator(drill.scenario())
    sim.reset(3)
    medivac, marine = drill.slots(sim, "medivac")[0], drill.slots(sim, "marine")[0]
    recorder = Recorder(sim, kind="light")
    sim.use(0, medivac, "load_medivac", target=marine)
    for _ in range(20):
        sim.step()
        recorder.note()
        if sim.units["inside"][0, marine] == medivac:
            break
    sim.units["hp"][0, medivac] = 0.0
    sim.step()
    recorder.note()
    battle = frames_of(recorder.record())
    assert {medivac, marine} <= set(battle.deaths["slot"].tolist())


def test_who_is_summoned_appears() -> None:
    battle = drill.frames()
    turrets = [
        battle.units["alive"][:, u]
        for u in range(battle.units.shape[1])
        if battle.types[battle.units["kind"][-1, u]].name == "auto_turret"
    ]
    assert len(turrets) == 1
    assert not turrets[0][0]
    assert turrets[0].any()


def test_missiles_of_abilities_have_names() -> None:
    battle = drill.frames()
    flying = {battle.skills[s].name for s in battle.missiles["skill"].tolist() if s >= 0}
    assert {"emp", "yamato"} <= flying


@pytest.mark.parametrize("kind", KINDS)
def test_reasons_are_kept_when_they_change(kind: Kind) -> None:
    sim = Simulator("smac/3m")
    sim.reset(1)
    recorder = Recorder(sim, kind=kind)
    told: list[Reasons | None] = [
        {0: "run", 2: "two\nlines " + "x" * 200},
        None,
        ["run", "fight"],
        {0: "", 1: "fight"},
        {0: "run"},
    ]
    for why in told:
        sim.step()
        recorder.note(why)
    battle = frames_of(from_bytes(to_bytes(recorder.record())))
    said = [(int(w["step"]), int(w["slot"]), battle.reasons[w["reason"]]) for w in battle.whys]
    long = ("two lines " + "x" * 200)[:MAX_REASON]
    assert said == [(0, 0, "run"), (0, 2, long), (2, 1, "fight"), (3, 0, ""), (4, 0, "run")]


def test_reasons_that_do_not_fit_are_refused() -> None:
    sim = Simulator("smac/3m")
    sim.reset(1)
    recorder = Recorder(sim)
    sim.step()
    with pytest.raises(ReplayError, match="a reason for slot 6; slots are 0 to 5"):
        recorder.note({6: "nobody"})
    for n in range(MAX_REASONS):
        recorder.note({0: f"reason {n}"})
    with pytest.raises(ReplayError, match=f"at most {MAX_REASONS} different reasons"):
        recorder.note({0: "one more"})


def _set(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda header: header.update({key: value})


BAD_HEADERS: list[tuple[Kind, Callable[[dict[str, Any]], object], str]] = [
    ("exact", _set("fog", 1), "1 is not true or false"),
    ("exact", _set("upgrades", []), "0 sides instead of 2"),
    ("exact", _set("upgrades", [["a"], "b"]), "'b' is not a list"),
    ("exact", _set("upgrades", [["a"], [3]]), "3 is not a text"),
    ("exact", _set("upgrades", [["a"] * 300, []]), "300 entries; at most 256"),
    ("exact", _set("reasons", ["two\nlines"]), "is not a line of text"),
    ("exact", _set("reasons", [""] * 5000), "5000 entries; at most 4096"),
    ("exact", lambda header: header["reasons"].pop(), "reason of a reason is outside 0 to"),
    ("exact", lambda header: header["sizes"].update(whys=3), "do not have the size"),
    ("light", _set("skills", []), "skill is"),
    ("light", lambda header: header["skills"][0].update(effect="luck"), 'unknown value "luck"'),
    ("light", lambda header: header["skills"][0].update(radius=1e9), "outside 0 to 1000"),
    ("light", lambda header: header["skills"].extend(header["skills"] * 99), "more than any rules"),
    ("light", lambda header: header["reasons"].pop(), "whys.reason is"),
    ("light", lambda header: header["sizes"].update(spans=0), "do not have the size"),
]


@pytest.mark.parametrize(("kind", "change", "message"), BAD_HEADERS)
def test_a_header_that_lies_about_abilities_is_refused(
    kind: Kind, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    with pytest.raises(TerrariumError) as caught:
        from_bytes(forged(drill.content(kind), header=change))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_upgrades_that_nobody_knows_are_refused() -> None:
    record = drill.recorded()
    assert isinstance(record, ExactRecord)
    changed = replace(record, about=replace(record.about, upgrades=(("stimpakc",), ())))
    with pytest.raises(ReplayError, match=r'unknown upgrade "stimpakc".* Did you mean "stimpack"'):
        frames_of(changed)


def test_names_are_those_that_people_use() -> None:
    battle = drill.frames()
    titles = {skill.name: title_of_skill(skill, battle.types) for skill in battle.skills}
    assert titles["ghost_cloak"] == "Cloak"
    assert titles["emp"] == "EMP"
    assert titles["stimpack_marine"] == "Stimpack"
    assert titles["liberator_zone"] == "Liberator Zone"
    assert title_of_upgrade("terran_infantry_weapons_level2") == "Infantry Weapons 2"
    signs = dict(zip([t.name for t in battle.types], glyphs(battle.types), strict=True))
    assert signs["siege_tank"] == signs["siege_tank_sieged"]
    assert len(set(signs.values())) == len(signs) - 3  # the tank, the mine and the Liberator


@settings(max_examples=60)
@given(data=st.data())
def test_a_clever_enemy_changes_what_lasts_in_vain(data: st.DataObject) -> None:
    def change(body: bytearray) -> None:
        for _ in range(data.draw(st.integers(1, 4))):
            body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))

    try:
        shown = frames_of(from_bytes(forged(drill.content("light"), body=change)))
    except ReplayError:
        return
    n_units = shown.units.shape[1]
    for table, name, limit in (
        *((shown.spans, "what", len(SPAN_KINDS)), (shown.spans, "skill", len(shown.skills))),
        *((shown.spans, "slot", n_units), (shown.spans, "target", n_units)),
        *((shown.units, "inside", n_units), (shown.units, "order_skill", len(shown.skills))),
        *((shown.missiles, "skill", len(shown.skills)), (shown.whys, "slot", n_units)),
        (shown.whys, "reason", len(shown.reasons)),
    ):
        assert table[name].min(initial=0) >= -1
        assert table[name].max(initial=0) < limit
    Painter(shown, 320).paint(len(shown.ticks) // 2)  # whatever is in it, it can be drawn
