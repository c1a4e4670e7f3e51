"""Faults of retention: the broker deletes records that consumers have not read."""

import time

from pipeline import wait
from archive import Archive
from watch import Watch


class OnePartition(Archive):
    """The embedded broker keeps 5 MiB of each partition: one partition is used, so that few records suffice."""

    def broker(self, *arguments):
        return super().broker("--partitions", "1", *arguments)

    def entitled(self):
        return self.executable("sluice-entitlements", "--data.dir", self.folder / "data", "--admin.port", "0", "--http.port", "0")


def run(table):
    pipeline = OnePartition()
    archive, entitlements = pipeline.begin(), pipeline.entitled()
    pipeline.more(1)
    watch = Watch(pipeline)
    wait(lambda: pipeline.query("sluice_consumer_lag_records"), 30, "the consumers are scraped")
    pipeline.settled()
    archive.stop()
    entitlements.stop()
    pipeline.post("--scenario", "subscription-life", "--notifications", "2500", "--accounts", "100", "--first-run", "100")
    start = time.monotonic()
    pipeline.entitled()
    pipeline.begin()
    table.expect(watch, "more than the broker keeps arrived while the consumers were stopped",
                 ["SluiceOffsetOutOfRange", "SluiceArchiveIncomplete"], start, 60)
    pipeline.close()
