internal import AppStoreModel
package import Configuration
internal import HTTPClient
internal import JSON
package import Kafka
internal import Lifecycle
internal import Primitives
internal import Records

/// The operations of `sluicectl webhooks` on the configured receiver.
package enum WebhooksOperations {
    private static let testType = "sluice.test"

    /// Posts a test message that does not concern any purchase.
    ///
    /// - Throws: a `ConfigurationError`, or a `StartupError` if there is no test message for the configured content.
    package static func test(_ configuration: Configuration) async throws -> DeliveryAttempt {
        let settings = try WebhooksConfiguration(configuration)
        guard settings.content != .signed else {
            throw StartupError(
                "a test message cannot be signed by Apple", setting: WebhooksSettings.content.key,
                fix:
                    "Repost a notification: sluicectl webhooks resend ID; or request a test notification from Apple"
            )
        }
        return try await send(testMessage(at: SystemClock.wallMilliseconds()), settings)
    }

    /// Reposts the message with this `webhook-id`, with the same body and ID. Searches the topic for its record.
    ///
    /// - Throws: a `ConfigurationError`, or a `StartupError` if `id` is not a `webhook-id` or the record no longer
    ///   exists.
    package static func resend(
        _ id: String, _ configuration: Configuration, kafka: KafkaConfiguration
    ) async throws -> DeliveryAttempt {
        let settings = try WebhooksConfiguration(configuration)
        guard let wanted = WebhookID(id) else { throw notAnID }
        let reading = try await reading(wanted.content, settings, kafka)
        let topic = wanted.topic(settings.topics)
        var found: WebhookMessage?
        do {
            try await KafkaConsumer.readToEnd(
                kafka, from: try await beginnings(of: topic, kafka), within: searchLimit
            ) { records in
                for record in records {
                    guard let message = try? reading.message(record), message.id == id else { continue }
                    throw Found(message: message)
                }
            }
        } catch let answer as Found {
            found = answer.message
        }
        guard let found else {
            throw StartupError(
                "\(topic) no longer has a record with this id",
                fix: wanted.content == .state
                    ? "Kafka keeps only each purchase's latest state; the receiver gets a new state on the next change"
                    : "Kafka deletes records when the topic's retention period ends")
        }
        return try await send(found, settings)
    }

    /// Returns a reader for messages with this content. For `signed`, all certificates have been loaded.
    static func reading(
        _ content: WebhookContent, _ settings: WebhooksConfiguration, _ kafka: KafkaConfiguration
    ) async throws -> MessageReading {
        let certificates = CertificateDirectory()
        if content == .signed {
            try await CertificatesService.readAll(kafka, settings.topics.certificates, into: certificates)
        }
        return MessageReading(content, settings.topics, certificates: certificates)
    }

    /// Returns the first offsets of a topic.
    static func beginnings(
        of topic: KafkaTopic, _ kafka: KafkaConfiguration
    ) async throws -> [KafkaTopicPartition: KafkaOffset] {
        try await KafkaAdmin(kafka).closing { try await $0.watermarks(of: topic).mapValues(\.low) }
    }

    private static let searchLimit: Duration = .seconds(1_800)

    /// Thrown to stop reading once the record has been found.
    private struct Found: Error { let message: WebhookMessage }

    static func testMessage(at milliseconds: Int64) -> WebhookMessage {
        WebhookMessage(
            id: "sluice_test-\(milliseconds)", type: testType, bundleId: nil,
            body: MessageReading.body(type: testType, timestamp: RFC3339.text(milliseconds: milliseconds)) {
                $0.set("message", "A test message from sluicectl webhooks test. It does not concern any purchase.")
            }, traceParent: nil)
    }

    private static let notAnID = StartupError(
        "unknown webhook-id", fix: "Use an id listed by: sluicectl webhooks attempts",
        exitCode: .usage)

    static func send(_ message: WebhookMessage, _ settings: WebhooksConfiguration) async throws -> DeliveryAttempt {
        let client = HTTPClient(settings.http)
        defer { client.close() }
        return try await WebhookSender(settings, client: client).send(message)
    }
}
