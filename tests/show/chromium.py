"""Headless Chromium for tests of pages, without other packages.

It is driven over two pipes by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol).
"""

import base64
import fcntl
import io
import json
import os
import re
import shutil
import subprocess
import time
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium; Debian has it: apt install chromium"
)
OPTIONS = (
    "--headless=new --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --hide-scrollbars "
    "--disable-background-networking --no-first-run --remote-debugging-pipe"
)
PATIENCE = 60.0  # seconds
KEYS = {" ": "Space", "?": "Slash", "ArrowRight": "ArrowRight", "ArrowLeft": "ArrowLeft", "Escape": "Escape"}


class Page:
    """A tab, its messages and requests."""

    def __init__(self, process, out, into):
        self._process, self._out, self._into = process, out, into
        self._rest, self._count, self._session = b"", 0, None
        self.console, self.requests = [], []

    def start(self):
        """Attach to a new tab."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """The result of a command."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self._note(answer)

    def _read(self):
        while b"\0" not in self._rest:
            part = os.read(self._out, 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _note(self, event):
        params = event.get("params", {})
        match event.get("method"):
            case "Runtime.consoleAPICalled":
                self.console.append(" ".join(str(each.get("value")) for each in params["args"]))
            case "Runtime.exceptionThrown":
                self.console.append(str(params["exceptionDetails"]))
            case "Log.entryAdded":
                self.console.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])

    def open(self, address, width=960, height=640, *, phone=False):
        """Go there, and wait until something is drawn."""
        self.size(width, height, phone=phone)
        self.call("Page.navigate", url="about:blank")
        self.console.clear()
        self.requests.clear()
        self.call("Page.navigate", url=address)
        drawn, error = (f"document.body?.dataset.{name} !== undefined" for name in ("drawn", "error"))
        self.wait(f"{drawn} || {error}")

    def size(self, width, height, *, phone=False):
        """Size of the window [pixels]."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )

    def js(self, expression):
        """The value of an expression, awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, expression):
        """Until the expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.js(expression):
            assert time.monotonic() < end, f"waited in vain for {expression}; console: {self.console}"
            time.sleep(0.02)

    def mouse(self, kind, x, y, button="none"):
        """kind: mouseMoved, mousePressed, mouseReleased."""
        count = 0 if kind == "mouseMoved" else 1
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=count)

    def click(self, x, y):
        """Press and release the left button."""
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, "left")
        self.mouse("mouseReleased", x, y, "left")

    def key(self, key):
        """Press and release a key."""
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=KEYS.get(key, f"Key{key.upper()}"), **text
            )

    def picture(self):
        """The visible picture (height, width, 3)."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with Image.open(io.BytesIO(base64.b64decode(data))) as image:
            return np.asarray(image.convert("RGB")).astype(int)


def page_data(path):
    """The data in a page, its arrays decoded."""
    text = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1]
    data = json.loads(text)
    return {
        name: np.frombuffer(base64.b64decode(value["base64"]), "<" + value["type"])
        if isinstance(value, dict)
        else value
        for name, value in data.items()
    }


@contextmanager
def browser(folder):
    """A Page; `folder` is for the browser's files."""
    out, far_out = os.pipe()
    far_into, into = os.pipe()
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (far_into, far_out)]

    def hand_over():  # Chromium reads commands from 3, and answers to 4
        for number, end in zip((3, 4), ends, strict=True):
            os.dup2(end, number)

    command = [CHROMIUM, *OPTIONS.split(), f"--user-data-dir={folder / 'profile'}", "about:blank"]
    process = subprocess.Popen(
        command,
        preexec_fn=hand_over,
        pass_fds=(3, 4),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for end in (far_into, far_out, *ends):
        os.close(end)
    try:
        page = Page(process, out, into)
        page.start()
        yield page
    finally:
        os.close(into)
        process.terminate()
        process.wait(PATIENCE)
        os.close(out)
