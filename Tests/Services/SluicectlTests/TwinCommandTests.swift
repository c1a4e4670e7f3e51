import AppStoreModel
import Foundation
import Kafka
import KafkaDevBroker
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl compare-versions` on the embedded broker.
@Suite(.timeLimit(.minutes(5)))
struct TwinCommandTests {
    private let names = TopicNames(prefix: "twin\(UUID().uuidString.lowercased().prefix(8))")
    private let broker: DevBroker

    private var topic: KafkaTopic { names.notifications(.production) }
    private var flags: [String] {
        [
            "compare-versions", "--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", names.prefix,
            "--to",
            "2026-11-14T00:00:00Z",
        ]
    }

    init() throws {
        broker = try DevBroker(topics: [names.notifications(.production): 2])
    }

    private func write(_ drafts: [TwinDraft], also bytes: [UInt8]? = nil) async throws {
        let configuration = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let producer = try KafkaProducer(configuration, topics: [topic])
        for draft in drafts { _ = try await producer.send(draft.produced(to: topic), deadline: .seconds(10)) }
        if let bytes {
            _ = try await producer.send(
                KafkaProducerRecord(topic: topic, key: nil, value: bytes), deadline: .seconds(10))
        }
        await producer.close(within: .seconds(5))
    }

    private static let both: [TwinDraft] = [
        .signed(.subscribed, .initialBuy, at: 0), .sharedSecret(.subscribed, .initialBuy, raw: "INITIAL_BUY", at: 1),
    ]
    private static let differing: [TwinDraft] =
        both + [
            .signed(.didRenew, at: 60).with { $0.expires = 86_400 },
            .signed(.oneTimeCharge, at: 61).with { $0.expires = 86_400 },
        ]

    @Test func `agreement of the streams is reported, with exit code 0`() async throws {
        try await write(Self.both)
        let (exitCode, printed) = await sluicectl(flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(printed.output.hasSuffix("\nthe two streams agree\n"))
        await broker.stop()
    }

    @Test func `agreement apart from unreadable records has exit code 3`() async throws {
        try await write(Self.both, also: Array("no notification".utf8))
        let (exitCode, printed) = await sluicectl(flags)
        #expect(exitCode == 3)
        #expect(printed.output.hasSuffix("\nthe two streams agree\n"))
        #expect(printed.complaints == ["sluicectl: 1 records in \(topic) are not notifications"])
        await broker.stop()
    }

    @Test func `differences of the streams are listed as text, with exit code 1`() async throws {
        try await write(Self.differing, also: Array("no notification".utf8))
        let (exitCode, printed) = await sluicectl(flags)
        #expect(exitCode == 1)
        #expect(printed.complaints == ["sluicectl: 1 records in \(topic) are not notifications"])
        #expect(
            printed.output == """
                TYPE             BOTH  OTHER SUBTYPE  ONLY V2  ONLY V1  OF THOSE EXPECTED
                DID_RENEW        0     0              1        0        0
                ONE_TIME_CHARGE  0     0              1        0        1
                SUBSCRIBED       1     0              0        0        0

                purchases: 0 in the same state, 1 in different states, 0 only in V2, 0 only in V1, 0 not comparable

                without a counterpart:
                  V2  2026-11-01T01:00:00Z  DID_RENEW        -  com.example.app/100  100  signed-DID_RENEW--60
                  V2  2026-11-01T01:01:00Z  ONE_TIME_CHARGE  -  com.example.app/100  100  signed-ONE_TIME_CHARGE--61  expected

                purchases with different states:
                  com.example.app/100  V2  ACTIVE pro until 2026-12-31T00:00:00Z, renews
                                       V1  ACTIVE pro until 2026-12-01T00:00:00Z, renews

                the two streams differ

                """)
        await broker.stop()
    }

    @Test func `the JSON output equals the golden copy`() async throws {
        try await write(Self.differing)
        let (exitCode, printed) = await sluicectl(flags + ["--output", "json", "--limit", "1"])
        #expect(exitCode == 1, "\(printed.complaints)")
        #expect(
            printed.output
                == #"{"same":false,"environment":"Production","to":"2026-11-14T00:00:00.000Z","types":["#
                + #"{"notificationType":"DID_RENEW","both":0,"otherSubtype":0,"onlySigned":1,"onlySharedSecret":0,"#
                + #""expected":0},{"notificationType":"ONE_TIME_CHARGE","both":0,"otherSubtype":0,"onlySigned":1,"#
                + #""onlySharedSecret":0,"expected":1},{"notificationType":"SUBSCRIBED","both":1,"otherSubtype":0,"#
                + #""onlySigned":0,"onlySharedSecret":0,"expected":0}],"purchases":{"same":0,"different":1,"#
                + #""onlySigned":0,"onlySharedSecret":0,"notComparable":0},"unmatched":[{"trust":"signed","#
                + #""notificationType":"DID_RENEW","bundleId":"com.example.app","originalTransactionId":"100","#
                + #""transactionId":"100","notificationUUID":"signed-DID_RENEW--60","#
                + #""receivedTime":"2026-11-01T01:00:00.000Z","isExpected":false}],"differences":["#
                + #"{"bundleId":"com.example.app","originalTransactionId":"100","signed":[{"productId":"pro","#
                + #""state":"ACTIVE","isEntitled":true,"until":"2026-12-31T00:00:00.000Z","willRenew":true}],"#
                + #""sharedSecret":[{"productId":"pro","state":"ACTIVE","isEntitled":true,"#
                + #""until":"2026-12-01T00:00:00.000Z","willRenew":true}]}]}"# + "\n")
        await broker.stop()
    }

    @Test func `only the requested app and time are compared`() async throws {
        try await write(Self.differing)
        let (other, none) = await sluicectl(flags + ["--app", "com.example.other"])
        #expect(other == 0 && none.output == "no notifications in this range\n")
        let (early, agree) = await sluicectl(flags + ["--from", "2026-10-31T23:59:00Z"])
        #expect(early == 1 && agree.output.contains("DID_RENEW"))
        let (order, refused) = await sluicectl(flags + ["--from", "2026-11-15T00:00:00Z"])
        #expect(order == 64 && refused.complaints.first?.contains("--from is not before --to") == true)
        await broker.stop()
    }

    @Test func `a missing topic is reported`() async throws {
        let (exitCode, printed) = await sluicectl(flags + ["--environment", "sandbox"])
        #expect(exitCode == 1 && printed.complaints.contains { $0.contains("does not exist") })
        await broker.stop()
    }
}
