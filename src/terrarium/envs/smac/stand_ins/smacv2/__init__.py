"""Stands in for SMACv2."""
