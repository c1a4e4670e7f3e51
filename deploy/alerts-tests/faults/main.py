"""Runs the scenarios, and prints the paging alerts that arrived: main.py [SCENARIO...]."""

import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "testing")]
from watch import Table, paging  # noqa: E402

SCENARIOS = ["ingress", "certificates", "kafka", "archive", "retention", "state", "consumers", "hours", "apache"]


def complete(table):
    """Checks that each paging alert was provoked, or cannot be on this machine; prints both."""
    alerts = paging()
    print(f"\n{len(table.provoked)} of {len(alerts)} paging alerts arrived at the webhook; {table.looks} commands of their first "
          "looks were run")
    for name, status, fault, seconds in table.rows:
        print(f"  {name:28} {status:9} {seconds:6.1f} s, with for {alerts[name]:4} in alerts.yml  {fault}")
    for name, reason in table.left_out.items():
        print(f"  {name:28} left to promtool's series: {reason}")
    for name in sorted(set(alerts) - table.provoked - set(table.left_out)):
        table.failures.append(f"{name} pages, and no scenario provokes it")


def main():
    chosen = sys.argv[1:] or SCENARIOS
    table = Table()
    for name in chosen:
        print(f"scenario {name}", flush=True)
        importlib.import_module(name).run(table)
    if chosen == SCENARIOS:
        complete(table)
    for failure in table.failures:
        print(f"failed: {failure}")
    return 1 if table.failures else 0


sys.exit(main())
