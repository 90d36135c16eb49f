"""Ids of the API and numbers of the engine: tags of units."""

INDEX_BITS = 18
FIRST_INDEX = 16384
"""the lowest index that recorded units have"""


def api_tag(tag: int) -> int:
    """The API's tag of a unit, from the engine's."""
    return (FIRST_INDEX + tag << INDEX_BITS) + 1


def engine_tag(tag: int) -> int:
    """The engine's tag of a unit; 0 where none can have it."""
    index = tag >> INDEX_BITS
    return index - FIRST_INDEX if tag & (1 << INDEX_BITS) - 1 == 1 and index > FIRST_INDEX else 0
