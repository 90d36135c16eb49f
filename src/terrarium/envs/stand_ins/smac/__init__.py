"""Stands in for SMAC."""
