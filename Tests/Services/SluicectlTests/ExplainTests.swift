import AppStoreModel
import AppStoreSigning
import ArchiveLog
import CommandLine
import Configuration
import Cryptography
import EntitlementRules
import Foundation
import JSON
import Kafka
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// The questions of support and on-call in the manual. One command answers each of them for the known history of
/// ``StoryWorld``.
@Suite(.timeLimit(.minutes(5))) struct ExplainTests {
    private struct Answer {
        let code: Int32
        let text: String
        let json: JSONObject
        let complaints: [String]

        func entries(_ kind: String) -> [JSONObject] {
            (json["timeline"]?.array ?? []).compactMap(\.object).filter { $0["kind"]?.string == kind }
        }
    }

    /// Runs a question about the history, as text and as JSON.
    private func ask(_ arguments: [String], _ world: StoryWorld) async throws -> Answer {
        let command = world.command(arguments)
        let text = await sluicectl(command)
        let json = await sluicectl(command + ["--output", "json"])
        #expect(text.exitCode == json.exitCode, "\(json.printed.complaints)")
        return Answer(
            code: text.exitCode, text: text.printed.output, json: try json.printed.objects.first ?? [:],
            complaints: text.printed.complaints)
    }

    private func withWorld(_ body: (StoryWorld, [Int: String]) async throws -> Void) async throws {
        let world = try await StoryWorld()
        let positions = try await world.writeHistory()
        try await body(world, positions)
        await world.close()
    }

    private static let app = ["--app", StoryWorld.bundle]

    private func holders(_ object: JSONObject?) -> [String] {
        (object?["now"]?.array ?? []).compactMap { $0.object?["state"]?.string }
    }

    // MARK: Support

    @Test func `1: does this customer have it, and until when?`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask([StoryWorld.account, "--why", "monthly"], world)
            #expect(answer.code == 0)
            #expect(answer.text.contains("monthly is granted"))
            #expect(answer.text.contains("ACTIVE until 2026-11-15T00:00:00Z: monthly"))
            let found = answer.json["answer"]?.object
            #expect(found?["isEntitled"] == true)
            #expect(holders(found?["purchases"]?.array?.first?.object) == ["ACTIVE"])
            #expect(answer.json["kinds"] == ["appAccountToken"])
        }
    }

    @Test func `2: why did the customer lose access at 03:12?`() async throws {
        try await withWorld { world, positions in
            let answer = try await ask(["1001", "--at", "2026-10-01T03:12:00Z"] + Self.app, world)
            #expect(answer.code == 0)
            let purchase = try #require(answer.json["answer"]?.object?["purchases"]?.array?.first?.object)
            #expect(purchase["now"]?.array?.first?.object?["rule"] == "renewal_missing")
            #expect(purchase["last"]?.object?["at"] == "2026-10-01T03:00:00.000Z")
            #expect(purchase["last"]?.object?["cause"]?.object?["kind"] == "time")
            #expect(purchase["last"]?.object?["facts"]?.object?["position"]?.string == positions[1])
            // Apple had renewed the subscription, and the notification was nine hours late.
            #expect(purchase["asKnownNow"]?.array?.first?.object?["state"] == "ACTIVE")
            #expect(answer.text.contains("no renewal was received within entitlements.renewal.leeway"))
        }
    }

    @Test func `the state at a time in the future is refused instead of shown as the current one`() async throws {
        try await withWorld { world, _ in
            // The period ends on 15 November, and it is 1 November.
            let later = await sluicectl(
                world.command(["1001", "--why", "monthly", "--at", "2026-12-01T00:00:00Z"] + Self.app))
            #expect(later.exitCode == 64 && later.printed.output.isEmpty)
            #expect(later.printed.complaints.contains { $0.contains("--at: the time is in the future") })
            let now = try await ask(["1001", "--why", "monthly", "--at", "2026-11-01T00:00:00Z"] + Self.app, world)
            #expect(now.code == 0 && now.json["answer"]?.object?["isEntitled"] == true)
        }
    }

    @Test func `3: what happened to this purchase, by the id of any of its transactions?`() async throws {
        try await withWorld { world, positions in
            let answer = try await ask(["1002"], world)
            #expect(answer.code == 0)
            #expect(answer.json["kinds"] == ["transactionId"])
            #expect(answer.entries("notification").map { $0["position"]?.string } == [positions[1], positions[2]])
            #expect(
                answer.entries("state").map { $0["title"]?.string } == [
                    "ACTIVE until 2026-10-01T00:00:00Z: monthly", "RENEWING until 2026-10-01T03:00:00Z: monthly",
                    "EXPIRED: no monthly", "ACTIVE until 2026-11-15T00:00:00Z: monthly",
                ])
            #expect(answer.complaints.contains { $0.contains("searching every partition") })
        }
    }

    @Test func `a notification is the cause of a change, although the clock of its consumer is behind`() async throws {
        let world = try await StoryWorld()
        var bought = StoryWorld.bought
        bought.received = "2026-09-01T00:00:02Z"
        let position = try await world.write(try world.produced(bought))
        try await world.write(try world.published(bought, at: "2026-09-01T00:00:01Z"))
        let answer = try await ask(["1001", "--at", "2026-09-02T00:00:00Z"] + Self.app, world)
        let last = answer.json["answer"]?.object?["purchases"]?.array?.first?.object?["last"]?.object
        #expect(last?["cause"]?.object?["kind"] == "notification")
        #expect(last?["cause"]?.object?["position"]?.string == position)
        // The members granted access from the publication on.
        let early = try await ask(["1001", "--why", "monthly", "--at", "2026-09-01T00:00:01Z"] + Self.app, world)
        #expect(early.json["answer"]?.object?["isEntitled"] == true)
        await world.close()
    }

    @Test func `a notification counts although the clock of this machine is behind`() async throws {
        let world = try await StoryWorld()
        var bought = StoryWorld.bought
        bought.signed = "2026-10-31T23:59:50Z"
        bought.period = ("2026-10-31", "2026-11-30")
        // It is 2026-11-01T00:00:00Z here.
        bought.received = "2026-11-01T00:00:30Z"
        let position = try await world.write(try world.produced(bought))
        let answer = try await ask(["1001", "--why", "monthly"] + Self.app, world)
        #expect(answer.json["answer"]?.object?["isEntitled"] == true)
        let last = answer.json["answer"]?.object?["purchases"]?.array?.first?.object?["last"]?.object
        #expect(last?["cause"]?.object?["position"]?.string == position)
        await world.close()
    }

    @Test func `a published state is the cause of a change that no notification explains`() async throws {
        let world = try await StoryWorld()
        try await world.write(try world.published(StoryWorld.bought, at: "2026-09-01T00:00:01Z"))
        let answer = try await ask(["1001", "--at", "2026-09-02T00:00:00Z"] + Self.app, world)
        let last = answer.json["answer"]?.object?["purchases"]?.array?.first?.object?["last"]?.object
        #expect(last?["cause"]?.object?["kind"] == "published_state")
        await world.close()
    }

    @Test func `4: whose is the line item of this invoice?`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask(["9002"], world)
            #expect(answer.json["kinds"] == ["webOrderLineItemId"])
            #expect(
                answer.json["purchases"]?.array?.compactMap { $0.object?["originalTransactionId"]?.string } == ["1001"])
        }
    }

    @Test func `5: which purchase has the order id that the customer reads from the invoice?`() async throws {
        try await withWorld { world, _ in
            let directory = try TemporaryDirectory()
            try initializeCryptography()
            let key = try directory.write(try PrivateKey.generate(.p256).pem(), to: "key.p8")
            let transaction = """
                {"bundleId":"com.example.app","environment":"Production","originalTransactionId":"1001",\
                "productId":"monthly","signedDate":1793491100000,"transactionId":"1002"}
                """
            let signed = try JWSSigner(Signed.pki.get()).sign(transaction)
            let body = JSONValue.object(["status": 0, "signedTransactions": [.string(signed)]]).json
            let apple = try FakeReadAPI { _ in (200, String(decoding: body, as: UTF8.self)) }
            let answer = try await ask(
                [
                    "MVJ6ZRQ8XW", "--apps", "com.example.app:1234567890", "--root.certificates",
                    try directory.signedFiles().root, "--appstore.api.issuer.id", "issuer", "--appstore.api.key.id",
                    "key", "--appstore.api.key.file", key, "--appstore.api.url", apple.url,
                    "--appstore.api.sandbox.url", apple.url,
                ], world)
            await apple.stop()
            #expect(answer.code == 0, "\(answer.complaints)")
            #expect(answer.json["kinds"] == ["orderId"])
            #expect(answer.entries("notification").count == 2)
        }
    }

    @Test func `the webhook-id of an operator event is refused with the commands that print the event`() async throws {
        let apple = try FakeReadAPI { _ in (200, "{}") }
        let id = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"
        let (code, printed) = await sluicectl([
            "explain", "operations-\(id)", "--kafka.bootstrap.servers", "127.0.0.1:1", "--appstore.api.url", apple.url,
        ])
        await apple.stop()
        #expect(code == 64 && printed.output.isEmpty)
        let complaint = printed.complaints.joined(separator: "\n")
        #expect(complaint.contains("sluicectl tap --topic appstore.operations --no-follow --header ce_id=\(id)"))
        #expect(complaint.contains("sluicectl webhooks attempts"))
        #expect(apple.seen.isEmpty)
    }

    @Test func `6: was a refund requested, and what did Apple hear from us?`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask(["2001"] + Self.app, world)
            #expect(answer.entries("refund_requested").map { $0["reason"] } == ["UNINTENDED_PURCHASE"])
            let decided = try #require(answer.entries("refund_decided").first)
            #expect(decided["outcome"] == "decline" && decided["rule"] == "coins" && decided["body"] == "…")
            #expect(answer.entries("refund_answered").map { $0["at"] } == ["2026-10-12T00:02:00.000Z"])
            #expect(answer.entries("refund_outcome").map { $0["outcome"] } == ["declined"])
            #expect(answer.text.contains("Apple accepted the answer for round 1"))
        }
    }

    @Test func `refund cases of transactions that no record names are reported as not searched`() async throws {
        let world = try await StoryWorld()
        try await world.write(try world.produced(StoryWorld.renewedLate))
        let later = try await ask(["1001"] + Self.app, world)
        let note = "refund cases of transactions that are in none of the searched records"
        #expect(later.text.contains("\(note) were not searched: \(StoryWorld.bundle)/1001"))
        try await world.write(try world.produced(StoryWorld.bought))
        let all = try await ask(["1001"] + Self.app, world)
        #expect(!all.text.contains(note))
        await world.close()
    }

    @Test func `7: was this customer's data erased?`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask(["5001"] + Self.app, world)
            #expect(answer.entries("erased").map { $0["at"] } == ["2026-10-22T00:00:00.000Z"])
            #expect(answer.entries("notification").isEmpty)
        }
    }

    @Test func `an erased purchase has no state, although Kafka still has its notifications`() async throws {
        let world = try await StoryWorld()
        try await world.write(try world.produced(StoryWorld.bought))
        try await world.erase("1001", at: "2026-09-10")
        let flags = ["1001", "--why", "monthly", "--at"]
        let after = try await ask(flags + ["2026-09-20T00:00:00Z"] + Self.app, world)
        #expect(after.json["answer"]?.object?["isEntitled"] == false)
        #expect(after.text.contains("monthly is not granted") && after.text.contains("cause   the erasure at"))
        let last = after.json["answer"]?.object?["purchases"]?.array?.first?.object?["last"]?.object
        #expect(last?["cause"]?.object?["kind"] == "erasure" && last?["at"] == "2026-09-10T00:00:00.000Z")
        let before = try await ask(flags + ["2026-09-05T00:00:00Z"] + Self.app, world)
        #expect(before.json["answer"]?.object?["isEntitled"] == true)
        #expect(before.text.contains("the facts were erased"))
        let now = try await ask(["1001"] + Self.app, world)
        #expect(holders(now.json["purchases"]?.array?.first?.object) == [])
        await world.close()
    }

    @Test func `the refund case of an erased purchase is found`() async throws {
        try await withWorld { world, _ in
            try await world.erase("2001", at: "2026-10-20")
            let answer = try await ask(["2001"] + Self.app, world)
            #expect(answer.entries("erased").count == 1)
            #expect(answer.entries("refund_answered").map { $0["transactionId"] } == ["2001"])
        }
    }

    @Test func `the tombstone of an expired row is not an erasure`() async throws {
        let world = try await StoryWorld()
        try await world.erase("1001", at: "2026-09-10")
        try await world.erase("1001", at: "2026-10-25", headers: [KafkaHeader(key: "sluice.state.expired", text: "1")])
        let answer = try await ask(["1001"] + Self.app, world)
        #expect(answer.entries("erased").map { $0["at"] } == ["2026-09-10T00:00:00.000Z"])
        #expect(answer.entries("published").map { $0["title"] } == ["state removed: its erasure has expired"])
        // The members have no erasure any more, so they take what Apple signed before the tombstone.
        var late = StoryWorld.renewedLate
        late.received = "2026-10-28T00:00:00Z"
        try await world.write(try world.produced(late))
        let again = try await ask(["1001", "--why", "monthly"] + Self.app, world)
        #expect(again.json["answer"]?.object?["isEntitled"] == true)
        await world.close()
    }

    // MARK: On call

    @Test func `8: where is this notification, and who has handled it?`() async throws {
        try await withWorld { world, positions in
            let answer = try await ask([StoryWorld.uuid(8)], world)
            let entry = try #require(answer.entries("notification").first)
            #expect(answer.entries("notification").count == 1)
            #expect(entry["position"]?.string == positions[8])
            #expect(entry["trust"] == "signed" && entry["origin"] == "live" && entry["effect"] == "facts merged")
            let groups = (entry["groups"]?.array ?? []).compactMap(\.object)
            #expect(groups.map { $0["group"] } == ["sluice-entitlements", "sluice-refunds"])
            #expect(groups.map { $0["status"] } == ["handled", "not_yet"])
            #expect(answer.text.contains("handled by sluice-entitlements; not yet by sluice-refunds"))
        }
    }

    @Test func `9: why had it no effect, and did the replay help?`() async throws {
        try await withWorld { world, positions in
            let answer = try await ask([StoryWorld.uuid(6)], world)
            let letter = try #require(answer.entries("dead_lettered").first)
            #expect(letter["group"] == "sluice-entitlements" && letter["reason"] == "field_type")
            #expect(letter["input"]?.string == positions[6])
            let notifications = answer.entries("notification")
            #expect(notifications.map { $0["position"]?.string } == [positions[6], positions[60]])
            #expect(notifications.map { $0["origin"] } == ["live", "replay"])
            #expect(notifications.last?["at"] == "2026-10-20T02:00:00.000Z")
        }
    }

    @Test func `dead letters of a consumer group that is not configured are found`() async throws {
        let world = try await StoryWorld(group: "inbox")
        try await world.write(try world.produced(StoryWorld.bought))
        var letter = try world.produced(StoryWorld.bought)
        letter.topic = world.input.deadLetters(of: "inbox")
        letter.headers.append(KafkaHeader(key: "sluice.dlq.group", text: "inbox"))
        try await world.write(letter)
        let answer = try await ask(["1001"] + Self.app, world)
        #expect(answer.entries("dead_lettered").map { $0["group"] } == ["inbox"])
        await world.close()
    }

    @Test func `10: Apple has a 200 for it, and no consumer has seen it`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask([StoryWorld.uuid(7)], world)
            #expect(answer.code == 0)
            #expect(answer.entries("quarantined").map { $0["reason"] } == ["profile_date"])
            #expect(answer.entries("notification").isEmpty)
            #expect(answer.text.contains("quarantined: profile_date"))
        }
    }

    @Test(arguments: ["2000000000000001", "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"])
    func `a quarantined notification is found by every identifier that it claims`(_ id: String) async throws {
        try await withWorld { world, _ in
            try await world.write(
                QuarantineRecord(
                    reason: "profile_date", receivedAt: try StoryWorld.at("2026-10-21"), environment: .production,
                    bundleId: BundleId(StoryWorld.bundle),
                    notificationUUID: NotificationUUID("7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"),
                    receivedBytes: try Signed.body()
                ).produced(to: world.names.quarantine))
            let answer = try await ask([id], world)
            #expect(answer.code == 0 && answer.json["found"] == true)
            #expect(answer.entries("quarantined").map { $0["reason"] } == ["profile_date"])
            // An account may exist in both environments, a notificationUUID in only one.
            let sandbox = try await ask([id, "--environment", "sandbox"], world)
            #expect(sandbox.entries("quarantined").count == (id.contains("-") ? 1 : 0))
        }
    }

    @Test func `11: did the receiver get this webhook?`() async throws {
        try await withWorld { world, _ in
            let id = "notification-production-\(StoryWorld.uuid(2))"
            let attempt: JSONObject = [
                "at": "2026-10-01T09:00:01.000Z", "id": .string(id), "type": "com.apple.appstore.DID_RENEW",
                "outcome": "accepted", "status": 204, "milliseconds": 12, "detail": "the receiver responded 204",
            ]
            let body = JSONValue.object(["attempts": [.object(attempt)]]).json
            let webhooks = try FakeReadAPI { _ in (200, String(decoding: body, as: UTF8.self)) }
            let answer = try await ask([id, "--webhooks.admin.url", webhooks.url], world)
            await webhooks.stop()
            #expect(answer.json["kinds"] == ["webhook-id"])
            let entry = try #require(answer.entries("webhook").first)
            #expect(entry["outcome"] == "accepted" && entry["status"] == 204)
            #expect(answer.entries("notification").count == 1)
        }
    }

    @Test(arguments: ["notification-production-\(StoryWorld.uuid(99))", "state-production-0123456789abcdef-7"])
    func `a webhook whose record Kafka no longer has is found`(_ id: String) async throws {
        try await withWorld { world, _ in
            let attempt: JSONObject = [
                "at": "2026-10-01T09:00:01.000Z", "id": .string(id), "outcome": "accepted", "status": 204,
            ]
            let body = JSONValue.object(["attempts": [.object(attempt)]]).json
            let webhooks = try FakeReadAPI { _ in (200, String(decoding: body, as: UTF8.self)) }
            let answer = try await ask([id, "--webhooks.admin.url", webhooks.url], world)
            await webhooks.stop()
            #expect(answer.code == 0 && answer.json["found"] == true)
            #expect(answer.entries("webhook").map { $0["webhookId"]?.string } == [id])
        }
    }

    @Test func `a notification's story has only its own webhooks, a purchase's story has all of them`() async throws {
        try await withWorld { world, _ in
            func attempt(_ id: String, _ outcome: String) -> JSONValue {
                .object(["at": "2026-10-01T09:00:01.000Z", "id": .string(id), "outcome": .string(outcome)])
            }
            try initializeCryptography()
            let digest = SHA256.digest(of: Array("\(StoryWorld.bundle)/1001".utf8)).hex.prefix(16)
            let attempts: [JSONValue] = [
                attempt("notification-production-\(StoryWorld.uuid(1))", "accepted"),
                attempt("notification-production-\(StoryWorld.uuid(2))", "refused"),
                attempt("state-production-\(digest)-1", "accepted"),
                attempt("state-production-0000000000000000-1", "accepted"),
            ]
            let body = JSONValue.object(["attempts": .array(attempts)]).json
            let webhooks = try FakeReadAPI { _ in (200, String(decoding: body, as: UTF8.self)) }
            let url = ["--webhooks.admin.url", webhooks.url]
            let notification = try await ask([StoryWorld.uuid(2)] + url, world)
            let purchase = try await ask(["1001"] + Self.app + url, world)
            await webhooks.stop()
            #expect(notification.entries("webhook").map { $0["outcome"] } == ["refused"])
            #expect(purchase.entries("webhook").map { $0["outcome"] } == ["accepted", "refused", "accepted"])
        }
    }

    @Test func `12: how late did it arrive?`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask([StoryWorld.uuid(2)], world)
            #expect(answer.entries("notification").map { $0["delaySeconds"] } == [32_400])
        }
    }

    @Test func `the manual lists these twelve questions with commands that parse`() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../deploy/explain.md").standardized, encoding: .utf8)
        let commands = page.split(separator: "\n").compactMap { line -> [String]? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, Int(cells[0]) != nil else { return nil }
            return cells[2].trimmingCharacters(in: ["`"]).split(separator: " ").map(String.init)
        }
        #expect(commands.count == 12)
        for command in commands {
            // The file contains the settings of the executables.
            let arguments = command.dropFirst().filter { $0 != "--config" && $0 != "sluice.properties" }
            #expect(command.prefix(2) == ["sluicectl", "explain"])
            guard case .run = SluicectlCommand.command(testParts).parse(Array(arguments), environment: [:]) else {
                Issue.record("\(command)")
                continue
            }
        }
    }

    @Test func `every rule is in the manual`() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../deploy/explain.md").standardized, encoding: .utf8)
        for rule in StateRule.allCases { #expect(page.contains("`\(rule.rawValue)`"), "\(rule)") }
    }

    // MARK: Extent, masks, flags

    @Test func `a known app bounds the search to one partition, and an unknown identifier names what was searched`()
        async throws
    {
        try await withWorld { world, _ in
            let known = try await ask(["1001"] + Self.app, world)
            let extent = try #require(
                known.json["searched"]?.array?.compactMap(\.object)
                    .first { $0["topic"]?.string == world.input.rawValue })
            #expect(extent["partitions"]?.array?.count == 1 && extent["partitionCount"] == 4)
            #expect(extent["notSearched"] == .null)
            let unknown = try await ask(["7777"], world)
            #expect(unknown.code == 1 && unknown.json["found"] == false)
            #expect(unknown.text.contains("4 of 4 partitions, 8 records"))
            #expect(unknown.text.contains("the archive was not searched: not configured"))
            let ofApp = try await ask(["7777"] + Self.app, world)
            #expect(ofApp.code == 1 && ofApp.json["found"] == false)
        }
    }

    @Test func `a topic that does not exist is reported with its fix, and the answer is incomplete`() async throws {
        let world = try await StoryWorld(hasRefunds: false)
        let position = try await world.write(try world.produced(StoryWorld.bought))
        let answer = try await ask(["1001"] + Self.app, world)
        #expect(answer.code == 3 && answer.json["found"] == true && answer.json["complete"] == false)
        #expect(answer.entries("notification").map { $0["position"]?.string } == [position])
        let topic = world.names.refunds(.production).rawValue
        let gap = try #require(
            answer.json["gaps"]?.array?.compactMap(\.object)
                .first { $0["what"]?.string?.contains(topic) == true })
        #expect(gap["what"]?.string?.contains("do not exist") == true)
        #expect(gap["fix"]?.string?.contains("sluicectl topics apply") == true)
        #expect(answer.text.contains(topic) && answer.text.contains("sluicectl topics apply"))
        await world.close()
    }

    @Test func `a partition without a leader is reported with its fix, and the other partitions are searched`()
        async throws
    {
        let world = try await StoryWorld()
        let position = try await world.write(try world.produced(StoryWorld.bought))
        try await world.write(try world.published(StoryWorld.bought, at: "2026-09-01T00:00:01Z"))
        var other = StoryWorld.waiting
        other.account = StoryWorld.account
        let otherPosition = try await world.write(try world.produced(other))
        let place = try #require(ArchivedPosition(position)).partition
        #expect(try #require(ArchivedPosition(otherPosition)).partition != place)
        try world.removeLeader(of: place)
        func gap(_ answer: Answer) -> JSONObject? {
            (answer.json["gaps"]?.array ?? []).compactMap(\.object)
                .first { $0["what"]?.string?.contains("have no leader: \(place)") == true }
        }
        let answer = try await ask(["1001"] + Self.app, world)
        #expect(answer.code == 3 && answer.json["found"] == true && answer.json["complete"] == false)
        #expect(answer.entries("published").count == 1 && answer.entries("notification").isEmpty)
        #expect(gap(answer)?["fix"]?.string?.contains("kafka-topics.sh --describe --unavailable-partitions") == true)
        // The account may have more purchases, in the partition without a leader.
        let account = try await ask([StoryWorld.account], world)
        #expect(account.code == 3 && account.json["complete"] == false && gap(account) != nil)
        #expect(account.entries("notification").map { $0["position"]?.string } == [otherPosition])
        let elsewhere = try await ask(["6001"] + Self.app, world)
        #expect(elsewhere.code == 0 && elsewhere.json["complete"] == true && gap(elsewhere) == nil)
        await world.close()
    }

    @Test func `an answer from all topics is complete, and a wrong prefix is an error`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask(["1001"] + Self.app, world)
            #expect(answer.code == 0 && answer.json["complete"] == true)
            let other = await sluicectl(
                [
                    "explain", "1001", "--kafka.bootstrap.servers", world.kafka.bootstrapServers, "--topics.prefix",
                    "other",
                ] + Self.app)
            #expect(other.exitCode == 1)
            #expect(other.printed.complaints.contains { $0.contains("other.notifications.production does not exist") })
        }
    }

    @Test func `a state and a refund case of a later version make an answer incomplete`() async throws {
        try await withWorld { world, _ in
            let complete = try await ask(["2001"] + Self.app, world)
            #expect(complete.code == 0 && complete.json["complete"] == true)
            let key = Array("\(StoryWorld.bundle)/2001".utf8)
            for topic in [world.names.entitlements(.production), world.names.refunds(.production)] {
                try await world.write(
                    KafkaProducerRecord(topic: topic, key: key, value: Array(#"{"facts":{"formatVersion":999}}"#.utf8)))
            }
            let answer = try await ask(["2001"] + Self.app, world)
            #expect(answer.code == 3 && answer.json["complete"] == false)
            #expect(answer.text.contains("unreadable published states: 1,"))
            #expect(answer.text.contains("unreadable records of refund cases: 1,"))
        }
    }

    @Test func `a limit omits records and lists the omitted ones`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask(["7777", "--limit", "4"], world)
            let extent = try #require(
                answer.json["searched"]?.array?.compactMap(\.object)
                    .first { $0["topic"]?.string == world.input.rawValue })
            let read = try #require(extent["records"]?.integer)
            #expect(read <= 4)
            #expect(extent["notSearched"]?.string?.contains("@0-") == true)
            #expect(answer.code == 3 && answer.json["complete"] == false)
            #expect(answer.text.contains("because of --limit"))
        }
    }

    @Test(
        arguments: [
            "ABCDEFAB-0000-4000-8000-000000000ABC", #"abcdefab\u002d0000\u002d4000\u002d8000\u002d000000000abc"#,
        ])
    func `a notificationUUID is found however its record spells it`(_ spelling: String) async throws {
        try await withWorld { world, _ in
            var draft = StoryWorld.waiting
            draft.number = 0xABC
            draft.purchase = "9001"
            let id = "abcdefab-0000-4000-8000-000000000abc"
            var record = try world.produced(draft)
            let value = String(decoding: record.value ?? [], as: UTF8.self)
            record.value = Array(value.replacing(StoryWorld.uuid(draft.number), with: spelling).utf8)
            record.headers = record.headers.map { $0.key == "ce_id" ? KafkaHeader(key: "ce_id", text: id) : $0 }
            let position = try await world.write(record)
            let answer = try await ask([id], world)
            #expect(answer.entries("notification").map { $0["position"]?.string } == [position])
        }
    }

    @Test(arguments: [StoryWorld.account.uppercased(), StoryWorld.account.replacing("-", with: #"\u002d"#)])
    func `an appAccountToken is found however its record spells it`(_ spelling: String) async throws {
        let world = try await StoryWorld()
        var record = try world.produced(StoryWorld.bought)
        let value = String(decoding: record.value ?? [], as: UTF8.self)
        record.value = Array(value.replacing(StoryWorld.account, with: spelling).utf8)
        let position = try await world.write(record)
        let answer = try await ask([StoryWorld.account], world)
        #expect(answer.json["kinds"] == ["appAccountToken"])
        #expect(answer.entries("notification").map { $0["position"]?.string } == [position])
        await world.close()
    }

    @Test func `the index of the reconciler leads from a notificationUUID to one partition`() async throws {
        try await withWorld { world, positions in
            try await world.write(try world.indexed(StoryWorld.waiting))
            let answer = try await ask([StoryWorld.uuid(8)], world)
            #expect(answer.entries("notification").map { $0["position"]?.string } == [positions[8]])
            #expect(answer.complaints.isEmpty, "no search of every partition")
            let extent = try #require(
                answer.json["searched"]?.array?.compactMap(\.object)
                    .first { $0["topic"]?.string == world.input.rawValue })
            #expect(extent["partitions"]?.array?.count == 1 && extent["notSearched"] == .null)
        }
    }

    @Test func `personal data is masked, and a reveal is published first`() async throws {
        try await withWorld { world, _ in
            let masked = try await ask(["1001"] + Self.app, world)
            #expect(!masked.text.contains(StoryWorld.account))
            #expect(!String(decoding: JSONValue.object(masked.json).json, as: UTF8.self).contains(StoryWorld.account))
            let anonymous = await sluicectl(world.command(["1001", "--reveal"] + Self.app))
            #expect(anonymous.exitCode == 64 && anonymous.printed.output.isEmpty)
            let reveals = RecordedReveals()
            let revealed = await sluicectl(
                world.command(["1001", "--reveal", "--author", "support-1", "--request", "T-1"] + Self.app),
                publishing: reveals.publishing)
            #expect(revealed.printed.output.contains(StoryWorld.account))
            let record = try #require(reveals.records.first.flatMap { RevealRecord(json: $0.value ?? []) })
            #expect(record.author == "support-1" && record.request == "T-1" && record.scope == "sluicectl explain")
            #expect(record.positions.count == 2)
            let failing = RecordedReveals(isFailing: true)
            let refused = await sluicectl(
                world.command(["1001", "--reveal", "--author", "support-1"] + Self.app),
                publishing: failing.publishing)
            #expect(refused.exitCode == 1 && refused.printed.output.isEmpty)
        }
    }

    @Test func `a reveal lists the refund cases whose answers are printed`() async throws {
        try await withWorld { world, _ in
            let reveals = RecordedReveals()
            let revealed = await sluicectl(
                world.command(["2001", "--reveal", "--author", "support-1"] + Self.app), publishing: reveals.publishing)
            #expect(revealed.printed.output.contains("customerConsented"))
            let record = try #require(reveals.records.first.flatMap { RevealRecord(json: $0.value ?? []) })
            let refunds = world.names.refunds(.production).rawValue + "/"
            #expect(record.positions.count == 4 && record.positions.count { $0.hasPrefix(refunds) } == 1)
        }
    }

    @Test func `a range of time limits the events, not the facts behind them`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask(
                ["1001", "--from", "2026-10-01T03:00:00Z", "--to", "2026-10-01T09:00:00Z"] + Self.app, world)
            #expect(answer.entries("state").map { $0["title"] } == ["EXPIRED: no monthly"])
            #expect(answer.entries("notification").isEmpty)
        }
    }

    @Test func `a range of time without events is not an identifier that was not found`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask(["1001", "--from", "2026-10-25T00:00:00Z"] + Self.app, world)
            #expect(answer.code == 0 && answer.json["found"] == true && answer.json["timeline"] == [])
            #expect(answer.text.contains("no events between --from and --to"))
            #expect(!answer.text.contains("nothing was found"))
        }
    }

    @Test func `states are replayed at Apple's times on request`() async throws {
        try await withWorld { world, _ in
            let answer = try await ask(["1001", "--as-signed"] + Self.app, world)
            #expect(
                answer.entries("state").map { $0["title"]?.string } == [
                    "ACTIVE until 2026-10-01T00:00:00Z: monthly", "ACTIVE until 2026-11-15T00:00:00Z: monthly",
                ])
        }
    }

    @Test func `the index of the read API is used if it is reachable`() async throws {
        try await withWorld { world, _ in
            let api = try FakeReadAPI { _ in
                (200, #"{"known":true,"purchases":[{"bundleId":"com.example.app","originalTransactionId":"1001"}]}"#)
            }
            let answer = try await ask(
                [StoryWorld.account] + ["--entitlements.url", api.url], world)
            await api.stop()
            #expect(answer.entries("notification").count == 2)
            #expect(answer.complaints.isEmpty, "no search of every partition")
            #expect(api.seen.first?.contains("appAccountToken=\(StoryWorld.account)") == true)
        }
    }
}

