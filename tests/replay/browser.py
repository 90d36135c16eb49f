"""A real browser for tests: a small client of the W3C WebDriver protocol."""

import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_ARGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-default-apps",
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name for a reference
KEYS = {"tab": "\ue004", "right": "\ue014", "left": "\ue012", "end": "\ue010", "escape": "\ue00c"}


class Browser:
    """One window."""

    def __init__(self, session: str) -> None:
        self._session = session

    def open(self, file: Path, fragment: str = "") -> None:
        """Show a page, and wait until it has read its battle or said why it cannot."""
        self._post("url", {"url": f"{file.as_uri()}{fragment}"})
        ready = "return !!window.terrarium || !document.getElementById('message').hidden"
        self.wait(lambda: self.run(ready), "the battle is read")

    def run(self, script: str, *args: object) -> Any:
        return self._post("execute/sync", {"script": script, "args": list(args)})

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.run("return window.terrarium.state()")
        return state

    def text(self, element: str) -> str:
        """What a person reads there; nothing where it is hidden."""
        reference = self._post("element", {"using": "css selector", "value": f"#{element}"})
        return str(_call("GET", f"{self._session}/element/{reference[_ELEMENT]}/text"))

    def click(self, element: str) -> None:
        reference = self._post("element", {"using": "css selector", "value": f"#{element}"})
        self._post(f"element/{reference[_ELEMENT]}/click", {})

    def click_at(self, x: float, y: float) -> None:
        self.drag((x, y), (x, y))

    def hover(self, x: float, y: float) -> None:
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 40}
        pointer = {"type": "pointer", "id": "hover", "parameters": {"pointerType": "mouse"}}
        self._post("actions", {"actions": [pointer | {"actions": [move]}]})

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self._pointer("mouse", start, end)

    def tap(self, x: float, y: float) -> None:
        self._pointer("touch", (x, y), (x, y))

    def press(self, key: str) -> None:
        value = KEYS.get(key, key)
        actions = [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
        self._post("actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def scroll(self, x: float, y: float, by: int) -> None:
        action = {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": by}
        self._post("actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [action]}]})

    def wait(self, is_so: Callable[[], bool], what: str, seconds: float = 10.0) -> None:
        end = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < end, f"waited {seconds} s in vain until {what}"
            time.sleep(0.03)

    def emulate(self, width: int, height: int, scheme: str = "dark", phone: bool = False) -> None:
        """The size and preferences of a device."""
        metrics = {"width": width, "height": height, "mobile": phone}
        self._devtools(
            "Emulation.setDeviceMetricsOverride", metrics | {"deviceScaleFactor": 2 if phone else 1}
        )
        self._devtools("Emulation.setTouchEmulationEnabled", {"enabled": phone})
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._devtools("Emulation.setEmulatedMedia", {"features": [feature]})

    def screenshot(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(_call("GET", f"{self._session}/screenshot")))

    def complaints(self) -> list[str]:
        """What the console said since the last call."""
        entries = self._post("se/log", {"type": "browser"})
        return [entry["message"] for entry in entries]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        entries = self._post("se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
            and message["params"]["documentURL"].startswith("file:")  # not the browser's own pages
        ]

    def pinch(self, middle: tuple[float, float], before: float, after: float) -> None:
        """Two fingers that move apart from `before` pixels around a point to `after`."""
        x, y = middle
        left = _finger("touch", 1, (x - before, y), (x - after, y))
        right = _finger("touch", 2, (x + before, y), (x + after, y))
        self._post("actions", {"actions": [left, right]})

    def _pointer(self, kind: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        self._post("actions", {"actions": [_finger(kind, 0, start, end)]})

    def _devtools(self, command: str, params: dict[str, object]) -> None:
        self._post("goog/cdp/execute", {"cmd": command, "params": params})

    def _post(self, path: str, body: dict[str, object]) -> Any:
        return _call("POST", f"{self._session}/{path}", body)


def _finger(
    kind: str, number: int, start: tuple[float, float], end: tuple[float, float]
) -> dict[str, object]:
    """One pointer that goes down, moves and goes up."""

    def move(to: tuple[float, float]) -> dict[str, object]:
        return {"type": "pointerMove", "x": round(to[0]), "y": round(to[1]), "duration": 40}

    actions = [
        move(start),
        {"type": "pointerDown", "button": 0},
        *([move(end)] if end != start else []),
        {"type": "pointerUp", "button": 0},
    ]
    parameters = {"pointerType": kind}
    return {
        "type": "pointer",
        "id": f"{kind}{number}",
        "parameters": parameters,
        "actions": actions,
    }


@contextmanager
def open_browser(folder: Path) -> Iterator[Browser]:
    """Start a browser with a fresh profile; skip the test where there is none."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        message = "chromium and chromedriver are not installed"
        if os.environ.get("TERRARIUM_REQUIRE_BROWSER"):
            pytest.fail(f"{message}, but TERRARIUM_REQUIRE_BROWSER is set")
        pytest.skip(message)
    port = _free_port()
    log = folder / "chromedriver.log"
    command = [driver, f"--port={port}", f"--log-path={log}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield from _session(f"http://127.0.0.1:{port}", chromium, folder)
        finally:
            process.terminate()


def _session(server: str, chromium: str, folder: Path) -> Iterator[Browser]:
    options = {
        "goog:chromeOptions": {
            "binary": chromium,
            "args": [*_ARGS, f"--user-data-dir={folder / 'profile'}", "--window-size=1280,800"],
        },
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
    }
    deadline = time.monotonic() + 20.0
    while True:
        try:
            _call("GET", f"{server}/status")
            break
        except OSError:
            assert time.monotonic() < deadline, "chromedriver does not answer"
            time.sleep(0.05)
    begun = _call("POST", f"{server}/session", {"capabilities": {"alwaysMatch": options}})
    session = f"{server}/session/{begun['sessionId']}"
    try:
        yield Browser(session)
    finally:
        _call("DELETE", session)


def _call(method: str, address: str, body: dict[str, object] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    request.method = method
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        with error:
            raise AssertionError(f"{address}: {json.load(error)['value']['message']}") from None


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
