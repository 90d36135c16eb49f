"""A record of a whole game: exact ones play the same game again, light ones look like it."""

from dataclasses import fields, replace

import numpy as np
import pytest

from terrarium.data.games.melee import Melee
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.replay.errors import ReplayError
from terrarium.replay.frames import SPAN_KINDS
from terrarium.replay.games.game_file import game_bytes, game_from_bytes
from terrarium.replay.games.game_frames import LINES, layer_at
from terrarium.replay.games.game_playback import game_frames_of, replay_game
from terrarium.replay.games.game_record import (
    ExactGameRecord,
    GameRecorder,
    LightGameRecord,
)
from terrarium.replay.record import record_battle
from tests.replay.games.macro_game import MacroGame, macro_record
from tests.replay.script import is_over, lead

TICKS = 2400
SMALL = "two_base"


def exact() -> ExactGameRecord:
    record = macro_record(TICKS, "exact", SMALL)
    assert isinstance(record, ExactGameRecord)
    return record


def test_an_exact_record_plays_the_same_game_to_the_bit() -> None:
    game = MacroGame(SMALL)
    recorder = GameRecorder(game.sim)
    game.play(TICKS, recorder)
    record = recorder.record()
    assert isinstance(record, ExactGameRecord)
    assert len(record.commands) > 20
    again = played(game_from_bytes_exact(record))
    assert int(again.ticks[0]) == TICKS
    for name, mine, other in zip(game.sim.games._fields, game.sim.games, again.games, strict=True):
        if name not in (
            "events",
            "clock",
            "epochs",
        ):  # refused commands leave an event, and nothing else
            assert mine.tobytes() == other.tobytes(), name
    assert again.digest(0) == game.sim.digest(0)


def played(record: ExactGameRecord, every_ticks: int = 4) -> Simulator:
    """The game that a record plays, at its end."""
    *_, sim = replay_game(record, every_ticks=every_ticks)
    return sim


def game_from_bytes_exact(record: ExactGameRecord) -> ExactGameRecord:
    again = game_from_bytes(game_bytes(record))
    assert isinstance(again, ExactGameRecord)
    return again


def test_playing_again_in_other_steps_makes_no_difference() -> None:
    record = exact()
    ends = []
    for every in (1, 7, 224):
        ends.append(played(record, every).digest(0))
    assert len(set(ends)) == 1


def test_an_altered_command_is_noticed() -> None:
    record = exact()
    commands = record.commands.copy()
    gather = np.flatnonzero(commands["kind"] == codes.PRODUCE)[0]
    commands["kind"][gather] = codes.STOP
    with pytest.raises(ReplayError, match="the engine plays another game than the recorded one"):
        game_frames_of(replace(record, commands=commands))


def test_what_was_done_by_hand_is_noticed() -> None:
    game = MacroGame(SMALL)
    recorder = GameRecorder(game.sim)
    game.play(240, recorder)
    game.sim.create(0, "marine", 1, *game.players[0].home)
    game.play(240, recorder)
    with pytest.raises(ReplayError, match=r"by tick 4\d\d of 480: .*changed by hand"):
        game_frames_of(recorder.record())


def test_another_version_of_the_rules_is_refused() -> None:
    record = exact()
    about = replace(record.about, rules_version=record.about.rules_version + 1)
    with pytest.raises(ReplayError, match=r"version .* of the rules"):
        game_frames_of(replace(record, about=about))


def test_an_unknown_rule_set_is_refused() -> None:
    record = exact()
    about = replace(record.about, ruleset="brood_war")
    with pytest.raises(ReplayError, match='unknown rule set "brood_war"'):
        game_frames_of(replace(record, about=about))


@pytest.fixture(scope="module")
def watched() -> tuple[MacroGame, LightGameRecord, list[tuple[int, np.ndarray, np.ndarray]]]:
    """A game, its light record, and how it really was from time to time."""
    game = MacroGame(SMALL)
    recorder = GameRecorder(game.sim, 0, "light")
    truth = []
    for _ in range(6):
        game.play(160, recorder)
        truth.append(
            (int(game.sim.ticks[0]), game.sim.units[0].copy(), game.sim.games.creep[0] > 0)
        )
    record = recorder.record()
    assert isinstance(record, LightGameRecord)
    return game, record, truth


def test_a_light_record_is_near_enough(
    watched: tuple[MacroGame, LightGameRecord, list[tuple[int, np.ndarray, np.ndarray]]],
) -> None:
    game, record, truth = watched
    again = game_from_bytes(game_bytes(record))
    assert isinstance(again, LightGameRecord)
    frames = again.frames
    for tick, units, creep in truth:
        sample = int(np.searchsorted(frames.ticks, tick))
        assert frames.ticks[sample] == tick
        there = (frames.lives["born"] <= sample) & (sample < frames.lives["ended"])
        living = (units["alive"] | (units["inside"] >= 0)) & (units["tag"] > 0)
        assert there.sum() == living.sum()
        # By place: the record numbers units by birth.
        mine = frames.at("place", sample)[there]
        theirs = np.stack([units["x"], units["y"]], axis=1)[living]
        apart = np.abs(mine[:, None] - theirs[None]).max(axis=2)  # [L, U]
        partner = apart.argmin(axis=1)
        assert apart[np.arange(len(mine)), partner].max() <= LINES["place"].error + 1e-9
        for name in ("hp", "shield", "energy"):
            best = np.where(
                apart <= LINES["place"].error + 1e-9,
                np.abs(frames.at(name, sample)[there] - units[name][living][None]),
                np.inf,
            ).min(axis=1)
            assert best.max() <= LINES[name].error + 1e-9, name
        kinds = {game.sim.names[kind] for kind in units["kind"][living]}
        shown = {frames.types[int(row)].name for row in frames.at("kind", sample)[there, 0]}
        assert shown == kinds
        # The ground is looked at once a second.
        before = layer_at(frames.creep, sample, creep.size)
        assert np.mean(before != creep) < 0.01


