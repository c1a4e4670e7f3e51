"""Faults that need a real broker: a missing topic, a limit of a topic, a quota. KAFKA_HOME names Apache Kafka, with
`bin/test-cluster`; without it they are skipped."""

import base64
import os
import pathlib
import shutil
import subprocess
import time

from firstlook import fix
from pipeline import Pipeline, wait
from watch import Watch

INPUT = "appstore.notifications.production"
LETTERS = f"{INPUT}.sluice-entitlements.dlq"


class Apache(Pipeline):
    def __init__(self):
        super().__init__()
        self.home = pathlib.Path(os.environ["KAFKA_HOME"])
        self.cluster = self.folder / "kafka"
        self.authority()
        started = self.tool("test-cluster", "start", self.cluster)
        servers = next(line.split("=")[1] for line in started.splitlines() if line.startswith("BOOTSTRAP_SERVERS="))
        self.environment |= {"SLUICE_KAFKA_BOOTSTRAP_SERVERS": servers, "SLUICE_PROFILE": "single-node"}
        self.words["B"] = servers
        self.run("sluicectl", "topics", "apply")
        self.ingress()

    def close(self):
        super().close()
        if hasattr(self, "cluster") and self.cluster.exists():
            self.tool("test-cluster", "stop", self.cluster)

    def tool(self, name, *arguments, input=None):
        server = [] if name == "test-cluster" else ["--bootstrap-server", self.words["B"]]
        run = subprocess.run([self.home / "bin" / name, *server, *map(str, arguments)], input=input, capture_output=True, text=True,
                             timeout=120)
        if run.returncode != 0:
            raise RuntimeError(f"{name} {arguments} ended with {run.returncode}: {run.stdout[-500:]}{run.stderr[-1500:]}")
        return run.stdout

    def configure(self, kind, name, setting, remove=False):
        entity = ["--entity-default"] if name is None else ["--entity-name", name]
        change = ["--delete-config", setting.split("=")[0]] if remove else ["--add-config", setting]
        self.tool("kafka-configs.sh", "--alter", "--entity-type", kind, *entity, *change)

    def entitled(self):
        return self.executable("sluice-entitlements", "--data.dir", self.folder / "data", "--admin.port", "0", "--http.port", "0")

    def poison(self, size):
        """Returns a record that is not a notification, and is hardly compressible."""
        self.tool("kafka-console-producer.sh", "--topic", INPUT, input=base64.b64encode(os.urandom(size)).decode() + "\n")

    def quota(self, remove=False):
        self.configure("clients", None, "consumer_byte_rate=1500", remove)


def letters(table, pipeline, watch):
    start = time.monotonic()
    pipeline.tool("kafka-topics.sh", "--delete", "--topic", LETTERS)
    pipeline.poison(20)
    table.expect(watch, "the dead letter topic is deleted", ["SluiceDeadLetterFailures"], start, 120)
    start = time.monotonic()
    fix("runbooks/dead-letter-failures.md", "sluicectl topics apply", pipeline)
    wait(lambda: pipeline.query('sluice_consumer_records_total{outcome="dead-lettered"} > 0'), 120, "the letter is written")

    start = time.monotonic()
    pipeline.configure("topics", LETTERS, "max.message.bytes=4000")
    pipeline.poison(9000)
    table.expect(watch, "the dead letter topic takes less than its input", ["SluiceDeadLettersTruncated"], start, 60)
    pipeline.configure("topics", LETTERS, "max.message.bytes=4000", remove=True)


def restore(table, pipeline, watch, entitlements):
    entitlements.stop()
    shutil.rmtree(pipeline.folder / "data")
    pipeline.quota()
    start = time.monotonic()
    entitlements = pipeline.entitled()
    # Kafka delays the response to a fetch until it is within the quota, or the client closes the connection.
    told = ("state is being restored", "state reader error")
    wait(lambda: any(line.get("message") in told for line in entitlements.lines()), 90, "a restore that lasts")
    table.expect(watch, "a lost database, and a quota of 1,500 bytes a second", ["SluiceStateNotComplete"], start, 60)
    start = time.monotonic()
    pipeline.quota(remove=True)
    table.expect(watch, "the quota is gone", ["SluiceStateNotComplete"], start, 120, resolved=True)


def run(table):
    if not os.environ.get("KAFKA_HOME"):
        return table.leave_out(["SluiceDeadLetterFailures", "SluiceDeadLettersTruncated"], "no Apache Kafka (KAFKA_HOME)")
    pipeline = Apache()
    entitlements = pipeline.entitled()
    pipeline.post("--scenario", "subscription-life", "--accounts", "60")
    watch = Watch(pipeline)
    wait(lambda: pipeline.query("sum(sluice_consumer_lag_records) == 0"), 60, "everything is read")
    table.quiet(watch, "Apache Kafka at work")
    letters(table, pipeline, watch)
    restore(table, pipeline, watch, entitlements)
    pipeline.close()
