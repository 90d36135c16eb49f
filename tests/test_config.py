"""Settings: what may be said, where, and what is answered to mistakes."""

import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from terrarium import config
from terrarium.config import ConfigError, Layer, describe, given, layer_from_words, to_toml


@dataclass(frozen=True)
class Step:
    """One of several."""

    name: str
    """what it is called"""
    share: float = 0.5
    """of the whole"""


@dataclass(frozen=True)
class Part:
    """Something with settings of every kind."""

    count: int = 3
    """how many"""
    rate: float = 0.5
    """how fast"""
    on: bool = True
    """whether"""
    name: str = "x"
    """which"""
    steps: tuple[Step, ...] = ()
    """in their order"""
    limit: int | None = None
    """None: none"""


def read(*words: str) -> Part:
    return Part(**given({"part": Part}, [layer_from_words(words)])["part"])


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("part.count=7", {"count": 7}),
        ("part.rate=3e-4", {"rate": 3e-4}),
        ("part.rate=2", {"rate": 2.0}),
        ("part.on=false", {"on": False}),
        ("part.name=lstm", {"name": "lstm"}),
        ("part.name=7", {"name": "7"}),
        ("part.name=a=b", {"name": "a=b"}),
        ("part.limit=9", {"limit": 9}),
        ('part.steps=[{name="a", share=1}, {name="b"}]', {"steps": (Step("a", 1.0), Step("b"))}),
    ],
)
def test_words_become_values(word: str, expected: dict[str, Any]) -> None:
    assert read(word) == Part(**expected)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("part.cuont=7", 'unknown setting "part.cuont". Did you mean "count"? Allowed: count'),
        ("prat.count=7", 'unknown section "prat". Did you mean "part"?'),
        ("part.count=7.5", "part.count is 7.5; it must be a whole number"),
        ("part.count=true", "part.count is True; it must be a whole number"),
        ("part.rate=fast", 'part.rate is "fast"; it must be a number'),
        ("part.rate=nan", "part.rate is nan; it must be a number"),
        ("part.rate=inf", "part.rate is inf; it must be a number"),
        ("part.on=1", "part.on is 1; it must be true or false"),
        ("part.steps=3", "part.steps is 3; it must be a list"),
        ("part.steps=[3]", "part.steps holds 3; a table of name, share fits"),
        ("part.steps=[{share=1.0}]", 'part.steps needs "name"'),
        ("part.steps=[{name='a', shrae=1.0}]", 'unknown setting "part.steps.shrae"'),
        ("part.count=1\nrate=3", "part.count is"),
        ("count=7", '"count=7" is not a setting; write section.key=value'),
        ("part.count", "is not a setting"),
        ("part.=3", "is not a setting"),
    ],
)
def test_mistakes_are_named(word: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(word)
    assert message in str(caught.value)


def test_later_layers_win_and_say_where_they_come_from() -> None:
    layers = [
        Layer("a.toml", {"part": {"count": 1, "rate": 0.1}}),
        layer_from_words(["part.count=2"]),
    ]
    assert Part(**given({"part": Part}, layers)["part"]) == Part(count=2, rate=0.1)
    with pytest.raises(ConfigError, match=r"^a\.toml: part\.count is"):
        given({"part": Part}, [Layer("a.toml", {"part": {"count": "many"}})])


@examples(
    st.builds(
        Part,
        count=st.integers(-(2**62), 2**62),
        rate=st.floats(allow_nan=False, allow_infinity=False),
        on=st.booleans(),
        name=st.text(st.characters(exclude_categories=["Cs"])),
        steps=st.lists(st.builds(Step, st.text("abc \"\\\n'"), st.floats(0, 1))).map(tuple),
        limit=st.integers(0, 9),
    )
)
def test_what_is_written_is_read_back(part: Part) -> None:
    tables = tomllib.loads(to_toml({"part": asdict(part)}))
    assert Part(**given({"part": Part}, [Layer("x", tables)])["part"]) == part


def test_presets_are_differences_and_may_have_a_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "PRESETS", tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.toml").write_text("[part]\ncount = 1\nrate = 0.1\n")
    (tmp_path / "a" / "two.toml").write_text('base = "a/one"\n[part]\ncount = 2\n')
    assert config.preset_names() == ["a/one", "a/two"]
    layers = config.load_preset("a/two")
    assert Part(**given({"part": Part}, layers)["part"]) == Part(count=2, rate=0.1)
    (tmp_path / "a" / "one.toml").write_text('base = "a/two"\n')
    with pytest.raises(ConfigError, match="based on itself"):
        config.load_preset("a/two")
    with pytest.raises(ConfigError, match=r'unknown preset "a/tow"\. Did you mean "a/two"\?'):
        config.load_preset("a/tow")
    for text, message in (("count = 1\n", "outside of a table"), ("[part", "not valid TOML")):
        (tmp_path / "a" / "one.toml").write_text(text)
        with pytest.raises(ConfigError, match=message):
            config.load_preset("a/one")
    with pytest.raises(ConfigError, match="there is no such file"):
        config.load_preset(str(tmp_path / "none.toml"))
    with pytest.raises(ConfigError, match="unknown preset"):
        config.load_preset("../a/one")


def test_every_setting_has_a_meaning() -> None:
    settings = describe("part", Part)
    assert [setting.name for setting in settings][:2] == ["part.count", "part.rate"]
    assert settings[0].meaning == "how many"
    assert settings[0].default == "3"
    assert all(setting.meaning for setting in settings)
