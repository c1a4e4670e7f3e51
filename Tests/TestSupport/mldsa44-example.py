#!/usr/bin/env python3
"""Prints MLDSA44Example.swift: a proof with a checkpoint that a witness cosigned with ML-DSA-44, by the specification
c2sp.org/tlog-cosignature. Needs the PyPI package cryptography, 48 or later, and no code of this project. The keys are
fixed; the ML-DSA signature is another one in each run."""

import base64
import hashlib
import struct
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ARCHIVE = b"example.com/archive"
TOPIC = b"appstore.notifications.production"
ORIGIN = ARCHIVE + b"/" + TOPIC + b"/3"
WITNESS = b"witness.example/w1"
# Signature types: of logs, of cosigners, and of the archive's statement about its previous checkpoint.
LOG, COSIGNER, MLDSA44, PREVIOUS = b"\1", b"\4", b"\6", b"\xffsluice-archive/previous@v1"
TIME = 1_790_000_000


def b64(data):
    return base64.b64encode(data).decode()


def key_id(name, kind, key):
    return hashlib.sha256(name + b"\n" + kind + key).digest()[:4]


def verifier_key(name, kind, key):
    return f"{name.decode()}+{key_id(name, kind, key).hex()}+{b64(kind + key)}"


def line(name, kind, key, signature):
    return f"— {name.decode()} {b64(key_id(name, kind, key) + signature)}\n"


def vector(data):
    return bytes([len(data)]) + data


leaf = bytes([2, 1]) + vector(b"cluster") + vector(TOPIC) + struct.pack(
    ">iqqq16sI32s", 3, 1742, TIME * 1000, TIME * 1000 + 5, bytes(16), 100, bytes(range(32)))
other = hashlib.sha256(b"\0another leaf").digest()
root = hashlib.sha256(b"\1" + other + hashlib.sha256(b"\0" + leaf).digest()).digest()
text = ORIGIN + b"\n2\n" + b64(root).encode() + b"\n"

log = Ed25519PrivateKey.from_private_bytes(bytes([1]) * 32)
log_key = log.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
witness = MLDSA44PrivateKey.from_seed_bytes(bytes([2]) * 32)
witness_key = witness.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
assert len(witness_key) == 1312

message = (b"subtree/v1\n\0" + vector(WITNESS) + struct.pack(">Q", TIME) + vector(ORIGIN)
           + struct.pack(">QQ", 0, 2) + root)
assert len(b"subtree/v1\n\0") == 12
signature = witness.sign(message)
assert len(signature) == 2420

cosigned = b"cosignature/v1\ntime %d\n" % TIME + text
previous = b"sluice-archive/previous@v1\nprevious 0\n" + text
proof = (f"c2sp.org/tlog-proof@v1\nextra {b64(leaf)}\nindex 1\n{b64(other)}\n\n{text.decode()}\n"
         + line(ORIGIN, LOG, log_key, log.sign(text))
         + line(ARCHIVE, COSIGNER, log_key, struct.pack(">Q", TIME) + log.sign(cosigned))
         + line(ORIGIN, PREVIOUS, log_key, struct.pack(">Q", 0) + log.sign(previous))
         + line(WITNESS, MLDSA44, witness_key, struct.pack(">Q", TIME) + signature))


def literal(name, comment, value):
    """A multiline literal. Its lines end in a backslash where the value has no newline."""
    lines = []
    for part in value.split("\n"):
        pieces = [part[at:at + 100] for at in range(0, len(part), 100)] or [""]
        lines += [piece + "\\" for piece in pieces[:-1]] + [pieces[-1]]
    body = "".join(f"        {each}\n" if each else "\n" for each in lines)
    return f"    /// {comment}\n    package static let {name} = \"\"\"\n{body}        \"\"\"\n"


sys.stdout.write(f"""/// A proof whose checkpoint a witness has cosigned with ML-DSA-44 at {TIME}, printed by
/// `mldsa44-example.py` with the PyPI package cryptography.
package enum MLDSA44Example {{
    package static let time = {TIME:_}
{literal("archiveKey", "The verifier key of the archive.", verifier_key(ARCHIVE, LOG, log_key))}\
{literal("witnessKey", "The verifier key of the witness.", verifier_key(WITNESS, MLDSA44, witness_key))}\
{literal("proof", "The text of the proof.", proof)}}}
""")
