"""Compiling: announced when it takes a while, and kept apart from other versions of the rules."""

import logging
from pathlib import Path

import pytest

from terrarium.engine import jit


def test_the_first_use_says_what_is_happening_and_how_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(jit, "COMPILED", True)
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path)
    with caplog.at_level(logging.WARNING):
        jit.announce_first_use("the rules: about a minute")
    assert "Compiling the rules" in caplog.text
    assert "minute" in caplog.text


def test_the_second_use_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(jit, "COMPILED", True)
    monkeypatch.setattr(jit, "_CACHED", True)
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path)
    jit.note_compiled()
    jit.announce_first_use("the rules: about a minute")
    assert caplog.text == ""


def test_the_cache_depends_on_every_file_of_the_engine(tmp_path: Path) -> None:
    """Numba sees neither callees nor constants in other files; it would run a stale kernel."""
    for file in jit.ENGINE_FOLDER.glob("*.py"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    before = jit._source_digest(tmp_path)
    (tmp_path / "damage.py").write_text("MINIMUM_DAMAGE = 1.0\n")
    assert jit._source_digest(tmp_path) != before


def test_kernels_of_another_folder_depend_on_the_engine_and_on_that_folder(tmp_path: Path) -> None:
    (tmp_path / "reward.py").write_text("WIN = 200.0\n")
    before = jit._cache_of(tmp_path)
    assert before.parent == jit.CACHE_FOLDER == jit._cache_of(jit.ENGINE_FOLDER)
    (tmp_path / "reward.py").write_text("WIN = 100.0\n")
    assert jit._cache_of(tmp_path) != before


def test_bounds_checked_kernels_have_a_cache_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jit._source_digest(jit.ENGINE_FOLDER)
    monkeypatch.setattr(jit.config, "BOUNDSCHECK", 1)
    assert jit._source_digest(jit.ENGINE_FOLDER) != before


def test_a_folder_that_cannot_be_written_is_said_and_survived(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    assert not jit._prepare(tmp_path / "file" / "digest")
    assert "TERRARIUM_CACHE" in caplog.text


def test_old_caches_are_removed(tmp_path: Path) -> None:
    for number in range(12):
        assert jit._prepare(tmp_path / f"digest{number}")
    assert len(list(tmp_path.iterdir())) <= 7
    assert (tmp_path / "digest11").exists()
