"""An installation whose members can be replaced one by one with executables of another release."""

import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "testing"))
from pipeline import Pipeline, free_port, get, wait  # noqa: E402

PREVIOUS, PRESENT = "previous", "present"
WRONG_CONFIGURATION = 78
# Stateless members first, then readers of the state before its writers, and the members of a group one after another.
ORDER = ["ingress", "entitlements-1", "entitlements-2", "refunds", "reconciler", "webhooks", "archive"]


class Refused(Exception):
    """The error for an executable that ended with 78 at startup, with the reason."""


class Receiver:
    """Receives webhooks, and stores the bodies of each webhook-id in order of arrival."""

    def __init__(self):
        self.bodies = {}
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                receiver.bodies.setdefault(self.headers["webhook-id"], []).append(body)
                self.send_response(204)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Installation(Pipeline):
    """The members by name, each with its process and release; `bins` are the folders of the executables."""

    def __init__(self, name, kafka=None):
        super().__init__()
        self.label = name
        self.bins = {PREVIOUS: pathlib.Path(os.environ["PREVIOUS_BIN"]), PRESENT: self.bin}
        self.members = {}
        self.reading = {}
        self.receiver = Receiver()
        self.notification_port = free_port()
        self.notifications = f"http://127.0.0.1:{self.notification_port}/notifications"
        if kafka:
            self.environment |= {"SLUICE_KAFKA_BOOTSTRAP_SERVERS": kafka, "SLUICE_PROFILE": "single-node",
                                 "SLUICE_TOPICS_PREFIX": f"{name}"}
            self.prefix = name
        else:
            self.broker("--partitions", "6", "--groups", "sluice-webhooks")
            self.prefix = "appstore"
        self.is_kafka = bool(kafka)

    def use(self, authority):
        """Copies the certificates and keys of another installation, so that both accept the same notifications."""
        if authority is None:
            self.authority()
            (self.folder / "webhooks").write_text("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n")
            self.run("sluicectl", "archive", "key", "signing", self.folder / "signing.pem", "--archive.origin",
                     "example.com/test")
            self.run("sluicectl", "archive", "key", "encryption", self.folder / "kek")
        else:
            shutil.copytree(authority / "pki", self.folder / "pki")

    def arguments(self, name):
        """Returns executable and arguments of a member: settings that both releases support."""
        data = ["--data.dir", self.folder / f"data-{name}", "--admin.port", "0"]
        match name:
            case "ingress":
                return ["sluice-ingress", *self.verifying(), "--http.host", "127.0.0.1", "--http.port",
                        self.notification_port, "--admin.port", "0"]
            case "entitlements-1" | "entitlements-2":
                return ["sluice-entitlements", *data, "--http.port", "0"]
            case "refunds":
                return ["sluice-refunds", *self.verifying(), *data, *self.api(*self.store),
                        "--refunds.rules", self.folder / "rules.json"]
            case "reconciler":
                return ["sluice-reconciler", *self.verifying(), *data, *self.api(*self.history),
                        "--reconciler.failures.range", "30d"]
            case "webhooks":
                return ["sluice-webhooks", *data, "--webhooks.url", self.receiver.url, "--webhooks.secret.file",
                        self.folder / "webhooks", "--webhooks.content", "notification", "--webhooks.environments",
                        "Production"]
            case "archive":
                return ["sluice-archive", *data, *self.archive(), "--archive.flush.interval", "500ms"]
        raise ValueError(name)

    def archive(self):
        return ["--archive.url", self.folder / "archive", "--archive.origin", "example.com/test",
                "--archive.signing.key.file", self.folder / "signing.pem", "--archive.key.encryption.key.file",
                self.folder / "kek", "--archive.key.store", self.folder / "keys.sqlite"]

    def begin(self, name, release):
        """Starts a member and waits until it is ready.

        - Raises Refused where it ends with 78."""
        program, *arguments = self.arguments(name)
        process = self.start(f"{name}-{release}", [self.bins[release] / program, *arguments])
        line = {"listener": "admin"} if name == "ingress" else {"message": "admin listener ready"}

        def admin():
            if not process.is_running:
                if process.process.returncode == WRONG_CONFIGURATION:
                    raise Refused(process.text())
                raise RuntimeError(f"{name} ended with {process.process.returncode}:\n{process.text()}")
            return next((each["port"] for each in process.lines() if "port" in each and line.items() <= each.items()), None)

        def ready():
            port = admin()
            return port and get(f"http://127.0.0.1:{port}/readyz")[0] == 200

        wait(ready, 90, f"{name} of the {release} release is ready")
        self.members[name] = process
        if name.startswith("entitlements"):
            port = self.ready(process, "port", listener="entitlements")
            self.reading[name] = f"http://127.0.0.1:{port}"

    def end(self, name):
        process = self.members.pop(name)
        process.process.terminate()
        code = process.process.wait(timeout=60)
        if code != 0:
            raise RuntimeError(f"{name} ended with {code} after SIGTERM:\n{process.text()}")

    def command(self, release, *arguments):
        """Returns the output of a release's sluicectl."""
        run = subprocess.run([self.bins[release] / "sluicectl", *map(str, arguments)], capture_output=True, text=True,
                             env=self.environment, cwd=self.folder, timeout=300)
        return run.returncode, run.stdout, run.stderr

    def published(self, release):
        """Returns the notificationUUIDs in the notification topic, with their numbers of occurrences."""
        code, output, errors = self.command(release, "tap", "--output", "json", "--no-follow", "--from", "beginning")
        if code != 0:
            raise RuntimeError(f"tap: {errors}")
        counts = {}
        for record in map(json.loads, output.splitlines()):
            identifier = record["headers"]["ce_id"] if "headers" in record else record["notificationUUID"]
            counts[identifier] = counts.get(identifier, 0) + 1
        return counts

    def purchases(self, member):
        """Returns the keys of all purchases that a member knows."""
        keys, after = [], ""
        while True:
            status, body = get(f"{self.reading[member]}/v1/purchases?limit=100{after}")
            if status != 200:
                return None
            page = json.loads(body)
            keys += page["purchases"]
            if not page.get("next"):
                return keys
            after = f"&after={page['next']}"
