"""The whole pipeline on this machine, for tests of dashboards and alerts: the embedded broker, every executable, a
simulated App Store, Prometheus and Alertmanager. Everything listens on loopback, on free ports, and is stopped by its
process id."""

import atexit
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
APP = "com.example.app:1234567890"
PRODUCTS = ["sluice-dev-broker", "sluice-ingress", "sluice-entitlements", "sluice-refunds", "sluice-reconciler",
            "sluice-archive", "sluice-webhooks", "sluice-simulator", "sluicectl"]
MISSING_TOOL = 77


def missing(what, fix):
    """Ends a test that cannot run."""
    print(f"{what} is missing: {fix}", flush=True)
    sys.exit(MISSING_TOOL)


def executables():
    """Returns the folder of the executables: BIN, or the debug build, or the release build."""
    candidates = [os.environ.get("BIN"), ROOT / ".build/debug", ROOT / ".build/release"]
    for folder in filter(None, candidates):
        if all(os.access(pathlib.Path(folder, name), os.X_OK) for name in PRODUCTS):
            return pathlib.Path(folder)
    missing("a build of the executables", "swift build, or BIN=folder.")


def debian(program, package):
    """Returns a program of a Debian package; deploy/tools installs it."""
    run = subprocess.run([ROOT / "deploy/tools", "debian", program, package], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        missing(program, f"apt-get install {package}.")
    return run.stdout.strip()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def get(url, timeout=5):
    """Returns status and body of a response; 0 and the reason if there is none."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError as error:
        return 0, str(error).encode()


def wait(condition, seconds, what):
    """Returns the first true value of a condition; ends the test if there is none in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise TimeoutError(f"{what}: not within {seconds} s")


class Process:
    """A program in the background, with its output in a file."""

    def __init__(self, name, command, log, environment):
        self.name = name
        self.command = [str(each) for each in command]
        self.log = log
        self.environment = environment
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "a") as output:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                            env=self.environment, cwd=self.log.parent)

    @property
    def is_running(self):
        return self.process.poll() is None

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if not self.is_running:
            return
        self.resume()
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()

    def lines(self):
        """Returns the JSON lines of the log."""
        for line in self.log.read_text(errors="replace").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue

    def text(self):
        return self.log.read_text(errors="replace")[-3000:]


