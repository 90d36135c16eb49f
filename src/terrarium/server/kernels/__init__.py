"""Kernels of the server: the units that a player sees, as the bytes of protobuf messages."""
