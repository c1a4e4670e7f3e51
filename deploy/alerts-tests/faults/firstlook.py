"""The first look of a runbook, run as it is printed."""

import re
import subprocess

from pipeline import ROOT

# The admin listeners of the manual.
PORTS = {"9464": "sluice-ingress", "9465": "sluice-entitlements", "9466": "sluice-refunds", "9467": "sluice-archive",
         "9468": "sluice-webhooks", "9469": "sluice-reconciler"}


def commands(page):
    """The lines of the block under "First look"."""
    text = (ROOT / "deploy" / page).read_text()
    block = re.search(r"^## First look\n.*?^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return block[1].splitlines() if block else []


def runnable(line, pipeline):
    """A line that asks an admin listener or reads a log, for this pipeline: with its ports, and with its logs in place of
    the journal. Nil for a line that needs something else, or a process that does not run here."""
    asked = re.match(r"curl -s localhost:(\d+)/", line)
    if asked:
        port = pipeline.targets.get(PORTS.get(asked[1]))
        return line.replace(f"localhost:{asked[1]}", f"127.0.0.1:{port}") if port else None
    # Not the last lines of a process that ended: one that is killed says nothing.
    read = re.match(r"journalctl -u ([a-z-]+)(?= \|)", line)
    if read and list(pipeline.folder.glob(f"{read[1]}.*.log")):
        # Pages about consumers name one of them as an example.
        return f"cat {pipeline.folder}/sluice-*.log" + line[read.end():]
    return None


def silent(page, pipeline):
    """The number of lines that were run, and those of them that printed nothing."""
    lines = [line for line in commands(page) if runnable(line, pipeline)]
    nothing = []
    for line in lines:
        run = subprocess.run(["bash", "-c", runnable(line, pipeline)], capture_output=True, text=True, timeout=30)
        if not run.stdout.strip():
            nothing.append(line)
    return len(lines), nothing
