"""Minds: networks, algorithms and the training loop. PyTorch starts here."""
