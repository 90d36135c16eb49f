"""What is kept of battles: against a slow twin, drawn as it should be, and on the disk."""

from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from terrarium.envs.tasks.spec import Spec
from terrarium.errors import TerrariumError
from terrarium.marl.batch import parts
from terrarium.marl.buffers.replay_batch import ReplayBatch, ReplayConfig
from terrarium.marl.buffers.replay_buffer import (
    SMALLEST_PRIORITY,
    ReplayBuffer,
    replay_buffer_bytes,
)
from terrarium.marl.buffers.replay_files import ReplayFiles
from terrarium.marl.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from terrarium.schedules import Schedule
from tests.marl.streams import (
    CARRY_SIZE,
    N_ACTIONS,
    N_AGENTS,
    NaiveReplay,
    Stream,
    new_replay,
    obs_of,
)

LIMIT = 12


def filled(
    cfg: ReplayConfig, n_lanes: int = 8, n_rollouts: int = 12, seed: int = 0
) -> tuple[ReplayBuffer, NaiveReplay, Stream]:
    """A buffer and its twin that have seen the same rollouts."""
    stream = Stream(n_lanes, LIMIT, seed)
    replay = new_replay(stream, cfg)
    naive = NaiveReplay(
        cfg.buffer_size + n_lanes, n_lanes, cfg.chunk_length or LIMIT, cfg.chunk_length > 0
    )
    for _ in range(n_rollouts):
        rollout = stream.rollout(7)
        replay.add(rollout)
        naive.add(rollout)
    return replay, naive, stream


def some(replay: ReplayBuffer, ids: list[int]) -> ReplayBatch:
    return replay.rows(torch.tensor(ids), torch.ones(len(ids)))


def assert_same(replay: ReplayBuffer, naive: NaiveReplay) -> None:
    """All rows that can be drawn, and everything in them."""
    closed = list(naive.closed())
    assert len(replay) == len(closed)
    for place, row in closed:
        n = len(row.rewards)
        rows = some(replay, [place])
        assert rows.filled.tolist() == [[True] * n]
        assert rows.last.tolist() == [[False] * (n - 1) + [True]]
        expected = obs_of(torch.tensor([row.moments]))
        for found, wanted in zip(parts(rows.obs), parts(expected), strict=True):
            assert torch.equal(found, wanted)
        assert rows.actions.tolist() == [row.actions]
        assert rows.rewards.tolist() == [row.rewards]
        assert rows.terminated.tolist() == [row.terminated]
        assert rows.carry.tolist() == [row.carry]


@pytest.mark.parametrize("chunk", [0, 5, 1])
def test_rows_hold_what_happened(chunk: int) -> None:
    replay, naive, _ = filled(ReplayConfig(buffer_size=1000, chunk_length=chunk))
    assert_same(replay, naive)
    rows = [row for _, row in naive.closed()]
    assert naive.n_closed == len(rows) > 60  # nothing had to go
    ends = [row.terminated[-1] for row in rows]
    assert any(ends)
    assert not all(ends)  # time limits and full rows as well
    long = [len(row.rewards) > 7 for row in rows]
    assert any(long) or chunk  # over more than one rollout


def test_stretches_begin_with_what_was_remembered_and_episodes_with_nothing() -> None:
    replay, naive, _ = filled(ReplayConfig(buffer_size=1000, chunk_length=5))
    rows = some(replay, [place for place, _ in naive.closed()])
    forgot = (rows.carry == 0.0).flatten(1).all(1)
    assert forgot.any()
    assert not forgot.all()
    assert not some(filled(ReplayConfig(buffer_size=1000))[0], [0, 1]).carry.any()


