"""From facts to arrays. Edits here recompile nothing."""
