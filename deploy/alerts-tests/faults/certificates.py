"""Faults of Apple's certificates: they expire, are revoked, or their status is unavailable."""

import time

import authority
from clock import DAY, HOUR, Clock
from ingress import Requests, expect, notification
from pipeline import Pipeline, wait
from watch import Watch


class Certified(Requests):
    """An ingress with an adjustable clock, and notifications signed under an authority of its own."""

    def serve(self, pki, revocation, clock):
        self.pki, self.revocation = pki, revocation
        return Pipeline.ingress(self, conditions=clock)

    def ingress(self, *arguments, **options):
        """Starts no process: each fault starts its own."""

    def now(self, clock):
        """Returns a notification that is signed at the current time of a clock."""
        moment = int((time.time() + clock.seconds) * 1000)
        return self.signed(notification(signedDate=moment))


def expired(table, pipeline, watch):
    # Leaves are valid for a year around the time of their creation: this one for another hour.
    pipeline.authority("expiring", conditions=Clock(pipeline.folder, "made", -365 * DAY + HOUR))
    clock = Clock(pipeline.folder, "ahead", 2 * HOUR)
    start = time.monotonic()
    process = pipeline.serve("expiring", "off", clock)
    expect(table, "an hour outside the validity", pipeline.send(pipeline.now(clock)), 503)
    (pipeline.folder / "body.json").write_text(pipeline.now(clock))
    table.expect(watch, "the clock is an hour ahead of the end of a certificate", ["SluiceCertificateTime"], start, 20)
    # This is the page's fix. A corrected clock is trusted after a minute.
    clock.set(0)
    pipeline.send(pipeline.now(clock))
    wait(lambda: pipeline.send(pipeline.now(clock)) == 200, 90, "the corrected clock is believed")
    process.stop()


def revoked(table, pipeline, watch):
    leaf, intermediate = authority.Responder(pipeline, "leaf"), authority.Responder(pipeline, "intermediate")
    authority.make(pipeline.folder / "answered", leaf.url, intermediate.url)
    clock = Clock(pipeline.folder, "revoked")
    process = pipeline.serve("answered", "soft", clock)
    start = time.monotonic()
    expect(table, "an unknown status with revocation=soft", pipeline.send(pipeline.now(clock)), 200)
    (pipeline.folder / "body.json").write_text(pipeline.now(clock))
    wait(lambda: pipeline.query("sluice_ingress_revocation_certificates{state='unknown'} > 0"), 20, "the responders were asked")
    clock.go_by(310)
    expect(table, "an unknown status five minutes later", pipeline.send(pipeline.now(clock)), 200)
    table.expect(watch, "Apple's OCSP responders do not answer", ["SluiceRevocationUnknown"], start, 60)

    start = time.monotonic()
    leaf.answer()
    intermediate.answer()
    clock.go_by(11 * 60)
    pipeline.send(pipeline.now(clock))
    table.expect(watch, "the responders answer", ["SluiceRevocationUnknown"], start, 60, resolved=True)
    process.stop()

    start = time.monotonic()
    leaf.revoke()
    clock.set(0)
    process = pipeline.serve("answered", "soft", clock)
    pipeline.send(pipeline.now(clock))
    table.expect(watch, "the responder says that the leaf is revoked", ["SluiceRevoked"], start, 60)
    expect(table, "a notification under a revoked certificate", pipeline.send(pipeline.now(clock)), 403)
    process.stop()


def run(table):
    pipeline = Certified()
    watch = Watch(pipeline)
    expired(table, pipeline, watch)
    revoked(table, pipeline, watch)
    pipeline.close()