def test_burn_in_has_no_loss_and_every_step_of_an_episode_has_one_sooner_or_later() -> None:
    stream = Stream(4, 12, 0, chance=0.0)
    replay = new_replay(stream, ReplayConfig(buffer_size=2000, chunk_length=5, burn_in=2))
    for _ in range(60):
        replay.add(stream.rollout(7))
    rows = some(replay, (replay._n_steps > 0).nonzero().squeeze(1).tolist())
    fresh = (rows.carry == 0.0).flatten(1).all(1)  # where an episode begins
    assert 0 < int(fresh.sum()) < len(fresh)
    n_steps = replay._n_steps[rows.ids]
    steps = torch.arange(5)
    played = steps < n_steps.unsqueeze(1)
    assert torch.equal(rows.filled[fresh], played[fresh])
    assert torch.equal(rows.filled[~fresh], (played & (steps >= 2))[~fresh])
    # Rows follow each other: what was seen after the last step of one begins the next.
    begins = {
        float(row.obs.vector[0, 0, 0, 0]): row
        for row in (some(replay, [place]) for place in rows.ids.tolist())
    }
    ages = set[int]()
    for place in rows.ids[fresh].tolist():
        row, age = some(replay, [place]), 0
        while True:
            n = row.filled.shape[1]
            ages |= {age + t for t in range(n) if row.filled[0, t]}
            age += n
            after = float(row.obs.vector[0, n, 0, 0])
            if after not in begins:
                break
            row = begins[after]
    assert ages == set(range(12))


def test_a_buffer_with_burn_in_goes_on_as_it_was() -> None:
    cfg = ReplayConfig(buffer_size=40, chunk_length=5, burn_in=3)
    one, two = Stream(4, 12, 0), Stream(4, 12, 0)
    replay, resumed = new_replay(one, cfg), new_replay(two, cfg)
    for _ in range(5):
        replay.add(one.rollout(7))
        two.rollout(7)
    resumed.load_state_dict(replay.state_dict())
    resumed.unpack(replay.pack(torch.arange(replay.n_rows)))
    for _ in range(5):
        replay.add(one.rollout(7))
        resumed.add(two.rollout(7))
    ids = torch.arange(replay.n_rows)
    assert_packed_alike(replay.pack(ids), resumed.pack(ids))
    closed = (replay._n_steps > 0).nonzero().squeeze(1).tolist()
    assert torch.equal(some(replay, closed).filled, some(resumed, closed).filled)


def assert_packed_alike(one: dict[str, Any], two: dict[str, Any]) -> None:
    for name, part in one.items():
        several = part if isinstance(part, list) else [part]
        several = list(part.values()) if isinstance(part, dict) else several
        others = two[name] if isinstance(part, list) else [two[name]]
        others = list(two[name].values()) if isinstance(part, dict) else others
        assert all(map(torch.equal, several, others)), name


@pytest.mark.parametrize("chunk", [0, 4])
def test_burn_in_needs_a_longer_sequence(chunk: int) -> None:
    with pytest.raises(
        TerrariumError, match=r"replay\.burn_in is 4 .* set replay\.chunk_length above 4"
    ):
        ReplayConfig(burn_in=4, chunk_length=chunk)


@pytest.mark.slow
@given(
    capacity=st.integers(1, 3),
    n_lanes=st.sampled_from([1, 2, 8]),
    chunk=st.sampled_from([0, 1, 3]),
    n_steps=st.sampled_from([1, 5, 20]),
    seed=st.integers(0, 100),
)
@how(max_examples=25)
def test_a_small_ring_forgets_the_oldest_and_never_what_is_being_written(
    capacity: int, n_lanes: int, chunk: int, n_steps: int, seed: int
) -> None:
    stream = Stream(n_lanes, LIMIT, seed)
    cfg = ReplayConfig(buffer_size=capacity, chunk_length=chunk, batch_size=1, per_alpha=0.5)
    replay = new_replay(stream, cfg)
    naive = NaiveReplay(capacity + n_lanes, n_lanes, chunk or LIMIT, chunk > 0)
    for _ in range(12):
        rollout = stream.rollout(n_steps)
        replay.add(rollout)
        naive.add(rollout)
        assert_same(replay, naive)
        assert min(capacity, naive.n_closed) <= len(replay) <= capacity + n_lanes
        # Exactly what can be drawn has a priority.
        places = [place for place, _ in naive.closed()]
        assert replay._tree.priorities.nonzero().squeeze(1).tolist() == places


