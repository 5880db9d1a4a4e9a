"""A real browser for tests: headless Chromium and its driver, spoken to in plain WebDriver."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
OPTIONS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--disable-renderer-backgrounding"),
    *("--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows"),
]
KEYS = {"right": "\ue014", "left": "\ue012", "home": "\ue011", "end": "\ue010", "space": " "}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # what WebDriver calls the name of an element


class Browser:
    """One window of the browser, open until `close`."""

    def __init__(self, folder: Path) -> None:
        kept = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        self.driver = subprocess.Popen(
            [str(DRIVER), "--port=0"],
            stdout=subprocess.PIPE,
            text=True,
            env=kept,
            start_new_session=True,
        )
        assert self.driver.stdout is not None
        line = next(line for line in self.driver.stdout if "started successfully on port" in line)
        self.base = f"http://127.0.0.1:{line.rstrip().rstrip('.').rpartition(' ')[2]}/session"
        chrome = {"binary": CHROMIUM, "args": [*OPTIONS, f"--user-data-dir={folder}"]}
        wanted = {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self.call("POST", "", capabilities={"alwaysMatch": wanted})
        self.base += f"/{made['sessionId']}"

    def call(self, method: str, path: str, **body: Any) -> Any:
        """Send a command, and give the value that it answers."""
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def devtools(self, command: str, **params: Any) -> Any:
        """Send a command of Chromium's own protocol."""
        return self.call("POST", "/goog/cdp/execute", cmd=command, params=params)

    def window(self, width: int, height: int = 800, **media: str) -> None:
        """Set the size of the page, and what it finds of the reader's wishes (media features)."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        features = [
            {"name": name.replace("_", "-"), "value": value} for name, value in media.items()
        ]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def open(self, path: Path) -> None:
        """Open a file."""
        self.call("POST", "/url", url=path.as_uri())

    def run(self, script: str, *args: Any) -> Any:
        """Run a script in the page, and give what it returns."""
        return self.call("POST", "/execute/sync", script=script, args=list(args))

    def until(self, script: str, seconds: float = 10) -> None:
        """Wait until an expression is true in the page."""
        deadline = time.monotonic() + seconds
        while not self.run(f"return Boolean({script})"):
            assert time.monotonic() < deadline, f"never came true: {script}"
            time.sleep(0.02)

    def click(self, selector: str) -> None:
        """Click on an element as a mouse does."""
        found = self.call("POST", "/element", using="css selector", value=selector)
        self.call("POST", f"/element/{found[ELEMENT]}/click")

    def choose(self, selector: str, value: str) -> None:
        """Set a control's value, as the reader does by choosing or dragging."""
        self.run(
            "const control = document.querySelector(arguments[0]); control.value = arguments[1];"
            "control.dispatchEvent(new Event('input')); control.dispatchEvent(new Event('change'))",
            selector,
            value,
        )

    def press(self, *keys: str) -> None:
        """Press keys, by their name in `KEYS` or as they are."""
        actions = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self.call("POST", "/actions", actions=[source])

    def log(self) -> list[str]:
        """Give what the page wrote to the console since the last look."""
        return [entry["message"] for entry in self.call("POST", "/se/log", type="browser")]

    def screenshot(self, path: Path) -> None:
        """Save a picture of the window."""
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self) -> None:
        """Close the window, and end all that was started for it."""
        try:
            self.call("DELETE", "")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self.driver.pid, signal.SIGKILL)
            self.driver.communicate(timeout=10)
