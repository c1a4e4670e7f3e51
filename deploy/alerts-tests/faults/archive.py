"""Faults of the archive: its files are changed, or its disk is full."""

import shutil
import subprocess
import time

from clock import Clock
from firstlook import shell
from pipeline import Pipeline, wait
from state import fill
from watch import Watch


class Archive(Pipeline):
    def __init__(self):
        super().__init__()
        self.authority()
        self.broker()
        self.ingress()
        (self.folder / "keys").mkdir()
        printed = self.run("sluicectl", "archive", "key", "signing", self.folder / "signing.pem", "--archive.origin", "example.com/test")
        (self.folder / "archive.pub").write_text(printed)
        self.run("sluicectl", "archive", "key", "encryption", self.folder / "kek")

    def begin(self, *arguments, **options):
        return self.executable(
            "sluice-archive", "--data.dir", self.folder / "data", "--admin.port", "0", "--archive.url", self.folder / "archive",
            "--archive.origin", "example.com/test", "--archive.signing.key.file", self.folder / "signing.pem",
            "--archive.key.encryption.key.file", self.folder / "kek", "--archive.key.store", self.folder / "keys/keys.sqlite",
            "--archive.anchor.url", self.folder / "anchor", "--archive.flush.interval", "500ms",
            "--archive.anchor.interval", "1s", *arguments, **options)

    def more(self, number):
        self.post("--scenario", "subscription-renewing", "--accounts", "6", "--first-run", number)

    def checkpoints(self):
        """Returns the text of the checkpoint of each log of the topic with records."""
        files = (self.folder / "archive").glob("appstore.notifications.production/*/checkpoint")
        return {file: file.read_bytes() for file in files}

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
    older = pipeline.checkpoints()
    archive = pipeline.begin()
    pipeline.more(5)
    time.sleep(3)
    pipeline.settled()
    archive.stop()
    signed = pipeline.checkpoints()
    for checkpoint, text in signed.items():
        checkpoint.write_bytes(text[:-10] + bytes([text[-10] ^ 1]) + text[-9:])
    start = time.monotonic()
    archive = pipeline.begin()
    pipeline.more(10)
    table.expect(watch, "the signatures of checkpoints are changed", ["SluiceArchiveTampered"], start, 60)
    archive.stop()
    put_back(signed)
    verify(table, pipeline, "the damaged files were restored")

    archive = pipeline.begin()
    pipeline.more(20)
    time.sleep(3)
    pipeline.settled()
    start = time.monotonic()
    newest = pipeline.checkpoints()
    put_back(older)
    pipeline.more(30)
    table.expect(watch, "older checkpoints are put in their places", ["SluiceArchiveRolledBack"], start, 60)
    # From then on a start is refused. No metric shows this, because the process is down.
    archive.stop()
    refused = pipeline.start("sluice-archive", archive.command)
    if refused.process.wait(timeout=60) != 78:
        table.failures.append(f"a start with older checkpoints ended with {refused.process.returncode}: {refused.text()}")
    # This is the page's fix.
    put_back({checkpoint: text for checkpoint, text in newest.items() if size(text) > size(checkpoint.read_bytes())})
    verify(table, pipeline, "the largest checkpoints were put in their places")
    archive = pipeline.begin()
    pipeline.more(40)
    time.sleep(3)
    pipeline.settled()
    if not archive.is_running:
        table.failures.append(f"sluice-archive ended with {archive.process.returncode} after the fix: {archive.text()}")
    archive.stop()
    for name, place in [("SluiceArchiveDiskFull", "archive"), ("SluiceArchiveKeyStore", "keys")]:
        disk_full(table, watch, pipeline, name, place)
    pipeline.close()


def size(checkpoint):
    """Returns the number of leaves, which is a checkpoint's second line."""
    return int(checkpoint.splitlines()[1])


def put_back(checkpoints):
    for file, text in checkpoints.items():
        file.write_bytes(text)


def verify(table, pipeline, when):
    """Runs the verification that must exit with 0, according to the pages, before sluice-archive is started again."""
    command = "sluicectl archive verify --key archive.pub"
    run = shell(command, pipeline)
    if run.returncode != 0:
        table.failures.append(f"{command} ended with {run.returncode} after {when}: {run.stdout[-500:]}{run.stderr[-500:]}")


def disk_full(table, watch, pipeline, name, place):
    """A new archive with one of its folders on a file system of 16 MiB, which is filled."""
    for each in ["archive", "keys", "anchor"]:
        shutil.rmtree(pipeline.folder / each, ignore_errors=True)
        (pipeline.folder / each).mkdir()
    folder = pipeline.folder / place
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], capture_output=True).returncode != 0:
        return table.leave_out([name, "SluiceArchiveLagging"], "no right to mount a file system of 16 MiB")
    try:
        # Checkpoints of twenty minutes ago, so that the silence since then is long enough for an alert.
        clock = Clock(pipeline.folder, place, -20 * 60)
        archive = pipeline.begin("--archive.begin", "true", conditions=clock)
        pipeline.more(int(time.monotonic()))
        time.sleep(3)
        pipeline.settled()
        clock.set(0)
        start = time.monotonic()
        fill(folder)
        pipeline.more(int(time.monotonic()))
        table.expect(watch, f"the disk of the archive's {place} is full", [name, "SluiceArchiveLagging"], start, 60)
        (folder / "filler").unlink()
        start = time.monotonic()
        # The failures themselves are counted for five minutes.
        table.expect(watch, "space was freed", ["SluiceArchiveLagging"], start, 60, resolved=True)
        archive.stop()
    finally:
        subprocess.run(["umount", "--lazy", folder], capture_output=True)
