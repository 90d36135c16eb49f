"""What is compared: how often battles are won, or where nothing is won, the return."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """A number of each evaluation; the higher, the better."""

    key: str
    """in files"""
    name: str
    """for people"""
    is_share: bool
    """from 0 to 1, so that scenarios have a common scale; otherwise any number"""

    def text(self, value: float) -> str:
        """80.0% or -15.48."""
        return f"{value:.1%}" if self.is_share else number_text(value)

    def bare(self, value: float) -> str:
        """The same inside of an interval, where the sign for percent is not repeated."""
        return f"{100 * value:.1f}" if self.is_share else number_text(value)


WIN_RATE = Score("win_rate", "win rate", is_share=True)
RETURN = Score("return", "return", is_share=False)
MEASURES = (WIN_RATE, RETURN)


def number_text(value: float) -> str:
    """A number of any size in few digits: 0.0312, -15.48, 12,346, 1.23e+09."""
    size = abs(value)
    if size >= 1e7 or 0.0 < size < 1e-3:
        return f"{value:.2e}"
    decimals = 0 if size >= 1000 else 2 if size >= 1 or size == 0.0 else 4
    return f"{value:,.{decimals}f}"
