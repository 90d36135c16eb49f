"""Networks: encoder, core, heads."""
