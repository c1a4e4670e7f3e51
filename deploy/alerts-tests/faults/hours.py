"""Faults that take hours: the clocks of the affected processes, and of the simulated App Store, are set."""

import http.server
import json
import threading
import time
import urllib.error
import urllib.request

from clock import HOUR, Clock
from firstlook import fix
from pipeline import APP, Pipeline, get, wait
from watch import Watch


class Days(Pipeline):
    def __init__(self):
        super().__init__()
        self.authority()
        self.broker()
        (self.folder / "shared-secret").write_text("0f1e2d3c4b5a69788796a5b4c3d2e1f0\n")
        self.ingress(f"--apps.{APP.split(':')[0]}.shared.secret.file", self.folder / "shared-secret")

    def store(self, clock, *life):
        """Runs the simulated App Store's API, and returns the addresses of production and sandbox."""
        process = self.start("store", [self.bin / "sluice-simulator", "serve", "--pki", self.folder / "pki", "--api-port",
                                       "0", *life], clock)
        return process, [f"http://127.0.0.1:{self.ready(process, field)}" for field in ("port", "sandboxPort")]


def legacy(table, pipeline, watch):
    """Version 1 notifications are about purchases that Apple does not know for more than a day."""
    clock = Clock(pipeline.folder, "legacy")
    _, urls = pipeline.store(clock, "--scenario", "non-consumable", "--accounts", "1")
    pipeline.executable("sluice-entitlements", "--data.dir", pipeline.folder / "data", "--admin.port", "0", "--http.port", "0",
                        *pipeline.verifying(), *pipeline.api(*urls), "--legacy.trust", "confirm", conditions=clock)
    pipeline.post("--scenario", "subscription-life", "--accounts", "1", "--first-run", "700", "--formats", "v1",
                  "--shared-secret-file", pipeline.folder / "shared-secret")
    wait(lambda: pipeline.query('sluice_entitlements_confirmations_total{outcome="unknown"} > 0'), 60, "Apple was asked")
    if "SluiceLegacyUnknown" in watch.pages():
        table.failures.append("SluiceLegacyUnknown pages at the first answer that Apple does not know a purchase")
    start = time.monotonic()
    clock.set(25 * HOUR)
    table.expect(watch, "Apple has not known for 25 hours what a version 1 notification says", ["SluiceLegacyUnknown"], start, 30)


class Broken(threading.Thread):
    """A proxy of the API that answers with an error for each range of the history that contains one minute."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.url, broken = url, self
        self.minute, self.isAway = None, False

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.answer(None)

            def do_POST(self):
                self.answer(self.rfile.read(int(self.headers.get("content-length", 0))))

            def answer(self, body):
                status, answer = broken.refuses(self.path, body) or broken.forward(self, body)
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.start()

    def run(self):
        self.server.serve_forever()

    def refuses(self, path, body):
        if self.isAway:
            return 503, b""
        if not self.minute or not path.startswith("/inApps/v1/notifications/history"):
            return None
        range_ = json.loads(body)
        if range_["startDate"] <= self.minute < range_["endDate"]:
            # The error must not cause several attempts at once: those wait for half a minute.
            return 400, json.dumps({"errorCode": 4000000, "errorMessage": "Bad request."}).encode()
        return None

    def forward(self, request, body):
        headers = {name: request.headers[name] for name in ("authorization", "content-type") if name in request.headers}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + request.path, body, headers), timeout=10) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 502, b""


class Reconciliation:
    """Runs sluice-reconciler, with the API behind an address that can fail."""

    def __init__(self, pipeline, clock):
        self.pipeline, self.clock = pipeline, clock
        self.store, urls = pipeline.store(clock, "--scenario", "non-consumable", "--accounts", "1")
        self.api = Broken(urls[0])
        pipeline.executable("sluice-reconciler", *pipeline.verifying(), "--data.dir", pipeline.folder / "data", "--admin.port", "0",
                            *pipeline.api(self.api.address, urls[1]), "--reconciler.failures.interval", "30m", "--reconciler.failures.range", "1h",
                            "--reconciler.settle", "15s", conditions=clock)

    def completed(self):
        """Returns whether all sweeps of the history were completed once."""
        _, text = get(f"http://127.0.0.1:{self.pipeline.targets['sluice-reconciler']}/metrics")
        lines = [line for line in text.decode().splitlines() if line.startswith("sluice_reconciler_last_complete_timestamp_seconds")
                 and "statuses" not in line]
        return lines and all(float(line.split()[-1]) > 0 for line in lines)

    def hurry(self, condition, seconds, what):
        """Advances the clock through the waits of a sweep until a condition holds."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: not within {seconds} s")
            self.clock.set(self.clock.seconds + 20)
            time.sleep(0.5)


def behind(table, pipeline):
    """The API has been unavailable for four hours. The watch begins now."""
    reconciliation = Reconciliation(pipeline, Clock(pipeline.folder, "reconciler", -4 * HOUR))
    wait(reconciliation.completed, 60, "the sweeps of four hours ago are complete")
    reconciliation.api.isAway = True
    reconciliation.clock.set(0)
    start = time.monotonic()
    watch = Watch(pipeline)
    table.expect(watch, "Apple's API is away for four hours", ["SluiceReconciliationBehind"], start, 60)
    start = time.monotonic()
    reconciliation.api.isAway = False
    # According to the page the sweep continues automatically, after 15 minutes at most.
    reconciliation.clock.set(15 * 60)
    table.expect(watch, "the API answers again", ["SluiceReconciliationBehind"], start, 90, resolved=True)
    return watch, reconciliation


def unread(table, pipeline, watch, reconciliation):
    """Apple's history answers with an error for every range that contains one minute."""
    clock, start = reconciliation.clock, time.monotonic()
    minute = time.time() - 5 * 60
    reconciliation.api.minute = int(minute * 1000)
    clock.set(clock.seconds + 31 * 60)
    reconciliation.hurry(lambda: watch.first("SluiceReconciliationUnread", "firing", start), 300, "the minute is skipped")
    table.expect(watch, "Apple's history has one minute that cannot be read", ["SluiceReconciliationUnread"], start, 5)
    reconciliation.api.minute = None
    start = time.monotonic()
    pipeline.words["APP"] = APP.split(":")[0]
    pipeline.words["TIME"] = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(minute + side)) for side in (-60, 60)]
    fix("runbooks/reconciliation-behind.md", "sluicectl backfill --app APP --from TIME --to TIME", pipeline)
    reconciliation.hurry(lambda: watch.first("SluiceReconciliationUnread", "resolved", start), 120, "the next sweep is whole")
    table.expect(watch, "Apple's history can be read again", ["SluiceReconciliationUnread"], start, 5, resolved=True)


def run(table):
    pipeline = Days()
    watch, reconciliation = behind(table, pipeline)
    unread(table, pipeline, watch, reconciliation)
    legacy(table, pipeline, watch)
    pipeline.close()
