"""Texts of clients."""


def text_of(value: str | bytes) -> str:
    """A text field of a message: what is no UTF-8 comes as bytes, in spite of its type."""
    return value if isinstance(value, str) else value.decode(errors="replace")
