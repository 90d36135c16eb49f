"""Networks, algorithms and the training loop. PyTorch starts here."""

import os

# OpenMP reads these when PyTorch loads it. By default its threads spin while they wait for each
# other: where another program has a core, every small operation then waits for a whole time slice.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("KMP_BLOCKTIME", "0")  # the same for Intel's and LLVM's OpenMP
