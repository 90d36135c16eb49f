"""One browser for all pages."""

from collections.abc import Iterator

import pytest

from tests.replay.browser import Browser, open_browser


@pytest.fixture(scope="session")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def browser(window: Browser) -> Iterator[Browser]:
    """The window at the size of a desk; afterwards it must not have complained or gone online."""
    window.emulate(1280, 800)
    window.complaints()
    window.requests()
    yield window
    assert window.complaints() == []
    assert [url for url in window.requests() if not url.startswith(("file:", "data:"))] == []
