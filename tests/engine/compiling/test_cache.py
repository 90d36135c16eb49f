"""The cache as files: whole or not at all, and never without limit."""

import errno
import os
import time
from pathlib import Path

import pytest

from terrarium.engine.compiling import cache


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TERRARIUM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    return tmp_path / "cache"


def test_a_unit_is_read_as_it_was_written() -> None:
    cache.write_unit("a.o", b"code")
    assert cache.read_unit("a.o") == b"code"
    assert cache.read_unit("b.o") is None


def test_other_users_may_read_a_unit(folder: Path) -> None:
    """One who builds a Docker image need not be the one who uses it."""
    before = os.umask(0o022)
    try:
        cache.write_unit("a.o", b"code")
    finally:
        os.umask(before)
    assert (folder / "a.o").stat().st_mode & 0o777 == 0o644


def test_a_full_disk_costs_one_warning_and_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    cache.write_unit("a.o", b"code")
    cache.write_unit("b.o", b"code")
    assert len(caplog.records) == 1
    assert "No space left on device" in caplog.text
    assert "TERRARIUM_CACHE" in caplog.text
    assert list(folder.iterdir()) == []


def test_the_units_used_longest_ago_go_first(folder: Path) -> None:
    for age, name in enumerate("abcd"):
        cache.write_unit(f"{name}.o", bytes(100))
        used = time.time() - 100.0 * (4 - age)
        os.utime(folder / f"{name}.o", (used, used))
    cache.read_unit("a.o")
    cache.prune(limit_bytes=300)
    assert sorted(file.name for file in folder.iterdir()) == ["a.o", "d.o"]


def test_only_old_leftovers_are_removed(folder: Path) -> None:
    cache.write_unit("a.o", b"code")
    for name, age_s in ((".writing-1-a.o", 2 * cache.LEFTOVER_S), (".writing-2-a.o", 1.0)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (time.time() - age_s,) * 2)
    cache.prune()
    assert sorted(file.name for file in folder.iterdir()) == [".writing-2-a.o", "a.o"]


def test_pruning_what_is_not_there_is_no_error() -> None:
    cache.prune()
