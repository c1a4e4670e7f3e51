import AppStoreModel
import Foundation
import JSON
import Kafka
import KeyedState
import PipelineRuntime
import Records
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// A real purchase in the App Store's sandbox, with seven of its notifications.
@Suite(
    .enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"), .timeLimit(.minutes(5)))
struct AppleSampleTests {
    static let files = [
        "01-DID_RENEW", "02-SUBSCRIBED-RESUBSCRIBE", "03-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED",
        "04-EXPIRED-VOLUNTARY", "05-SUBSCRIBED-RESUBSCRIBE", "06-CONSUMPTION_REQUEST", "07-REFUND",
    ]

    /// Times with the expected state of the purchase.
    static let expected: [(at: Int64, state: String)] = [
        (1_759_302_551_000, ""),  // before the first known purchase
        (1_759_302_600_000, "ACTIVE true 2000001024998954"),
        (1_759_302_733_000, "RENEWING true 2000001024998954"),
        (1_759_313_533_000, "EXPIRED false 2000001024998954"),
        (1_759_388_800_000, "ACTIVE true 2000001025686313"),
        (1_759_388_948_000, "EXPIRED false 2000001025686313"),
        (1_759_389_041_604, "EXPIRED false 2000001025686313"),
        (1_760_335_200_000, "ACTIVE true 2000001032604840"),  // refunded later
        // A new purchase after renewal was turned off, so facts about the former period no longer apply.
        (1_760_335_310_000, "RENEWING true 2000001032604840"),
        (1_760_346_110_000, "EXPIRED false 2000001032604840"),
        (1_760_591_941_117, "ACTIVE true 2000001035288486"),
        (1_760_592_122_788, "ACTIVE true 2000001035288486"),  // the refund concerns an older period
        (1_760_592_315_000, "RENEWING true 2000001035288486"),
    ]

    /// Returns records as the ingress writes them: the payloads byte for byte, without the nested JWS.
    static func records() throws -> [KafkaProducerRecord] {
        try files.map { file in
            let jws = try TestVectors.bytes("genuine/\(file).jws")
            let notification = try CompactJWS.payload(jws)
            let envelope = NotificationEnvelope(try JSONDocument.object(notification))
            let data = try #require(try NotificationPayload(json: notification).data)
            let transaction = try CompactJWS.payload(#require(data.signedTransactionInfo))
            let renewalInfo = try CompactJWS.payload(#require(data.signedRenewalInfo))
            let identity = try #require(
                RecordIdentity(
                    envelope, transaction: TransactionEnvelope(try JSONDocument.object(transaction))))
            return KafkaProducerRecord(
                identity, to: "appstore.notifications.sandbox",
                content: RecordContent(
                    notification: notification, nestedJWSTexts: envelope.nestedJWSTexts, transaction: transaction,
                    renewalInfo: renewalInfo, evidence: .signedPayload(jws)),
                receivedAt: identity.signedDate)
        }
    }

    @Test func `has the expected state at each time, in every order`() async throws {
        let records = try Self.records().map { $0.record() }
        var random = SeededGenerator(seed: 11)
        for round in 0..<6 {
            let api = try await ReadAPIHarness(now: 1_763_000_000_000)
            let order = round == 0 ? records : (records + records).shuffled(using: &random)
            for batch in [order.prefix(3), order.dropFirst(3)] {
                #expect(try api.rows.handle(Array(batch)) == Array(repeating: .done, count: batch.count))
            }
            for (at, state) in Self.expected {
                let query = "?environment=Sandbox&originalTransactionId=2000001024993299&at=\(at)"
                #expect(try await api.state(query) == state, "at \(at), round \(round)")
            }
            await api.stop()
        }
    }

    @Test func `its records are dead letters in the production topic`() throws {
        for var record in try Self.records() {
            record.topic = "appstore.notifications.production"
            guard
                case .verdict(.deadLetter(let reason)) = FactsReading.read(
                    record.record(), environment: .production)
            else {
                Issue.record("a sandbox purchase in production")
                continue
            }
            #expect(reason.code == "environment_mismatch")
        }
    }
}
