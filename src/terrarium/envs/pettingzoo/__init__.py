"""Environments that others made: any PettingZoo environment as a batch of padded, masked arrays."""