/// The work is bounded, because a known key is in one partition.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .timeLimit(.minutes(10)))
struct ExplainOnApacheKafkaTests {
    /// 1,000,000 with `SLUICE_TEST_LONG`, otherwise 12,000.
    private static let records = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] != nil ? 1_000_000 : 12_000

    @Test func `a purchase in a full topic is explained from one partition, with the same answer`() async throws {
        try await ApacheKafka.use {
            let world = try await StoryWorld(partitions: 12)
            try await world.fill(Self.records)
            let positions = try await world.writeHistory()
            let start = ContinuousClock.now
            let command = world.command(["1001", "--app", StoryWorld.bundle, "--output", "json"])
            let (code, printed) = await sluicectl(command)
            print("explained in \(ContinuousClock.now - start): sluicectl \(command.joined(separator: " "))")
            #expect(code == 0, "\(printed.complaints)")
            let story = try #require(try printed.objects.first)
            let timeline = (story["timeline"]?.array ?? []).compactMap(\.object)
            #expect(
                timeline.filter { $0["kind"] == "notification" }.map { $0["position"]?.string }
                    == [positions[1], positions[2]])
            let extent = try #require(
                story["searched"]?.array?.compactMap(\.object).first { $0["topic"]?.string == world.input.rawValue })
            #expect(extent["partitions"]?.array?.count == 1)
            let read = try #require(extent["records"]?.integer)
            #expect(read < Int64(Self.records / 12 * 5 / 4))
            await world.close()
        }
    }

    /// The oldest notification, one in the middle, the newest, and one that does not exist.
    @Test(arguments: [false, true])
    func `a notification in a full topic is found by its notificationUUID`(_ isIndexed: Bool) async throws {
        try await ApacheKafka.use {
            let world = try await StoryWorld(partitions: 12)
            try await world.fill(Self.records, isIndexed: isIndexed)
            let positions = try await world.writeHistory()
            let (first, middle) = (StoryWorld.firstFilled, StoryWorld.firstFilled + Self.records / 2)
            for (name, number) in [("oldest", first), ("middle", middle), ("newest", 8), ("absent", 99)] {
                let start = ContinuousClock.now
                let (code, printed) = await sluicectl(
                    world.command([StoryWorld.uuid(number), "--output", "json"]))
                print("\(isIndexed ? "indexed" : "searched"), \(name): \(ContinuousClock.now - start)")
                #expect(code == (name == "absent" ? 1 : 0), "\(printed.complaints)")
                let story = try #require(try printed.objects.first)
                let found = (story["timeline"]?.array ?? []).compactMap(\.object).filter {
                    $0["kind"] == "notification"
                }
                #expect(found.map { $0["notificationUUID"]?.string } == (code == 1 ? [] : [StoryWorld.uuid(number)]))
                if name == "newest" { #expect(found.first?["position"]?.string == positions[8]) }
                if isIndexed, ["oldest", "middle"].contains(name) {
                    #expect(!printed.complaints.contains { $0.contains("every partition") })
                }
                guard name == "absent" else { continue }
                let extent = try #require(
                    story["searched"]?.array?.compactMap(\.object).first { $0["topic"]?.string == world.input.rawValue }
                )
                #expect(extent["records"]?.integer == Int64(Self.records) + 8 && extent["notSearched"] == .null)
            }
            await world.close()
        }
    }
}
