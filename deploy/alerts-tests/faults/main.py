"""Runs the scenarios, and prints which paging alerts were seen to arrive: main.py [SCENARIO...]."""

import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "testing")]
from watch import Table, paging  # noqa: E402

SCENARIOS = ["ingress", "kafka", "archive", "consumers"]

# Alerts that are left to the series of promtool's tests, and why.
NOT_PROVOKED = {
    "SluiceCertificateTime": "the test certificates are valid for years, and the clock of the machine is not changed",
    "SluiceRevoked": "the simulated certificate authority has no OCSP responder",
    "SluiceRevocationUnknown": "the simulated certificate authority has no OCSP responder",
    "SluiceInconsistency": "a fault of the program itself",
    "SluiceTableFault": "a fault of the program or the memory",
    "SluiceDeadLetterFailures": "the embedded broker refuses no topic",
    "SluiceDeadLettersTruncated": "the embedded broker has no limit of its own",
    "SluiceOffsetOutOfRange": "the embedded broker deletes nothing",
    "SluiceStateNotComplete": "the restore of a small state is over within a second",
    "SluiceStateNotWritable": "the embedded broker refuses no topic",
    "SluiceStateStalled": "the embedded broker refuses no topic",
    "SluiceLegacyUnknown": "it takes a day",
    "SluiceRefundMissed": "it takes twelve hours",
    "SluiceRefundDeadline": "it takes ten hours",
    "SluiceReconciliationBehind": "it takes three hours",
    "SluiceReconciliationUnread": "it takes an hour of halved windows",
    "SluiceArchiveLagging": "it takes a quarter of an hour",
    "SluiceArchiveIncomplete": "the embedded broker deletes nothing",
}


def complete(table):
    """Each paging alert is provoked, or named with the reason; and prints both."""
    alerts = paging()
    print(f"\n{len(table.provoked)} of {len(alerts)} paging alerts arrived at the webhook; {table.looks} commands of their first "
          "looks were run")
    for name, status, fault, seconds in table.rows:
        print(f"  {name:28} {status:9} {seconds:6.1f} s, with for {alerts[name]:4} in alerts.yml  {fault}")
    print("left to promtool's series:")
    for name, reason in NOT_PROVOKED.items():
        print(f"  {name:28} {reason}")
    for name in sorted(set(alerts) - table.provoked - set(NOT_PROVOKED)):
        table.failures.append(f"{name} pages, and is neither provoked nor in NOT_PROVOKED")
    for name in sorted(set(NOT_PROVOKED) & table.provoked | set(NOT_PROVOKED) - set(alerts)):
        table.failures.append(f"{name} is in NOT_PROVOKED, and was provoked or does not page")


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
