"""Tasks: SMAC and SMACv2 battles as environments, one by one and in batches."""
