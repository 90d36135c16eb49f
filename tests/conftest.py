"""Settings of all tests: property tests draw the same examples every time."""

import pytest
from hypothesis import settings

# Fixed examples, because a test must not fail by luck; no deadline, because the first example pays
# for loading the compiled rules.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
