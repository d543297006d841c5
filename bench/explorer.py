# SPDX-License-Identifier: MIT
"""explorer.py: measures `spoor serve` as its page uses it: (what, value, unit) for bench/run."""
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/serve"))
from chromium import Chromium  # noqa: E402

QUESTIONS = 40  # of a kind
CLIENTS, TURNS = 20, 10
STEPS = 60  # frames
# Zooms into the timeline and pans; the milliseconds between frames.
FRAMES = """(async () => {
  const timeline = window.spoorPage.timelines[0], found = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  let before = await frame();
  for (let i = 0; i < %d; i++) {
    if (i %% 3 === 2) timeline.pan(0.1); else timeline.zoom(i < %d ? 0.9 : 1.1);
    const now = await frame();
    found.push(now - before);
    before = now;
  }
  return found.sort((a, b) => a - b);
})()"""


class Server:
    def __init__(self, spoor, trace):
        self.process = subprocess.Popen([spoor, "serve", "-q", trace], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def ask(self, question):
        """(milliseconds, bytes) of an answer."""
        begin = time.perf_counter()
        client = http.client.HTTPConnection(self.host, self.port, timeout=60)
        client.request("GET", f"{self.path}api/{question}")
        reply = client.getresponse()
        content = reply.read()
        client.close()
        if reply.status != 200:
            raise RuntimeError(f"{question}: {reply.status} {content[:200]}")
        return (time.perf_counter() - begin) * 1000, content

    def peak(self):
        """Mebibytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
        return 0.0

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def questions(server):
    """Medians, the largest tile, and how long clients wait that ask at once."""
    chosen = random.Random(1)
    records = json.loads(server.ask("traces")[1])["traces"][0]["records"]
    places = [chosen.randrange(records) for _ in range(QUESTIONS)]
    spans = [max(1000, records >> (i % 12)) for i in range(QUESTIONS)]
    tiles = [server.ask(f"timeline?from={min(at, records - span)}&to={min(at, records - span) + span}&width=4096")
             for at, span in zip(places, spans)]
    yield "120 rows, median", statistics.median(server.ask(f"rows?at={at}&count=120")[0] for at in places), "ms"
    yield "the state after a row, median", statistics.median(server.ask(f"state?at={at}")[0] for at in places), "ms"
    yield "a tile of the timeline, median", statistics.median(taken for taken, _ in tiles), "ms"
    yield "largest tile", max(len(content) for _, content in tiles) / 1024, "KiB"
    taken = []

    def client(number):
        for turn in range(TURNS):
            taken.append(server.ask(f"rows?at={places[(number + turn) % QUESTIONS]}&count=120")[0])

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield f"{CLIENTS} clients at once, median", statistics.median(taken), "ms"
    yield f"{CLIENTS} clients at once, longest", max(taken), "ms"


def page(server, folder):
    """What somebody sees; nothing where Chromium or the page is absent."""
    browser = Chromium(folder)
    if not browser.program or not browser.start():
        browser.close()
        return
    browser.size(1280, 800)
    shown = "!!document.querySelector('.card tbody')"
    browser.go(server.url)
    browser.wait(shown, 20)  # the browser itself has begun, as on a desk
    browser.go("about:blank")
    browser.wait("location.href === 'about:blank'")
    browser.go(server.url)
    if browser.wait(shown, 20):
        yield "the overview is shown", browser.run("performance.now()"), "ms"
    browser.go("about:blank")
    browser.go(server.url + "#record=0")
    if browser.wait("document.body?.dataset.ready", 20):
        paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        yield "first paint", browser.wait(paint), "ms"
        yield "rows are shown", float(browser.run("document.body.dataset.ready")), "ms"
        frames = browser.run(FRAMES % (STEPS, STEPS // 2))
        yield "a frame of zoom and pan, median", frames[STEPS // 2], "ms"
        yield "a frame of zoom and pan, longest but 5 %", frames[STEPS * 95 // 100], "ms"
    browser.close()


def measure(spoor, trace):
    subprocess.run([spoor, "index", "-q", trace], check=True, stdout=subprocess.DEVNULL)
    server = Server(spoor, trace)
    if not server.url:
        server.stop()
        return
    yield from questions(server)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield from page(server, folder)
    yield "peak memory of the server", server.peak(), "MiB"
    server.stop()


if __name__ == "__main__":
    for what, value, unit in measure(*sys.argv[1:3]):
        print(f"{what}: {value:.1f} {unit}")
    sys.exit(os.EX_OK)
