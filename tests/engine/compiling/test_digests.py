"""The key of a unit: equal for what compiles to the same code, other for what does not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from terrarium.engine.compiling import sources
from tests.engine.compiling.tiny import FACTS, RULES, environment, write_package

SAME = {
    "a docstring of a kernel": (RULES, "Sizes and counts.", "Counts and sizes."),
    "a docstring of an entry": (RULES, '"""An entry."""', '"""An entry, from Python."""'),
    "a docstring of a module": (RULES, "Tiny rules.", "Small rules."),
    "a comment": (RULES, "    size = 0\n", "    # from nothing\n    size = 0\n"),
    "lines that move": (RULES, "STEPS = ", "\n\n\n\nSTEPS = "),
    "a table builder": (FACTS, "return [1, 2, 3]", "return [1, 2, 3, 4]"),
    "a kernel that it does not reach": (FACTS, "return 3 * x", "return 4 * x"),
    "an entry that it does not reach": (RULES, "return x + 1\n", "return x + 2\n"),
    "the body of an entry that it calls": (
        RULES,
        "    return total(world)",
        "    return -total(world)",
    ),
}
DIFFERENT = {
    "a constant in a kernel": (RULES, "size = 0", "size = 1"),
    "a kind of number in a kernel": (RULES, "size = 0", "size = 0.0"),
    "a constant of a module": (FACTS, "OFFSET = 100", "OFFSET = 101"),
    "a number in a tuple": (RULES, "(1, 2, 4)", "(1, 2, 3)"),
    "a number in an array": (RULES, "[10, 20, 30]", "[10, 20, 31]"),
    "the type of an array": (RULES, "[10, 20, 30]", "[10.0, 20.0, 30.0]"),
    "the type of a scalar": (RULES, "np.int64(7)", "np.int32(7)"),
    "a callee": (FACTS, "return 2 * x", "return x + x"),
    "a default argument": (RULES, "factor: int = 3", "factor: int = 4"),
    "a closure": (RULES, "closed_over(5)", "closed_over(6)"),
    "the annotations of a kernel": (FACTS, "double(x: int) -> int", "double(x: int) -> float"),
    "what is inlined": (RULES, "@kernel\ndef scaled", "@inline\ndef scaled"),
    "a kernel under the same name": (RULES, "double as twice", "triple as twice"),
    "a field of a bundle in a bundle": (RULES, '("worth", "f8")', '("worth", "f4")'),
    "the order of fields": (
        RULES,
        '("size", "i8"), ("worth", "f8")',
        '("worth", "f8"), ("size", "i8")',
    ),
    "an array of a bundle": (RULES, '"i8", "C"', '"i4", "C"'),
    "the arguments of an entry": (RULES, "world: World, x: int)", "world: World, x: float)"),
    "the answer of an entry that it calls": (
        RULES,
        "def worth(world: World) -> int",
        "def worth(world: World) -> float",
    ),
}

DIGESTS = """
import json, sys
digests = {}
for folder in json.loads(sys.stdin.read()):
    sys.path.insert(0, folder)
    from tiny.rules import count
    from terrarium.engine.compiling.sources import digest_of
    digests[folder] = digest_of(count)
    sys.path.pop(0)
    for name in [name for name in sys.modules if name.partition(".")[0] == "tiny"]:
        del sys.modules[name]
print(json.dumps(digests))
"""


def digests_of(folders: list[Path], **variables: str) -> dict[str, str]:
    answer = subprocess.run(
        [sys.executable, "-c", DIGESTS],
        env=environment([path for path in sys.path if path], **variables),
        input=json.dumps([str(folder) for folder in folders]),
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    found: dict[str, str] = json.loads(answer.stdout)
    return {Path(folder).name: digest for folder, digest in found.items()}


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of the package as it is, and after each edit."""
    home = tmp_path_factory.mktemp("edits")
    folders = [write_package(home / "as it is")]
    for name, (source, old, new) in {**SAME, **DIFFERENT}.items():
        assert source.count(old) == 1, old
        edited = source.replace(old, new)
        rules, facts = (edited, FACTS) if source is RULES else (RULES, edited)
        folders.append(write_package(home / name, rules, facts))
    return digests_of(folders)


@pytest.mark.parametrize("edit", SAME)
def test_what_the_compiler_does_not_see_recompiles_nothing(
    edit: str, digests: dict[str, str]
) -> None:
    assert digests[edit] == digests["as it is"]


@pytest.mark.parametrize("edit", DIFFERENT)
def test_what_decides_the_code_decides_the_key(edit: str, digests: dict[str, str]) -> None:
    assert digests[edit] != digests["as it is"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value"), [("NUMBA_BOUNDSCHECK", "1"), ("NUMBA_OPT", "1"), ("NUMBA_CPU_NAME", "x")]
)
def test_modes_and_settings_of_numba_have_units_of_their_own(
    variable: str, value: str, digests: dict[str, str], tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "as it is")
    assert digests_of([folder], **{variable: value})["as it is"] != digests["as it is"]
    assert digests_of([folder], NUMBA_NUM_THREADS="1") == {"as it is": digests["as it is"]}


def test_every_module_that_extends_numba_is_in_the_key() -> None:
    folder = Path(sources.__file__).parent
    extending = {path.name for path in folder.glob("*.py") if "import numba" in path.read_text()}
    assert extending == set(sources.BACKEND)
