"""Collecting: a rollout holds what happened, and what was seen last in every episode."""

import torch

from tests.marl.small import made


def test_a_rollout_holds_what_happened() -> None:
    learner, collector = made("mappo", "algo.n_steps=16", name="smac/2m_vs_1z")
    env, n_cut, n_ended = collector.env, 0, 0
    for _ in range(40):
        rollout, episodes = collector.collect(learner.act)
        assert rollout.over.sum() == len(episodes.won)
        torch.testing.assert_close(rollout.resets[1:], rollout.over)
        # What was seen last is known of all episodes, however they ended.
        ends = torch.zeros_like(rollout.over)
        ends[rollout.end_steps, rollout.end_rows] = True
        assert torch.equal(ends, rollout.over)
        assert len(rollout.end_steps) == ends.sum()
        n_cut += int(rollout.truncated.sum())
        n_ended += int(rollout.terminated.sum())
        torch.testing.assert_close(rollout.obs.avail[-1], torch.from_numpy(env.now.avail))
    assert n_cut > 0
    assert n_ended > 0


def test_what_was_remembered_is_kept_before_every_step_if_somebody_asks() -> None:
    learner, collector = made("vdn", "replay.chunk_length=4")
    before = []

    def act(obs, carry, resets):  # type: ignore[no-untyped-def]
        before.append(carry.clone())
        return learner.act(obs, carry, resets)

    rollout, _ = collector.collect(act)
    assert torch.equal(rollout.carries, torch.stack(before))
    assert rollout.carries[1:].any()
    learner, collector = made("vdn")  # whole episodes begin with nothing
    assert len(collector.collect(learner.act)[0].carries) == 1
