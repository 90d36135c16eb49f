"""Whole games: what they begin with, beside the first observations of recorded games."""

import lzma

import pytest

from terrarium.data.games.melee import TOWNHALLS, WORKERS, Melee, worker_places
from terrarium.data.maps.importer import import_map
from terrarium.data.maps.library import find_map
from terrarium.errors import TerrariumError
from tests.shared_facts import CAPTURES, needs_captures

SELF, SCV = 1, 45
"""the API's alliance and type id"""


@needs_captures
@pytest.mark.parametrize("name", ["AcropolisLE", "AutomatonLE", "BerlingradAIE", "EphemeronLE",
                                  "JagannathaAIE", "KairosJunctionLE"])  # fmt: skip
def test_workers_begin_where_they_do_in_recorded_games(name: str) -> None:
    """In the order of their tags, and all of them sent to one field."""
    from s2clientprotocol.sc2api_pb2 import ResponseObservation

    info, first = (
        lzma.decompress((CAPTURES / name / f"{file}.pb.xz").read_bytes())
        for file in ("game_info", "observation")
    )
    seen = ResponseObservation.FromString(first).observation.raw_data.units
    workers = sorted((u.tag, u) for u in seen if u.alliance == SELF and u.unit_type == SCV)
    target = {u.tag: u for u in seen}[workers[0][1].orders[0].target_unit_tag]
    melee = Melee(import_map(info, first), ("Terran", "Zerg"))
    field = melee.first_field(melee.map.starts[0])
    assert field is not None
    assert (field.x, field.y) == (target.pos.x, target.pos.y)
    places = worker_places(melee.map.starts[0], field)
    assert places == [(u.pos.x, u.pos.y) for _, u in workers]


@pytest.mark.parametrize("race", TOWNHALLS)
def test_each_player_begins_with_a_townhall_and_twelve_workers(race: str) -> None:
    melee = Melee(find_map("flat_48"), (race, "Terran"))
    mine = [start for start in melee.starts() if start.owner == 1]
    assert [start.unit for start in mine[:2]] == [TOWNHALLS[race], WORKERS[race]]
    assert sum(start.unit == WORKERS[race] for start in mine) == 12
    assert sum(start.unit == "overlord" for start in mine) == (race == "Zerg")
    assert len({start.gathers_at for start in mine if start.unit not in ("overlord", "larva")}) == 1


def test_an_unknown_race_and_too_many_players_are_refused() -> None:
    with pytest.raises(TerrariumError, match=r'race "Terra".* Did you mean "Terran"'):
        Melee(find_map("flat_48"), ("Terra", "Zerg"))
    with pytest.raises(TerrariumError, match="3 players, and the map has 2 start locations"):
        Melee(find_map("flat_48"), ("Terran",) * 3)
