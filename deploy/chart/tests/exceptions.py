"""Compares checkov's findings with the exceptions in the chart's README: exceptions.py CHECKOV.json README.md."""

import json
import re
import sys

report = json.load(open(sys.argv[1]))
failed = {}
for check in report["results"]["failed_checks"]:
    failed.setdefault(check["check_id"], set()).add(f"{check['check_name']}: {check['resource'][:80]}")
exceptions = set(re.findall(r"^\| `(CKV2?_K8S_\d+)` \|", open(sys.argv[2]).read(), re.MULTILINE))
if report["summary"]["passed"] < 100:
    sys.exit("  failed: checkov checked almost nothing")
for check, places in sorted(failed.items()):
    if check not in exceptions:
        print(f"  failed: {check} {sorted(places)}")
for check in sorted(exceptions - set(failed)):
    print(f"  failed: {check} is an exception in README.md, but no object fails the check")
print(f"  {report['summary']['passed']} passed, {len(exceptions)} exceptions")
sys.exit(1 if set(failed) ^ exceptions else 0)
