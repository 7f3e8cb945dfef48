"""Pages in Chromium, without a window: the HTTP interface of its driver."""

import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request

# Of Debian: chromium and chromium-driver.
IS_THERE = bool(shutil.which("chromium") and shutil.which("chromedriver"))
_ARGUMENTS = [
    "--headless=new",
    # It has no root, and containers have little shared memory.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
]


class Browser:
    """A browser for tests, to be used in a `with` statement.

    Example:
    >>> with Browser() as browser:
    ...     browser.open("file:///tmp/page.html")
    ...     browser.run("return document.title")
    """

    def __enter__(self):
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            self._address = f"http://127.0.0.1:{self._port()}/session"
            self._address += f"/{self._start()}"
        except BaseException:
            self._driver.terminate()
            raise
        return self

    def __exit__(self, *_):
        try:
            self._ask("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.communicate()

    def open(self, address):
        """Opens a page, and waits until it is there."""
        self._ask("POST", "/url", url=address)

    def run(self, script, *arguments):
        """What a script returns, which has `arguments`."""
        return self._ask(
            "POST", "/execute/sync", script=script, args=list(arguments)
        )

    def devtools(self, command, **parameters):
        """What a command of the DevTools protocol returns."""
        return self._ask(
            "POST", "/goog/cdp/execute", cmd=command, params=parameters
        )

    def press(self, *keys):
        """Presses keys, each a character, one after the other."""
        actions = [
            {"type": kind, "value": key}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self._ask("POST", "/actions", actions=[source])

    def click(self, x, y, pointer="mouse"):
        """Clicks or touches a point of the window."""
        actions = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        source = {
            "type": "pointer",
            "id": pointer,
            "parameters": {"pointerType": pointer},
            "actions": actions,
        }
        self._ask("POST", "/actions", actions=[source])

    def log(self):
        """Messages of the console since the last call, a list of dicts."""
        return self._ask("POST", "/se/log", type="browser")

    def _port(self):
        for line in self._driver.stdout:
            match = re.search(r"started successfully on port (\d+)", line)
            if match:
                return match[1]
        raise RuntimeError("chromedriver did not start.")

    def _start(self):
        options = {
            "goog:chromeOptions": {"args": _ARGUMENTS},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        capabilities = {"alwaysMatch": options}
        return self._ask("POST", "", capabilities=capabilities)["sessionId"]

    def _ask(self, method, path, **body):
        request = urllib.request.Request(
            self._address + path,
            json.dumps(body).encode() if method == "POST" else None,
            {"Content-Type": "application/json"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error
