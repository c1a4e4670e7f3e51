import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// Captured Apple samples pass through the ingress and the topic to the entitlements, without side effects.
    @Suite(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)")) struct AppleSamples {
        @Test func `captured Apple samples are acknowledged, recorded and decoded, on the embedded broker`()
            async throws
        {
            try await Harness.open { harness in try await receive(on: try await harness.embeddedBroker(), harness) }
        }

        @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
        func `captured Apple samples are acknowledged, recorded and decoded, on Apache Kafka`() async throws {
            try await Harness.open { harness in try await receive(on: try await harness.apacheKafka(), harness) }
        }

        @Test func `a sample with one changed byte is refused and leaves no record, on the embedded broker`()
            async throws
        {
            try await Harness.open { harness in try await refuse(on: try await harness.embeddedBroker(), harness) }
        }

        @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
        func `a sample with one changed byte is refused and leaves no record, on Apache Kafka`() async throws {
            try await Harness.open { harness in try await refuse(on: try await harness.apacheKafka(), harness) }
        }

        @Test(.enabled(if: KafkaTools.areHere, "\(KafkaTools.absence)"))
        func `kcat and the console consumer return the same records from Apache Kafka`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka()
                let samples = try await post(to: try await harness.ingress(on: broker, for: .appleSamples))
                let topic = broker.notifications(.sandbox).rawValue

                let kcat = try await harness.run([
                    "kcat", "-C", "-b", broker.bootstrapServers, "-t", topic, "-o", "beginning", "-e", "-q", "-J",
                ])
                #expect(kcat.end == .exit(0), "\(kcat)")
                let seen = try kcat.jsonLines
                #expect(Set(seen.map { $0.text("key") }) == Set(samples.map(\.key)))
                #expect(seen.compactMap { Self.header("ce_id", of: $0) }.sorted() == samples.uuids)
                let headers = try await broker.headers()
                #expect(
                    try seen.compactMap { record in
                        try record.text("payload").map { try Self.rebuilt(Array($0.utf8), headers) }
                    }.sorted() == samples.map(\.signedPayload).sorted())

                let console = try await harness.run([
                    try #require(KafkaTools.consoleConsumer), "--bootstrap-server", broker.bootstrapServers,
                    "--topic", topic, "--from-beginning", "--max-messages", "\(samples.count)", "--timeout-ms", "30000",
                    "--formatter-property", "print.key=true", "--formatter-property", "print.headers=true",
                ])
                #expect(console.end == .exit(0), "\(console)")
                for notification in samples {
                    let lines = console.output.split(separator: "\n").filter {
                        $0.contains("ce_id:\(notification.facts.notificationUUID)")
                    }
                    #expect(lines.count == 1)
                    #expect(lines.first?.contains("\t\(notification.key)\t{") == true)
                    let value = try #require(lines.first?.split(separator: "\t").last)
                    #expect(try Self.rebuilt(Array(value.utf8), headers) == notification.signedPayload)
                }
            }
        }

        /// Returns the compact JWS, rebuilt from a record's value.
        private static func rebuilt(_ value: [UInt8]?, _ headers: [HeaderReference: [UInt8]]) throws -> String {
            let record = try NotificationRecord(key: nil, value: value, headers: [])
            return String(decoding: try record.rebuild { headers[$0] }, as: UTF8.self)
        }

        /// Finds a header in kcat's output, an array of alternating names and values.
        private static func header(_ name: String, of record: JSON.Object) -> String? {
            let texts = (record["headers"] as? [any Sendable])?.compactMap { $0 as? String } ?? []
            return texts.firstIndex(of: name).flatMap { $0 + 1 < texts.count ? texts[$0 + 1] : nil }
        }
    }
}

// MARK: Received samples

extension EndToEnd.AppleSamples {
    /// Posts all samples twice, and expects 200.
    private func post(to ingress: Ingress) async throws -> [AppleSample] {
        let client = HTTPClient()
        defer { client.close() }
        let samples = try TestVectors.appleSamples()
        for notification in samples + samples {
            let answer = try await ingress.post(notification.body, with: client)
            #expect(answer.status == 200, "\(notification.facts.file); \(ingress.process)")
        }
        return samples
    }

