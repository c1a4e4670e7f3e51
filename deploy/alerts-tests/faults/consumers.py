"""The receiver of webhooks fails, Apple's API refuses the key."""

import json
import time

from pipeline import APP, Everything, free_port, wait
from watch import Watch


def refunds(pipeline):
    """sluice-refunds with a key that the simulated App Store does not know, and a request that waits for it."""
    untrusted = pipeline.authority("untrusted")
    rules = {"default": "noPreference",
             "consumption": {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": True}}
    (pipeline.folder / "rules.json").write_text(json.dumps(rules))
    port = free_port()
    arguments = [str(each).replace(str(pipeline.folder / "pki"), str(untrusted)) if "api.key" in str(each) else each
                 for each in pipeline.api(f"http://127.0.0.1:{port}")]
    pipeline.executable("sluice-refunds", *pipeline.verifying(), "--data.dir", pipeline.folder / "data", "--admin.port", "0",
                        *arguments, "--refunds.rules", pipeline.folder / "rules.json")
    wait(lambda: pipeline.query("sluice_refunds_paused"), 20, "sluice-refunds is scraped")
    pipeline.start("refund-store", [
        pipeline.bin / "sluice-simulator", "post", "--url", pipeline.notifications, "--pki", pipeline.folder / "pki", "--app", APP,
        "--scenario", "refund-request", "--accounts", "1", "--api-port", port, "--time-scale", "1"])


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
    refunds(pipeline)
    table.expect(watch, "Apple's API refuses the key (401)", ["SluiceRefundUndecided", "SluiceRefundUnauthorized"], refunding, 60)
    table.expect(watch, "the receiver answers everything with 503",
                 ["SluiceWebhooksNotDelivered", "SluiceRecordStuck", "SluiceConsumerLag"], start, 400)

    start = time.monotonic()
    pipeline.receiver.status = 410
    table.expect(watch, "the receiver answers 410", ["SluiceWebhooksStopped"], start, 60)
    pipeline.close()
