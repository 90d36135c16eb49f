"""Ladder maps by name: generated ones with the outline of the recorded ones."""

import pytest

from terrarium.data.maps.generator.outlined import is_exact, ladder_like, try_outline
from terrarium.data.maps.ladder_maps import ladder_map_named, ladder_maps


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("AcropolisLE", "AcropolisLE"),
        ("Acropolis", "AcropolisLE"),
        ("(2)CatalystLE", "CatalystLE"),
        ("Abyssal Reef LE", "AbyssalReefLE"),
        ("TritonLE", "Triton"),
        ("JagannathaAIE_v2", "JagannathaAIE"),
    ],
)
def test_clients_spell_names_in_several_ways(asked: str, name: str) -> None:
    found = ladder_map_named(asked)
    assert found is not None
    assert found.name == name


def test_other_names_mean_no_ladder_map() -> None:
    assert ladder_map_named("Simple64") is None
    assert ladder_map_named("") is None
    assert ladder_map_named("LE") is None


def test_all_starts_but_those_of_two_maps_can_be_kept() -> None:
    assert len(ladder_maps()) == 96
    assert [n for n, m in ladder_maps().items() if not is_exact(m)] == [
        "DreamcatcherLE",
        "HonorgroundsLE",
    ]


@pytest.mark.parametrize(
    "name", ["AcropolisLE", "RedshiftLE", "FrostLE", "Artana", "GoldenauraAIE"]
)
def test_a_generated_map_has_the_outline_of_the_real_one(name: str) -> None:
    outline = ladder_maps()[name]
    made = ladder_like(outline)
    assert (made.width, made.height) == outline.size
    assert made.playable == outline.playable
    assert set(made.starts) == set(outline.starts)
    assert made.starts[0] == outline.starts[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ladder_maps())
def test_the_seed_of_every_map_makes_one(name: str) -> None:
    outline = ladder_maps()[name]
    assert try_outline(outline, outline.seed) is not None
