"""Faults of state: the disk of the databases is full."""

import subprocess
import time

from pipeline import Pipeline, wait
from watch import Watch


class Databases(Pipeline):
    def __init__(self):
        super().__init__()
        self.authority()
        self.broker()
        self.ingress()
        (self.folder / "data").mkdir()

    def begin(self):
        return self.executable("sluice-entitlements", "--data.dir", self.folder / "data", "--admin.port", "0", "--http.port", "0")


def fill(folder):
    """Writes a file until the disk is full."""
    size = 1 << 16
    with open(folder / "filler", "wb", buffering=0) as filler:
        while size:
            try:
                filler.write(b"x" * size)
            except OSError:
                size //= 2


def run(table):
    pipeline = Databases()
    folder = pipeline.folder / "data"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], capture_output=True).returncode != 0:
        table.leave_out(["SluiceStateNotWritable", "SluiceStateStalled", "SluiceStateNotComplete"],
                        "no right to mount a file system of 8 MiB")
        return pipeline.close()
    try:
        pipeline.begin()
        pipeline.post("--scenario", "subscription-renewing", "--accounts", "12")
        watch = Watch(pipeline)
        wait(lambda: pipeline.query("sum(sluice_consumer_lag_records) == 0"), 30, "everything is read")
        table.quiet(watch, "a database at work")
        start = time.monotonic()
        fill(folder)
        for number in range(1, 5):
            pipeline.post("--scenario", "subscription-life", "--accounts", "12", "--first-run", 10 * number)
        table.expect(watch, "the disk of data.dir is full", ["SluiceStateNotWritable"], start, 60)
        table.expect(watch, "the disk of data.dir stays full", ["SluiceStateStalled", "SluiceStateNotComplete"], start, 90)
        start = time.monotonic()
        (folder / "filler").unlink()
        table.expect(watch, "space was freed", ["SluiceStateNotWritable", "SluiceStateStalled"], start, 60, resolved=True)
    finally:
        # The folder is removed with the others.
        subprocess.run(["umount", "--lazy", folder], capture_output=True)
        pipeline.close()
