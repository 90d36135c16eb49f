"""Whole games between computer opponents, recorded."""

from terrarium.envs.games.game_env import GameEnv
from terrarium.replay.games.game_record import GameRecorder
from terrarium.replay.replays import GameReplay


def record_game(env: GameEnv, seed: int, title: str) -> GameReplay:
    """Play one game and record it.

    A level that gathers more than others changes the state by no command, so that a game with it
    is recorded by what it looks like.
    """
    env.reset(seed)
    cheats = any(computer.level.income != 1.0 for computer in env.computers)
    recorder = GameRecorder(env.sim, 0, "light" if cheats else "exact")
    while not env.over:
        env.step()
        recorder.note()
    results = tuple(result.name.lower() for result in env.results)
    names = tuple(computer.name for computer in env.computers)
    return GameReplay(recorder.record(title, results, names))
