"""Records of battles and of other worlds, the pages that play them, and pictures of them."""

SUFFIX = ".terrarium"
"""Of files that hold a battle's record"""

WORLD_SUFFIX = ".world"
"""Of files that hold an episode of a world that is no battle"""
