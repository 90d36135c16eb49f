"""From kernels to machine code: what a unit is made of, how it is built, where it is kept."""
