"""Grids of training runs: a plan says which, a folder holds them, a pool of processes runs them."""
