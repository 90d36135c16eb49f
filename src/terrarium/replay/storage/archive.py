"""The archive in which clients of the game look for a replay's version: an MPQ archive.

user data    16 bytes, then the record as it is, then what else there is to keep
archive      its header, the files as they are, a table of hashes, a table of blocks

burnysc2 and PySC2 read a JSON file from it before they start the game. Our own reader takes the
record from the user data, where the archive's format lets a program keep what it likes.
"""

import json
import struct
from functools import cache

from terrarium.replay.files import damaged

USER_DATA = b"MPQ\x1b"
METADATA = "replay.gamemetadata.json"
_ARCHIVE = b"MPQ\x1a"
_USER_PREFIX = struct.Struct("<4sIII")
_PREFIX = struct.Struct("<4sIIHHIIII")
_SIZE = struct.Struct("<I")
_SECTOR_SHIFT = 3
_WHOLE_FILE = 0x81000000
"""Flags of a block: it exists, and is not cut into sectors."""
_N_HASHES = 4
_WORD = 0xFFFFFFFF
_FREE = (_WORD, _WORD, _WORD, _WORD)
_NAME_A, _NAME_B, _TABLE = 1, 2, 3
"""What a name is hashed for."""


def archived(record: bytes, metadata: dict[str, str], more: bytes = b"") -> bytes:
    """A record as an archive that tells `metadata`; `more`: what else to keep beside it."""
    files = {METADATA: json.dumps(metadata).encode(), "(listfile)": METADATA.encode() + b"\r\n"}
    hashes = [_FREE] * _N_HASHES
    blocks, at = [], _PREFIX.size
    for k, (name, content) in enumerate(files.items()):
        place = _hash_of(name, 0) % _N_HASHES
        while hashes[place] != _FREE:
            place = (place + 1) % _N_HASHES
        hashes[place] = (_hash_of(name, _NAME_A), _hash_of(name, _NAME_B), 0, k)
        blocks.append((at, len(content), len(content), _WHOLE_FILE))
        at += len(content)
    body = b"".join(files.values())
    tables = _encrypted(hashes, "(hash table)") + _encrypted(blocks, "(block table)")
    size = at + len(tables)
    ends = (at, at + 16 * _N_HASHES, _N_HASHES, len(blocks))
    prefix = _PREFIX.pack(_ARCHIVE, _PREFIX.size, size, 0, _SECTOR_SHIFT, *ends)
    # Only multiples of 512 bytes are looked at by those who search for the archive.
    kept = record + (_SIZE.pack(len(more)) + more if more else b"")
    start = -(-(_USER_PREFIX.size + len(kept)) // 512) * 512
    user = _USER_PREFIX.pack(USER_DATA, start - _USER_PREFIX.size, start, len(record))
    return (user + kept).ljust(start, b"\0") + prefix + body + tables


def from_archive(content: bytes) -> bytes:
    """The record in an archive that `archived` made; other content as it is."""
    if content[: len(USER_DATA)] != USER_DATA:
        return content
    if len(content) < _USER_PREFIX.size:
        raise damaged("it ends too early")
    size = _USER_PREFIX.unpack_from(content)[3]
    return content[_USER_PREFIX.size : _USER_PREFIX.size + size]


def kept_beside(content: bytes) -> bytes:
    """What else an archive that `archived` made keeps; of other content nothing."""
    if content[: len(USER_DATA)] != USER_DATA or len(content) < _USER_PREFIX.size:
        return b""
    _, _, start, size = _USER_PREFIX.unpack_from(content)
    at = _USER_PREFIX.size + size
    if at + _SIZE.size > min(start, len(content)):
        return b""
    (length,) = _SIZE.unpack_from(content, at)
    return content[at + _SIZE.size : min(at + _SIZE.size + length, start)]


@cache
def _key_table() -> tuple[int, ...]:
    """The 1,280 words with which the format hashes and encrypts."""
    seed, words = 0x00100001, [0] * 0x500
    for first in range(0x100):
        for k in range(first, 0x500, 0x100):
            seed = (seed * 125 + 3) % 0x2AAAAB
            high = seed & 0xFFFF
            seed = (seed * 125 + 3) % 0x2AAAAB
            words[k] = high << 16 | seed & 0xFFFF
    return tuple(words)


def _hash_of(name: str, purpose: int) -> int:
    one, two = 0x7FED7FED, 0xEEEEEEEE
    for letter in name.upper().encode():
        one = _key_table()[purpose << 8 | letter] ^ (one + two) & _WORD
        two = (letter + one + two + (two << 5) + 3) & _WORD
    return one


def _encrypted(rows: list[tuple[int, int, int, int]], name: str) -> bytes:
    """A table as it stands in the archive: the format encrypts both by their names."""
    key, seed, words = _hash_of(name, _TABLE), 0xEEEEEEEE, []
    for word in (word for row in rows for word in row):
        seed = (seed + _key_table()[0x400 + (key & 0xFF)]) & _WORD
        words.append(word ^ (key + seed) & _WORD)
        key = ((~key << 21) + 0x11111111) & _WORD | key >> 11
        seed = (word + seed + (seed << 5) + 3) & _WORD
    return struct.pack(f"<{len(words)}I", *words)
