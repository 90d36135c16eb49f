"""A whole game as columns of 16-bit numbers: what light records and pages store."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.game_map import GameMap
from terrarium.engine.records import Records
from terrarium.replay.errors import ReplayError
from terrarium.replay.frames import SPAN, SPAN_KINDS, Skill
from terrarium.replay.games.game_frames import (
    CURVES,
    LIFE,
    LINES,
    LOSS,
    PLACE_STEPS,
    SEEN_BIT,
    STEPS,
    UPGRADE,
    CellLayer,
    Fight,
    GameAbout,
    GameFrames,
    Knots,
    ThingType,
)
from terrarium.replay.storage.packing import HIGHEST, Columns, Layout

Ints = NDArray[np.int64]
Sizes = Mapping[str, int]

_FIELDS = {name: line.names for name, line in LINES.items()} | dict(STEPS)
_SPAN_FIELDS = (
    *("what", "skill", "side", "slot", "target", "tick_low", "tick_high"),
    *("until_low", "until_high", "ticks", "x", "y"),
)
N_ORDERS = 64
"""Kinds of orders are numbers below this."""


@dataclass(frozen=True)
class GameHeader:
    """What the header of a record says, to which its columns refer."""

    about: GameAbout
    map: GameMap
    types: tuple[ThingType, ...]
    skills: tuple[Skill, ...]
    products: tuple[str, ...]
    upgrades: tuple[str, ...]
    queues: tuple[tuple[int, ...], ...]
    fights: tuple[Fight, ...]


def size_names(n_sights: int) -> tuple[str, ...]:
    """What a header says the length of."""
    layers = ("creep", *(f"sight{k}" for k in range(n_sights)))
    runs = (f"{layer}{part}" for layer in layers for part in ("", "_runs"))
    tables = ("samples", "lives", "losses", "researched", "curves", "spans")
    return (*tables, *_FIELDS, *runs)


def sizes_of(frames: GameFrames) -> dict[str, int]:
    """How long everything is."""
    sizes = {
        "samples": len(frames.ticks),
        "lives": len(frames.lives),
        "losses": len(frames.losses),
        "researched": len(frames.researched),
        "curves": len(frames.curve_samples),
        "spans": len(frames.spans),
    }
    sizes |= {name: len(knots.sample) for name, knots in frames.knots.items()}
    for name, layer in _layers(frames):
        sizes |= {name: len(layer.sample), f"{name}_runs": len(layer.runs)}
    return {name: sizes[name] for name in size_names(len(frames.sights))}


def layout(sizes: Sizes, n_players: int) -> Layout:
    """Name, rows and length of every column, in their order."""
    columns = [("samples.ticks", 1, sizes["samples"])]
    columns += [(f"lives.{name}", 1, sizes["lives"]) for name in LIFE.names or ()]
    for name, fields in _FIELDS.items():
        columns += [(f"{name}.count", 1, sizes["lives"]), (f"{name}.sample", 1, sizes[name])]
        columns += [(f"{name}.{field}", 1, sizes[name]) for field in fields]
    columns += [(f"losses.{name}", 1, sizes["losses"]) for name in LOSS.names or ()]
    columns += [(f"researched.{name}", 1, sizes["researched"]) for name in UPGRADE.names or ()]
    columns += [("curves.sample", 1, sizes["curves"])]
    columns += [(f"curves.{name}", n_players, sizes["curves"]) for name in CURVES]
    for name in [key.removesuffix("_runs") for key in sizes if key.endswith("_runs")]:
        columns += [(f"{name}.sample", 1, sizes[name]), (f"{name}.count", 1, sizes[name])]
        columns += [(f"{name}.runs", sizes[f"{name}_runs"], 1)]  # without differences
    return columns + [(f"spans.{name}", 1, sizes["spans"]) for name in _SPAN_FIELDS]


def to_columns(frames: GameFrames) -> Columns:
    """The numbers of a game; frames hold whole ones already."""
    columns: dict[str, NDArray[np.generic]] = {
        "samples.ticks": np.diff(frames.ticks, prepend=0),
        "curves.sample": frames.curve_samples,
    }
    for name in LIFE.names or ():
        columns[f"lives.{name}"] = frames.lives[name]
    for name, knots in frames.knots.items():
        columns[f"{name}.count"] = np.diff(knots.first)
        columns[f"{name}.sample"] = knots.sample
        for k, field in enumerate(_FIELDS[name]):
            columns[f"{name}.{field}"] = knots.values[:, k]
    columns |= {f"losses.{name}": frames.losses[name] for name in LOSS.names or ()}
    columns["losses.killer"] = frames.losses["killer"] + 1
    columns |= {f"researched.{name}": frames.researched[name] for name in UPGRADE.names or ()}
    columns |= {f"curves.{name}": values for name, values in frames.curves.items()}
    for name, layer in _layers(frames):
        columns[f"{name}.sample"], columns[f"{name}.count"] = layer.sample, layer.n_runs
        columns[f"{name}.runs"] = layer.runs
    columns |= {f"spans.{name}": values for name, values in _span_columns(frames.spans)}
    return {
        name: np.clip(columns[name], 0, HIGHEST).astype(np.uint16).reshape(rows, length)
        for name, rows, length in layout(sizes_of(frames), frames.n_players)
    }


def from_columns(known: GameHeader, columns: Columns) -> GameFrames:
    """The frames that were stored; what no game could hold is refused."""
    wide = {name: column.astype(np.int64) for name, column in columns.items()}
    n_sights = sum(name.startswith("sight") and name.endswith(".runs") for name in wide)
    losses = _table(wide, "losses", LOSS)
    losses["killer"] -= 1
    frames = GameFrames(
        about=known.about,
        map=known.map,
        types=known.types,
        skills=known.skills,
        products=known.products,
        upgrades=known.upgrades,
        queues=known.queues,
        ticks=np.cumsum(wide["samples.ticks"][0]),
        lives=_table(wide, "lives", LIFE),
        knots={name: _knots(wide, name) for name in _FIELDS},
        losses=losses,
        researched=_table(wide, "researched", UPGRADE),
        curve_samples=wide["curves.sample"][0],
        curves={name: wide[f"curves.{name}"] for name in CURVES},
        creep=_layer(wide, "creep"),
        sights=tuple(_layer(wide, f"sight{k}") for k in range(n_sights)),
        spans=_spans(wide),
        fights=known.fights,
    )
    _check(frames)
    return frames


def _layers(frames: GameFrames) -> Iterator[tuple[str, CellLayer]]:
    yield "creep", frames.creep
    for k, sight in enumerate(frames.sights):
        yield f"sight{k}", sight


def _span_columns(spans: Records) -> Iterator[tuple[str, NDArray[np.generic]]]:
    for name in ("what", "side", "slot"):
        yield name, spans[name]
    for name in ("skill", "target"):
        yield name, spans[name] + 1
    for name in ("tick", "until"):
        yield f"{name}_low", spans[name] & HIGHEST
        yield f"{name}_high", spans[name] >> 16
    yield "ticks", np.rint(spans["ticks"])
    for name in ("x", "y"):
        yield name, np.rint(spans[name] * PLACE_STEPS)


def _spans(wide: Mapping[str, Ints]) -> Records:
    spans = np.zeros(wide["spans.what"].shape[1], SPAN)
    for name in ("what", "side", "slot", "ticks"):
        spans[name] = wide[f"spans.{name}"][0]
    for name in ("skill", "target"):
        spans[name] = wide[f"spans.{name}"][0] - 1
    for name in ("tick", "until"):
        high = wide[f"spans.{name}_high"][0] & 0x7FFF
        spans[name] = wide[f"spans.{name}_low"][0] + (high << 16)
    for name in ("x", "y"):
        spans[name] = wide[f"spans.{name}"][0] / PLACE_STEPS
    return spans


def _table(wide: Mapping[str, Ints], table: str, dtype: np.dtype[np.void]) -> Records:
    names = dtype.names or ()
    values = np.zeros(wide[f"{table}.{names[0]}"].shape[1], dtype)
    for name in names:
        values[name] = wide[f"{table}.{name}"][0]
    return values


def _knots(wide: Mapping[str, Ints], name: str) -> Knots:
    counts = wide[f"{name}.count"][0]
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    values = np.stack([wide[f"{name}.{field}"][0] for field in _FIELDS[name]], axis=1)
    return Knots(first, wide[f"{name}.sample"][0], values)


def _layer(wide: Mapping[str, Ints], name: str) -> CellLayer:
    return CellLayer(
        wide[f"{name}.sample"][0], wide[f"{name}.count"][0], wide[f"{name}.runs"][:, 0]
    )


# --- what a file of a stranger may not say ----------------------------------------------------


def _check(frames: GameFrames) -> None:
    n_samples, n_lives = len(frames.ticks), len(frames.lives)
    if n_samples == 0 or (np.diff(frames.ticks) <= 0).any():
        raise ReplayError("a game needs at least one sample, in the order of time")
    born, ended = frames.lives["born"], frames.lives["ended"]
    if (born >= ended).any() or (ended > n_samples).any() or (np.diff(born) < 0).any():
        raise ReplayError("a unit is born and dies at impossible times")
    for name, knots in frames.knots.items():
        _check_knots(name, knots, frames)
    for name, values, limit in _limits(frames, n_samples, n_lives):
        if values.size and not (values.min() >= 0 and values.max() < limit):
            raise ReplayError(f"{name} is {values.max()}; it must be less than {limit}")
    for name, layer in _layers(frames):
        if layer.n_runs.sum() != len(layer.runs) or (np.diff(layer.sample) <= 0).any():
            raise ReplayError(f"the runs of {name} do not belong to its samples")
        _check_runs(name, layer, frames.map.width * frames.map.height)
    if (np.diff(frames.spans["tick"]) < 0).any() or (np.diff(frames.curve_samples) <= 0).any():
        raise ReplayError("spans and curves are not in the order of time")


def _check_knots(name: str, knots: Knots, frames: GameFrames) -> None:
    """Every unit has a knot when it is born, and others later, in the order of time."""
    first = knots.first
    if first[-1] != len(knots.sample) or (np.diff(first) < 1).any():
        raise ReplayError(f"the knots of {name} do not belong to the units")
    begins = np.zeros(len(knots.sample), np.bool_)
    begins[first[:-1]] = True
    if (knots.sample[first[:-1]] != frames.lives["born"]).any():
        raise ReplayError(f"{name} of a unit is not known from its birth on")
    if (np.diff(knots.sample)[~begins[1:]] <= 0).any():
        raise ReplayError(f"the knots of {name} are not in the order of time")
    if (knots.sample[first[1:] - 1] >= frames.lives["ended"]).any():
        raise ReplayError(f"{name} of a unit goes on after its death")


def _limits(
    frames: GameFrames, n_samples: int, n_lives: int
) -> Iterator[tuple[str, NDArray[np.int64], int]]:
    """Numbers that point at something, and how many of that there are."""
    order = frames.knots["order"].values
    for name, limit in (
        ("kind", len(frames.types)),
        ("owner", frames.n_players + 1),
        ("aim", n_lives + 1),
        ("inside", n_lives + 1),
        ("queue", len(frames.queues)),
        ("flags", 1 << (SEEN_BIT + 1 + frames.n_players)),
    ):
        yield name, frames.knots[name].values, limit
    yield "order", order[:, 0], N_ORDERS
    yield "order.skill", order[:, 1], max(len(frames.skills), len(frames.products)) + 1
    yield "order.target", order[:, 2], n_lives + 1
    yield "losses.unit", frames.losses["unit"], n_lives
    yield "losses.killer", frames.losses["killer"] + 1, n_lives + 1
    yield "losses.sample", frames.losses["sample"], n_samples
    yield "researched.sample", frames.researched["sample"], n_samples
    yield "researched.player", frames.researched["player"], frames.n_players + 1
    yield "researched.upgrade", frames.researched["upgrade"], len(frames.upgrades)
    yield "curves.sample", frames.curve_samples, n_samples
    yield "spans.what", frames.spans["what"].astype(np.int64), len(SPAN_KINDS)
    yield "spans.skill", frames.spans["skill"].astype(np.int64), len(frames.skills)
    yield "spans.slot", frames.spans["slot"].astype(np.int64), n_lives
    yield "spans.target", frames.spans["target"].astype(np.int64) + 1, n_lives + 1
    for name, layer in _layers(frames):
        yield f"{name}.sample", layer.sample, n_samples


def _check_runs(name: str, layer: CellLayer, n_cells: int) -> None:
    ends = np.cumsum(layer.runs)
    last = np.cumsum(layer.n_runs)
    covered = np.diff(np.concatenate([[0], ends[last - 1]])) if len(last) else np.zeros(0)
    if (layer.n_runs < 1).any() or (covered > n_cells).any():
        raise ReplayError(f"{name} covers more cells than the map has")
