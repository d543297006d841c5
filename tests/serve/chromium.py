# SPDX-License-Identifier: MIT
"""chromium.py: a headless Chromium, driven through its debugging protocol over a pair of pipes
(--remote-debugging-pipe: messages of JSON, each ended by a NUL)."""
import base64
import json
import os
import select
import shutil
import subprocess
import time


class Chromium:
    """A page; `errors` are the messages of its console, exceptions and failed requests."""

    def __init__(self, folder):
        self.program = shutil.which("chromium") or shutil.which("chromium-browser")
        self.process, self.count, self.session, self.buffer, self.errors = None, 0, None, b"", []
        self.pressed = set()  # what press() was given
        if not self.program:
            return
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def place():  # the browser reads 3 and writes 4
            os.dup2(to_read, 100)
            os.dup2(to_write, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        words = [self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", "about:blank"]
        self.process = subprocess.Popen(words, preexec_fn=place, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)

    def start(self, seconds=60):
        """False: it does not start here."""
        try:
            target = self.call("Target.createTarget", {"url": "about:blank"}, seconds)["targetId"]
            self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        except (TimeoutError, OSError):
            return False
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return True

    def receive(self, end):
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("chromium does not answer")
            part = os.read(self.back, 1 << 16)
            if not part:
                raise OSError("chromium has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None, seconds=60):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + seconds
        while True:
            answer = self.receive(end)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]
            self.note(answer)

    def note(self, event):
        name, values = event.get("method"), event.get("params", {})
        if name == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(values["exceptionDetails"])[:400])
        elif name == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning"):
            self.errors.append(json.dumps(values["args"])[:400])
        elif name == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.errors.append(f"{values['entry']['text']} {values['entry'].get('url', '')}")

    def run(self, script, seconds=60):
        """The value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", {"expression": script, "awaitPromise": True,
                                                "returnByValue": True}, seconds)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", "")[:400])
        return answer["result"].get("value")

    def wait(self, script, seconds=30):
        """Waits until the expression holds; its last value, true for an element of the page."""
        end = time.monotonic() + seconds
        script = f"(async () => {{ const value = await ({script}); return value instanceof Node || value; }})()"
        while True:
            value = self.run(script)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.03)

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def go(self, url):
        self.call("Page.navigate", {"url": url})

    def press(self, keys):
        """Types keys: characters, or names in brackets: "zc<Enter>"."""
        at = 0
        self.pressed.add(keys)
        while at < len(keys):
            key = keys[at]
            if key == "<":
                key = keys[at + 1:keys.index(">", at)]
                at = keys.index(">", at)
            at += 1
            event = {"key": key, "text": {"Enter": "\r"}.get(key, key if len(key) == 1 else "")}
            codes = {"Enter": 13, "Tab": 9, "Escape": 27}
            shift = {"modifiers": 8} if key == "S-Tab" else {}
            key = event["key"] = key.removeprefix("S-")
            if key in codes:
                event["windowsVirtualKeyCode"] = codes[key]
            self.call("Input.dispatchKeyEvent", {"type": "keyDown", **event, **shift})
            self.call("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", **more})

    def drag(self, begin, end):
        """Presses the mouse at a place (x, y), moves it to another one, and releases it."""
        self.mouse("mousePressed", *begin, clickCount=1)
        for step in (0.3, 0.7, 1):
            self.mouse("mouseMoved", *(a + (b - a) * step for a, b in zip(begin, end)), buttons=1)
        self.mouse("mouseReleased", *end, clickCount=1)

    def click(self, x, y, times=1):
        for count in range(1, times + 1):
            self.mouse("mousePressed", x, y, clickCount=count)
            self.mouse("mouseReleased", x, y, clickCount=count)

    def place(self, script):
        """The middle of an element, (x, y)."""
        return self.run(f"(() => {{ const area = ({script}).getBoundingClientRect(); "
                        "return [area.x + area.width / 2, area.y + area.height / 2]; })()")

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", {"format": "png"})["data"]))

    def close(self):
        if not self.process:
            return
        try:
            self.session = None
            self.call("Browser.close", seconds=5)
        except (TimeoutError, OSError, RuntimeError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
