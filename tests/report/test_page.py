"""Picture and page: they show what they should, whatever the runs are called."""

import io
import re
import subprocess
import sys
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image

from terrarium.report.comparison import Comparison, compare
from terrarium.report.curves import n_columns, png_of
from terrarium.report.figures import LINE_COLORS, line_styles, png_of_figure
from terrarium.report.page import page
from terrarium.report.statistics_figure import statistics_figure
from tests.report.folders import learning, write_run

pytestmark = pytest.mark.slow

HOSTILE = (
    "</svg></style><script>alert(1)</script>--><b>&amp; {{table}} "
    "$x_{$ \\ \u2028 'quoted\" \U0001f600"
)


class Tags(HTMLParser):
    """What a browser would find."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def comparison(
    folder: Path, algos: Sequence[str] = ("mappo", "ippo"), scenarios: Sequence[str] = ("smac/3m",)
) -> Comparison:
    for i, scenario in enumerate(scenarios):
        for j, algo in enumerate(algos):
            for seed in (0, 1):
                write_run(
                    folder / f"{i}_{j}_{seed}",
                    learning(0.9 - 0.2 * j, 12.0, seed, n_points=11),
                    about__algo=algo,
                    about__scenario=scenario,
                    run__seed=seed,
                )
    return compare([folder])


def page_of(result: Comparison, title: str = "") -> str:
    return page(result.groups, result.rows, result.statistics, result.notes, title)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Two algorithms in one scenario."""
    return comparison(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def plain_png(plain: Comparison) -> bytes:
    return png_of(plain.groups)


@pytest.fixture(scope="module")
def plain_page(plain: Comparison) -> str:
    return page_of(plain, "Memory & <b>")


def statistics_png(result: Comparison) -> bytes:
    return png_of_figure(lambda: statistics_figure(result.groups, result.statistics))


def pixels(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"), np.int64)


def has_color(picture: np.ndarray, color: str) -> bool:
    rgb = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return int((np.abs(picture - rgb).sum(axis=2) < 12).sum()) > 100


def test_the_picture_shows_every_group_in_its_color(plain_png: bytes) -> None:
    picture = pixels(plain_png)
    assert (picture[:5] == 255).all()
    assert [has_color(picture, color) for color in LINE_COLORS[:3]] == [True, True, False]


def test_the_same_runs_give_the_same_page(plain: Comparison, plain_page: str) -> None:
    assert page_of(plain, "Memory & <b>") == plain_page


def test_a_group_has_one_style_in_all_panels_and_no_two_share_one(tmp_path: Path) -> None:
    result = comparison(tmp_path, [f"algo{i}" for i in range(9)], ["smac/3m", "smac/8m"])
    styles = line_styles(result.groups)
    assert len(result.groups) == 18
    assert len(styles) == len({(s.color, str(s.dashes)) for s in styles.values()}) == 9


def test_scenarios_stand_side_by_side(tmp_path: Path) -> None:
    groups = comparison(tmp_path, ["mappo"], [f"smac/map{i}" for i in range(7)]).groups
    assert [n_columns(groups[:n]) for n in (1, 3, 4, 5, 6, 7)] == [1, 3, 4, 3, 3, 4]
    for n in (4, 7):  # the widest, and the highest
        width, height = Image.open(io.BytesIO(png_of(groups[:n]))).size
        assert 0.5 < width / height < 3.0


def test_drawing_leaves_the_settings_of_matplotlib_alone(
    plain: Comparison, plain_png: bytes
) -> None:
    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"text.usetex": True, "font.size": 40}):
        strange = png_of(plain.groups)
    assert dict(matplotlib.rcParams) == before
    assert strange == plain_png
    code = "import terrarium.report.comparison, sys; print('matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_page_holds_curves_table_runs_settings_and_method(tmp_path: Path) -> None:
    result = comparison(tmp_path, scenarios=["smac/3m", "smac/8m"])
    text = page_of(result)
    tags = Tags(text)
    assert tags.open == []
    assert tags.found.count("svg") == 2
    # Results, final win rates, who is better, one table of runs for each of four groups; the
    # groups differ in their algorithm only.
    assert tags.found.count("table") == 7
    for words in ("smac/8m", "ippo", "8 runs in 4 groups", "95&nbsp;% bootstrap", "0_1_1"):
        assert words in text
    mappo = next(one for one in result.statistics[0].aggregates if one.label == "mappo").final
    estimate = mappo.estimates["iqm"]
    assert estimate.low is not None
    assert estimate.high is not None
    both = f"{estimate.value:.1%} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"
    assert f"<td>{both}</td>" in text
    assert "both scenarios" in text
    assert len(tags.ids) == len(set(tags.ids))
    assert "All runs have the same settings, apart from their seeds." in text
    assert "{{" not in text


