"""Verifies a log with code written only from the published formats, using only Python's standard library.

c2sp.org/tlog-tiles, c2sp.org/tlog-checkpoint, c2sp.org/signed-note, c2sp.org/tlog-cosignature, c2sp.org/tlog-proof,
RFC 6962 and RFC 8032. It shares no code with the archive, and knows nothing of what is in the entries.

    tlog_reader.py log FOLDER VKEY [COSIGNER_VKEY]   tree, checkpoint and past checkpoints of a log
    tlog_reader.py images FOLDER VKEY [COSIGNER_VKEY] logs in FOLDER/<image>/<topic>/<partition>, and that no other file is
                                                     there, beyond the checkpoint or beside the tree
    tlog_reader.py proof FILE VKEY [ENTRY_HEX]       a .tlog-proof; the entry is the extra data where none is given

Prints a JSON object; exit code 0 when everything holds, 1 otherwise.
"""

import base64
import hashlib
import json
import os
import re
import sys

# --- Ed25519 (RFC 8032 section 5.1.7), verification only ---------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_MINUS_ONE = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * SQRT_MINUS_ONE % P
    if (x * x - square) % P:
        return None
    return P - x if x & 1 != sign else x


def decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    i, j, k, m = f - e, h - g, h + g, f + e
    return (i * j % P, k * m % P, j * k % P, i * m % P)


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (recover_x(BASE_Y, 0), BASE_Y, 1, recover_x(BASE_Y, 0) * BASE_Y % P)


