"""A whole game as one HTML file that needs nothing but a browser."""

from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

from terrarium.replay.files import write_file
from terrarium.replay.frames import SPAN_KINDS, UnitType
from terrarium.replay.games.game_columns import layout, sizes_of, to_columns
from terrarium.replay.games.game_frames import LINES, PLACE_STEPS, STEPS, GameFrames, ThingType
from terrarium.replay.names import glyphs, spoken, title_of_upgrade
from terrarium.replay.page import record_bytes
from terrarium.replay.pictures.map_picture import ground_image_of
from terrarium.replay.pictures.palette import palette
from terrarium.replay.shell import html_page
from terrarium.replay.storage.packing import pack

_SCRIPTS = (
    *("player.js", "columns.js", "game_data.js", "map.js", "ground.js", "spells.js", "field.js"),
    *("layers.js", "game_field.js", "minimap.js", "timeline.js", "game_timeline.js", "panel.js"),
    *("game_panel.js", "game_app.js"),
)
_QUALITY = 68
"""of the picture of the ground, of 100"""


def game_page(frames: GameFrames) -> str:
    """The text of the file."""
    ground = _ground(frames)
    header = _header(frames) | {"groundBytes": len(ground)}
    columns = pack(to_columns(frames).values())
    record = record_bytes(header, columns + ground)
    return html_page("game.html", frames.about.title, record, _SCRIPTS, ("game.css",))


def save_game_page(frames: GameFrames, path: str | Path) -> int:
    """Write the file; its size in bytes."""
    return write_file(path, game_page(frames).encode("utf-8"))


def letters_of(types: tuple[ThingType, ...]) -> list[str]:
    """The signs of the types: structures and units have letters of their own."""
    shown = [_unit_type(thing) for thing in types]
    signs = dict[int, str]()
    for is_structure in (False, True):
        rows = [k for k, thing in enumerate(types) if (thing.width > 0) == is_structure]
        signs |= dict(zip(rows, glyphs([shown[k] for k in rows]), strict=True))
    return [signs[k] for k in range(len(types))]


def _unit_type(thing: ThingType) -> UnitType:
    return UnitType(
        *(thing.name, thing.radius, thing.hp, thing.shield, thing.energy, thing.reach),
        *(thing.sight, thing.flying, thing.burrowed, thing.form_of, thing.cargo),
    )


def title_of_product(name: str, upgrades: tuple[str, ...]) -> str:
    return title_of_upgrade(name) if name in upgrades else spoken(name)


def result_words(frames: GameFrames) -> tuple[str, int]:
    """How it ended in a few words, and which player won; 0 = none."""
    results, players = frames.about.results, frames.about.players
    winners = [k for k, result in enumerate(results) if result == "victory"]
    if winners:
        names = " and ".join(players[k] for k in winners)
        return f"{names} {'wins' if len(winners) == 1 else 'win'}", winners[0] + 1
    return ("Tie" if "tie" in results else "Undecided"), 0


def rocks_are_units(frames: GameFrames) -> bool:
    """Are rocks among the units, and not part of the ground?"""
    return any(thing.outline for thing in frames.types)


def _ground(frames: GameFrames) -> bytes:
    buffer = BytesIO()
    ground_image_of(frames.map, not rocks_are_units(frames)).save(
        buffer, "WEBP", quality=_QUALITY, method=4
    )
    return buffer.getvalue()


def _header(frames: GameFrames) -> dict[str, Any]:
    text, winner = result_words(frames)
    game_map = frames.map
    return {
        "about": asdict(frames.about) | {"seed": str(frames.about.seed), "map": game_map.title},
        "result": {"text": text, "winner": winner},
        "types": [
            asdict(thing) | {"title": spoken(thing.name), "glyph": glyph}
            for thing, glyph in zip(frames.types, letters_of(frames.types), strict=True)
        ],
        "skills": [asdict(skill) | {"title": spoken(skill.name)} for skill in frames.skills],
        "products": [title_of_product(name, frames.upgrades) for name in frames.products],
        "upgrades": [title_of_upgrade(name) for name in frames.upgrades],
        "queues": frames.queues,
        "spanKinds": SPAN_KINDS,
        "lines": {name: [line.names, line.steps] for name, line in LINES.items()},
        "steps": STEPS,
        "placeSteps": PLACE_STEPS,
        "fights": [asdict(fight) for fight in frames.fights],
        "map": {
            "width": game_map.width,
            "height": game_map.height,
            "playable": game_map.playable,
        },
        "nSights": len(frames.sights),
        "colors": list(palette("dark")),
        "layout": layout(sizes_of(frames), frames.n_players),
    }