    private func receive(on broker: Broker, _ harness: Harness) async throws {
        let samples = try await post(to: try await harness.ingress(on: broker, for: .appleSamples))

        let records = try await broker.records(of: broker.notifications(.sandbox))
        #expect(records.compactMap { $0.header("ce_id")?.text }.sorted() == samples.uuids)
        let headers = try await broker.headers()
        for notification in samples {
            let record = records.first { $0.header("ce_id")?.text == notification.facts.notificationUUID }
            try check(try #require(record), against: notification, headers)
        }
        #expect(try await broker.records(of: broker.notifications(.production)).isEmpty)
        #expect(try await broker.records(of: broker.quarantine).isEmpty)

        try await checkEntitlements(try await harness.entitlements(on: broker), of: try #require(samples.first))
    }

    private func check(
        _ record: KafkaRecord, against notification: AppleSample, _ certificates: [HeaderReference: [UInt8]]
    ) throws {
        let facts = notification.facts
        #expect(record.key == Array(notification.key.utf8))

        var headers: [String: String] = [:]
        for header in record.headers { #expect(headers.updateValue(header.text ?? "", forKey: header.key) == nil) }
        let signed = try Date(headers.removeValue(forKey: "ce_time") ?? "", strategy: .rfc3339Milliseconds)
        #expect(Int64((signed.timeIntervalSince1970 * 1000).rounded()) == facts.signedDate)
        let received = try Date(headers.removeValue(forKey: "ce_receivedtime") ?? "", strategy: .rfc3339Milliseconds)
        #expect(abs(received.timeIntervalSinceNow) < 60)
        #expect(
            headers == [
                "ce_specversion": "1.0", "ce_id": facts.notificationUUID,
                "ce_type": (["com.apple.appstore", facts.notificationType] + [facts.subtype].compactMap(\.self))
                    .joined(separator: "."),
                "ce_source": "/appstore/Sandbox/\(facts.bundleId)", "ce_subject": facts.originalTransactionId,
                "content-type": "application/json", "ce_environment": "Sandbox", "ce_bundleid": facts.bundleId,
                "ce_trust": "signed", "ce_origin": "live",
            ])

        let value = String(decoding: try #require(record.value), as: UTF8.self)
        #expect(value.utf8.count < 3000)
        #expect(try Self.rebuilt(record.value, certificates) == notification.signedPayload)
        // The nested payloads are stored as signed, byte for byte.
        let payload = try #require(JSON.object(CompactJWS.payload(notification.signedPayload)))
        let data = try #require(payload.object("data"))
        for (member, nested) in [("transaction", "signedTransactionInfo"), ("renewalInfo", "signedRenewalInfo")] {
            guard let jws = data.text(nested) else { continue }
            #expect(value.contains(#""\#(member)":\#(String(decoding: try CompactJWS.payload(jws), as: UTF8.self))"#))
        }
        let transaction = JSON.object(value)?.object("transaction")
        #expect(transaction?.text("transactionId") == facts.transactionId)
        #expect(transaction?.text("productId") == facts.productId)
    }

    /// The seven notifications concern one subscription: renewals, two new purchases, and an expiry in between. The
    /// refunded period was already followed by another one, so the refund ends nothing.
    private static let states: [(at: String?, state: String, isEntitled: Bool, transaction: String, product: String)] =
        [
            ("2025-10-02T07:08:00Z", "ACTIVE", true, "2000001025686313", "com.getsession.org.pro_sub"),
            ("2025-10-02T07:12:00Z", "EXPIRED", false, "2000001025686313", "com.getsession.org.pro_sub"),
            ("2025-10-16T05:24:00Z", "ACTIVE", true, "2000001035288486", "com.getsession.org.pro_sub_3_months"),
            (nil, "EXPIRED", false, "2000001035288486", "com.getsession.org.pro_sub_3_months"),
        ]

    private func checkEntitlements(_ entitlements: Entitlements, of notification: AppleSample) async throws {
        let client = HTTPClient()
        defer { client.close() }
        func grants(at moment: String?) async throws -> [JSON.Object] {
            let answer = try await entitlements.answer(
                originalTransactionId: notification.facts.originalTransactionId,
                environment: notification.facts.environment, at: moment, with: client)
            return ["grants", "inactive"].flatMap { answer?.objects($0) ?? [] }
        }
        let last = Self.states.last?.transaction
        let hasAll = try await eventually(within: .seconds(30)) {
            try await grants(at: nil).first?.text("transactionId") == last
        }
        try #require(hasAll, "\(entitlements.process)")

        for expected in Self.states {
            let grants = try await grants(at: expected.at)
            let grant = try #require(grants.first)
            let moment: Comment = "\(expected.at ?? "now")"
            #expect(grants.count == 1, moment)
            #expect(grant.text("state") == expected.state, moment)
            #expect(grant.flag("isEntitled") == expected.isEntitled, moment)
            #expect(grant.text("transactionId") == expected.transaction, moment)
            #expect(grant.text("productId") == expected.product, moment)
            #expect(grant.text("entitlement") == expected.product, moment)
        }
    }
}

// MARK: Refused samples

extension EndToEnd.AppleSamples {
    private func refuse(on broker: Broker, _ harness: Harness) async throws {
        let ingress = try await harness.ingress(on: broker, for: .appleSamples)
        // The ingress has accepted the originals. Neither its duplicate window nor its chain cache may accept a
        // modified copy.
        let samples = try await post(to: ingress)
        let before = try await broker.endOffsets()
        #expect(before.values.reduce(0) { $0 + $1.rawValue } == Int64(samples.count))

        let client = HTTPClient()
        defer { client.close() }
        var statuses: [Int: Int] = [:]
        for (number, notification) in samples.enumerated() {
            var mutants = Mutants(notification.signedPayload, seed: UInt64(number))
            for position in mutants.positions(50) {
                let body = mutants.body(changedAt: position)
                let status = try await verdict(on: body, from: ingress, with: client)
                statuses[status, default: 0] += 1
                #expect(status == 400 || status == 403, "\(notification.facts.file), byte \(position)")
            }
        }
        #expect(statuses[403, default: 0] > 100 && statuses[400, default: 0] > 100, "\(statuses)")
        #expect(try await broker.endOffsets() == before)
    }

    /// Returns the first status other than 429: the ingress limits the rate of new certificate chains.
    private func verdict(on body: [UInt8], from ingress: Ingress, with client: HTTPClient) async throws -> Int {
        var status = 429
        _ = try await eventually(within: .seconds(10)) {
            status = try await ingress.post(body, with: client).status
            return status != 429
        }
        return status
    }
}

extension AppleSample {
    /// The key of the record.
    fileprivate var key: String { "\(facts.bundleId)/\(facts.originalTransactionId)" }
}

extension [AppleSample] {
    fileprivate var uuids: [String] { map(\.facts.notificationUUID).sorted() }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    static var rfc3339Milliseconds: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
