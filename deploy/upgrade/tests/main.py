"""Tests the upgrade from the previous release and the way back, under load: main.py [kafka]."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

from installation import ORDER, PRESENT, PREVIOUS, Installation, Refused
from load import History, Load, RefundLoad
from pipeline import free_port, get, wait

TABLE = pathlib.Path(__file__).resolve().parents[1] / "README.md"
AS_IT_IS, WITHOUT_DATA, ONE_WAY = "as it is", "without `data.dir`", "one-way"
# Members of an answer that depend on when it was made, and not on its content.
MOMENTS = {"asOf", "version"}


def ways_back():
    """Returns how each executable goes back to the previous release, according to the page's table."""
    ways = {}
    for name, text in re.findall(r"^\| `(sluice-[a-z]+)` \| ([^|]+) \|", TABLE.read_text(), re.MULTILINE):
        ways[name] = next(way for way in (AS_IT_IS, WITHOUT_DATA, ONE_WAY) if text.startswith(way))
    return ways


def done(text):
    print(f"  {text}", flush=True)


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


# --- what is compared --------------------------------------------------------------------------------------------------

def without_moments(value):
    match value:
        case dict():
            return {name: without_moments(each) for name, each in value.items() if name not in MOMENTS}
        case list():
            return [without_moments(each) for each in value]
    return value


def states(installation, member):
    """Returns a member's answers about each purchase; nothing while it cannot answer."""
    purchases = installation.purchases(member)
    if purchases is None:
        return None
    answers = {}
    for purchase in purchases:
        identifier = purchase["originalTransactionId"]
        status, body = get(f"{installation.reading[member]}/v1/entitlements?originalTransactionId={identifier}")
        if status != 200:
            return None
        answers[identifier] = without_moments(json.loads(body))
    return answers


def rows(installation):
    """Returns the last record of each purchase in the entitlement topic, without the release-dependent facts."""
    code, output, errors = installation.command(PRESENT, "tap", "--topic", f"{installation.prefix}.entitlements.production",
                                                "--output", "json", "--no-follow", "--start", "beginning")
    expect(code == 0, f"tap of the entitlement topic: {errors}")
    values = {record["key"]: record["value"] for record in map(json.loads, output.splitlines())}
    return {key: without_moments({name: value[name] for name in value if name != "facts"}) for key, value in values.items()}


def differences(one, other):
    if one is None or other is None:
        return ["no answers"]
    return sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))


