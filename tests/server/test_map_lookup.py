"""Maps by the names, paths and bytes that clients send."""

import logging
from pathlib import Path

import pytest
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.battles.scenario import Scenario
from terrarium.data.maps.files import map_text, save_map
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.library import find_map
from terrarium.server.maps.catalog import map_files
from terrarium.server.maps.lookup import find_served_map
from terrarium.server.maps.stubs import GAME_FILE, BadMapFile, stub
from terrarium.server.requests import RULES
from terrarium.server.session import INIT_GAME, LAUNCHED, Session
from tests.server.asking import ask, creation


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of maps of a client."""
    monkeypatch.setenv("SC2PATH", str(tmp_path / "game"))
    monkeypatch.setenv("TERRARIUM_CACHE", str(tmp_path / "cache"))
    maps = tmp_path / "game" / "Maps"
    maps.mkdir(parents=True)
    return maps


def ground(path: str, data: bytes = b"") -> GameMap | Scenario:
    found = find_served_map(path, data)
    assert found is not None, path
    return found.ground


def test_every_file_of_the_melee_and_smac_packs_means_its_map() -> None:
    paths = [path for path in map_files() if path.startswith(("Melee/", "SMAC_Maps/"))]
    assert len(paths) == 9 + 23 + 5
    for path in paths:
        stem = path.split("/")[1].removesuffix(".SC2Map")
        plain = ground(path).name.split("/")[-1].replace("_", "")
        assert plain == stem.lower().replace("_", "") or plain == stem.replace("_", ""), path


def test_melee_maps_and_battles_are_found_by_the_paths_of_all_clients() -> None:
    assert ground("Melee/Flat64.SC2Map").name == "flat_64"
    assert ground("Flat64.SC2Map").name == "flat_64"
    assert ground(r"C:\Maps\Melee\Flat64.SC2Map").name == "flat_64"
    assert ground("SMAC_Maps/2s3z.SC2Map").name == "smac/2s3z"
    assert ground("SMAC_Maps/32x32_flat.SC2Map").name == "smacv2/32x32_flat"
    assert find_served_map("Nowhere.SC2Map") is None
    assert find_served_map("") is None
    assert find_served_map("../../etc/passwd\0.SC2Map") is None


def test_bytes_of_a_file_say_more_than_its_name(folder: Path) -> None:
    assert ground("any.SC2Map", stub("Flat32").encode()).name == "flat_32"
    (folder / "Mine.SC2Map").write_text(stub("Flat48"))
    assert ground("Mine.SC2Map").name == "flat_48"
    whole = map_text(find_map("flat_32")).encode()
    assert ground("Simple64.SC2Map", whole).starts == find_map("flat_32").starts  # type: ignore[union-attr]
    assert ground("SMAC_Maps/3m.SC2Map", GAME_FILE + bytes(9)).name == "smac/3m"


@pytest.mark.parametrize("data", [b"\xff\xfe", b"nothing", b"terrarium_map = 3", b"format = 1"])
def test_bytes_that_are_no_map_are_refused_and_nothing_changes(data: bytes) -> None:
    with pytest.raises(BadMapFile, match="no map"):
        find_served_map("Flat64.SC2Map", data)
    session, request = Session(RULES), creation("Flat64.SC2Map")
    request.local_map.map_data = data
    response = ask(session, create_game=request)
    assert response.create_game.error == api.ResponseCreateGame.InvalidMapData
    assert response.status == LAUNCHED
    request.local_map.map_data = stub("Flat32").encode()
    assert ask(session, create_game=request).status == INIT_GAME


def test_a_ladder_map_is_generated_once_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    with caplog.at_level(logging.INFO):
        made = ground("Ladder/AcropolisLE.SC2Map")
    assert made.name == "AcropolisLE"
    assert "AcropolisLE is a generated map" in caplog.text
    (kept,) = (tmp_path / "cache" / "maps").glob("AcropolisLE-*.toml")
    again = ground("Acropolis.SC2Map")
    assert isinstance(made, GameMap)
    assert isinstance(again, GameMap)
    assert map_text(again) == map_text(made)
    kept.write_text("nothing")  # a damaged file is made anew
    assert map_text(find_map_of("AcropolisLE")) == map_text(made)


def find_map_of(name: str) -> GameMap:
    found = ground(f"{name}.SC2Map")
    assert isinstance(found, GameMap)
    return found


def test_an_imported_map_comes_before_a_generated_one(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save_map(find_map("flat_32"), folder / "AcropolisLE.toml")
    with caplog.at_level(logging.INFO):
        assert find_map_of("Acropolis").starts == find_map("flat_32").starts
    assert "AcropolisLE.toml" in caplog.text
