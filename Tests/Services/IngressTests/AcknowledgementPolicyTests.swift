import AppStoreModel
import HTTPServer
import Kafka
import Publication
import Records
import Testing

@testable import AppStoreVerification
@testable import Ingress

@Suite struct AcknowledgementPolicyTests {
    @Test func `the ingress's own responses have their statuses`() {
        let table: [(HTTPResponse, Int, String)] = [
            (AcknowledgementPolicy.accepted, 200, "accepted"), (AcknowledgementPolicy.sandbox, 200, "sandbox"),
            (AcknowledgementPolicy.duplicate, 200, "duplicate"), (AcknowledgementPolicy.clock, 503, "clock"),
            (AcknowledgementPolicy.quarantineBudget, 503, "quarantine_budget"),
            (AcknowledgementPolicy.refused(.disabled), 403, "v1_disabled"),
            (AcknowledgementPolicy.refused(.password), 401, "v1_password"),
            (AcknowledgementPolicy.refused(LegacyRefusal.audience), 403, "audience"),
            (AcknowledgementPolicy.inconsistent, 503, "internal"),
        ]
        for (answer, status, reason) in table {
            #expect(answer.status == status)
            #expect(answer.reason == reason)
            #expect(answer.body.isEmpty)
            #expect(answer.headers.isEmpty)
        }
    }

    @Test(arguments: [
        (Reason.json, 400), (.signature, 403), (.newCertificateChains, 429), (.revocationUnknown, 503),
    ])
    func `a rejected notification is answered with the status of its reason`(reason: Reason, status: Int) {
        let answer = AcknowledgementPolicy.refused(Refusal(reason, ""))
        #expect(answer.status == status)
        #expect(answer.reason == reason.rawValue)
        #expect(answer.body.isEmpty)
        #expect(AcknowledgementPolicy.refused(Refusal(reason, "", status: 418)).status == 418)
    }

    @Test func `a quarantined notification is answered 200 with the verdict's reason`() throws {
        for reason in Reason.allCases where reason.rawValue.hasPrefix("profile_") {
            let notification = try #require(
                QuarantinableNotification(
                    NonconformingNotification(
                        reason: reason, detail: "", bundleId: nil, environment: nil, notificationUUID: nil,
                        certificates: nil, signedPartDigest: [UInt8](repeating: 1, count: 32)),
                    body: [], receivedAt: nil, source: .live))
            #expect(AcknowledgementPolicy.quarantined(notification).status == 200)
            #expect(AcknowledgementPolicy.quarantined(notification).reason == reason.rawValue)
        }
    }

    @Test(arguments: [
        (KafkaError.Code.brokersUnavailable, "kafka_unavailable"), (.allBrokersDown, "kafka_unavailable"),
        (.partitionSlow, "kafka_slow"), (.queueFull, "kafka_queue_full"), (.tooManyInFlight, "kafka_queue_full"),
        (.messageTimedOut, "kafka_timeout"), (.deadlineExceeded, "kafka_timeout"), (.timedOut, "kafka_timeout"),
        (.messageTooLarge, "kafka_record_too_large"), (.notEnoughReplicas, "kafka_error"), (.fatal, "kafka_error"),
        (.closed, "kafka_error"), (.producerReplaced, "kafka_error"),
    ])
    func `a Kafka failure is mapped to its reason`(code: KafkaError.Code, reason: String) {
        #expect(AcknowledgementPolicy.notAcknowledged(KafkaError(code, "")).reason == reason)
    }

    @Test func `every Kafka failure is answered 503, regardless of its code and persistence`() {
        for code in (-1100...(-1000)).map(Int32.init) + (-250...130).map(Int32.init) {
            for persistence in [KafkaError.Persistence.no, .maybe, .yes] {
                let error = KafkaError(.init(rawValue: code), "", persistence: persistence)
                #expect(AcknowledgementPolicy.notAcknowledged(error).status == 503, "\(code)")
            }
        }
    }
}
