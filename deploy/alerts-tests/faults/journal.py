"""Checks that the executables log the messages that the runbooks search for in the journal."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sources = "".join(file.read_text() for file in sorted((ROOT / "Sources").rglob("*.swift")))
missing, count = [], 0
for page in sorted((ROOT / "deploy/runbooks").glob("*.md")):
    for pattern in re.findall(r"journalctl [^\n]*?grep (?:-E )?'([^']*)'", page.read_text()):
        # The alternatives of an expression, each up to its first metacharacter.
        for alternative in pattern.split("|"):
            text = re.split(r"[.*\\\[(]", alternative.strip().strip('"'))[0].strip('":')
            # The level is a member of each line.
            if text and not text.startswith("level"):
                count += 1
                if text not in sources:
                    missing.append(f"{page.name}: no executable logs {text!r}")
print(f"{count} texts of log lines in the runbooks")
for each in missing:
    print(f"failed: {each}")
sys.exit(1 if missing or count < 20 else 0)
