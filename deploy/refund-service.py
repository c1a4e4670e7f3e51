#!/usr/bin/env python3
"""An example of a company's service for sluice-refunds: consent and consumption by customer. Only the standard library.

usage: refund-service.py PORT CUSTOMERS.json SECRET_FILE

CUSTOMERS.json: {"<appAccountToken or appTransactionId>": {"customerConsented": true, "consumptionPercentage": 50000}}
"""
import base64, hashlib, hmac, json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT, CUSTOMERS, SECRET_FILE = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def is_signed(headers, body):
    """Standard Webhooks: any of the keys, any of the signatures, at most five minutes old."""
    identifier, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{identifier}.{timestamp}.".encode() + body
    with open(SECRET_FILE) as file:
        keys = [base64.b64decode(line.strip().removeprefix("whsec_")) for line in file if line.strip()]
    wanted = ["v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode() for key in keys]
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(one, other) for one in wanted for other in given)


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("content-length", "0")), 1 << 20))
        if not is_signed(self.headers, body):
            return self.answer(401, {})
        purchase = json.loads(body)["data"]
        with open(CUSTOMERS) as file:
            customers = json.load(file)
        known = [customers.get(purchase.get(name)) for name in ("appAccountToken", "appTransactionId")]
        # No known customer has consented.
        self.answer(200, next((one for one in known if one), {"customerConsented": False}))

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", PORT), Service)
print(f"http://127.0.0.1:{server.server_port}/refunds", flush=True)
server.serve_forever()
