"""Actions: their layout as vectors, how they are selected, and samples that gradients pass."""
