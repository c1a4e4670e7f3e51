import AppStoreModel
import HTTPClient
import JSON
import Kafka
import Lifecycle
import PipelineRuntime
import Primitives
import Records
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// The whole service with an embedded broker. Each group join takes three seconds.
@Suite(.timeLimit(.minutes(10))) struct EntitlementsOnBrokerTests {
    private let at61 = "at=\(on(61))"

    @Test func `records become entitlements across a restart, and poison records are dead-lettered`() async throws {
        let installation = try await Installation("restart")
        let directory = try TemporaryDirectory()
        let production = installation.notifications(.production)
        let life = lifeOfOne(purchase: "1000")
        var wrongType = lifeOfOne(purchase: "3000")[0]
        wrongType.transaction?["expiresDate"] = "tomorrow"
        let sandboxed = lifeOfOne(purchase: "4000", environment: .sandbox)[0]
        let test = Draft("TEST", signed: on(0), purchase: "none", status: nil)
        // Write the newest record first, with poison records in between.
        try await installation.write(
            [life[3].produced(in: production)]
                + [
                    KafkaProducerRecord(topic: production, key: Array("k".utf8), value: [0xFF, 0x00]),
                    KafkaProducerRecord(topic: production, key: nil, value: nil),
                    wrongType.produced(in: production), sandboxed.produced(in: production),
                    test.produced(in: production),
                ]
                + [life[0].produced(in: production)]
                + lifeOfOne(purchase: "2000", token: nil, environment: .sandbox)[..<1].map {
                    $0.produced(in: installation.notifications(.sandbox))
                })
        let first = try await RunningEntitlements(installation.configuration(data: directory.path))
        try await first.finish(8)
        #expect(try await first.states("?originalTransactionId=1000&\(at61)") == ["EXPIRED 10002"])
        #expect(
            try await first.states("?environment=Sandbox&originalTransactionId=2000&at=\(on(1))") == ["ACTIVE 20001"])
        #expect(try await first.get("?originalTransactionId=2000").body["known"] == false)
        #expect(try await first.get("?originalTransactionId=3000").body["known"] == false)
        #expect(try await first.get("?originalTransactionId=4000").body["known"] == false)
        #expect(await first.stop() == .ok)

        var random = SeededGenerator(seed: 3)
        // While the service is down, the test writes the missing notifications, repeated ones and a new purchase.
        let second = lifeOfOne(purchase: "5000", token: account)[..<2]
        try await installation.write(
            (life.shuffled(using: &random) + second).map { $0.produced(in: production) })
        let again = try await RunningEntitlements(installation.configuration(data: directory.path))
        #expect(try await again.states("?originalTransactionId=1000&\(at61)") == ["EXPIRED 10002"])
        try await again.finish(6)
        #expect(again.metric("sluice_entitlements_purchases_changed_total") >= 2)
        #expect(
            try await again.states("?appAccountToken=\(account)&at=\(on(45))") == ["ACTIVE 10002", "ACTIVE 50002"])
        #expect(await again.stop() == .ok)

        let letters = try await installation.read(installation.deadLetterTopic(.production))
        let reasons = letters.map { letter in
            String(decoding: letter.header("sluice.dlq.reason")?.value ?? [], as: UTF8.self)
        }
        #expect(reasons.sorted() == ["environment_mismatch", "field_type", "invalid_json"])
        #expect(Set(letters.map(\.value)) == [[0xFF, 0x00], wrongType.record().value, sandboxed.record().value])
        #expect(try await installation.read(installation.deadLetterTopic(.sandbox)).isEmpty)

        // The disk is lost, and everything is restored from the topic.
        let other = try TemporaryDirectory()
        let restored = try await RunningEntitlements(installation.configuration(data: other.path))
        #expect(try await restored.states("?originalTransactionId=1000&\(at61)") == ["EXPIRED 10002"])
        #expect(
            try await restored.states("?appAccountToken=\(account)&at=\(on(45))") == ["ACTIVE 10002", "ACTIVE 50002"])
        #expect(await restored.stop() == .ok)
        await installation.stop()
    }

    /// Commits offsets for production's topic, as if a member of the group had read up to them.
    private func commit(_ installation: Installation, _ offset: (KafkaWatermarks) -> KafkaOffset) async throws {
        let admin = try KafkaAdmin(installation.kafka)
        let ends = try await admin.watermarks(of: installation.notifications(.production))
        try await admin.alterOffsets(
            of: KafkaConsumerGroup(rawValue: installation.group), to: ends.mapValues(offset))
        await admin.close(within: .seconds(5))
    }

    @Test func `a lost state is not recreated until the group reads all input again`() async throws {
        let installation = try await Installation("lost")
        let production = installation.notifications(.production)
        try await installation.write(lifeOfOne(purchase: "1000").map { $0.produced(in: production) })
        try await commit(installation, \.high)
        let directory = try TemporaryDirectory()
        let configuration = try installation.configuration(data: directory.path)
        let log = MemoryLogSink()
        let logger = Logger(label: "test", level: .info, format: .json, sink: log)
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        let exitCode = await runServices(logger: logger, triggers: triggers) {
            try await EntitlementsApplication.application.services(
                configuration, logger: logger, metrics: MetricsRegistry())
        }
        trigger.finish()
        #expect(exitCode == .configuration)
        let line = try #require(log.lines.first { $0.contains("is lost") })
        for part in [installation.group, production.rawValue, "sluicectl entitlements rebuild --yes"] {
            #expect(line.contains(part), "\(part)")
        }

        // Resets the offsets as `sluicectl entitlements rebuild` does.
        try await commit(installation, \.low)
        let again = try await RunningEntitlements(configuration)
        try await again.finish(4)
        #expect(try await again.states("?originalTransactionId=1000&\(at61)") == ["EXPIRED 10002"])
        #expect(await again.stop() == .ok)
        await installation.stop()
    }

    @Test func `a group that has read only Apple's test notifications starts with an empty directory`() async throws {
        let installation = try await Installation("tests")
        let test = Draft("TEST", signed: on(0), purchase: "none", status: nil)
        try await installation.write([test.produced(in: installation.notifications(.production))])
        try await commit(installation, \.high)
        let directory = try TemporaryDirectory()
        let running = try await RunningEntitlements(installation.configuration(data: directory.path))
        #expect(await running.stop() == .ok)
        await installation.stop()
    }

    @Test func `a claim assigns an unclaimed purchase to an account, and Apple's token overrides it`() async throws {
        let installation = try await Installation("claims")
        let directory = try TemporaryDirectory()
        let production = installation.notifications(.production)
        try await installation.write(
            (lifeOfOne(purchase: "1", token: nil)[..<2] + lifeOfOne(purchase: "2")[..<2]).map {
                $0.produced(in: production)
            })
        let service = try await RunningEntitlements(installation.configuration(data: directory.path))
        try await service.finish(4)
        let other = "00000000-2d5b-4a5c-8f1e-0a1b2c3d4e5f"
        func claim(_ id: String, _ token: String) async throws -> (status: Int, body: JSONObject) {
            try await service.post(
                "/v1/claims",
                [
                    "bundleId": "com.example", "originalTransactionId": .string(id), "appAccountToken": .string(token),
                ])
        }
        func unclaimed() async throws -> Int? {
            try await service.get("?unclaimed=true", path: "/v1/purchases").body["purchases"]?.array?.count
        }
        #expect(try await unclaimed() == 1)
        let claimed = try await claim("1", other)
        #expect(claimed.status == 200)
        #expect(claimed.body["appAccountToken"]?.string == other)
        #expect(try await claim("1", other.uppercased()).status == 200)
        #expect(try await service.states("?appAccountToken=\(other)&at=\(on(45))") == ["ACTIVE 12"])
        #expect(try await unclaimed() == 0)
        #expect(try await claim("2", other).status == 409)
        #expect(try await claim("2", account).status == 200)
        #expect(try await claim("no number", other).status == 404)
        #expect(try await claim("1", "no UUID").status == 400)
        #expect(try await service.post("/v1/claims", ["x": 1]).status == 400)
        // The purchase is claimed, so another account needs a transfer and a proof.
        #expect(try await claim("1", account).status == 409)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `an erasure leaves a tombstone, and a replay restores nothing`() async throws {
        let installation = try await Installation("erasure")
        let directory = try TemporaryDirectory()
        let production = installation.notifications(.production)
        let life = lifeOfOne(purchase: "1")
        try await installation.write(life.map { $0.produced(in: production) })
        let service = try await RunningEntitlements(installation.configuration(data: directory.path))
        try await service.finish(4)
        let request: JSONObject = ["bundleId": "com.example", "originalTransactionId": "1"]
        let erased = try await service.post("/v1/erasures", request)
        #expect(erased.status == 200)
        #expect(erased.body["erasedAt"]?.integer != nil)
        #expect(try await service.post("/v1/erasures", request).status == 200)
        #expect(try await service.post("/v1/erasures", request.with("originalTransactionId", "9")).status == 404)
        #expect(try await service.get("?appAccountToken=\(account)").body["known"] == false)
        let last = try #require(try await installation.read(installation.state(.production)).last)
        #expect(last.value == nil && last.key == Array("com.example/1".utf8))
        try await installation.write(life.map { $0.produced(in: production) })
        try await service.finish(8)
        #expect(try await service.get("?originalTransactionId=1").body["known"] == false)
        #expect(await service.stop() == .ok)

        // A member without a database learns about the erasure from the tombstone.
        let other = try TemporaryDirectory()
        let restored = try await RunningEntitlements(installation.configuration(data: other.path))
        try await installation.write(life.map { $0.produced(in: production) })
        try await restored.finish(4)
        #expect(try await restored.get("?originalTransactionId=1").body["known"] == false)
        #expect(try await installation.read(installation.state(.production)).last?.value == nil)
        #expect(await restored.stop() == .ok)
        await installation.stop()
    }

    @Test func `a reader reports the age of its facts while no worker reads the input, and is fresh afterwards`()
        async throws
    {
        let installation = try await Installation("stale")
        let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        let received = SystemClock.wallMilliseconds() - 60_000
        var record = lifeOfOne(purchase: "1000")[0].produced(in: installation.notifications(.production))
        record.timestampMilliseconds = received
        try await installation.write([record])
        let reader = try await RunningEntitlements(
            installation.configuration(
                data: directory.path, ["--state.role", "reader", "--entitlements.staleness.limit", "30s"]),
            waitsForInput: false)
        let isStale = await eventually(within: .seconds(25)) {
            (try? await reader.get("?originalTransactionId=1000").body["stale"]) == true
        }
        #expect(isStale)
        let answer = try await reader.get("?originalTransactionId=1000").body
        #expect(answer["known"] == false)
        #expect(answer["asOf"]?.integer == received)
        #expect(reader.metric(#"sluice_entitlements_facts_stale{environment="production"}"#) == 1)

        let member = try await RunningEntitlements(installation.configuration(data: other.path))
        try await member.finish(1)
        let isFresh = await eventually(within: .seconds(25)) {
            guard let body = try? await reader.get("?originalTransactionId=1000").body else { return false }
            return body["known"] == true && body["stale"] == nil
        }
        #expect(isFresh)
        #expect(await member.stop() == .ok)
        #expect(await reader.stop() == .ok)
        await installation.stop()
    }

    @Test func `several members share the records, and each serves all purchases`() async throws {
        let installation = try await Installation("members", partitions: 4)
        let production = installation.notifications(.production)
        let directories = [try TemporaryDirectory(), try TemporaryDirectory()]
        var members: [RunningEntitlements] = []
        for (index, directory) in directories.enumerated() {
            members.append(
                try await RunningEntitlements(
                    installation.configuration(
                        data: directory.path, ["--entitlements.group.instance.id", "member-\(index)"])))
        }
        let purchases = (1...24).map { "\($0)000" }
        try await installation.write(purchases.map { lifeOfOne(purchase: $0)[0].produced(in: production) })
        for member in members {
            let knowsAll = await eventually(within: .seconds(40)) {
                (try? await member.get("?appAccountToken=\(account)").body["purchases"]?.array?.count)
                    == purchases.count
            }
            #expect(knowsAll)
        }
        let done = members.map { $0.metric("sluice_consumer_records_total{") }
        #expect(done.reduce(0, +) >= 24)
        for member in members { #expect(await member.stop() == .ok) }
        await installation.stop()
    }

    @Test(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
    func `the purchase of Apple's samples ends in the expected states through the whole service`() async throws {
        let installation = try await Installation("samples")
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 4)
        let records = try AppleSampleTests.records()
        try await installation.write(
            (records + records).shuffled(using: &random).map {
                $0.produced(in: installation.notifications(.sandbox))
            })
        let service = try await RunningEntitlements(installation.configuration(data: directory.path))
        try await service.finish(14)
        for (at, state) in AppleSampleTests.expected {
            let query = "?environment=Sandbox&originalTransactionId=2000001024993299&at=\(at)"
            let found = try await service.get(query).body.allGrants.map { grant in
                "\(grant["state"]?.string ?? "") \(grant["isEntitled"]?.bool ?? false) \(grant["transactionId"]?.string ?? "")"
            }
            #expect(found.joined() == state, "at \(at)")
        }
        // The topic also contains the current state.
        let last = try #require(try await installation.read(installation.state(.sandbox)).last?.value)
        let published = try #require(try JSONValue(json: last).object)
        #expect(published["grants"]?.array == [])
        #expect(published["inactive"]?.array?.first?.object?["state"] == "EXPIRED")
        #expect(published["active"]?.array == [])
        #expect(await service.stop() == .ok)
        await installation.stop()
    }
}