def test_the_curves_are_what_players_have(
    watched: tuple[MacroGame, LightGameRecord, list[tuple[int, np.ndarray, np.ndarray]]],
) -> None:
    game, record, _ = watched
    frames, sim = record.frames, game.sim
    assert frames.curve_samples[-1] == len(frames.ticks) - 1
    for player in (1, 2):
        last = {name: int(values[player - 1, -1]) for name, values in frames.curves.items()}
        assert last["minerals"] == round(float(sim.players["minerals"][0, player]))
        assert last["supply_used"] == round(float(sim.games.accounts["supply_used"][0, player]))
        units = sim.units[0]
        workers = sim.rules.types["worker"][units["kind"]] & (units["owner"] == player)
        there = (units["tag"] > 0) & (units["alive"] | (units["inside"] >= 0))
        assert last["workers"] == int((workers & there).sum())
    rate = frames.curves["mineral_rate"][0]
    assert 500 < rate[-1] < 1200  # 12 and more workers on one base (economy.md, 4)


def test_what_lasts_belongs_to_units_and_players() -> None:
    sim = Simulator(Melee(find_map("flat_32"), ("Terran", "Zerg")))
    marine = sim.create(0, "marine", 1, *find_map("flat_32").starts[0])
    sim.research(0, 1, "stimpack")
    recorder = GameRecorder(sim, kind="light")
    sim.use(0, marine, "stimpack_marine")
    for _ in range(60):
        sim.step(4)
        recorder.note()
    record = recorder.record()
    assert isinstance(record, LightGameRecord)
    (stim,) = record.frames.spans
    assert SPAN_KINDS[stim["what"]] == "buff"
    assert stim["side"] == 1
    kind = int(record.frames.at("kind", 10)[stim["slot"], 0])
    assert record.frames.types[kind].name == "marine"
    assert 0 <= stim["tick"] < 8 < stim["until"]
    again = game_from_bytes(game_bytes(record))
    assert isinstance(again, LightGameRecord)
    assert again.frames.spans.tolist() == record.frames.spans.tolist()


def test_a_surrender_is_played_again() -> None:
    for plays_on in (True, False):
        game = MacroGame(SMALL)
        recorder = GameRecorder(game.sim)
        game.play(200, recorder)
        game.sim.surrender(0, 2)
        if plays_on:
            game.play(100, recorder)
        record = recorder.record()
        assert record.about.results == ("victory", "defeat")
        assert isinstance(record, ExactGameRecord)
        assert record.surrenders.tolist() == [(200, 2)]
        again = played(game_from_bytes_exact(record))
        assert again.digest(0) == game.sim.digest(0)
        assert again.games.standings["result"][0, 1:].tolist() == [codes.VICTORY, codes.DEFEAT]


def test_a_record_begins_right_after_a_reset() -> None:
    sim = Simulator(Melee(find_map("flat_32"), ("Terran", "Terran")))
    sim.step(8)
    with pytest.raises(ReplayError, match="has run 8 ticks; begin a record right after a reset"):
        GameRecorder(sim)
    with pytest.raises(ReplayError, match="game 1 does not exist"):
        GameRecorder(sim, 1)
    sim.reset()
    recorder = GameRecorder(sim)
    sim.step()
    recorder.note()
    sim.reset()
    with pytest.raises(ReplayError, match="was reset"):
        recorder.note()


def test_battles_and_games_have_recorders_of_their_own() -> None:
    with pytest.raises(ReplayError, match="smac/3m is a battle; record it with Recorder"):
        GameRecorder(Simulator("smac/3m"))
    sim = Simulator(Melee(find_map("flat_32"), ("Terran", "Terran")))
    with pytest.raises(ReplayError, match="is a whole game; record it with GameRecorder"):
        record_battle(sim, lead, is_over)


def test_results_and_names_are_one_for_each_player() -> None:
    sim = Simulator(Melee(find_map("flat_32"), ("Terran", "Zerg")))
    recorder = GameRecorder(sim)
    with pytest.raises(ReplayError, match='unknown result "win"'):
        recorder.record(results=("win", "defeat"))
    with pytest.raises(ReplayError, match="1 results and 2 names for 2 players"):
        recorder.record(results=("victory",))
    assert recorder.record().about.results == ("undecided", "undecided")
    about = recorder.record(results=("tie", "tie"), players=("A\nB", "")).about
    assert about.players == ("A B", "Player 2")
    assert about.races == ("Terran", "Zerg")


def test_all_of_a_setup_is_recorded() -> None:
    """Whoever adds a field to Melee has to say how records keep it."""
    assert {f.name for f in fields(Melee)} == {"map", "races", "rules", "fog", "ticks_per_step"}
