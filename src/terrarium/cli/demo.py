"""`terrarium demo`: three Marines learn to fight, and a battle becomes a page."""

from dataclasses import dataclass

from terrarium.cli.eval import Eval
from terrarium.cli.train import Train
from terrarium.cli.watch import Watch

EPISODES = 200


@dataclass(frozen=True)
class Demo:
    """Train a small battle, print its win rate, and write a battle as a page.

    It takes about a minute, and leaves a folder and a page of the same name.

    Example:  terrarium demo
    """

    folder: str = "demo"
    """folder of the run"""
    max_steps: int = 200_000
    """environment steps after which training ends, if 95 % are not won before"""

    def run(self) -> None:
        # One thread: networks so small gain nothing by two, which on a busy machine wait for each
        # other.
        words = (f"run.folder={self.folder}", f"run.max_steps={self.max_steps}")
        settings = ("run.target_win_rate=0.95", "run.threads=1")
        Train(("mappo", "smac/3m", *words, *settings)).run()
        Eval(self.folder, episodes=EPISODES).run()
        Watch(self.folder, out=f"{self.folder}.html").run()
        print(
            f"Three Marines have learned to fight. Open {self.folder}.html in a browser to see how."
            " Then try:\n"
            f"    terrarium eval {self.folder} smac/8m   the same policy, eight against eight\n"
            "    terrarium train mappo smac/2s3z run.max_minutes=3   a harder battle\n"
            "    terrarium list scenarios smac   what else there is"
        )
