"""One episode of a task that is no battle, and its file, read as if an enemy had written it.

magic, format version, size of the text     14 bytes, little-endian
text                                        JSON, compressed; tables in it are base64
SHA-256 of everything above                 32 bytes
"""

import base64
import binascii
import hashlib
import json
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from terrarium.errors import TerrariumError
from terrarium.replay.episodes.episode_frames import (
    MAX_CELLS,
    MAX_NAMES,
    MAX_PICTURES,
    MAX_STEPS,
    MAX_TEAMS,
    PICTURE_HEIGHT,
    PICTURE_WIDTH,
    Particles,
    Thing,
    check_particles,
    check_table,
    is_small_picture,
    picture_steps,
)
from terrarium.replay.errors import ReplayError
from terrarium.replay.files import damaged, inflate, read_file, write_file
from terrarium.replay.header import Header, read_header
from terrarium.replay.record import MAX_TEXT

MAGIC = b"TERRAWLD"
FORMAT_VERSION = 2
MAX_FILE = 64 * 2**20
MAX_RAW = 96 * 2**20
_MAX_COMMAS = 50_000  # entries of all lists: a parser needs memory for each, however short it is
_MAX_WORDS = 1024  # that an agent may choose from

_PREFIX = struct.Struct("<8sHI")
_DIGEST = 32
_KEYS = ("title", "task", "seed", "agents", "teams", "n_steps", "rewards", "present", "fps")
_DRAWN = ("things", "positions", "colors", "n_words", "messages")
_PICTURED = ("pictures", "picture_every")

Team = tuple[str, tuple[int, ...]]
"""Its name, and which agents belong to it"""


@dataclass(frozen=True, eq=False)
class EpisodeRecord:
    """An episode: rewards, who was there, and either particles or pictures."""

    title: str
    task: str
    seed: int
    agents: tuple[str, ...]
    teams: tuple[Team, ...]
    rewards: NDArray[np.float32]  # [T, A]
    present: NDArray[np.bool_]  # [T+1, A]
    fps: float
    """steps in a second, when it is played at its own speed"""
    particles: Particles | None = None
    pictures: tuple[bytes, ...] = field(default=(), repr=False)
    """PNG or JPEG"""
    picture_every: int = 1
    """steps from one picture to the next; the last one shows the end"""

    def __post_init__(self) -> None:
        _check_names(self)
        _check_numbers(self)
        if (self.particles is None) == (not self.pictures):
            raise ReplayError("an episode is shown by particles or by pictures, by one of them")
        if self.particles is not None:
            check_particles(self.particles, self.n_steps, len(self.agents))
        elif len(self.pictures) != len(picture_steps(self.n_steps, self.picture_every)):
            raise ReplayError(
                f"{len(self.pictures)} pictures do not fit {self.n_steps} steps "
                f"with one at every {self.picture_every}"
            )

    @property
    def n_steps(self) -> int:
        return len(self.rewards)

    @property
    def seconds(self) -> float:
        return self.n_steps / self.fps

    def returns(self) -> NDArray[np.float64]:
        """[T+1, A]: what each agent has got so far."""
        sums = np.zeros((self.n_steps + 1, len(self.agents)))
        np.cumsum(self.rewards, axis=0, dtype=np.float64, out=sums[1:])
        return sums

    def picture_at(self, step: int) -> bytes:
        """The latest picture that is not of the future."""
        steps = picture_steps(self.n_steps, self.picture_every)
        return self.pictures[int(np.searchsorted(steps, step, side="right")) - 1]


def _check_names(record: EpisodeRecord) -> None:
    n_agents = len(record.agents)
    if not 1 <= n_agents <= MAX_NAMES:
        raise ReplayError(f"{n_agents} agents; a record has 1 to {MAX_NAMES}")
    things = record.particles.things if record.particles is not None else ()
    for name in (*record.agents, *(team for team, _ in record.teams), *(t.name for t in things)):
        if not name.isprintable() or len(name) > MAX_TEXT:
            raise ReplayError(f"{name[:80]!r} is no name of one line; use one_line")
    if len(set(record.agents)) != n_agents:
        raise ReplayError("two agents have the same name")
    members = sorted(a for _, team in record.teams for a in team)
    if members != list(range(n_agents)) or not 1 <= len(record.teams) <= MAX_TEAMS:
        raise ReplayError("the teams do not hold each agent once")


