"""How wrong and how noisy gradients through discrete samples are, where the right one is known.

    python examples/discrete_gradients.py --out gradients.png

prints a table and draws a picture of it; `docs/maddpg.md` shows both. With `--survey 40` it asks
on 40 problems with random numbers how often what the table shows is so.
"""

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from PIL import Image
from torch import Tensor

from terrarium.marl.actions.relaxed import categorical_st, gumbel, gumbel_softmax
from terrarium.report.figures import LINE_COLORS, Axes, Figure, png_of_figure

TEMPERATURES = (0.1, 0.5, 1.0, 2.0)
PLAIN, BASELINE = "score function", "score function, baseline"
RELAXED, THROUGH = "Gumbel-softmax", "straight-through"
BATCH = 256
"""Samples of the last column: as many as a gradient step may have"""


@dataclass(frozen=True)
class Problem:
    """A choice among K arms, drawn by logits, and what is gained by it."""

    logits: Tensor  # [K]
    weights: Tensor  # [K]

    def value(self, x: Tensor) -> Tensor:
        """f(x) [...] of choices [..., K]: not linear, so between one-hots it is something else."""
        return torch.tanh(2.0 * (x @ self.weights)) + (x @ self.weights) ** 2

    def expected(self, logits: Tensor) -> Tensor:
        """E[f] by going through all arms."""
        return logits.softmax(-1) @ self.value(torch.eye(len(logits), dtype=torch.float64))

    def gradient(self) -> Tensor:
        """The right one [K]."""
        logits = self.logits.clone().requires_grad_()
        return torch.autograd.grad(self.expected(logits), logits)[0]


SHOWN = Problem(
    torch.tensor([0.0, 1.0, -0.5, 0.5, -1.0], dtype=torch.float64),
    torch.tensor([-1.0, 0.5, 1.0, -0.2, 1.5], dtype=torch.float64),
)


def random_problem(seed: int) -> Problem:
    """One of 3 to 10 arms whose numbers are normally distributed."""
    generator = torch.Generator().manual_seed(seed)
    logits, weights = torch.randn((2, 3 + seed % 8), generator=generator, dtype=torch.float64)
    return Problem(logits, weights)


@dataclass(frozen=True)
class Row:
    """An estimator of the gradient: how far its mean and its samples are from the right one."""

    name: str
    temperature: float | None
    bias: float
    deviation: float
    n_samples: int

    @property
    def chance(self) -> float:
        """The bias that so many samples show when there is none."""
        return float(self.deviation / self.n_samples**0.5)

    @property
    def batch_error(self) -> float:
        """What is typically wrong with the mean of a batch."""
        return float((self.bias**2 + self.deviation**2 / BATCH) ** 0.5)


def score_gradients(problem: Problem, u: Tensor, baseline: float) -> Tensor:
    """(f - baseline) times the slope of the log-probability [S, K], one for each sample."""
    logits = problem.logits
    arms = (logits + gumbel(u)).argmax(-1)  # [S]
    drawn = torch.nn.functional.one_hot(arms, len(logits)).double()  # [S, K]
    return (problem.value(drawn) - baseline)[:, None] * (drawn - logits.softmax(-1))


def path_gradients(
    problem: Problem, u: Tensor, sample: Callable[..., Tensor], temperature: float
) -> Tensor:
    """Slopes of f along the way by which a sample arose [S, K]."""
    logits = problem.logits.expand_as(u).clone().requires_grad_()
    return torch.autograd.grad(problem.value(sample(logits, u, temperature)).sum(), logits)[0]


def measure(problem: Problem, n_samples: int, seed: int) -> list[Row]:
    """All estimators, with the same random numbers."""
    generator = torch.Generator().manual_seed(seed)
    u = torch.rand((n_samples, len(problem.logits)), generator=generator, dtype=torch.float64)
    exact, baseline = problem.gradient(), float(problem.expected(problem.logits))

    def row(name: str, temperature: float | None, slopes: Tensor) -> Row:
        bias, deviation = (slopes.mean(0) - exact).norm(), slopes.var(0).sum().sqrt()
        return Row(name, temperature, float(bias), float(deviation), n_samples)

    rows = [
        row(PLAIN, None, score_gradients(problem, u, 0.0)),
        row(BASELINE, None, score_gradients(problem, u, baseline)),
    ]
    for name, sample in ((RELAXED, gumbel_softmax), (THROUGH, categorical_st)):
        rows += [row(name, t, path_gradients(problem, u, sample, t)) for t in TEMPERATURES]
    return rows


