import AppStoreModel
import AppStoreSigning
import HTTPClient
import Kafka
import KafkaDevBroker
import Records
import Simulator
import TestSupport
import Testing

@testable import Ingress

/// Header segments are acknowledged in the certificates topic before a record names them.
@Suite(.timeLimit(.minutes(5))) struct CertificateHeaderTests {
    private let appStore: TestAppStore

    init() throws { appStore = try TestAppStore.shared() }

    @Test func `no record references a segment while the certificates topic cannot be written`() async throws {
        let broker = try DevBroker()
        let body = TestAppStore.body(try appStore.renewal())
        try await IngressHarness.with(broker) { harness async throws in
            let partition = KafkaTopicPartition(topic: harness.topics.certificates, partition: 0)
            try broker.setLeader(of: partition, to: nil)
            #expect(try await harness.post(body).status == 503)
            #expect(try await harness.counts() == [0, 0, 0])
            try broker.setLeader(of: partition, to: 1)
            let isTaken = try await eventually { try await harness.post(body).status == 200 }
            #expect(isTaken)
            // The topic works again, and known segments are not written again.
            #expect(try await harness.post(TestAppStore.body(try appStore.renewal())).status == 200)
            let headers = try await harness.headers()
            #expect(headers.count == 1)
            for record in try await harness.records(harness.production) {
                #expect(throws: Never.self) { try NotificationRecord(record).rebuild { headers[$0] } }
            }
        }
        await broker.stop()
    }

    @Test func `a refused segment fails its notification, and the next notification publishes it again`() async throws {
        let broker = try DevBroker()
        let body = TestAppStore.body(try appStore.renewal())
        try await IngressHarness.with(broker) { harness async throws in
            // 29: topic authorization failed.
            try broker.failNext(.produce, with: [KafkaError.Code(rawValue: 29)])
            #expect(try await harness.post(body).status == 503)
            #expect(try await harness.counts() == [0, 0, 0])
            #expect(harness.value("sluice_ingress_certificate_headers_published_total") == 0)
            let isTaken = try await eventually { try await harness.post(body).status == 200 }
            #expect(isTaken)
            #expect(harness.value("sluice_ingress_certificate_headers_published_total") == 1)
        }
        await broker.stop()
    }

    @Test func `two processes write the same segment under the same key`() async throws {
        let broker = try DevBroker()
        let jws = [try appStore.renewal(), try appStore.renewal()]
        try await IngressHarness.with(broker) { first async throws in
            #expect(try await first.post(TestAppStore.body(jws[0])).status == 200)
            try await IngressHarness.with(broker, { $0.topics = first.topics }) { second async throws in
                #expect(try await second.post(TestAppStore.body(jws[1])).status == 200)
            }
            let copies = try await first.records(first.topics.certificates)
            #expect(copies.count == 2)
            #expect(Set(copies.map(\.key)).count == 1 && Set(copies.map(\.value)).count == 1)
            let headers = try await first.headers()
            let rebuilt = try await first.records(first.production).map { record in
                try NotificationRecord(record).rebuild { headers[$0] }
            }
            #expect(Set(rebuilt) == Set(jws.map { Array($0.utf8) }))
        }
        await broker.stop()
    }

    @Test func `a notification that cannot be rebuilt exactly is kept as received, and counted`() async throws {
        let broker = try DevBroker()
        let payload = try CompactJWS.payload(try appStore.renewal())
        // White space around the payload, which Apple does not send. A record does not preserve it.
        let jws = try JWSSigner(appStore.pki).sign([UInt8(ascii: "\n")] + payload + [UInt8(ascii: " ")])
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(TestAppStore.body(String(decoding: jws, as: UTF8.self))).status == 200)
            #expect(harness.value("sluice_ingress_records_with_signed_payload_total") == 1)
            let record = try NotificationRecord(try #require(try await harness.records(harness.production).first))
            #expect(record.proof == nil && record.transaction != nil)
            #expect(try record.rebuild { _ in nil } == jws)
            #expect(try await harness.records(harness.topics.certificates).isEmpty)
        }
        await broker.stop()
    }

    @Test func `2,000 notifications of every scenario are rebuilt from Kafka byte for byte`() async throws {
        let broker = try DevBroker()
        let notifications = try appStore.corpus(2000)
        try await IngressHarness.with(broker) { harness async throws in
            // Batches are smaller than the listener's number of slots.
            for first in stride(from: 0, to: notifications.count, by: 100) {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for notification in notifications[first..<min(first + 100, notifications.count)] {
                        group.addTask { try await harness.post(notification.body).status }
                    }
                    for try await status in group { #expect(status == 200) }
                }
            }
            let headers = try await harness.headers()
            let records = try await harness.records(harness.production)
            let rebuilt = try records.map { try NotificationRecord($0).rebuild { headers[$0] } }
            #expect(rebuilt.count == notifications.count)
            #expect(Set(rebuilt) == Set(notifications.map { TestAppStore.jws(of: $0.body) }))
            #expect(records.allSatisfy { ($0.value?.count ?? 0) < 3400 })
            #expect(harness.value("sluice_ingress_records_with_signed_payload_total") == 0)
        }
        await broker.stop()
    }
}
