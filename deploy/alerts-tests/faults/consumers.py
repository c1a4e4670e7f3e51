"""Faults of consumers: the receiver of webhooks fails; Apple's API refuses the key until a refund request expires."""

import json
import time

from clock import HOUR, Clock
from firstlook import fix
from pipeline import Everything, free_port, wait
from watch import Watch


def refunds(pipeline, clock):
    """Runs sluice-refunds with a key that the simulated App Store does not know, and a request that waits."""
    untrusted = pipeline.authority("untrusted")
    rules = {"default": "noPreference",
             "consumption": {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": True}}
    (pipeline.folder / "rules.json").write_text(json.dumps(rules))
    port = free_port()
    arguments = [str(each).replace(str(pipeline.folder / "pki"), str(untrusted)) if "api.key" in str(each) else each
                 for each in pipeline.api(f"http://127.0.0.1:{port}")]
    pipeline.executable("sluice-refunds", *pipeline.verifying(), "--data.dir", pipeline.folder / "data", "--admin.port", "0",
                        *arguments, "--refunds.rules", pipeline.folder / "rules.json", conditions=clock)
    wait(lambda: pipeline.query("sluice_refunds_paused"), 20, "sluice-refunds is scraped")
    pipeline.start("refund-store", [
        pipeline.bin / "sluice-simulator", "post", "--url", pipeline.notifications, "--pki", pipeline.folder / "pki",
        "--scenario", "refund-request", "--accounts", "1", "--api-port", port, "--time-scale", "1"])


def late(table, pipeline, watch, clock):
    """The request waits until Apple's twelve hours are over."""
    pipeline.words["TRANSACTION"] = transaction = waiting(pipeline)
    start = time.monotonic()
    clock.set(10.5 * HOUR)
    table.expect(watch, "ten and a half hours later the key is still refused", ["SluiceRefundDeadline"], start, 60)
    start = time.monotonic()
    clock.set(13 * HOUR)
    table.expect(watch, "after thirteen hours", ["SluiceRefundMissed"], start, 60)
    if transaction not in pipeline.run("sluicectl", "refunds", "list", "--status", "missed"):
        table.failures.append(f"sluicectl refunds list --status missed does not name {transaction}")


def waiting(pipeline):
    """Returns the transaction of the waiting request."""
    due = json.loads(pipeline.run("sluicectl", "refunds", "due", "--output", "json"))
    return (due if isinstance(due, list) else [due])[0]["transactionId"]


def run(table):
    pipeline = Everything()
    pipeline.traffic()
    watch = Watch(pipeline)
    time.sleep(6)
    table.quiet(watch, "everything at work")

    start = time.monotonic()
    pipeline.receiver.status = 503
    pipeline.post("--scenario", "subscription-life", "--accounts", "2", "--first-run", "300")
    refunding = time.monotonic()
    clock = Clock(pipeline.folder, "refunds")
    refunds(pipeline, clock)
    table.expect(watch, "Apple's API refuses the key (401)", ["SluiceRefundUndecided", "SluiceRefundUnauthorized"], refunding, 60)
    late(table, pipeline, watch, clock)
    table.expect(watch, "the receiver answers everything with 503",
                 ["SluiceWebhooksNotDelivered", "SluiceRecordStuck", "SluiceConsumerLag"], start, 400)

    start = time.monotonic()
    pipeline.receiver.status = 410
    table.expect(watch, "the receiver answers 410", ["SluiceWebhooksStopped"], start, 60)
    start = time.monotonic()
    pipeline.receiver.status = 200
    fix("runbooks/webhooks-stopped.md", "sluicectl webhooks test", pipeline)
    stopped = next(each for each in pipeline.processes if each.name == "sluice-webhooks")
    stopped.stop()
    pipeline.executable("sluice-webhooks", *stopped.command[1:])
    table.expect(watch, "the receiver is corrected, sluice-webhooks is started again",
                 ["SluiceWebhooksStopped", "SluiceRecordStuck"], start, 60, resolved=True)
    pipeline.close()
