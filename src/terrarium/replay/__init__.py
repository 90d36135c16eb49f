"""Records of battles and of other episodes, the pages that play them, and pictures of them."""

SUFFIX = ".terrarium"
"""Of files that hold a battle's record"""

EPISODE_SUFFIX = ".episode"
"""Of files that hold an episode of any other task"""
