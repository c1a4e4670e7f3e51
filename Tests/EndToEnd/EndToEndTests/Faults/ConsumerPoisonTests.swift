import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// Poison records among valid ones are dead-lettered once, with the reason, and do not affect the others.
    @Suite struct ConsumerPoison {
        @Test func `poison records are dead-lettered once and do not delay others, on the embedded broker`()
            async throws
        {
            _ = try await Harness.open { harness in
                // The broker keeps 5 MiB per partition.
                try await poison(
                    try await harness.embeddedBroker(partitions: 12), harness, TestScale.choose(short: 600, long: 3000))
            }
        }

        @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
        func `poison records are dead-lettered once and do not delay others, on Apache Kafka`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka()
                let letters = try await poison(broker, harness, TestScale.choose(short: 600, long: 32_000))
                if KafkaTools.areHere { try await lookFromOutside(letters, broker, harness) }
            }
        }
    }
}

/// Kinds of poison records, and the reason in the dead letter of each.
private enum Poison: String, CaseIterable {
    case empty, notJSON, cutOff, anArray, notUTF8, nested, garbage, noNotification, notificationIsText, dateIsText
    case dateOutOfRange, anotherEnvironment, noTransaction, noTransactionId, noOriginalTransactionId, longIdentifier

    var reason: String {
        switch self {
        case .empty, .notJSON, .cutOff, .anArray, .notUTF8, .nested, .garbage: "invalid_json"
        case .noNotification, .notificationIsText: "no_notification"
        case .dateIsText, .dateOutOfRange: "field_type"
        case .anotherEnvironment: "environment_mismatch"
        case .noTransaction, .noTransactionId: "transaction_missing"
        case .noOriginalTransactionId: "identity_missing"
        case .longIdentifier: "identifier_too_long"
        }
    }

