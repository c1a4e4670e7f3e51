internal import AppStoreModel
package import Configuration
internal import HTTPClient
internal import JSON
package import Kafka
internal import Lifecycle
internal import Records
internal import Time

/// What `sluicectl webhooks` does with the receiver of a configuration.
package enum WebhooksOperations {
    private static let testType = "sluice.test"

    /// Posts a message that is about no purchase.
    ///
    /// - Throws: a `ConfigurationError`; a `StartupError` where the content has no such message.
    package static func test(_ configuration: Configuration) async throws -> DeliveryAttempt {
        let plan = try WebhooksPlan(configuration)
        guard plan.content != .signed else {
            throw StartupError(
                "Apple signs no test of ours", setting: WebhooksSettings.content.key,
                fix: "Post a notification again: sluicectl webhooks resend ID, or ask Apple for a test notification")
        }
        return try await send(testMessage(at: SystemClock.wallMilliseconds()), plan)
    }

    /// Posts the record of a `webhook-id` once more: the same body under the same id.
    ///
    /// - Throws: a `ConfigurationError`; a `StartupError` where the record is not there any more.
    package static func resend(
        _ id: String, _ configuration: Configuration, kafka: KafkaConfiguration
    ) async throws -> DeliveryAttempt {
        let plan = try WebhooksPlan(configuration)
        guard let place = WebhookID(id) else { throw notAnID }
        let certificates = CertificateDirectory()
        // The content tells which topics there are; the digest tells which content it was.
        let readings = WebhookContent.allCases.map { MessageReading($0, plan.topics, certificates: certificates) }
        guard let topic = readings.flatMap(\.environments.keys).first(where: { WebhookID.name($0) == place.topic })
        else { throw notAnID }
        let record = try await record(
            KafkaTopicPartition(topic: topic, partition: place.partition), place.offset, kafka)
        guard
            let reading = readings.first(where: { WebhookID(record, content: $0.content).text == id })
        else {
            throw StartupError(
                "the record at offset \(place.offset) of \(topic)[\(place.partition)] is not the one that was delivered under this id",
                fix: "The topic was recreated, or the id is that of another receiver")
        }
        if reading.content == .signed {
            try await CertificatesService.readAll(kafka, plan.topics.certificates, into: certificates)
        }
        let message: WebhookMessage
        do throws(WebhookMessageError) {
            message = try reading.message(record)
        } catch {
            throw StartupError("the record holds nothing to deliver: \(error)", fix: "See the dead letter topic")
        }
        return try await send(message, plan)
    }

    static func testMessage(at milliseconds: Int64) -> WebhookMessage {
        WebhookMessage(
            id: "sluice_test-\(milliseconds)", type: testType, bundleId: BundleId(""),
            body: MessageReading.body(type: testType, timestamp: RFC3339.text(milliseconds: milliseconds)) {
                $0.set("message", "A test of sluicectl webhooks test. It is about no purchase.")
            }, traceParent: nil)
    }

    private static let notAnID = StartupError(
        "this is no webhook-id of this installation", fix: "Take one from: sluicectl webhooks attempts",
        exitCode: .usage)

    private static func send(_ message: WebhookMessage, _ plan: WebhooksPlan) async throws -> DeliveryAttempt {
        let client = HTTPClient(plan.http)
        defer { client.close() }
        return try await WebhookSender(plan, client: client).send(message)
    }

    /// Ends the reading early.
    private struct Found: Error { let record: KafkaRecord? }

    private static func record(
        _ partition: KafkaTopicPartition, _ offset: KafkaOffset, _ kafka: KafkaConfiguration
    ) async throws -> KafkaRecord {
        var found: KafkaRecord?
        do {
            try await KafkaConsumer.readToEnd(kafka, from: [partition: offset], within: .seconds(30)) { records in
                throw Found(record: records.first)
            }
        } catch let answer as Found {
            found = answer.record
        } catch let error as KafkaError where error.code == .autoOffsetReset || error.code == .offsetOutOfRange {
            found = nil
        }
        guard let found, found.offset == offset else {
            throw StartupError(
                "\(partition) has no record at offset \(offset) any more",
                fix: "Of a state Kafka keeps the last one of each purchase; the receiver gets it with the next change")
        }
        return found
    }
}
