import AppStoreModel
import HTTPClient
import Kafka
import Lifecycle
import NotificationRecord
import TestSupport
import Testing

@testable import Entitlements

/// The whole service over an embedded broker. Each join of a group costs three seconds.
@Suite(.timeLimit(.minutes(1))) struct EntitlementsOnBrokerTests {
    private let at61 = "at=\(on(61))"

    @Test func `records become answers, over a restart, and poison is put aside`() async throws {
        let installation = try Installation("restart")
        let directory = try TemporaryDirectory()
        let production = installation.notifications(.production)
        let life = lifeOfOne(chain: "1000")
        var wrongType = lifeOfOne(chain: "3000")[0]
        wrongType.transaction?["expiresDate"] = "tomorrow"
        let sandboxed = lifeOfOne(chain: "4000", environment: .sandbox)[0]
        let test = Draft("TEST", signed: on(0), chain: "none", status: nil)
        // Newest first, poison in between.
        try await installation.write(
            [life[3].produced(in: production)]
                + [
                    KafkaProducerRecord(topic: production, key: Array("k".utf8), value: [0xFF, 0x00]),
                    KafkaProducerRecord(topic: production, key: nil, value: nil),
                    wrongType.produced(in: production), sandboxed.produced(in: production),
                    test.produced(in: production),
                ]
                + [life[0].produced(in: production)]
                + lifeOfOne(chain: "2000", token: nil, environment: .sandbox)[..<1].map {
                    $0.produced(in: installation.notifications(.sandbox))
                })
        let first = try await RunningEntitlements(installation.configuration(data: directory.path))
        try await first.finish(8)
        #expect(try await first.states("?originalTransactionId=1000&\(at61)") == ["EXPIRED 10002"])
        #expect(
            try await first.states("?environment=Sandbox&originalTransactionId=2000&at=\(on(1))") == ["ACTIVE 20001"])
        #expect(try await first.get("?originalTransactionId=2000").status == 404)
        #expect(try await first.get("?originalTransactionId=3000").status == 404)
        #expect(try await first.get("?originalTransactionId=4000").status == 404)
        #expect(await first.stop() == .ok)

        var random = SeededGenerator(seed: 3)
        // While it was down: what was missing, once more what it knows, and a chain of its own.
        let second = lifeOfOne(chain: "5000", token: account)[..<2]
        try await installation.write(
            (life.shuffled(using: &random) + second).map { $0.produced(in: production) })
        let again = try await RunningEntitlements(installation.configuration(data: directory.path))
        #expect(try await again.states("?originalTransactionId=1000&\(at61)") == ["EXPIRED 10002"])
        try await again.finish(6)
        #expect(again.metric("sluice_entitlements_chains_changed_total") >= 2)
        #expect(
            try await again.states("?appAccountToken=\(account)&at=\(on(45))") == ["ACTIVE 10002", "ACTIVE 50002"])
        #expect(await again.stop() == .ok)

        let letters = try await installation.read(installation.deadLetterTopic(.production))
        let reasons = letters.map { letter in
            String(decoding: letter.header("sluice.dlq.reason")?.value ?? [], as: UTF8.self)
        }
        #expect(reasons.sorted() == ["environment_mismatch", "field_type", "invalid_json"])
        #expect(Set(letters.map(\.value)) == [[0xFF, 0x00], wrongType.encoded.value, sandboxed.encoded.value])
        #expect(try await installation.read(installation.deadLetterTopic(.sandbox)).isEmpty)

        // The group has read: a new database beside it would know nothing of that.
        let other = try TemporaryDirectory()
        let error = await #expect(throws: StartupError.self) {
            _ = try await RunningEntitlements(installation.configuration(data: other.path))
        }
        #expect(error?.setting == "data.dir")
        #expect(error?.exitCode == .configuration)
        #expect(
            error?.line.contains(
                "--group \(installation.group) --reset-offsets --to-earliest --execute --topic \(production)") == true)
        await installation.broker.stop()
    }
}
