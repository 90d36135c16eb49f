"""Checkpoint files: what was written comes back, and whatever was changed since is refused."""

import random
from pathlib import Path

import pytest
import torch

from terrarium.marl.checkpoint import CheckpointError, load_checkpoint, save_checkpoint


def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path) -> None:
    content = {"weights": torch.arange(100.0), "steps": 7, "names": ["a", "b"]}
    save_checkpoint(tmp_path / "x.pt", content)
    found = load_checkpoint(tmp_path / "x.pt")
    assert torch.equal(found["weights"], content["weights"])
    assert (found["steps"], found["names"]) == (7, ["a", "b"])


def test_a_flipped_byte_anywhere_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "x.pt"
    save_checkpoint(file, {"weights": torch.randn(5000), "progress": {"steps": 7}})
    whole, rng = file.read_bytes(), random.Random(0)
    places = [rng.randrange(len(whole)) for _ in range(100)]
    places += range(len(whole) - 90, len(whole))  # the checksum itself
    for at in places:
        flipped = whole[at] ^ (1 << rng.randrange(8))
        file.write_bytes(whole[:at] + bytes([flipped]) + whole[at + 1 :])
        with pytest.raises(CheckpointError, match=r"x\.pt: ") as caught:
            load_checkpoint(file)
        assert "\n" not in str(caught.value)