class Pipeline:
    """Started processes in one temporary folder."""

    # The folder of the trusted certificates, and whether their responders are queried.
    pki = "pki"
    revocation = "off"

    def __init__(self):
        self.bin = executables()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-deploy."))
        self.processes = []
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder)}
        self.targets = {}
        # The settings of all executables in one file, as an operator would have it, and the words that replace names in
        # printed commands, such as TRANSACTION.
        self.settings = {}
        self.words = {}
        self.prometheus_address = None
        atexit.register(self.close)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    def close(self):
        for process in reversed(self.processes):
            process.stop()
        self.processes = []
        if os.environ.get("KEEP"):
            print(f"kept: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, name, command, conditions=None):
        # Each start has its own log, so that lines of the previous one are not read.
        environment = self.environment | (conditions.environment if conditions else {})
        process = Process(name, command, self.folder / f"{name}.{len(self.processes)}.log", environment)
        self.processes.append(process)
        return process

    def ready(self, process, field, message="ready", **having):
        """Returns a field of the line "ready" of a process."""

        def line():
            if not process.is_running:
                raise RuntimeError(f"{process.name} ended with {process.process.returncode}:\n{process.text()}")
            for each in process.lines():
                if each.get("message") == message and field in each and having.items() <= each.items():
                    return each

        return wait(line, 30, f"{process.name} is ready")[field]

    def run(self, name, *arguments, check=True, conditions=None):
        """Runs an executable to completion, and returns its output."""
        run = subprocess.run([self.bin / name, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                             env=self.environment | (conditions.environment if conditions else {}), timeout=120)
        if check and run.returncode != 0:
            raise RuntimeError(f"{name} {' '.join(map(str, arguments))} ended with {run.returncode}: {run.stderr[-2000:]}")
        return run.stdout

    def executable(self, name, *arguments, job=None, conditions=None):
        """Starts an executable and remembers its admin listener for Prometheus, under the job's name; with a clock or
        a library of its own where conditions are given."""
        label = job or name
        process = self.start(label, [self.bin / name, *arguments], conditions)
        if name != "sluice-dev-broker":
            line = {"listener": "admin"} if name == "sluice-ingress" else {"message": "admin listener ready"}
            self.targets[label] = self.ready(process, "port", **line)
            self.announce()
            self.remember(name, arguments, self.targets[label])
        return process

    def remember(self, name, arguments, admin):
        """Adds settings of an executable to sluice.properties in the folder, where sluicectl finds it."""
        given = list(map(str, arguments))
        for key, value in zip(given, given[1:]):
            if key.startswith("--") and not key.endswith(".port"):
                self.settings[key[2:]] = value
        self.settings[f"{name.removeprefix('sluice-')}.admin.url"] = f"http://127.0.0.1:{admin}"
        known = {key: value for key, value in self.settings.items()
                 if not key.endswith(".admin.url") or key in ("webhooks.admin.url", "reconciler.admin.url")}
        (self.folder / "sluice.properties").write_text("".join(f"{key}={value}\n" for key, value in known.items()))

    def broker(self, *arguments):
        process = self.executable("sluice-dev-broker", "--port", free_port(), *arguments)
        servers = self.ready(process, "bootstrapServers")
        self.environment |= {"SLUICE_KAFKA_BOOTSTRAP_SERVERS": servers, "SLUICE_PROFILE": "single-node"}
        return process

    def authority(self, name="pki", conditions=None):
        self.run("sluice-simulator", "pki", "--out", self.folder / name, conditions=conditions)
        return self.folder / name

    # Arguments of every program that verifies signatures.
    def verifying(self):
        return ["--apps", APP, "--root.certificates", self.folder / self.pki / "root.pem", "--revocation", self.revocation]

    def api(self, url, sandbox=None):
        arguments = ["--appstore.api.url", url, "--appstore.api.issuer.id", "57246542-96fe-1a63-e053-0824d011072a",
                     "--appstore.api.key.id", "2X9R4HXF34", "--appstore.api.key.file", self.folder / "pki/api.key.p8"]
        return arguments + (["--appstore.api.sandbox.url", sandbox] if sandbox else [])

    def ingress(self, *arguments, conditions=None):
        process = self.executable(
            "sluice-ingress", *self.verifying(), "--http.host", "127.0.0.1", "--http.port", "0", "--admin.port", "0",
            *arguments, conditions=conditions)
        port = self.ready(process, "port", listener="notifications")
        self.notifications = f"http://127.0.0.1:{port}/notifications"
        return process

    def post(self, *arguments, check=True):
        return self.run("sluice-simulator", "post", "--url", self.notifications, "--pki", self.folder / "pki",
                        *arguments, check=check)

    def prometheus(self, rules=None, alertmanager=None, interval="1s"):
        """Starts a real Prometheus that scrapes every executable, and returns its address."""
        port = free_port()
        configuration = {
            "global": {"scrape_interval": interval, "scrape_timeout": interval, "evaluation_interval": interval},
            "scrape_configs": [
                {"job_name": "sluice", "file_sd_configs": [{"files": [str(self.folder / "targets.json")], "refresh_interval": "1s"}]}],
        }
        self.announce()
        if rules:
            configuration["rule_files"] = [str(rules)]
        if alertmanager:
            configuration["alerting"] = {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]}
        # JSON is YAML.
        file = self.folder / "prometheus.yml"
        file.write_text(json.dumps(configuration))
        process = self.start("prometheus", [
            debian("prometheus", "prometheus"), "--config.file", file, "--storage.tsdb.path", self.folder / "prometheus",
            "--web.listen-address", f"127.0.0.1:{port}", "--log.level", "warn"])
        self.prometheus_process = process
        address = f"http://127.0.0.1:{port}"
        wait(lambda: get(f"{address}/-/ready")[0] == 200, 30, "Prometheus is ready")
        self.prometheus_address = address
        return address

    def announce(self):
        """Tells Prometheus which processes exist; it reads the file again when it changes."""
        targets = [{"targets": [f"127.0.0.1:{port}"], "labels": {"job": job}} for job, port in self.targets.items()]
        file = self.folder / "targets.json"
        file.with_suffix(".new").write_text(json.dumps(targets))
        file.with_suffix(".new").rename(file)

    def query(self, expression, at=None):
        """Returns the result of an expression, or raises an error with the reason."""
        parameters = {"query": expression} | ({"time": at} if at else {})
        status, body = get(f"{self.prometheus_address}/api/v1/query?{urllib.parse.urlencode(parameters)}", timeout=30)
        answer = json.loads(body or b"{}")
        if status != 200:
            raise ValueError(answer.get("error", body))
        return answer["data"]["result"]


class Receiver:
    """An HTTP server that stores the bodies posted to it."""

    def __init__(self, status=200):
        self.status = status
        self.bodies = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                receiver.bodies.append((time.monotonic(), body))
                self.send_response(receiver.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Everything(Pipeline):
    """Every executable, with the traffic of a quiet day: all scenarios, a refund that is answered, one notification that
    was never delivered, a forged one, one in quarantine."""

    def __init__(self):
        super().__init__()
        self.authority()
        self.kafka = self.broker()
        (self.folder / "shared-secret").write_text("0f1e2d3c4b5a69788796a5b4c3d2e1f0\n")
        bundle = APP.split(":")[0]
        # A file of credentials, so that a change of it is a metric; without TLS nothing reads it.
        self.ingress(f"--apps.{bundle}.shared.secret.file", self.folder / "shared-secret", "--kafka.ssl.ca.location",
                     self.folder / "pki/root.pem")
        life = ["--scenario", "non-consumable", "--accounts", "3", "--first-run", "50", "--seed", "4", "--undelivered",
                "33%", "--as-of", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())]
        self.life = life
        store = self.start("store", [self.bin / "sluice-simulator", "serve", *life, "--pki", self.folder / "pki",
                                     "--api-port", "0"])
        port, sandbox = self.ready(store, "port"), self.ready(store, "sandboxPort")
        self.store_urls = [f"http://127.0.0.1:{port}", f"http://127.0.0.1:{sandbox}"]
        self.consumers()

    def consumers(self):
        data = ["--data.dir", self.folder / "data", "--admin.port", "0"]
        reading = self.executable("sluice-entitlements", *data, "--http.port", "0", "--legacy.trust", "accept")
        self.entitlements = f"http://127.0.0.1:{self.ready(reading, 'port', listener='entitlements')}"
        self.settings["entitlements.url"] = self.entitlements
        self.receiver = Receiver()
        (self.folder / "webhooks").write_text("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n")
        self.executable("sluice-webhooks", *data, "--webhooks.url", self.receiver.url + "/purchases",
                        "--webhooks.secret.file", self.folder / "webhooks")
        self.run("sluicectl", "archive", "key", "signing", self.folder / "signing.pem", "--archive.origin", "example.com/test")
        self.run("sluicectl", "archive", "key", "encryption", self.folder / "kek")
        self.executable(
            "sluice-archive", *data, "--archive.url", self.folder / "archive", "--archive.origin", "example.com/test",
            "--archive.signing.key.file", self.folder / "signing.pem", "--archive.key.encryption.key.file",
            self.folder / "kek", "--archive.key.store", self.folder / "keys.sqlite", "--archive.flush.interval", "500ms")

    def later_consumers(self):
        """Starts the services that query Apple, after the notifications that they query about."""
        data = ["--data.dir", self.folder / "data", "--admin.port", "0"]
        self.executable("sluice-reconciler", *self.verifying(), *data, *self.api(*self.store_urls),
                        "--reconciler.failures.range", "30d")

    def traffic(self):
        """Posts everything, and returns when the simulator has the answers."""
        self.post("--scenario", "all", "--accounts", "24", "--seed", "7", "--duplicates", "10%", "--connections", "8")
        self.post("--scenario", "subscription-life", "--accounts", "2", "--first-run", "30", "--formats", "v1",
                  "--shared-secret-file", self.folder / "shared-secret")
        self.post(*self.life)
        self.authority("forged")
        self.run("sluice-simulator", "post", "--url", self.notifications, "--pki", self.folder / "forged",
                 "--environment", "sandbox", "--scenario", "test", "--accounts", "1", "--allow-failures")
        self.run("sluice-simulator", "post", "--url", self.notifications, "--pki", self.folder / "pki",
                 "--environment", "sandbox", "--scenario", "subscription-life", "--accounts", "2")

    def refund(self):
        """Refund requests that sluice-refunds answers, and Apple's decisions."""
        rules = {"default": "noPreference",
                 "consumption": {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": True},
                 "rules": [{"name": "by-hand", "when": {"environment": ["Sandbox"]}, "outcome": "hold"},
                           {"name": "coins", "when": {"product": ["com.example.app.coins.*"]}, "outcome": "decline",
                            "consumption": {"consumptionPercentage": 100000}}]}
        (self.folder / "rules.json").write_text(json.dumps(rules))
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        self.executable("sluice-refunds", *self.verifying(), "--data.dir", self.folder / "data", "--admin.port", "0",
                        *self.api(url), "--refunds.rules", self.folder / "rules.json")
        if self.prometheus_address:
            wait(lambda: self.query("sluice_refunds_paused"), 20, "sluice-refunds is scraped")
        store = self.start("refund-store", [
            self.bin / "sluice-simulator", "post", "--url", self.notifications, "--pki", self.folder / "pki",
            "--scenario", "refund-request", "--accounts", "2", "--seed", "2", "--api-port", port, "--time-scale", "3600",
            "--decision-delay", "1h"])
        wait(lambda: not store.is_running, 60, "refunds are decided")
        if store.process.returncode != 0:
            raise RuntimeError(store.text())
        # One request waits for a person.
        self.start("waiting-store", [
            self.bin / "sluice-simulator", "post", "--url", self.notifications, "--pki", self.folder / "pki",
            "--environment", "sandbox", "--scenario", "refund-request", "--accounts", "1", "--first-run", "40",
            "--api-port", "0", "--time-scale", "1"])

    def more(self, seed):
        """Repeats a little of everything: reads, a forged notification, version 1."""
        self.run("sluice-simulator", "post", "--url", self.notifications, "--pki", self.folder / "forged",
                 "--environment", "sandbox", "--scenario", "test", "--accounts", "1", "--allow-failures")
        self.post("--scenario", "subscription-life", "--accounts", "1", "--first-run", seed * 100 + 50, "--formats", "v1",
                  "--shared-secret-file", self.folder / "shared-secret")
        for identifier in range(5):
            get(f"{self.entitlements}/v1/entitlements?originalTransactionId={identifier}")
