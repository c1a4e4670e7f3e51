"""Runs the commands of a runbook as they are printed."""

import os
import re
import subprocess

from pipeline import ROOT

# The admin listeners named in the manual.
PORTS = {"9464": "sluice-ingress", "9465": "sluice-entitlements", "9466": "sluice-refunds", "9467": "sluice-archive",
         "9468": "sluice-webhooks", "9469": "sluice-reconciler"}

# Placeholders in printed commands: words in capitals.
WORDS = r"\b(TRANSACTION|PURCHASE|ID|APP|TIME|B|T|P|OFFSET|FILE)\b"


def commands(page):
    """Returns the lines of the block under "First look"."""
    text = (ROOT / "deploy" / page).read_text()
    block = re.search(r"^## First look\n.*?^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return block[1].splitlines() if block else []


def named(command, pipeline):
    """Returns a command with the names of this pipeline in place of placeholders, taking those of a list in turn;
    None if one is unknown."""
    lists = {word: iter(names) for word, names in pipeline.words.items() if isinstance(names, list)}

    def name(word):
        return next(lists[word[0]]) if word[0] in lists else str(pipeline.words.get(word[0], word[0]))

    known = re.sub(WORDS, name, command.split("   #")[0])
    return None if re.search(WORDS, known) else known


def runnable(line, pipeline):
    """Returns a line adapted to this pipeline: with its ports and names, and its logs in place of the journal. None for
    a line with other requirements, or for a process that does not run here."""
    asked = re.match(r"curl -s '?localhost:(\d+)/", line)
    if asked:
        port = pipeline.targets.get(PORTS.get(asked[1]))
        return line.replace(f"localhost:{asked[1]}", f"127.0.0.1:{port}") if port else None
    # The last lines of an ended process are not searched: a killed process logs nothing.
    read = re.match(r"journalctl -u ([a-z-]+)(?: -n \d+)?(?= \|)", line)
    if read and list(pipeline.folder.glob(f"{read[1]}.*.log")):
        # Pages about consumers use one of them as an example.
        return f"cat {pipeline.folder}/sluice-*.log" + line[read.end():]
    tool = line.split()[0] if line.strip() else ""
    if tool == "sluicectl" or tool.startswith("kafka-") and os.environ.get("KAFKA_HOME") and "B" in pipeline.words:
        return named(line, pipeline)
    return None


def shell(command, pipeline):
    """Runs a command in the pipeline's folder, where sluice.properties is, with the executables and Kafka's tools."""
    path = [str(pipeline.bin), os.path.join(os.environ.get("KAFKA_HOME", "/nonexistent"), "bin"), os.environ["PATH"]]
    environment = pipeline.environment | {"PATH": ":".join(path), "SLUICE_CONFIG": str(pipeline.folder / "sluice.properties")}
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, cwd=pipeline.folder,
                          env=environment)


def silent(page, pipeline):
    """Returns the number of lines that were run, and the lines that printed nothing, or that sluicectl refuses."""
    lines = [line for line in commands(page) if runnable(line, pipeline)]
    wrong = []
    for line in lines:
        run = shell(runnable(line, pipeline), pipeline)
        # A specific exit code names the fault, such as 2 for a tampered archive.
        if run.returncode in (64, 78) or run.returncode in (0, 1) and not run.stdout.strip():
            wrong.append(f"{line} ({run.returncode}: {run.stderr.strip()[-300:]})")
    return len(lines), wrong


def fix(page, command, pipeline):
    """Runs a command of a page's "Do" as it is printed there, and returns its output.

    Raises an error if the page does not contain the command, or if it fails."""
    text = (ROOT / "deploy" / page).read_text()
    if f"`{command}" not in re.search(r"^## Do\n(.*?)^## Do not", text, re.MULTILINE | re.DOTALL)[1]:
        raise RuntimeError(f"{page} has no {command!r} under \"Do\"")
    run = shell(named(command, pipeline), pipeline)
    if run.returncode != 0:
        raise RuntimeError(f"{page}: {command} ended with {run.returncode}: {run.stdout[-500:]}{run.stderr[-500:]}")
    return run.stdout
