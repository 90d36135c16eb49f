"""Whole games beside recorded ones: what their workers bring."""