def test_a_page_may_have_a_title(plain_page: str) -> None:
    assert "<h1>Memory &amp; &lt;b&gt;</h1>" in plain_page
    assert "4 runs in 2 groups, on smac/3m" in plain_page


def test_the_statistics_show_every_group_in_its_color(plain: Comparison) -> None:
    picture = pixels(statistics_png(plain))
    assert [has_color(picture, color) for color in LINE_COLORS[:3]] == [True, True, False]


def test_one_run_has_statistics_without_comparisons(tmp_path: Path) -> None:
    write_run(tmp_path / "a")
    result = compare([tmp_path])
    text = page_of(result)
    assert "Probability of improvement" not in text
    assert "<td>100.0%</td>" in text
    assert len(statistics_png(result)) > 10_000


def test_groups_without_a_common_scenario_have_no_aggregates(tmp_path: Path) -> None:
    write_run(tmp_path / "a", about__algo="mappo", about__scenario="smac/3m")
    write_run(tmp_path / "b", about__algo="ippo", about__scenario="smac/8m")
    result = compare([tmp_path])
    assert result.statistics[0].aggregates == ()
    assert Tags(page_of(result)).found.count("svg") == 1
    assert any("has no runs on some of the scenarios" in note for note in result.notes)


def test_the_page_names_settings_that_differ(tmp_path: Path) -> None:
    write_run(tmp_path / "a", net__core="lstm", run__max_steps=300)
    write_run(tmp_path / "b", net__core="gru", run__max_steps=300)
    text = page_of(compare([tmp_path]))
    assert '<td class="word">net.core</td>' in text
    assert '<th scope="col" class="word">mappo, net.core=lstm</th>' in text
    assert "run.max_steps</td>" not in text


def test_the_page_refers_to_nothing_outside(plain_page: str) -> None:
    text = plain_page
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\((?!#)", text)
    assert {link for link in Tags(text).links if not link.startswith("#")} == {"data:,"}
    assert "default-src 'none'" in text
    assert "<script" not in text


def test_the_curves_follow_the_colors_of_the_page(plain_page: str) -> None:
    text = plain_page
    drawing = text[text.index("<svg") : text.index("</svg>")]
    assert "var(--text)" in drawing
    assert "var(--line1)" in drawing
    assert set(re.findall(r"#[0-9a-f]{6}\b", drawing)) <= {"#000000", "#ffffff"}
    style = text[: text.index("</style>")]
    assert all(f"{name}:" in style for name in re.findall(r"var\((--\w+)\)", text))


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    """Of algorithms, scenarios, settings and revisions: the page has the tags of a peaceful one."""
    found = []
    for name in (HOSTILE, "peace"):
        folder = tmp_path / str(len(found))
        names = {"about__algo": name, "net__core": name, "about__revision": name}
        write_run(folder / "a", about__scenario=name, **names)
        write_run(folder / "b", about__scenario=name)
        result = compare([folder])
        text = page_of(result)
        assert len(png_of(result.groups)) > 10_000
        assert result.statistics[0].aggregates
        assert len(statistics_png(result)) > 10_000
        assert "<script" not in text
        assert "<b>&amp; " not in text
        found.append([tag for tag in Tags(text).found if tag not in ("use", "path", "g", "defs")])
    assert found[0] == found[1]


def test_a_name_of_ten_thousand_letters_fits(tmp_path: Path) -> None:
    result = comparison(tmp_path, ["a" * 10_000, "b " * 5_000], ["smac/" + "m" * 10_000])
    for png in (png_of(result.groups), statistics_png(result)):
        width, height = Image.open(io.BytesIO(png)).size
        assert width < 4000
        assert height < 4000


@pytest.mark.parametrize("algo", ["_hidden", "$_{$", "-", "\\frac{1}"])
def test_odd_names_are_drawn_as_they_are(tmp_path: Path, algo: str) -> None:
    plain = pixels(png_of(comparison(tmp_path / "a", [algo]).groups))
    legend = plain[-60:]
    assert (legend < 128).all(axis=2).sum() > 5  # letters, not only a line


def test_one_evaluation_is_a_point(tmp_path: Path) -> None:
    write_run(tmp_path / "a", [0.7], steps=[0])
    picture = pixels(png_of(compare([tmp_path]).groups))
    assert has_color(picture, LINE_COLORS[0])