def ed25519_verify(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = decompress(key), decompress(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = multiply(s, BASE), add(r, multiply(h, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# --- Signed notes and checkpoints --------------------------------------------------------------------------------------


class Bad(Exception):
    pass


def require(condition, reason):
    if not condition:
        raise Bad(reason)


class Key:
    """<name>+<hex key id>+<base64 of type and public key>"""

    def __init__(self, text):
        self.name, key_id, encoded = text.strip().split("+", 2)
        data = base64.b64decode(encoded, validate=True)
        self.type, self.key = data[0], data[1:]
        self.id = bytes.fromhex(key_id)
        computed = hashlib.sha256(self.name.encode() + b"\n" + data).digest()[:4]
        require(self.type in (1, 4) and len(self.key) == 32 and computed == self.id, "not a verifier key")

    def verify(self, text, signature):
        if self.type == 1:
            require(ed25519_verify(self.key, text, signature), "a signature does not match")
            return None
        require(len(signature) == 72, "not a cosignature")
        time = int.from_bytes(signature[:8], "big")
        message = b"cosignature/v1\ntime %d\n" % time + text
        require(ed25519_verify(self.key, message, signature[8:]), "a cosignature does not match")
        return time


def read_note(data, keys):
    """The text of a note, and the statement of each known key that signed it."""
    data.decode("utf-8")
    require(all(byte >= 32 or byte == 10 for byte in data), "control characters")
    split = data.rfind(b"\n\n")
    require(split >= 0 and data.endswith(b"\n"), "no signatures")
    text, rest = data[: split + 1], data[split + 2 :]
    verified = {}
    for line in rest[:-1].split(b"\n"):
        dash, name, encoded = line.decode("utf-8").split(" ")
        require(dash == "\u2014" and name and "+" not in name, "not a signature line")
        signature = base64.b64decode(encoded, validate=True)
        require(len(signature) > 4, "a short signature")
        for key in keys:
            if key.name == name and key.id == signature[:4]:
                verified[(name, key.type)] = key.verify(text, signature[4:])
    require(verified, "not signed by a known key")
    return text, verified


def read_checkpoint(text):
    require(text.endswith(b"\n"), "no newline at the end")
    lines = text[:-1].split(b"\n")
    require(len(lines) >= 3 and all(lines), "fewer than three lines, or an empty one")
    require(lines[1].isdigit() and (lines[1] == b"0" or not lines[1].startswith(b"0")), "not a size")
    root = base64.b64decode(lines[2], validate=True)
    require(len(root) == 32, "not a root")
    return lines[0].decode(), int(lines[1]), root


# --- RFC 6962 ----------------------------------------------------------------------------------------------------------


def leaf_hash(entry):
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def split_point(count):
    split = 1
    while split * 2 < count:
        split *= 2
    return split


class Tree:
    """MTH of section 2.1 over ranges of leaf hashes, remembering complete subtrees."""

    def __init__(self, leaves):
        self.leaves, self.known = leaves, {}

    def root(self, start, end):
        if start == end:
            return hashlib.sha256(b"").digest()
        if end - start == 1:
            return self.leaves[start]
        if (start, end) not in self.known:
            middle = start + split_point(end - start)
            self.known[(start, end)] = node_hash(self.root(start, middle), self.root(middle, end))
        return self.known[(start, end)]

    def inclusion(self, index, start, end):
        """PATH of section 2.1.1."""
        if end - start == 1:
            return []
        middle = start + split_point(end - start)
        if index < middle:
            return self.inclusion(index, start, middle) + [self.root(middle, end)]
        return self.inclusion(index, middle, end) + [self.root(start, middle)]

    def consistency(self, old, start, end, whole=True):
        """SUBPROOF of section 2.1.2."""
        if old == end:
            return [] if whole else [self.root(start, end)]
        middle = start + split_point(end - start)
        if old <= middle:
            return self.consistency(old, start, middle, whole) + [self.root(middle, end)]
        return self.consistency(old, middle, end, False) + [self.root(start, middle)]


def check_inclusion(entry_hash, index, size, path, root):
    def run(index, size, path):
        if size == 1:
            require(not path, "a proof that is too long")
            return entry_hash
        require(path, "a proof that is too short")
        split = split_point(size)
        if index < split:
            return node_hash(run(index, split, path[:-1]), path[-1])
        return node_hash(path[-1], run(index - split, size - split, path[:-1]))

    require(0 <= index < size and run(index, size, path) == root, "the entry is not in the tree")


def check_consistency(old, old_root, size, root, proof):
    def run(old, size, whole, proof):
        if old == size:
            if whole:
                return old_root, old_root, proof
            require(proof, "a proof that is too short")
            return proof[0], proof[0], proof[1:]
        split = split_point(size)
        if old <= split:
            before, after, rest = run(old, split, whole, proof)
            require(rest, "a proof that is too short")
            return before, node_hash(after, rest[0]), rest[1:]
        before, after, rest = run(old - split, size - split, False, proof)
        require(rest, "a proof that is too short")
        return node_hash(rest[0], before), node_hash(rest[0], after), rest[1:]

    before, after, rest = run(old, size, True, proof)
    require(not rest and before == old_root and after == root, "the trees are not consistent")


# --- Tiles -------------------------------------------------------------------------------------------------------------


def tile_path(number, width=256):
    text = "%03d" % (number % 1000)
    while number >= 1000:
        number //= 1000
        text = "x%03d/%s" % (number % 1000, text)
    return text if width == 256 else "%s.p/%d" % (text, width)


def read(folder, *names):
    with open(os.path.join(folder, *names), "rb") as file:
        return file.read()


def read_entries(folder, size):
    entries = []
    for index in range((size + 255) // 256):
        width = min(256, size - 256 * index)
        data, at, count = read(folder, "tile/entries", tile_path(index, width)), 0, 0
        while at < len(data):
            length = int.from_bytes(data[at : at + 2], "big")
            require(at + 2 + length <= len(data), "an entry that is cut off")
            entries.append(data[at + 2 : at + 2 + length])
            at, count = at + 2 + length, count + 1
        require(count == width, "a bundle of another count")
    return entries


def check_tiles(folder, size, tree):
    level, tiles = 0, 0
    while size >> (8 * level):
        span, count = 256**level, size >> (8 * level)
        for index in range((count + 255) // 256):
            width = min(256, count - 256 * index)
            data = read(folder, "tile", str(level), tile_path(index, width))
            require(len(data) == 32 * width, "a tile of another length")
            for place in range(width):
                start = (index * 256 + place) * span
                require(data[32 * place : 32 * place + 32] == tree.root(start, start + span), "a tile that is wrong")
            tiles += 1
        level += 1
    return tiles


NUMBER = r"((?:x\d{3}/)*\d{3})"
PLACE = NUMBER + r"(?:\.p/(\d{1,3}))?"
NAMES = [
    ("checkpoints", re.compile("checkpoints/" + NUMBER)),
    ("segments", re.compile("segments/" + PLACE)),
    ("entries", re.compile("tile/entries/" + PLACE)),
    ("tile", re.compile(r"tile/(\d{1,2})/" + PLACE)),
    ("other", re.compile("checkpoint|retention|cosigned/[0-9a-f]{8}")),
]


def place(index, width):
    number = int(index.replace("x", "").replace("/", ""))
    require(tile_path(number) == index, "a number in another form")
    width = 256 if width is None else int(width)
    require(1 <= width <= 256, "a width that tiles do not have")
    return number, width


def prefixed(data, count, size):
    """Yields count pieces of the data, each preceded by its length in size bytes."""
    at = 0
    for _ in range(count):
        require(at + size <= len(data), "a piece that is cut off")
        at += size + int.from_bytes(data[at : at + size], "big")
    require(at == len(data), "pieces of another count")


def check_file(folder, name, size, tree):
    for kind, pattern in NAMES:
        match = pattern.fullmatch(name)
        if match:
            break
    else:
        raise Bad("%s: no file of a log has this name" % name)
    if kind == "other":
        return
    if kind == "checkpoints":
        require(place(match.group(1), None)[0] <= size, "%s: beyond the checkpoint" % name)
        return
    level = int(match.group(1)) if kind == "tile" else 0
    index, width = place(*match.groups()[-2:])
    span = 256**level
    first = index * 256
    require((first + width) * span <= size, "%s: beyond the checkpoint" % name)
    data = read(folder, name)
    if kind == "segments":
        prefixed(data, width, 4)
    elif kind == "entries":
        prefixed(data, width, 2)
        at = 0
        for number in range(first, first + width):
            length = int.from_bytes(data[at : at + 2], "big")
            entry = data[at + 2 : at + 2 + length]
            require(leaf_hash(entry) == tree.leaves[number], "%s: no prefix of the tree" % name)
            at += 2 + length
    else:
        require(len(data) == 32 * width, "%s: a tile of another length" % name)
        for number in range(width):
            start = (first + number) * span
            hashed = data[32 * number : 32 * number + 32]
            require(hashed == tree.root(start, start + span), "%s: no prefix of the tree" % name)


def check_names(folder):
    """Checks that every file belongs to the log, is covered by its checkpoint, and agrees with its tree."""
    _, size, _ = read_checkpoint(read(folder, "checkpoint").rsplit(b"\n\n", 1)[0] + b"\n")
    tree = Tree([leaf_hash(entry) for entry in read_entries(folder, size)])
    for parent, _, files in os.walk(folder):
        for name in files:
            check_file(folder, os.path.relpath(os.path.join(parent, name), folder), size, tree)


def read_images(folder, keys):
    logs = 0
    for image in sorted(os.listdir(folder)):
        for topic in sorted(os.listdir(os.path.join(folder, image))):
            if topic == ".locks":  # the storage's own files, outside the logs
                continue
            for partition in sorted(os.listdir(os.path.join(folder, image, topic))):
                try:
                    log = os.path.join(folder, image, topic, partition)
                    read_log(log, keys)
                    check_names(log)
                except (Bad, ValueError, OSError) as error:
                    raise Bad("%s: %s" % (image, error))
                logs += 1
    return {"images": len(os.listdir(folder)), "logs": logs}


def read_log(folder, keys):
    text, signatures = read_note(read(folder, "checkpoint"), keys)
    origin, size, root = read_checkpoint(text)
    require((origin, 1) in signatures, "no signature whose key is named as the log")
    entries = read_entries(folder, size)
    tree = Tree([leaf_hash(entry) for entry in entries])
    require(tree.root(0, size) == root, "the entries do not have the root that was signed")
    tiles = check_tiles(folder, size, tree)

    past = []
    for parent, _, files in os.walk(os.path.join(folder, "checkpoints")):
        for name in files:
            text, past_signatures = read_note(read(parent, name), keys)
            past_origin, past_size, past_root = read_checkpoint(text)
            place = os.path.relpath(os.path.join(parent, name), os.path.join(folder, "checkpoints"))
            require(past_origin == origin and place == tile_path(past_size), "a checkpoint in another one's place")
            times = [time for time in past_signatures.values() if time is not None]
            past.append((past_size, past_root, times))
    past.sort()
    for (old, old_root, old_times), (new, new_root, new_times) in zip(past, past[1:]):
        check_consistency(old, old_root, new, new_root, tree.consistency(old, 0, new))
        require(not old_times or max(old_times) <= min(new_times), "the time of the cosignatures goes back")
    for old, old_root, _ in past:
        check_consistency(old, old_root, size, root, tree.consistency(old, 0, size))
    for index in sorted({0, size // 3, size // 2, size - 1} if size else set()):
        check_inclusion(tree.leaves[index], index, size, tree.inclusion(index, 0, size), root)
    return {
        "origin": origin, "size": size, "root": root.hex(), "tiles": tiles, "checkpoints": len(past),
        "signatures": sorted("%s/%d" % key for key in signatures),
    }  # fmt: skip


def read_proof(data, keys, entry):
    head, rest = data.split(b"\n\n", 1)
    lines = head.split(b"\n")
    require(lines.pop(0) == b"c2sp.org/tlog-proof@v1", "not a proof")
    extra = None
    if lines and lines[0].startswith(b"extra "):
        extra = base64.b64decode(lines.pop(0)[6:], validate=True)
    require(lines and lines[0].startswith(b"index "), "no index")
    index = int(lines.pop(0)[6:])
    path = [base64.b64decode(line, validate=True) for line in lines]
    text, _ = read_note(rest, keys)
    origin, size, root = read_checkpoint(text)
    check_inclusion(leaf_hash(entry if entry is not None else extra), index, size, path, root)
    return {"origin": origin, "size": size, "root": root.hex(), "index": index}


def main(arguments):
    sys.setrecursionlimit(10_000)
    try:
        if arguments[0] == "log":
            result = read_log(arguments[1], [Key(text) for text in arguments[2:]])
        elif arguments[0] == "images":
            result = read_images(arguments[1], [Key(text) for text in arguments[2:]])
        else:
            entry = bytes.fromhex(arguments[3]) if len(arguments) > 3 else None
            with open(arguments[1], "rb") as file:
                result = read_proof(file.read(), [Key(arguments[2])], entry)
    except (Bad, ValueError, OSError, IndexError) as error:
        print(json.dumps({"error": str(error) or type(error).__name__}))
        return 1
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
