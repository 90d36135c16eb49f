"""Maps as clients know them: names, files, and what stands behind each of them."""