def calm_states(installation, release):
    """Returns the answers of one undisturbed member of a release after the same notifications."""
    code, output, errors = installation.command(PRESENT, "tap", "--signed", "--no-follow", "--start", "beginning")
    expect(code == 0, f"tap --signed: {errors}")
    calm = Installation(f"calm{release}{os.getpid()}")
    calm.use(installation.folder)
    calm.begin("ingress", release)
    calm.begin("entitlements-1", release)
    for signed in output.split():
        request = urllib.request.Request(calm.notifications, json.dumps({"signedPayload": signed}).encode(),
                                         {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            expect(answer.status == 200, f"a calm ingress answered {answer.status}")
    return calm


def compare_states(installation, release):
    calm = calm_states(installation, release)
    members = ["entitlements-1", "entitlements-2"]
    last = {}

    def equal():
        expected = states(calm, "entitlements-1")
        for member in members:
            actual = states(installation, member)
            last[member] = (differences(actual, expected), actual, expected)
        if not any(each[0] for each in last.values()):
            actual, published = rows(installation), rows(calm)
            last["topic"] = (differences(actual, published), actual, published)
        return not any(each[0] for each in last.values()) and expected

    try:
        count = len(wait(equal, 120, "the states are equal"))
    except TimeoutError:
        for member, (keys, actual, expected) in last.items():
            for key in keys[:2]:
                print(f"{member} {key}\n  is       {json.dumps((actual or {}).get(key))}\n"
                      f"  expected {json.dumps((expected or {}).get(key))}")
        raise AssertionError(f"states differ: {[len(each[0]) for each in last.values()]}")
    finally:
        calm.close()
    done(f"{count} purchases: 0 answers and 0 records of the topic differ from those of the {release} release, never "
         "exchanged")


def compare_published(installation, acknowledged, brought):
    counts = {}

    def complete():
        counts.update(installation.published(PRESENT))
        return (acknowledged | brought) <= counts.keys()

    try:
        wait(complete, 120, "every notification is in Kafka")
    except TimeoutError:
        raise AssertionError(f"lost: {len(acknowledged - counts.keys())} acknowledged, {len(brought - counts.keys())} of "
                             f"Apple's history")
    twice = sum(1 for each in brought if counts[each] > 1)
    expect(twice == 0, f"{twice} notifications of Apple's history were published twice")
    done(f"{len(acknowledged)} acknowledged notifications are in Kafka, 0 lost; {len(brought)} were brought in once")


def compare_webhooks(installation, acknowledged):
    def posted():
        return {json.loads(bodies[0])["data"]["notification"]["notificationUUID"]
                for bodies in installation.receiver.bodies.values()}

    try:
        wait(lambda: acknowledged <= posted(), 120, "every notification is posted")
    except TimeoutError:
        raise AssertionError(f"{len(acknowledged - posted())} webhooks are missing")
    unequal = [identifier for identifier, bodies in installation.receiver.bodies.items() if len(set(bodies)) > 1]
    expect(not unequal, f"{len(unequal)} webhook-ids have several bodies, such as "
                        f"{unequal and installation.receiver.bodies[unequal[0]]}")
    done(f"every notification was posted; {len(installation.receiver.bodies)} webhook-ids, each with one body")


def compare_archive(installation, acknowledged, releases):
    archive = installation.archive()
    url, keys = archive[:2], archive[6:]
    code, verifier, errors = installation.command(PRESENT, "archive", "key", "show", *archive[2:6])
    expect(code == 0, f"archive key show: {errors}")
    (installation.folder / "verifier").write_text(verifier)

    def archived():
        code, output, errors = installation.command(PRESENT, "archive", "export", "--author", "upgrade-test", *url, *keys)
        identifiers = set(re.findall(r'"notificationUUID":"([^"]+)"', output))
        return code == 0 and acknowledged <= identifiers

    wait(archived, 120, "every notification is in the archive")
    last = {}

    def sound():
        code, output, errors = installation.command(
            each, "archive", "verify", "--key", installation.folder / "verifier", "--against-kafka", "--checkpoint-from",
            "topic", *url)
        last.update(code=code, output=f"{output[-1500:]}{errors[-1500:]}")
        return code == 0

    for each in releases:
        # A log that an anchor does not have yet is not sound (exit code 3). The anchor has it after
        # archive.anchor.interval.
        try:
            wait(sound, 180, "the archive is sound")
        except TimeoutError:
            raise AssertionError(f"archive verify of the {each} release ended with {last['code']}: {last['output']}")
    done("every notification is in the archive, which is sound and agrees with Kafka")


def compare_refunds(installation, release, answers, expected):
    """Each request has one answer, at Apple and in the case as each release reads it."""
    expect(len(answers) == len(set(answers)) == expected,
           f"{expected} refund requests have {len(answers)} answers about {len(set(answers))} transactions")

    def accepted():
        code, output, errors = installation.command(
            release, "refunds", "list", "--status", "accepted", "--limit", "1000", "--output", "json")
        expect(code == 0, f"refunds list: {errors}")
        return set(answers) <= set(re.findall(r'"transactionId":"([^"]+)"', output))

    wait(accepted, 60, f"{expected} refund cases are answered")
    done(f"{expected} refund requests were answered once each, and their cases say so")


# --- the steps ---------------------------------------------------------------------------------------------------------

class Upgrade:
    def __init__(self, kafka=None):
        self.installation = Installation(f"upgrade{os.getpid()}", kafka)
        self.installation.use(None)
        (self.installation.folder / "rules.json").write_text(json.dumps({
            "default": "noPreference",
            "consumption": {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": True}}))
        self.refund_port = free_port()
        self.installation.store = [f"http://127.0.0.1:{self.refund_port}"]
        history = History(self.installation)
        self.installation.history = history.urls
        self.load = Load(self.installation)
        self.life = history.life
        self.brought = set()
        self.refunds = 0
        self.answers = []
        self.ways = ways_back()
        expect(self.ways.keys() >= {self.installation.arguments(name)[0] for name in ORDER}, f"{TABLE} lacks executables")

    def topics(self, release):
        """Creates the topics of a release, and runs the commands that it prints for existing topics."""
        if not self.installation.is_kafka:
            return
        options = ["--topics.partitions", "6", "--groups", "sluice-webhooks"]
        code, output, errors = self.installation.command(release, "topics", "apply", *options)
        commands = re.findall(r"-> (kafka-configs.sh .*)", output)
        expect(code == 0 or commands, f"topics apply of the {release} release: {output}{errors}")
        for command in commands:
            program, *arguments = command.split()
            subprocess.run([pathlib.Path(os.environ["KAFKA_HOME"], "bin", program), *arguments], check=True,
                           stdout=subprocess.DEVNULL)
        code, output, errors = self.installation.command(release, "topics", "check", *options)
        expect(code == 0, f"topics check of the {release} release: {output}{errors}")
        if commands:
            done(f"{len(commands)} topics were changed by the printed commands")

    def start(self):
        self.topics(PREVIOUS)
        for name in ORDER:
            self.installation.begin(name, PREVIOUS)
        done(f"{len(ORDER)} members of the previous release are ready")
        self.brought |= self.load.post(*self.life)

    def exchange(self, order, exchange):
        """Replaces members under load, with refund requests around the replacement of sluice-refunds."""
        self.load.begin()
        wait(lambda: self.load.batches > 0 or self.load.failure, 120, "the load has begun")
        begun = self.load.batches
        for name in order:
            requests = RefundLoad(self.installation, self.refund_port, 500000 + self.refunds) if name == "refunds" else None
            if requests:
                self.refunds += RefundLoad.customers
            exchange(name)
            if requests:
                self.load.acknowledged |= requests.end()
                self.answers += requests.accepted()
        wait(lambda: self.load.batches > begun or self.load.failure, 120, "the load goes on")
        self.load.end()

    def forwards(self, name):
        self.installation.end(name)
        self.installation.begin(name, PRESENT)
        done(f"{name}: previous -> present")

    def backwards(self, name):
        program = self.installation.arguments(name)[0]
        way = self.ways[program]
        self.installation.end(name)
        try:
            self.installation.begin(name, PREVIOUS)
            expect(way == AS_IT_IS, f"{program} of the previous release started, and the table says: {way}")
            done(f"{name}: present -> previous")
        except Refused as refusal:
            expect(way != AS_IT_IS, f"{program} of the previous release does not start as it is: {refusal}")
            expect("schema version" in str(refusal) or "newer" in str(refusal), f"{program} does not say why: {refusal}")
            if way == ONE_WAY:
                self.installation.begin(name, PRESENT)
                done(f"{name}: the previous release refuses what the present one wrote, as the table says; it stays")
                return
            data = self.installation.folder / f"data-{name}"
            data.rename(data.with_suffix(".newer"))
            self.installation.begin(name, PREVIOUS)
            done(f"{name}: present -> previous, refused with its data.dir, started without it")

    def check(self, release):
        compare_published(self.installation, self.load.acknowledged, self.brought)
        compare_webhooks(self.installation, self.load.acknowledged | self.brought)
        compare_refunds(self.installation, release, self.answers, self.refunds)
        # The previous release does not know the archive's formats after the way back is closed.
        releases = [PRESENT] if self.ways["sluice-archive"] == ONE_WAY else dict.fromkeys([release, PRESENT])
        compare_archive(self.installation, self.load.acknowledged | self.brought, releases)
        compare_states(self.installation, release)

    def run(self):
        self.start()
        self.topics(PRESENT)
        self.exchange(ORDER, self.forwards)
        self.check(PRESENT)
        self.exchange(list(reversed(ORDER)), self.backwards)
        self.check(PREVIOUS)
        for name in reversed(ORDER):
            self.installation.end(name)
        done("every member ended with 0 after SIGTERM")


def on_kafka():
    cluster = pathlib.Path(os.environ["KAFKA_HOME"], "bin/test-cluster")
    with tempfile.TemporaryDirectory(prefix="sluice-upgrade-kafka.") as folder:
        output = subprocess.run([cluster, "start", f"{folder}/k"], check=True, capture_output=True, text=True).stdout
        try:
            Upgrade(re.search(r"BOOTSTRAP_SERVERS=(\S+)", output).group(1)).run()
        finally:
            subprocess.run([cluster, "stop", f"{folder}/k"], check=False)


begun = time.monotonic()
is_kafka = sys.argv[1:] == ["kafka"]
print("Apache Kafka" if is_kafka else "embedded broker", flush=True)
try:
    on_kafka() if is_kafka else Upgrade().run()
except (AssertionError, RuntimeError, TimeoutError, Refused) as error:
    print(f"  failed: {error}")
    sys.exit(1)
print(f"  passed in {int(time.monotonic() - begun)} s")
