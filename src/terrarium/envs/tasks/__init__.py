"""Tasks: everything that can be trained, tested, watched and recorded, behind one interface."""
