"""Measurements, printed as tables: never part of the tests."""
