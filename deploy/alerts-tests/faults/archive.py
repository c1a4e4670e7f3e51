"""The archive's files are changed, its disk is full."""

import shutil
import subprocess
import time

from pipeline import Pipeline, wait
from watch import Watch


class Archive(Pipeline):
    def __init__(self):
        super().__init__()
        self.authority()
        self.broker()
        self.ingress()
        (self.folder / "keys").mkdir()
        self.run("sluicectl", "archive", "key", "signing", self.folder / "signing.pem", "--archive.origin", "example.com/test")
        self.run("sluicectl", "archive", "key", "encryption", self.folder / "kek")

    def begin(self):
        return self.executable(
            "sluice-archive", "--data.dir", self.folder / "data", "--admin.port", "0", "--archive.url", self.folder / "archive",
            "--archive.origin", "example.com/test", "--archive.signing.key.file", self.folder / "signing.pem",
            "--archive.key.encryption.key.file", self.folder / "kek", "--archive.key.store", self.folder / "keys/keys.sqlite",
            "--archive.anchor.url", self.folder / "anchor", "--archive.flush.interval", "500ms",
            "--archive.anchor.interval", "1s")

    def more(self, number):
        self.post("--scenario", "subscription-renewing", "--accounts", "6", "--first-run", number)

    def checkpoints(self):
        return sorted((self.folder / "archive").glob("appstore.notifications.production/*/checkpoint"))

    def settled(self):
        """Waits until everything is archived."""
        wait(lambda: not any(float(each["value"][1]) for each in self.query("sluice_consumer_lag_records")), 30, "all is archived")


def run(table):
    pipeline = Archive()
    archive = pipeline.begin()
    pipeline.more(1)
    watch = Watch(pipeline)
    time.sleep(6)
    pipeline.settled()
    table.quiet(watch, "archive at work")

    archive.stop()
    saved = pipeline.folder / "saved"
    shutil.copytree(pipeline.folder / "archive", saved)
    archive = pipeline.begin()
    pipeline.more(5)
    time.sleep(3)
    pipeline.settled()
    archive.stop()
    for checkpoint in pipeline.checkpoints():
        text = bytearray(checkpoint.read_bytes())
        text[-10] ^= 1
        checkpoint.write_bytes(bytes(text))
    start = time.monotonic()
    archive = pipeline.begin()
    pipeline.more(10)
    table.expect(watch, "the signatures of checkpoints are changed", ["SluiceArchiveTampered"], start, 60)
    archive.stop()
    shutil.rmtree(pipeline.folder / "archive")
    shutil.copytree(saved, pipeline.folder / "archive")

    start = time.monotonic()
    archive = pipeline.begin()
    table.expect(watch, "an older copy of the archive is put in its place", ["SluiceArchiveRolledBack"], start, 60)
    archive.stop()
    for name, place in [("SluiceArchiveDiskFull", "archive"), ("SluiceArchiveKeyStore", "keys")]:
        disk_full(table, watch, pipeline, name, place)
    pipeline.close()


def disk_full(table, watch, pipeline, name, place):
    """A new archive with one of its folders on a file system of 1 MiB, which is filled."""
    for each in ["archive", "keys", "anchor"]:
        shutil.rmtree(pipeline.folder / each, ignore_errors=True)
        (pipeline.folder / each).mkdir()
    folder = pipeline.folder / place
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True).returncode != 0:
        print(f"  left out: {name}: no right to mount a file system of 1 MiB", flush=True)
        return
    try:
        archive = pipeline.begin()
        time.sleep(3)
        pipeline.settled()
        start = time.monotonic()
        try:
            with open(folder / "filler", "wb") as filler:
                filler.write(b"x" * (2 << 20))
        except OSError:
            pass
        pipeline.more(int(time.monotonic()))
        table.expect(watch, f"the disk of the archive's {place} is full", [name], start, 60)
        archive.stop()
    finally:
        subprocess.run(["umount", "--lazy", folder], capture_output=True)