def table(problem: Problem, rows: Sequence[Row]) -> str:
    """A table in Markdown, and what its numbers are to be compared with."""
    lines = [
        f"| estimator | temperature | bias | by chance | deviation | error of {BATCH} |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        temperature = "-" if row.temperature is None else f"{row.temperature:g}"
        numbers = (row.bias, row.chance, row.deviation, row.batch_error)
        cells = (row.name, temperature, *(f"{number:.3f}" for number in numbers))
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", f"The exact gradient has the length {float(problem.gradient().norm()):.3f}."]
    return "\n".join(lines) + "\n"


def claims(rows: Sequence[Row]) -> dict[str, bool]:
    """What the table of one problem seems to say."""
    plain, baseline = rows[:2]
    relaxed = [row for row in rows if row.name == RELAXED]
    through = [row for row in rows if row.name == THROUGH]
    best = min(rows, key=lambda row: row.batch_error)

    def rising(numbers: Sequence[float]) -> bool:
        return list(numbers) == sorted(numbers)

    return {
        "the score function shows no bias (less than three times what is by chance)": all(
            row.bias < 3.0 * row.chance for row in (plain, baseline)
        ),
        "the baseline makes the score function less noisy": baseline.deviation < plain.deviation,
        "the colder, the less bias has Gumbel-softmax": rising([row.bias for row in relaxed]),
        "the colder, the noisier are Gumbel-softmax and straight-through": rising(
            [-row.deviation for row in relaxed]
        )
        and rising([-row.deviation for row in through]),
        "straight-through is noisier than Gumbel-softmax at every temperature": all(
            hard.deviation > soft.deviation for hard, soft in zip(through, relaxed, strict=True)
        ),
        "straight-through has less bias at 0.5 than at 1": through[1].bias < through[2].bias,
        "straight-through has less bias at 0.1 than at 0.5": through[0].bias < through[1].bias,
        "at 0.1, straight-through has more bias than Gumbel-softmax": (
            through[0].bias > relaxed[0].bias
        ),
        "at 1, straight-through has more bias than Gumbel-softmax": (
            through[2].bias > relaxed[2].bias
        ),
        "at 1, straight-through is less noisy than the score function with baseline": (
            through[2].deviation < baseline.deviation
        ),
        f"of {BATCH} samples, the score function has the least error": best in (plain, baseline),
    }


def survey(n_problems: int, n_samples: int) -> str:
    """How often each claim holds, as a table in Markdown."""
    held: dict[str, int] = {}
    for seed in range(n_problems):
        for claim, holds in claims(measure(random_problem(seed), n_samples, seed)).items():
            held[claim] = held.get(claim, 0) + holds
    lines = [f"| statement | holds in how many of {n_problems} |", "|---|---|"]
    lines += [f"| {claim} | {n} |" for claim, n in held.items()]
    return "\n".join(lines) + "\n"


def picture(rows: Sequence[Row]) -> bytes:
    """Bias and deviation over the temperature, as a small PNG."""

    def draw() -> Figure:
        figure = Figure(figsize=(6.6, 2.9), layout="constrained")
        left, right = figure.subplots(1, 2)
        draw_panel(left, "bias", rows, lambda row: row.bias)
        draw_panel(right, "standard deviation", rows, lambda row: row.deviation)
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        return figure

    full, small = io.BytesIO(png_of_figure(draw)), io.BytesIO()
    with Image.open(full) as image:
        image.convert("RGB").quantize(64).save(small, format="png", optimize=True)
    return small.getvalue()


def draw_panel(axes: Axes, title: str, rows: Sequence[Row], height: Callable[[Row], float]) -> None:
    """Lines over the temperature; what knows no temperature is a level."""
    for i, name in enumerate((PLAIN, BASELINE, RELAXED, THROUGH)):
        heights = [height(row) for row in rows if row.name == name]
        color = LINE_COLORS[i]
        if name in (PLAIN, BASELINE):
            dashes = (3 * i, (3, 3))  # levels at the same height fill each other's gaps
            axes.axhline(heights[0], color=color, linestyle=dashes, label=name)
        else:
            axes.plot(TEMPERATURES, heights, color=color, marker="o", markersize=4, label=name)
    axes.set_xscale("log")
    axes.set_xticks(TEMPERATURES, [f"{t:g}" for t in TEMPERATURES])
    axes.minorticks_off()
    axes.set_ylim(bottom=0.0)
    axes.set_title(title)
    axes.set_xlabel("temperature")


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and draw it where --out says."""
    parser = argparse.ArgumentParser(description="Bias and noise of gradients through samples.")
    parser.add_argument("--samples", type=int, default=100_000, help="of each estimator")
    parser.add_argument("--seed", type=int, default=0, help="of the samples")
    parser.add_argument("--out", type=Path, help="where to write the picture, if anywhere")
    parser.add_argument("--survey", type=int, metavar="N", help="ask on N random problems instead")
    args = parser.parse_args(words)
    if args.samples < 2:
        parser.error(f"--samples is {args.samples}; a deviation needs at least 2")
    if args.survey is not None and (args.survey < 1 or args.out):
        parser.error("--survey takes a number from 1 on, and draws no picture: leave --out away")
    if args.survey is not None:
        sys.stdout.write(survey(args.survey, args.samples))
        return
    rows = measure(SHOWN, args.samples, args.seed)
    sys.stdout.write(table(SHOWN, rows))
    if args.out is not None:
        args.out.write_bytes(picture(rows))


if __name__ == "__main__":
    main()