def _check_numbers(record: EpisodeRecord) -> None:
    n_steps, n_agents = record.n_steps, len(record.agents)
    if n_steps > MAX_STEPS:
        raise ReplayError(f"{n_steps} steps; a record has at most {MAX_STEPS}")
    check_table("rewards", record.rewards, (n_steps, n_agents))
    check_table("present", record.present, (n_steps + 1, n_agents))
    if not 0.1 <= record.fps <= 240.0:
        raise ReplayError(f"fps is {record.fps:g}; allowed are 0.1 to 240")
    if not 0 <= record.seed < 2**64:
        raise ReplayError(f"seed is {record.seed}; allowed are 0 to {2**64 - 1}")
    if not 1 <= record.picture_every <= MAX_STEPS:
        raise ReplayError(f"a picture at every {record.picture_every} steps; at least every 1")
    # One more than the limit: the end is always among them.
    if len(record.pictures) > MAX_PICTURES + 1:
        raise ReplayError(f"{len(record.pictures)} pictures; at most {MAX_PICTURES + 1} are kept")


def save_episode_record(record: EpisodeRecord, path: str | Path) -> int:
    """Write a record; the size of the file in bytes."""
    return write_file(path, to_bytes(record))


def load_episode_record(path: str | Path) -> EpisodeRecord:
    """Read a file that `save_episode_record` wrote."""
    content = read_file(path, MAX_FILE + 1)
    try:
        return from_bytes(content)
    except TerrariumError as error:
        raise ReplayError(f"{path}: {error}") from error


def to_bytes(record: EpisodeRecord) -> bytes:
    """The content of a record's file; equal records have equal bytes."""
    raw = json.dumps(to_table(record), allow_nan=False).encode()
    content = _PREFIX.pack(MAGIC, FORMAT_VERSION, len(raw)) + zlib.compress(raw, 9)
    content += hashlib.sha256(content).digest()
    if len(raw) > MAX_RAW or len(content) > MAX_FILE:
        raise ReplayError("the episode is too large for a record; record fewer steps")
    return content


def to_table(record: EpisodeRecord) -> dict[str, Any]:
    """What the JSON holds; the page reads the same."""
    table: dict[str, Any] = {
        "title": one_line(record.title),
        "task": one_line(record.task),
        "seed": str(record.seed),  # JSON's numbers are too short
        "agents": list(record.agents),
        "teams": [{"name": name, "members": list(members)} for name, members in record.teams],
        "n_steps": record.n_steps,
        "rewards": _packed(record.rewards),
        "present": _packed(record.present.astype(np.uint8)),
        "fps": float(record.fps),
    }
    particles = record.particles
    if particles is None:
        pictures = [base64.b64encode(picture).decode() for picture in record.pictures]
        return table | {"pictures": pictures, "picture_every": record.picture_every}
    return table | {
        "things": [
            {"name": thing.name, "kind": thing.kind, "radius": float(thing.radius)}
            for thing in particles.things
        ],
        "positions": _packed(particles.positions),
        "colors": _packed(particles.colors),
        "n_words": particles.messages.shape[-1],
        "messages": _packed(particles.messages),
    }