def test_only_closed_rows_are_drawn_and_none_twice() -> None:
    replay, naive, _ = filled(ReplayConfig(buffer_size=40, batch_size=30))
    closed = {place for place, _ in naive.closed()}
    generator, seen = torch.Generator().manual_seed(0), set[int]()
    for _ in range(40):
        rows = replay.draw(0.0, generator)
        ids = rows.ids.tolist()
        assert len(set(ids)) == 30
        assert rows.weights.tolist() == [1.0] * 30
        seen |= set(ids)
    assert seen == closed


def test_rows_are_drawn_evenly_without_priorities() -> None:
    replay, naive, _ = filled(ReplayConfig(buffer_size=40, batch_size=10))
    n, counts = len(list(naive.closed())), torch.zeros(replay.n_rows)
    generator = torch.Generator().manual_seed(0)
    for _ in range(2000):
        counts[replay.draw(0.0, generator).ids] += 1
    expected = 2000 * 10 / n
    drawn = counts[counts > 0]
    assert chi_square(drawn, torch.full_like(drawn, expected)) < chance_of(n)


def chi_square(counts: torch.Tensor, expected: torch.Tensor) -> float:
    return float(((counts - expected).square() / expected).sum())


def chance_of(n: int) -> float:
    """What chi-square of `n` kinds stays below, but for 5 standard deviations."""
    return n - 1 + 5.0 * float(torch.tensor(2.0 * (n - 1)).sqrt())


def graded() -> tuple[ReplayBuffer, torch.Tensor, torch.Tensor]:
    """A buffer with priorities, its closed rows, and the chance of each."""
    cfg = ReplayConfig(buffer_size=30, batch_size=16, per_alpha=0.7, per_beta=Schedule("0.5 -> 1"))
    replay, naive, _ = filled(cfg)
    ids = torch.tensor([place for place, _ in naive.closed()])
    errors = torch.linspace(0.0, 5.0, len(ids))
    replay.grade(ids, errors)
    chances = (errors.double() + SMALLEST_PRIORITY) ** 0.7
    return replay, ids, chances / chances.sum()


@pytest.mark.slow
def test_rows_are_drawn_by_their_priority() -> None:
    replay, ids, chances = graded()
    generator, counts = torch.Generator().manual_seed(0), torch.zeros(replay.n_rows)
    for _ in range(2000):
        counts += torch.bincount(replay.draw(0.0, generator).ids, minlength=replay.n_rows)
    likely = chances > 1e-3  # the row without an error is hardly ever drawn
    expected = 2000 * 16 * chances[likely]
    assert chi_square(counts[ids[likely]], expected) < chance_of(int(likely.sum()))
    even = torch.full_like(expected, float(expected.mean()))
    assert chi_square(counts[ids[likely]], even) > 10 * chance_of(int(likely.sum()))


