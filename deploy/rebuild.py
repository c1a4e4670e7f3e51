#!/usr/bin/env python3
"""Rebuilds the text that Apple signed from records of a notification topic, byte for byte. Python 3.8, no packages.

    kcat -C -e -q -J -b BROKER -t appstore.certificates > certificates.jsonl
    kcat -C -e -q -J -b BROKER -t appstore.notifications.production | python3 rebuild.py certificates.jsonl

prints one compact JWS for each record that Apple signed. A tombstone is left out; a record that cannot be rebuilt, as one
of version 1, is named on the standard error, and the exit code is 1 where a header was missing. To use it in a consumer, keep the values of appstore.certificates by key and call
rebuild(value, headers) with a record's value.
"""
import base64
import json
import re
import sys

# The place of each nested JWS: the record's member, and its path in the notification.
NESTED = {
    "transaction": ("data", "signedTransactionInfo"),
    "renewalInfo": ("data", "signedRenewalInfo"),
    "appTransaction": ("appData", "signedAppTransactionInfo"),
}
SPACE = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


def members(text, start=0):
    """Returns the bounds of each member's value in the object at text[start], by name."""
    found = {}
    at = SPACE.match(text, start + 1).end()
    while text[at] != "}":
        name, at = DECODER.raw_decode(text, at)
        begin = SPACE.match(text, SPACE.match(text, at).end() + 1).end()
        _, end = DECODER.raw_decode(text, begin)
        found[name] = (begin, end)
        at = SPACE.match(text, end).end()
        if text[at] == ",":
            at = SPACE.match(text, at + 1).end()
    return found


def jws(part, payload, headers):
    """Returns the compact JWS of a part of the proof. A KeyError names a header to read from appstore.certificates."""
    segment = base64.urlsafe_b64encode(payload.encode()).decode().rstrip("=")
    return ".".join([headers[part["header"]], segment, part["signature"]])


def rebuild(value, headers):
    """Returns the compact JWS that Apple posted.

    value: the record's value, bytes or text. headers: the texts of appstore.certificates by key.
    """
    text = value.decode() if isinstance(value, bytes) else value
    record = members(text)
    if "signedPayload" in record:
        return json.loads(text[slice(*record["signedPayload"])])
    proof = json.loads(text[slice(*record["proof"])])
    notification = text[slice(*record["notification"])]
    containers = members(notification)
    insertions = []
    for name, (container, member) in NESTED.items():
        if name in proof:
            begin, _ = members(notification, containers[container][0])[member]
            # After the opening quote of the empty string.
            insertions.append((begin + 1, jws(proof[name], text[slice(*record[name])], headers)))
    for at, nested in sorted(insertions, reverse=True):
        notification = notification[:at] + nested + notification[at:]
    return jws(proof["notification"], notification, headers)


def main():
    with open(sys.argv[1], encoding="utf-8") as certificates:
        headers = {line["key"]: line["payload"] for line in map(json.loads, certificates) if line.get("payload")}
    is_complete = True
    for line in map(json.loads, sys.stdin):
        value = line.get("payload")
        if value is None:
            continue
        place = f"{line.get('topic')} {line.get('partition')} {line.get('offset')}"
        try:
            print(rebuild(value, headers))
        except KeyError as missing:
            if missing.args[0] in ("proof", "notification"):
                print(f"{place}: no data signed by Apple", file=sys.stderr)
            else:
                print(f"{place}: no header {missing}, read appstore.certificates again", file=sys.stderr)
                is_complete = False
        except (ValueError, IndexError, TypeError):
            print(f"{place}: no notification record", file=sys.stderr)
    sys.exit(0 if is_complete else 1)


if __name__ == "__main__":
    main()
