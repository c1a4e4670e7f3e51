package import Configuration
internal import HTTPClient
internal import JSON
package import Kafka
internal import PipelineRuntime

/// Selects a receiver's dead letters for reposting.
package struct FailedDeliveries: Sendable {
    /// The dead letter topic for the receiver's group.
    package let topic: KafkaTopic
    /// Selects only records dead-lettered at or after this time, in milliseconds since 1970; nil selects all.
    package let since: Int64?
    /// The maximum number of posts per second.
    package let rate: Int

    package init(topic: KafkaTopic, since: Int64?, rate: Int) {
        self.topic = topic
        self.since = since
        self.rate = rate
    }

    /// The outcome for one dead letter.
    package enum Outcome: Sendable {
        case posted(DeliveryAttempt)
        /// The position of the dead letter, and the reason why it cannot be posted.
        case skipped(KafkaTopicPartition, KafkaOffset, String)

        /// Whether the receiver accepted the message.
        package var isAccepted: Bool {
            if case .posted(let attempt) = self { attempt.isAccepted } else { false }
        }

        /// One sentence for people.
        package var text: String {
            switch self {
            case .posted(let attempt): "\(attempt.id): \(attempt.text)"
            case .skipped(let place, let offset, let reason): "\(place.partition)-\(offset): skipped, \(reason)"
            }
        }

        /// The outcome as a JSON object. The format is a public contract.
        package var json: [UInt8] {
            switch self {
            case .posted(let attempt): return attempt.json
            case .skipped(let place, let offset, let reason):
                var json = JSONWriter()
                json.object {
                    $0.set("position", "\(place.partition)-\(offset)")
                    $0.set("outcome", "skipped")
                    $0.set("detail", reason)
                }
                return json.bytes
            }
        }
    }
}

extension WebhooksOperations {
    /// Reposts dead-lettered records: the same bodies with the same IDs, in the order of the dead letters. Dead letters
    /// and offsets remain unchanged, and filters are ignored.
    ///
    /// - Parameter report: called for each dead letter.
    /// - Throws: a `ConfigurationError`, a `KafkaError`, or any error thrown by `report`.
    package static func resend(
        _ failed: FailedDeliveries, _ configuration: Configuration, kafka: KafkaConfiguration,
        report: (FailedDeliveries.Outcome) async throws -> Void
    ) async throws {
        let settings = try WebhooksConfiguration(configuration)
        let reading = try await reading(settings.content, settings, kafka)
        let client = HTTPClient(settings.http)
        defer { client.close() }
        let sender = WebhookSender(settings, client: client)
        let interval = Duration.seconds(1) / max(1, failed.rate)
        var next = ContinuousClock.now
        let offsets = try await beginnings(of: failed.topic, kafka)
        try await KafkaConsumer.readToEnd(kafka, from: offsets, within: .seconds(86_400)) { records in
            for letter in records where failed.since.map({ letter.timestampMilliseconds ?? .max >= $0 }) ?? true {
                let message: WebhookMessage
                do throws(NotPosted) {
                    message = try Self.message(of: letter, reading)
                } catch {
                    try await report(.skipped(letter.topicPartition, letter.offset, error.reason))
                    continue
                }
                try await Task.sleep(until: next, clock: .continuous)
                next = max(next, .now) + interval
                try await report(.posted(try await sender.send(message)))
            }
        }
    }

    struct NotPosted: Error { let reason: String }

    /// Returns the message for a dead letter's original record.
    static func message(of letter: KafkaRecord, _ reading: MessageReading) throws(NotPosted) -> WebhookMessage {
        func text(_ name: String) -> String? {
            letter.headers.last { $0.key == name }?.value.map { String(decoding: $0, as: UTF8.self) }
        }
        guard let topic = text(DeadLetterHeader.topic).map({ KafkaTopic(rawValue: $0) }),
            let partition = text(DeadLetterHeader.partition).flatMap({ Int32($0) }),
            let offset = text(DeadLetterHeader.offset).flatMap({ Int64($0) })
        else { throw NotPosted(reason: "it is not a dead letter") }
        guard reading.topics.contains(topic) else {
            throw NotPosted(reason: "\(topic) is not an input topic of webhooks.content=\(reading.content.rawValue)")
        }
        if let omitted = text(DeadLetterHeader.omitted) {
            throw NotPosted(
                reason: "omitted from the dead letter: \(omitted); the record is at \(partition)-\(offset) of \(topic)")
        }
        let record = KafkaRecord(
            topic: topic, partition: KafkaPartition(rawValue: partition), offset: KafkaOffset(rawValue: offset),
            timestampMilliseconds: text(DeadLetterHeader.originalTimestamp).flatMap { Int64($0) }
                ?? letter.timestampMilliseconds,
            key: text(DeadLetterHeader.key) == DeadLetterHeader.placeAsKey ? nil : letter.key, value: letter.value,
            headers: letter.headers.filter { !DeadLetterHeader.all.contains($0.key) })
        do throws(WebhookMessageError) { return try reading.message(record) } catch {
            throw NotPosted(reason: reason(error))
        }
    }

    private static func reason(_ error: WebhookMessageError) -> String {
        switch error {
        case .unusable(let code): "it is invalid for its topic: \(code)"
        case .unwanted(let code): "it contains nothing to deliver: \(code)"
        case .notYet(let header): "header \(header) is not in the certificates topic"
        }
    }
}
