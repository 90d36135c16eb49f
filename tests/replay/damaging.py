"""What may happen to the bytes of a file."""

from hypothesis import strategies as st


def draw_damage(data: st.DataObject, whole: bytes) -> bytes:
    """The bytes with a bit flipped, cut off, with something inserted, or with a part doubled."""
    at = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.sampled_from(["flip", "cut", "insert", "double"]))
    if damage == "flip":
        bit = data.draw(st.integers(0, 7))
        return whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :]
    if damage == "cut":
        return whole[:at]
    if damage == "insert":
        return whole[:at] + data.draw(st.binary(min_size=1, max_size=9)) + whole[at:]
    return whole + whole[at:]
