"""Faults that arrive as requests, and affect only the ingress."""

import base64
import json
import time
import urllib.error
import urllib.request
import uuid

from memory import damage
from pipeline import APP, Pipeline, wait
from preloaded import BrokenLibrary
from watch import Watch


def post(url, body):
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def notification(**changes):
    """Returns the payload of a test notification of the app."""
    bundle, app = APP.split(":")
    payload = {"notificationType": "TEST", "notificationUUID": str(uuid.uuid4()), "version": "2.0",
               "signedDate": int(time.time() * 1000),
               "data": {"appAppleId": int(app), "bundleId": bundle, "environment": "Production"}}
    return {**payload, **changes}


class Requests(Pipeline):
    def __init__(self):
        super().__init__()
        self.authority()
        self.broker()
        secret = self.folder / "shared-secret"
        secret.write_text("0f1e2d3c4b5a69788796a5b4c3d2e1f0\n")
        self.ingress("--quarantine.bytes.per.hour", "1MiB", f"--apps.{APP.split(':')[0]}.shared.secret.file", secret)

    def signed(self, payload):
        file = self.folder / "payload.json"
        file.write_text(json.dumps(payload))
        return self.run("sluice-simulator", "sign", file, "--pki", self.folder / self.pki).strip()

    def send(self, jws):
        return post(self.notifications, json.dumps({"signedPayload": jws}).encode())

    def forge(self, jws):
        """Returns the notification with another signature of the right length."""
        head, payload, signature = jws.split(".")
        raw = bytearray(base64.urlsafe_b64decode(signature + "=="))
        raw[40] ^= 1
        return ".".join([head, payload, base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("=")])


def damaged_table(table, pipeline, watch):
    """Damages the memory that contains the multiples of a key."""
    next(each for each in reversed(pipeline.processes) if each.name == "sluice-ingress").stop()
    process = pipeline.ingress("--verification.tables", "on", "--verification.tables.recheck", "1")
    pipeline.send(pipeline.signed(notification()))
    wait(lambda: pipeline.query("sluice_ingress_tables > 0"), 20, "a table is made")
    start = time.monotonic()
    damage(process.process.pid, pipeline.folder / pipeline.pki / "leaf.pem")
    # OpenSSL's result is used.
    expect(table, "a table is damaged", pipeline.send(pipeline.signed(notification())), 200)
    table.expect(watch, "the memory of a table is damaged", ["SluiceTableFault"], start, 20)


def broken_library(table, pipeline, watch):
    """The failure of a library is a local fault, and no reason to refuse a notification permanently."""
    next(each for each in reversed(pipeline.processes) if each.name == "sluice-ingress").stop()
    library = BrokenLibrary(pipeline.folder)
    pipeline.ingress(conditions=library)
    start = time.monotonic()
    library.breaks()
    for _ in range(2):
        expect(table, "libcrypto fails", pipeline.send(pipeline.signed(notification())), 503)
        time.sleep(1.5)
    table.expect(watch, "libcrypto cannot verify signatures", ["SluiceInconsistency"], start, 20)
    library.is_mended()
    expect(table, "libcrypto is mended", pipeline.send(pipeline.signed(notification())), 200)


def expect(table, what, status, expected):
    """Checks the response to a request."""
    if status != expected:
        table.failures.append(f"{what}: answered {status}, expected {expected}")
        print(f"  failed: {table.failures[-1]}", flush=True)


def run(table):
    pipeline = Requests()
    watch = Watch(pipeline)
    time.sleep(5)
    table.quiet(watch, "ingress at rest")

    start = time.monotonic()
    jws = pipeline.signed(notification())
    (pipeline.folder / "body.json").write_text(json.dumps({"signedPayload": pipeline.forge(jws)}))
    pipeline.send(pipeline.forge(jws))
    wait(lambda: pipeline.query('sluice_ingress_decisions_total{reason="signature"}'), 10, "the first one is scraped")
    for _ in range(15):
        pipeline.send(pipeline.forge(jws))
    table.expect(watch, "16 notifications with a wrong signature under a trusted chain, none accepted", ["SluiceSignatureFailed"], start, 20)

    start = time.monotonic()
    pipeline.send(pipeline.signed(notification(signedDate=int(time.time() * 1000) + 48 * 3_600_000)))
    table.expect(watch, "a notification signed 48 hours ahead of this machine's clock", ["SluiceClock"], start, 20)

    start = time.monotonic()
    for _ in range(2):
        post(pipeline.notifications, json.dumps({
            "notification_type": "DID_RENEW", "environment": "PROD", "password": "00000000000000000000000000000000",
            "bid": APP.split(":")[0], "unified_receipt": {"environment": "Production", "status": 0}}).encode())
        wait(lambda: pipeline.query("sluice_ingress_legacy_passwords_total"), 10, "the first one is scraped")
    table.expect(watch, "version 1 bodies with a wrong password, none with the right one", ["SluiceLegacyPasswords"], start, 20)

    start = time.monotonic()
    for number in range(12):
        pipeline.send(pipeline.signed(notification(data={**notification()["data"], "environment": number, "padding": "x" * 60_000})))
    table.expect(watch, "12 authentic notifications that cannot be understood, 60 KB each",
                 ["SluiceQuarantineGrowing", "SluiceQuarantineBudget"], start, 30)

    start = time.monotonic()
    next(each for each in pipeline.processes if each.name == "sluice-ingress").stop()
    pipeline.ingress("--kafka.message.max.bytes", "1000")
    if pipeline.send(pipeline.signed(notification())) != 503:
        table.failures.append("an ingress with kafka.message.max.bytes=1000 took a notification whose record is larger")
    table.expect(watch, "an authentic notification, and kafka.message.max.bytes=1000", ["SluiceRecordTooLarge"], start, 20)

    damaged_table(table, pipeline, watch)
    broken_library(table, pipeline, watch)
    pipeline.close()
