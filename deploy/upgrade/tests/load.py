"""Notifications that arrive while members are replaced."""

import json
import subprocess
import threading
import time

from pipeline import free_port, get

AS_OF = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def report(file):
    """Returns the notificationUUIDs that a simulator's report lists as acknowledged, and those never posted."""
    acknowledged, undelivered = set(), set()
    for line in map(json.loads, file.read_text().splitlines()):
        if line.get("undelivered"):
            undelivered.add(line["notificationUUID"])
        elif 200 <= line.get("status", 0) <= 206:
            acknowledged.add(line["notificationUUID"])
    return acknowledged, undelivered


class Load:
    """Posts life cycles of new customers until stopped, with some notifications repeated and some late."""

    customers = 24

    def __init__(self, installation):
        self.installation = installation
        self.acknowledged = set()
        self.batches = 0
        self.failure = None
        self.thread = None

    def begin(self):
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def end(self):
        self.stopping.set()
        self.thread.join(timeout=180)
        if self.thread.is_alive() or self.failure:
            raise RuntimeError(f"the simulator: {self.failure or 'does not end'}")

    def run(self):
        try:
            while not self.stopping.is_set():
                self.post("--scenario", "all", "--accounts", self.customers, "--first-run", 100 * self.batches, "--rate",
                          "25", "--duplicates", "10%", "--disorder", "5%", "--seed", 7 + self.batches)
                self.batches += 1
        except Exception as error:  # set by end()
            self.failure = error

    def post(self, *arguments):
        """Runs the simulator to completion, and returns the notifications that were never posted."""
        file = self.installation.folder / f"report-{threading.get_ident()}-{time.monotonic_ns()}"
        self.installation.run(
            "sluice-simulator", "post", "--url", self.installation.notifications, "--pki", self.installation.folder / "pki",
            "--as-of", AS_OF, "--report", file, *arguments)
        acknowledged, undelivered = report(file)
        self.acknowledged |= acknowledged
        return undelivered


class RefundLoad:
    """Customers who request refunds, and the App Store, which accepts one answer for each request and decides."""

    customers = 8

    def __init__(self, installation, port, first_run):
        self.file = installation.folder / f"refunds-{first_run}"
        self.output = installation.folder / f"refunds-{first_run}.json"
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [str(each) for each in [
                    installation.bin / "sluice-simulator", "post", "--url", installation.notifications, "--pki",
                    installation.folder / "pki", "--scenario", "refund-request", "--accounts", self.customers,
                    "--first-run", first_run, "--rate", "1", "--api-port", port, "--time-scale", "3600",
                    "--decision-delay", "20h", "--output", "json", "--report", self.file]],
                stdout=output, stderr=subprocess.STDOUT, env=installation.environment, cwd=installation.folder)
        self.address = f"http://127.0.0.1:{port}/simulator/consumption"
        self.answers = ""

    def end(self):
        """Returns what was acknowledged. Each decision follows its answer by 20 seconds, in which it is read here."""
        deadline = time.monotonic() + 180
        while self.process.poll() is None and time.monotonic() < deadline:
            status, body = get(self.address)
            if status == 200:
                self.answers = body.decode()
            time.sleep(0.1)
        self.process.kill()
        code = self.process.wait()
        if code != 0:
            raise RuntimeError(f"the simulator of refunds ended with {code}: {self.output.read_text()[-2000:]}")
        return report(self.file)[0]

    def accepted(self):
        """Returns the transactions of the accepted answers, one for each answer."""
        return [answer["transactionId"] for answer in map(json.loads, self.answers.splitlines()) if answer["accepted"]]


class History:
    """An App Store whose history contains undelivered notifications."""

    def __init__(self, installation):
        self.life = ["--scenario", "non-consumable", "--accounts", "6", "--first-run", "900000", "--seed", "4",
                     "--undelivered", "33%"]
        process = installation.start("history", [
            installation.bin / "sluice-simulator", "serve", *self.life, "--as-of", AS_OF, "--pki", installation.folder / "pki",
            "--api-port", free_port()])
        self.urls = [f"http://127.0.0.1:{installation.ready(process, field)}" for field in ("port", "sandboxPort")]