    func value(_ subscription: Subscription) -> [UInt8] {
        switch self {
        case .empty: []
        case .notJSON: Array("poison".utf8)
        case .cutOff: Array((subscription.record(0).value ?? []).dropLast(40))
        case .anArray: Array("[".utf8) + (subscription.record(0).value ?? []) + Array("]".utf8)
        case .notUTF8: Array(#"{"notification":{"notificationType":""#.utf8) + [0xC3, 0x28] + Array(#""}}"#.utf8)
        case .nested: Array(repeating: UInt8(ascii: "["), count: 100_000)
        case .garbage: (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 251) }
        case .noNotification: Array("{}".utf8)
        case .notificationIsText: Array(#"{"notification":"SUBSCRIBED"}"#.utf8)
        case .dateIsText: with(subscription, ["expiresDate": #""tomorrow""#])
        case .dateOutOfRange: with(subscription, ["expiresDate": "1e400"])
        case .anotherEnvironment: with(subscription, ["environment": #""Sandbox""#])
        case .noTransaction: subscription.record(subscription.notification(0), nil, nil).value ?? []
        case .noTransactionId: with(subscription, ["transactionId": nil])
        case .noOriginalTransactionId: with(subscription, ["originalTransactionId": nil], hasRenewalInfo: false)
        case .longIdentifier: with(subscription, ["productId": "\"\(String(repeating: "p", count: 5000))\""])
        }
    }

    private func with(
        _ subscription: Subscription, _ changes: [String: String?], hasRenewalInfo: Bool = true
    ) -> [UInt8] {
        subscription.record(
            subscription.notification(0), subscription.transaction(0, changes),
            hasRenewalInfo ? subscription.renewalInfo(0) : nil
        ).value ?? []
    }

    /// The name of the header that identifies the record in the tests.
    static let header = "test.poison"
}

extension EndToEnd.ConsumerPoison {
    /// Returns the malformed records: each kind of poison equally often, and records that are skipped because they
    /// concern no purchase.
    private func malformed(_ topic: KafkaTopic, _ count: Int) -> [KafkaProducerRecord] {
        let poison = (0..<count).map { number in
            let kind = Poison.allCases[number % Poison.allCases.count]
            let subscription = Subscription(number: 500_000 + number)
            // One kind has neither key nor headers.
            let isBare = kind == .notJSON
            return KafkaProducerRecord(
                topic: topic, key: isBare ? nil : subscription.key, value: kind.value(subscription),
                headers: (isBare ? [] : subscription.record(0).produced(in: topic).headers)
                    + [KafkaHeader(key: Poison.header, text: "\(kind.rawValue)-\(number)")])
        }
        let subscription = Subscription(number: 600_000)
        return poison + [
            KafkaProducerRecord(topic: topic, key: subscription.key, value: nil),
            subscription.record(subscription.notification(0, type: "TEST"), nil, nil).produced(in: topic),
            subscription.record(subscription.notification(0, type: "INVENTED_LATER"), nil, nil).produced(in: topic),
        ]
    }

    /// Returns the valid records. One has an unknown type and a purchase.
    private func good(_ topic: KafkaTopic, _ count: Int) -> [KafkaProducerRecord] {
        let periods = 3
        let late = Subscription(number: 700_000)
        return (0..<count / periods).flatMap { number in
            (0..<periods).map { Subscription(number: number).record($0).produced(in: topic) }
        } + [
            late.record(late.notification(0, type: "INVENTED_LATER"), late.transaction(0), late.renewalInfo(0))
                .produced(in: topic)
        ]
    }

    /// - Returns: the dead letters.
    private func poison(_ broker: Broker, _ harness: Harness, _ count: Int) async throws -> [KafkaRecord] {
        let topic = broker.notifications(.production)
        let good = good(topic, count)
        let malformed = malformed(topic, max(Poison.allCases.count, count / 1000))
        let records = good.enumerated().flatMap { index, record in
            // Distributed evenly among the valid ones.
            index % (good.count / malformed.count) == 0 && index / (good.count / malformed.count) < malformed.count
                ? [malformed[index / (good.count / malformed.count)], record] : [record]
        }
        #expect(records.count == good.count + malformed.count)

        let client = HTTPClient()
        defer { client.close() }
        let entitlements = try await harness.entitlements(on: broker)
        try await waitUntil(within: .seconds(30)) { await entitlements.isReady(client) }
        try await broker.writeAtOnce(records)
        let written = ContinuousClock.now
        try await broker.waitForNoLag(entitlements.process)
        let took = ContinuousClock.now - written
        #expect(took.keeps(.seconds(30)))

        let letters = try await broker.deadLetters()
        try await check(letters, broker)
        #expect(
            letters.compactMap { $0.header(Poison.header)?.text }.sorted()
                == malformed.compactMap { $0.headers.first { $0.key == Poison.header }?.text }.sorted())
        #expect(try await entitlements.metric("sluice_consumer_records_total{outcome=\"skipped\"", client) == 3)

        let clean = try await clean(good.map { ($0.key, $0.value, $0.headers) }, isEmbedded: broker.isEmbedded)
        #expect(try await broker.facts() == clean.facts)
        // Published rows reach the database a moment later.
        var answered: [String: String] = [:]
        let isAnswered = try await eventually {
            answered = try await entitlements.purchases(client, withHistory: !TestScale.isLong)
            return answered == clean.purchases
        }
        let different = answered.first { clean.purchases[$0.key] != $0.value }
        #expect(isAnswered, "\(different?.value ?? "") instead of \(clean.purchases[different?.key ?? ""] ?? "")")
        #expect(clean.facts.count == count / 3 + 1)

        var report = FaultReport("poison among good records, \(broker.isEmbedded ? "embedded broker" : "Apache Kafka")")
        report.add("records", records.count)
        report.add("poison", letters.count)
        report.add("kinds", Poison.allCases.count)
        report.add("no lag after", took)
        report.add("purchases as without poison", clean.facts.count)
        try report.publish()
        return letters
    }

    /// Returns the result of the valid records alone.
    private func clean(
        _ records: [(key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader])], isEmbedded: Bool
    ) async throws -> (facts: [String: String], purchases: [String: String]) {
        try await Harness.open { harness in
            let broker = isEmbedded ? try await harness.embeddedBroker(partitions: 12) : try await harness.apacheKafka()
            try await broker.writeAtOnce(
                records.map {
                    KafkaProducerRecord(
                        topic: broker.notifications(.production), key: $0.key, value: $0.value, headers: $0.headers)
                })
            let entitlements = try await harness.entitlements(on: broker)
            try await broker.waitForNoLag(entitlements.process, within: .seconds(60))
            let client = HTTPClient()
            defer { client.close() }
            let facts = try await broker.facts()
            var purchases = try await entitlements.purchases(client, withHistory: !TestScale.isLong)
            try await waitUntil {
                let earlier = purchases
                purchases = try await entitlements.purchases(client, withHistory: !TestScale.isLong)
                let lag = try await entitlements.metric("sluice_state_lag_records{", client)
                return purchases == earlier && purchases.count == facts.count && lag == 0
            }
            return (facts, purchases)
        }
    }

    /// Checks that each dead letter contains the unchanged record, with headers for its origin and the reason.
    private func check(_ letters: [KafkaRecord], _ broker: Broker) async throws {
        let inputs = try await broker.records(of: broker.notifications(.production))
        for letter in letters {
            let name = letter.header(Poison.header)?.text
            let input = try #require(inputs.first { $0.header(Poison.header)?.text == name })
            let kind = try #require(Poison.allCases.first { name?.hasPrefix("\($0.rawValue)-") == true })
            #expect(letter.key == input.key && letter.value == input.value)
            #expect(Array(letter.headers.prefix(input.headers.count)) == input.headers)
            var added: [String: String] = [:]
            for header in letter.headers.dropFirst(input.headers.count) {
                added[header.key] = header.text
            }
            let message = added.removeValue(forKey: "__connect.errors.exception.message") ?? ""
            #expect(!message.isEmpty && message.utf8.count <= 1024)
            _ = try Date(
                added.removeValue(forKey: "sluice.dlq.first.failure.time") ?? "", strategy: .rfc3339Milliseconds)
            let time = input.timestampMilliseconds.map { "\($0)" }
            #expect(added.removeValue(forKey: "sluice.dlq.original.timestamp") == time)
            #expect(
                added == [
                    "__connect.errors.topic": input.topic.rawValue,
                    "__connect.errors.partition": "\(input.partition.rawValue)",
                    "__connect.errors.offset": "\(input.offset.rawValue)",
                    "__connect.errors.exception.class.name": kind.reason, "__connect.errors.stage": "TASK_PUT",
                    "sluice.dlq.group": Broker.group, "sluice.dlq.reason": kind.reason, "sluice.dlq.attempts": "1",
                ], "\(kind)")
        }
    }

    /// Checks that Kafka's console consumer and kcat show every reason as text.
    private func lookFromOutside(_ letters: [KafkaRecord], _ broker: Broker, _ harness: Harness) async throws {
        let topic = broker.deadLetterTopic().rawValue
        let kcat = try await harness.run([
            "kcat", "-C", "-b", broker.bootstrapServers, "-t", topic, "-o", "beginning", "-e", "-q", "-f", "%h\n",
        ])
        #expect(kcat.end == .exit(0), "\(kcat)")
        let console = try await harness.run([
            try #require(KafkaTools.consoleConsumer), "--bootstrap-server", broker.bootstrapServers, "--topic", topic,
            "--from-beginning", "--max-messages", "\(letters.count)", "--timeout-ms", "30000",
            "--formatter-property", "print.headers=true", "--formatter-property", "print.value=false",
        ])
        #expect(console.end == .exit(0), "\(console)")
        for letter in letters {
            let name = try #require(letter.header(Poison.header)?.text)
            let reason = try #require(letter.header("sluice.dlq.reason")?.text)
            let lines = kcat.output.split(separator: "\n").filter { $0.contains("\(Poison.header)=\(name),") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("sluice.dlq.reason=\(reason),") == true)
            #expect(lines.first?.contains("__connect.errors.stage=TASK_PUT,") == true)
            let shown = console.output.split(separator: "\n").filter { $0.contains("\(Poison.header):\(name),") }
            #expect(shown.count == 1)
            #expect(shown.first?.contains("sluice.dlq.reason:\(reason),") == true)
        }
    }
}
