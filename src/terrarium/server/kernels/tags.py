"""Tags: the numbers by which clients know units, what they remember, and blips."""

from terrarium.engine.jit import inline
from terrarium.server.kernels.layouts import ApiView

TAG_SHIFT = 18
FIRST_TAG, FIRST_SNAPSHOT_TAG = 16384, 32768
"""where the game's own tags of units, and of what players remember, begin to count"""
UNIT_MARK, SNAPSHOT_MARK, BLIP_MARK = 1, 3, 5
"""in the low bits of a tag"""


@inline
def unit_tag(view: ApiView, tag: int) -> int:
    """The tag that clients see of a unit of the engine."""
    return (FIRST_TAG + view.listing.viewer[0].n_tags + tag) << TAG_SHIFT | UNIT_MARK


@inline
def remembered_tag(number: int) -> int:
    """The tag of a snapshot."""
    return (FIRST_SNAPSHOT_TAG + number) << TAG_SHIFT | SNAPSHOT_MARK


@inline
def blip_tag(view: ApiView, tag: int) -> int:
    """The tag of a unit of which nobody knows what it is: it is no unit's."""
    return (FIRST_TAG + view.listing.viewer[0].n_tags + tag) << TAG_SHIFT | BLIP_MARK
