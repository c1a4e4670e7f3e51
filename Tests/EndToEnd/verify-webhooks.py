#!/usr/bin/env python3
"""Verifies deliveries with the library of Standard Webhooks, and their bodies with the published JSON Schema.

    verify-webhooks.py KEY SCHEMA < deliveries.jsonl

One JSON object a line: id, timestamp, signature, body. Prints how many are right; exits with 1 at the first that is not.
"""
import json
import sys

import jsonschema
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = Webhook(sys.argv[1])
with open(sys.argv[2]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

count = 0
for line in sys.stdin:
    delivery = json.loads(line)
    headers = {
        "webhook-id": delivery["id"],
        "webhook-timestamp": delivery["timestamp"],
        "webhook-signature": delivery["signature"],
    }
    body = delivery["body"].encode()
    webhook.verify(body, headers)
    validator.validate(json.loads(body))
    # The same signature must be wrong for another body and under another id.
    for wrong in (body + b" ", headers | {"webhook-id": "other"}):
        try:
            webhook.verify(*((wrong, headers) if isinstance(wrong, bytes) else (body, wrong)))
        except WebhookVerificationError:
            continue
        sys.exit("a signature fits what it was not made for")
    count += 1
print(count)
