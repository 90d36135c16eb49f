"""Battle records, the page that plays them, and pictures of them."""

SUFFIX = ".terrarium"
"""Of files that hold a battle's record"""
