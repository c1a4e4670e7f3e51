"""Faults of Kafka: it is suspended, resumes, and is killed."""

import threading
import time

from pipeline import Everything, wait
from watch import Watch


class Posting:
    """Posts notifications while Kafka is unavailable; their responses are ignored."""

    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        number = 1000
        while not self.ended.is_set():
            number += 1
            self.pipeline.post("--scenario", "subscription-renewing", "--accounts", "2", "--first-run", number,
                               "--allow-failures", "--time-scale", "1000000", "--timeout", "6s", check=False)

    def end(self):
        self.ended.set()
        self.thread.join(timeout=30)


class Quick(Everything):
    """Starts the pipeline with limits of seconds in place of minutes."""

    def executable(self, name, *arguments, **options):
        if name == "sluice-entitlements":
            arguments = [*arguments, "--entitlements.staleness.limit", "10s"]
        return super().executable(name, *arguments, **options)


def run(table):
    pipeline = Quick()
    pipeline.traffic()
    watch = Watch(pipeline)
    time.sleep(6)
    table.quiet(watch, "everything at work")

    posting = Posting(pipeline)
    time.sleep(2)
    start = time.monotonic()
    pipeline.kafka.pause()
    table.expect(watch, "the broker stands still (SIGSTOP)",
                 ["SluiceKafkaUnavailable", "SluiceIngressAnswers503", "SluiceIngressNotReady"], start, 60)
    start = time.monotonic()
    pipeline.kafka.resume()
    table.expect(watch, "the broker goes on (SIGCONT)", ["SluiceIngressNotReady"], start, 60, resolved=True)

    wait(lambda: not pipeline.query("sluice_entitlements_facts_stale == 1 or sluice_ingress_ready == 0"), 60, "recovery")
    time.sleep(3)
    start = time.monotonic()
    pipeline.kafka.kill()
    table.expect(watch, "the broker is killed",
                 ["SluiceConsumerNotReady", "SluiceStateDisconnected", "SluiceFactsStale", "SluiceIngressNotReady"], start, 90)
    posting.end()

    start = time.monotonic()
    webhooks = next(each for each in pipeline.processes if each.name == "sluice-webhooks")
    webhooks.kill()
    table.expect(watch, "a process is killed", ["SluiceProcessDown"], start, 20)
    pipeline.close()