@pytest.mark.parametrize(("share", "beta"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_weights_take_back_what_priorities_did(share: float, beta: float) -> None:
    replay, ids, chances = graded()
    rows = replay.draw(share, torch.Generator().manual_seed(0))
    place = {int(row): k for k, row in enumerate(ids)}
    expected = [(len(ids) * float(chances[place[int(row)]])) ** -beta for row in rows.ids]
    expected = [weight / max(expected) for weight in expected]
    assert rows.weights.tolist() == pytest.approx(expected, rel=1e-5)  # float32


def test_new_rows_get_the_highest_priority_so_far() -> None:
    cfg = ReplayConfig(buffer_size=100, batch_size=4, per_alpha=1.0)
    stream = Stream(8, LIMIT, seed=1)
    replay = new_replay(stream, cfg)
    replay.add(stream.rollout(20))
    old = replay._tree.priorities.nonzero().squeeze(1)
    assert replay._tree[old].tolist() == [1.0] * len(old)
    replay.grade(old, torch.full((len(old),), 3.0))
    replay.grade(old, torch.full((len(old),), 0.5))
    replay.add(stream.rollout(10))
    new = [k for k in replay._tree.priorities.nonzero().squeeze(1).tolist() if k not in old]
    assert replay._tree[torch.tensor(new)].tolist() == pytest.approx([3.0] * len(new), rel=1e-5)


def test_a_batch_is_as_long_as_its_longest_row() -> None:
    replay, naive, _ = filled(ReplayConfig(buffer_size=1000))
    lengths = {place: len(row.rewards) for place, row in naive.closed()}
    places = sorted(lengths, key=lengths.__getitem__)
    rows = some(replay, places[:5])
    longest = max(lengths[place] for place in places[:5])
    assert longest < LIMIT
    assert rows.actions.shape[1] == longest
    assert rows.obs.vector.shape[1] == longest + 1
    assert rows.filled.sum(1).tolist() == [lengths[place] for place in places[:5]]


CHUNKS = [
    ReplayConfig(buffer_size=20, chunk_length=chunk, batch_size=4, per_alpha=0.6)
    for chunk in (0, 4, 1)
]


@pytest.mark.parametrize("cfg", CHUNKS, ids=lambda cfg: f"chunk {cfg.chunk_length}")
def test_a_buffer_on_the_disk_goes_on_as_if_nothing_had_happened(
    cfg: ReplayConfig, tmp_path: Path
) -> None:
    replay, naive, stream = filled(cfg, n_rollouts=3)
    files = ReplayFiles(tmp_path / "rows")
    for _ in range(4):
        rollout = stream.rollout(7)
        replay.add(rollout)
        naive.add(rollout)
        saved = files.save(replay)
    save_checkpoint(tmp_path / "last.pt", {"saved": saved, "replay": replay.state_dict()})
    content = load_checkpoint(tmp_path / "last.pt")
    again = new_replay(stream, cfg)
    again.load_state_dict(content["replay"])
    ReplayFiles(tmp_path / "rows").load(again, content["saved"])
    for one, two in ((replay, naive), (again, naive)):
        assert_same(one, two)
    rollout = stream.rollout(7)
    for buffer in (replay, again, naive):
        buffer.add(rollout)
    assert_same(again, naive)
    draws = [buffer.draw(0.3, torch.Generator().manual_seed(5)) for buffer in (replay, again)]
    assert torch.equal(draws[0].ids, draws[1].ids)
    assert torch.equal(draws[0].weights, draws[1].weights)


def test_after_a_crash_between_two_saves_the_files_of_the_checkpoint_are_there(
    tmp_path: Path,
) -> None:
    cfg = ReplayConfig(buffer_size=10, chunk_length=3, batch_size=4)
    replay, _, stream = filled(cfg, n_rollouts=2)
    files = ReplayFiles(tmp_path)
    for _ in range(3):
        replay.add(stream.rollout(7))
        saved = files.save(replay)
    save_checkpoint(tmp_path / "last", {"saved": saved, "replay": replay.state_dict()})
    kept = {place: some(replay, [place]) for place in replay._n_steps.nonzero().squeeze(1).tolist()}
    replay.add(stream.rollout(7))
    files.save(replay)  # and then the power goes off, before the next checkpoint
    content = load_checkpoint(tmp_path / "last")
    again = new_replay(stream, cfg)
    again.load_state_dict(content["replay"])
    later = ReplayFiles(tmp_path)
    later.load(again, content["saved"])
    assert again._n_steps.nonzero().squeeze(1).tolist() == list(kept)
    for place, rows in kept.items():
        found = some(again, [place])
        assert torch.equal(found.obs.vector, rows.obs.vector)
        assert torch.equal(found.rewards, rows.rewards)
    again.add(stream.rollout(7))
    later.save(again)  # writes over what nobody knows of


def test_files_that_are_not_needed_vanish(tmp_path: Path) -> None:
    cfg = ReplayConfig(buffer_size=10, chunk_length=1, batch_size=4)
    replay, _, stream = filled(cfg)
    files, names = ReplayFiles(tmp_path), list[str]()
    for _ in range(20):
        before = names
        replay.add(stream.rollout(7))  # all rows are new each time
        names = files.save(replay)["files"]
        there = {path.name for path in tmp_path.iterdir()}
        assert set(names) | set(before) == there
    assert len(names) == 1
    assert names[0] not in before


def test_another_buffer_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    """A curriculum goes on with other numbers of units: what was kept does not fit."""
    cfg = ReplayConfig(buffer_size=10, batch_size=4)
    replay, _, stream = filled(cfg)
    files = ReplayFiles(tmp_path)
    before = files.save(replay)["files"]
    other = new_replay(stream, cfg)
    files.forget()
    other.add(stream.rollout(2))
    saved = files.save(other)
    assert not set(saved["files"]) & set(before)
    assert all((tmp_path / name).exists() for name in before)  # a checkpoint still names them


@pytest.mark.parametrize("name", ["../x.pt", "/tmp/x.pt", "a/b.pt"])
def test_files_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    replay, _, stream = filled(ReplayConfig(buffer_size=10, batch_size=4))
    (tmp_path / "rows").mkdir()
    saved = ReplayFiles(tmp_path / "rows").save(replay)
    save_checkpoint(tmp_path / "x.pt", replay.pack(torch.tensor([0])))
    again = new_replay(stream, replay.cfg)
    with pytest.raises(CheckpointError, match="is no name of a file with rows"):
        ReplayFiles(tmp_path / "rows").load(again, {**saved, "files": [name]})


def test_damaged_files_are_one_line(tmp_path: Path) -> None:
    replay, _, stream = filled(ReplayConfig(buffer_size=10, batch_size=4))
    saved = ReplayFiles(tmp_path).save(replay)
    path = tmp_path / saved["files"][0]
    packed = load_checkpoint(path)
    for broken in ({}, {**packed, "ids": packed["ids"] + 100}, {**packed, "obs": [1, 2]}):
        save_checkpoint(path, broken)
        with pytest.raises(CheckpointError, match=r"000001\.pt: holds no rows of this run"):
            ReplayFiles(tmp_path).load(new_replay(stream, replay.cfg), saved)
    path.unlink()
    with pytest.raises(CheckpointError, match="there is no such checkpoint"):
        ReplayFiles(tmp_path).load(new_replay(stream, replay.cfg), saved)


@pytest.mark.parametrize("chunk", [0, 4, 1])
def test_a_buffer_takes_as_much_as_was_said(chunk: int) -> None:
    cfg = ReplayConfig(buffer_size=500, chunk_length=chunk)
    stream = Stream(8, LIMIT, seed=0)
    replay = new_replay(stream, cfg)
    mine = [value for value in vars(replay).values() if isinstance(value, torch.Tensor)]
    mine += [*parts(replay._obs), replay._own.rewards, replay._own.terminated, replay._own.there]
    taken = sum(tensor.numel() * tensor.element_size() for tensor in mine)
    # Counters, priorities and lists of what is new or has changed are left out: 18 bytes of a row.
    taken -= 18 * replay.n_rows
    one = obs_of(torch.zeros(1, dtype=torch.int64))
    spec = Spec(N_AGENTS, N_ACTIONS, N_ACTIONS, 1, 1, limit_steps=LIMIT)
    said = replay_buffer_bytes(cfg, spec, one, CARRY_SIZE, stream.n_lanes)
    assert said == pytest.approx(taken, rel=0.05)


def test_a_batch_is_never_larger_than_what_is_kept() -> None:
    with pytest.raises(
        TerrariumError, match=r"replay\.batch_size is 33 and replay\.buffer_size 32"
    ):
        ReplayConfig(buffer_size=32, batch_size=33)