def one_line(text: str, most: int = 200) -> str:
    """A text of strangers on one line, without what cannot be shown."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(shown.split())[:most]


def from_bytes(content: bytes) -> EpisodeRecord:
    """Read what `to_bytes` wrote; the message of an error does not name the file."""
    if content[: len(MAGIC)] != MAGIC:
        raise ReplayError(
            "this is no record of an episode; terrarium watch --save-record writes one"
        )
    if len(content) < _PREFIX.size + _DIGEST:
        raise damaged("it ends too early")
    _, version, size = _PREFIX.unpack_from(content)
    if version != FORMAT_VERSION:
        raise ReplayError(
            f"a record of format {version}, and this Terrarium reads format {FORMAT_VERSION}; "
            + ("update Terrarium" if version > FORMAT_VERSION else "record the episode again")
        )
    if size > MAX_RAW or len(content) > MAX_FILE:
        raise damaged("it claims to be larger than any record")
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise damaged("its checksum is wrong")
    raw = inflate(content[_PREFIX.size : -_DIGEST], size)
    if raw.count(b",") > _MAX_COMMAS:
        raise damaged("it has more entries than any record")
    return _read(read_header(raw))


def _read(header: Header) -> EpisodeRecord:
    drawn = header.has("things")
    header.only((*_KEYS, *(_DRAWN if drawn else _PICTURED)))
    seed = header.text("seed")
    if not (seed.isascii() and seed.isdigit() and len(seed) <= 20):
        raise header.error(f"{seed[:80]!r} is not a whole number", "seed")
    n_steps = header.integer("n_steps", 0, MAX_STEPS)
    agents = header.short_texts("agents", MAX_NAMES)
    return EpisodeRecord(
        title=header.short_text("title"),
        task=header.short_text("task"),
        seed=int(seed),
        agents=agents,
        teams=_teams(header, len(agents)),
        rewards=_floats(header, "rewards", (n_steps, len(agents))),
        present=_bytes(header, "present", (n_steps + 1, len(agents))) > 0,
        fps=header.number("fps", 0.1, 240.0),
        particles=_particles(header, n_steps, len(agents)) if drawn else None,
        pictures=() if drawn else _pictures(header),
        picture_every=1 if drawn else header.integer("picture_every", 1, MAX_STEPS),
    )


def _teams(header: Header, n_agents: int) -> tuple[Team, ...]:
    teams: list[Team] = []
    for table in header.tables("teams"):
        table.only(("name", "members"))
        members = table.array("members")
        if not all(type(a) is int and 0 <= a < n_agents for a in members):
            raise table.error("not numbers of agents", "members")
        teams.append((table.short_text("name"), tuple(members)))
        if len(teams) > MAX_TEAMS:
            raise header.error(f"more than {MAX_TEAMS} teams", "teams")
    return tuple(teams)


def _particles(header: Header, n_steps: int, n_agents: int) -> Particles:
    things: list[Thing] = []
    for table in header.tables("things"):
        table.only(("name", "kind", "radius"))
        kind = cast(Literal["agent", "landmark"], table.choice("kind", ("agent", "landmark")))
        things.append(Thing(table.short_text("name"), kind, table.number("radius", 0.0, 100.0)))
    n_words, n_samples = header.integer("n_words", 0, _MAX_WORDS), n_steps + 1
    return Particles(
        things=tuple(things),
        positions=_floats(header, "positions", (n_samples, len(things), 2)),
        colors=_bytes(header, "colors", (n_samples, len(things), 3)),
        messages=_floats(header, "messages", (n_samples, n_agents, n_words)),
    )


def _pictures(header: Header) -> tuple[bytes, ...]:
    texts = header.array("pictures")
    if not 1 <= len(texts) <= MAX_PICTURES + 1:
        raise header.error(f"{len(texts)} entries; allowed are 1 to {MAX_PICTURES + 1}", "pictures")
    pictures = []
    for n, text in enumerate(texts):
        if not isinstance(text, str):
            raise header.error("not a text", "pictures", n)
        pictures.append(_unpacked(header, text, "pictures", n))
        if not is_small_picture(pictures[-1]):
            raise header.error(
                f"no PNG or JPEG of at most {PICTURE_WIDTH} x {PICTURE_HEIGHT}", "pictures", n
            )
    return tuple(pictures)


def _packed(table: NDArray[np.generic]) -> str:
    small = table.astype("<f4" if table.dtype.kind == "f" else np.uint8)
    return base64.b64encode(small.tobytes()).decode()


def _floats(header: Header, key: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    raw = _table(header, key, shape, 4)
    return np.frombuffer(raw, "<f4").astype(np.float32).reshape(shape)


def _bytes(header: Header, key: str, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    return np.frombuffer(_table(header, key, shape, 1), np.uint8).reshape(shape).copy()


def _table(header: Header, key: str, shape: tuple[int, ...], width: int) -> bytes:
    n_cells = 1
    for length in shape:
        n_cells *= length
    raw = _unpacked(header, header.text(key), key)
    if n_cells > MAX_CELLS or len(raw) != n_cells * width:
        raise header.error(f"{len(raw)} bytes instead of {n_cells * width}", key)
    return raw


def _unpacked(header: Header, text: str, *keys: str | int) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise header.error("not base64", *keys) from error
