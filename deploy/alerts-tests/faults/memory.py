"""Damages the memory of a process: the table of a key's multiples that OpenSSL has precomputed."""

import subprocess

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
# 37 rows of 64 points, of 64 bytes each (OpenSSL's ecp_nistz256.c on x86-64).
ENTRY, TABLE = 64, 37 * 64 * 64


def point(certificate):
    """Returns the first entry of the table: the coordinates of the certificate's key in OpenSSL's representation,
    Montgomery form, little-endian."""
    key = subprocess.run(f"openssl x509 -in {certificate} -pubkey -noout | openssl pkey -pubin -outform der", shell=True, check=True,
                         capture_output=True).stdout[-64:]
    return b"".join((int.from_bytes(part, "big") * 2**256 % P).to_bytes(32, "little") for part in (key[:32], key[32:]))


def regions(pid):
    """Returns the ranges of the process's private writable memory."""
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            fields = line.split()
            if fields[1].startswith("rw") and fields[4] == "0":
                yield [int(number, 16) for number in fields[0].split("-")]


def damage(pid, certificate):
    """Inverts every byte of the table except those of its first entry, which identifies the table."""
    first = point(certificate)
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        for start, end in regions(pid):
            memory.seek(start)
            content = memory.read(end - start)
            place = content.find(first)
            if place < 0:
                continue
            memory.seek(start + place + ENTRY)
            rest = memory.read(TABLE - ENTRY)
            memory.seek(start + place + ENTRY)
            memory.write(bytes(byte ^ 0xFF for byte in rest))
            return
    raise RuntimeError("no table of the key is in the memory of the process")
