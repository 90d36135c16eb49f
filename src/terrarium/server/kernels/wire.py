"""The wire format of protobuf: each kernel writes a field at a place and returns the next place.

Numbers of fields are those of raw.proto. Lengths of messages are written when their end is known,
in a fixed number of bytes: a number may have more of them than it needs.
"""

import numpy as np

from terrarium.engine.jit import inline, kernel
from terrarium.server.kernels.layouts import ApiView

VARINT, LENGTH, FIXED32 = 0, 2, 5
SHORT, LONG = 1, 3
"""bytes for the length of a message"""


@inline
def put_varint(view: ApiView, at: int, value: int) -> int:
    while value >= 128:
        view.listing.out[at] = value & 127 | 128
        value >>= 7
        at += 1
    view.listing.out[at] = value
    return at + 1


@kernel
def put_number(view: ApiView, at: int, field: int, value: int) -> int:
    """A number that is not negative."""
    return put_varint(view, put_varint(view, at, field << 3 | VARINT), value)


@inline
def put_flag(view: ApiView, at: int, field: int, value: bool) -> int:
    return put_number(view, at, field, 1 if value else 0)


@kernel
def put_float(view: ApiView, at: int, field: int, value: float) -> int:
    at = put_varint(view, at, field << 3 | FIXED32)
    bits = int(np.float32(value).view(np.uint32))
    for k in range(4):
        view.listing.out[at + k] = bits >> 8 * k & 255
    return at + 4


@inline
def begin_message(view: ApiView, at: int, field: int, size: int) -> int:
    """Begin a message in a message; `size` is SHORT, for less than 128 bytes, or LONG."""
    return put_varint(view, at, field << 3 | LENGTH) + size


@inline
def end_message(view: ApiView, first: int, at: int, size: int) -> int:
    """End the message whose content began at `first`."""
    length = at - first
    for k in range(size):
        more = 128 if k < size - 1 else 0
        view.listing.out[first - size + k] = length >> 7 * k & 127 | more
    return at


@kernel
def put_point(view: ApiView, at: int, field: int, x: float, y: float) -> int:
    """A point on the ground, without its height."""
    viewer = view.listing.viewer[0]
    first = begin_message(view, at, field, SHORT)
    at = put_float(view, first, 1, x - viewer.origin_x)
    at = put_float(view, at, 2, y - viewer.origin_y)
    return end_message(view, first, at, SHORT)


@kernel
def put_place(view: ApiView, at: int, field: int, x: float, y: float, above: float) -> int:
    """A point, so much above the ground."""
    viewer = view.listing.viewer[0]
    first = begin_message(view, at, field, SHORT)
    at = put_float(view, first, 1, x - viewer.origin_x)
    at = put_float(view, at, 2, y - viewer.origin_y)
    at = put_float(view, at, 3, ground_height(view, x, y) + above)
    return end_message(view, first, at, SHORT)


@kernel
def ground_height(view: ApiView, x: float, y: float) -> float:
    """The height of the cell that a point is in."""
    width, height = view.game.ground.size[0], view.game.ground.size[1]
    cx, cy = min(max(int(x), 0), width - 1), min(max(int(y), 0), height - 1)
    return float(view.api.heights[cy * width + cx])
