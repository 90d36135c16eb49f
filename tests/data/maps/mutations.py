"""Spoils serialized messages: their bytes, and their fields one by one."""

import random
from collections.abc import Iterator
from typing import Any

NUMBERS = (0, -1, 1, 3, 65_535, 10**6, 2**31 - 1, -(2**31))
FLOATS = (0.0, 0.3, -5.5, 1e30, float("nan"), float("inf"), -float("inf"))
TEXTS = ("", "..", "a/b\\c", "x" * 1000, "\n\0'", "é☃")


def spoil_bytes(data: bytes, rng: random.Random) -> bytes:
    """Overwrite, cut, insert or leave out bytes."""
    spoiled, at = bytearray(data), rng.randrange(len(data))
    how = rng.randrange(5)
    if how == 0:
        return data[:at]
    if how == 1:
        spoiled[at:at] = rng.randbytes(rng.randint(1, 40))
    elif how == 2:
        del spoiled[at : at + rng.randint(1, 60)]
    else:  # anywhere, or where the sizes are
        for _ in range(rng.randint(1, 8)):
            spoiled[rng.randrange(len(data) if how == 3 else min(len(data), 300))] = rng.randrange(
                256
            )
    return bytes(spoiled)


def spoil_fields(message: Any, rng: random.Random) -> bytes:
    """Drop, repeat or change one to three fields of a message."""
    fields = list(_fields(message))
    for parent, field in rng.sample(fields, min(len(fields), rng.randint(1, 3))):
        value = getattr(parent, field.name)
        if field.is_repeated:
            _spoil_list(value, rng)
        elif field.message_type or rng.random() < 0.1:
            parent.ClearField(field.name)
        elif isinstance(value, bytes):
            changed = (b"", value[:-1], value + b"\0", bytes(len(value)), value[::-1])
            setattr(parent, field.name, rng.choice(changed))
        elif isinstance(value, str):
            setattr(parent, field.name, rng.choice(TEXTS))
        elif isinstance(value, bool):
            setattr(parent, field.name, not value)
        elif isinstance(value, float):
            setattr(parent, field.name, rng.choice(FLOATS))
        elif field.enum_type is None:
            lowest = -1 if field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_INT64) else 0
            setattr(parent, field.name, rng.choice([n for n in NUMBERS if n >= lowest]))
    return bytes(message.SerializeToString())


def _spoil_list(values: Any, rng: random.Random) -> None:
    if not values or rng.random() < 0.3:
        del values[:]
    elif rng.random() < 0.5:
        del values[rng.randrange(len(values))]
    else:
        values.append(values[rng.randrange(len(values))])


def _fields(message: Any) -> Iterator[tuple[Any, Any]]:
    """All fields that are set, with the messages that they are in."""
    for field, value in message.ListFields():
        yield message, field
        if field.message_type:
            for part in value if field.is_repeated else (value,):
                yield from _fields(part)
