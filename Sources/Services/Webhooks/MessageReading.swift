internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Primitives
internal import Records
internal import Telemetry

/// Converts records to messages according to `webhooks.content`.
struct MessageReading: Sendable {
    let content: WebhookContent
    /// The input topics.
    let topics: Set<KafkaTopic>
    private let environments: [KafkaTopic: AppStoreEnvironment]
    /// The header segments from the certificates topic.
    let certificates: CertificateDirectory

    init(_ content: WebhookContent, _ names: TopicNames, certificates: CertificateDirectory) {
        self.content = content
        self.certificates = certificates
        topics = Set(content.topics(names, AppStoreEnvironment.published))
        environments = content == .operations ? [:] : TopicNames.environments { content.topic(names, $0) }
    }

    func message(_ record: KafkaRecord) throws(WebhookMessageError) -> WebhookMessage {
        switch content {
        case .state: return try state(record, environment(of: record))
        case .notification: return try notification(record, environment(of: record))
        case .signed: return try signed(record, environment(of: record))
        case .operations: return try operatorEvent(record)
        }
    }

    private func environment(of record: KafkaRecord) throws(WebhookMessageError) -> AppStoreEnvironment {
        guard let environment = environments[record.topic] else { throw .unusable(WebhooksReason.keyMissing) }
        return environment
    }

    func finish(
        _ record: KafkaRecord, id: WebhookID, type: String, bundleId: BundleId?, body: [UInt8]
    ) -> WebhookMessage {
        let traceParent = record.header(WebhooksHeader.traceParent)?.value
            .flatMap { TraceParent.parse(String(decoding: $0, as: UTF8.self)) }?.text
        return WebhookMessage(
            id: id.text, type: type, bundleId: bundleId, body: body, traceParent: traceParent)
    }

    /// Writes a body with `type`, `timestamp` and `data`, according to Standard Webhooks.
    static func body(type: String, timestamp: String, data: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 4096)
        json.object {
            $0.set("type", type)
            $0.set("timestamp", timestamp)
            $0.object("data", data)
        }
        return json.bytes
    }
}

extension KafkaRecord {
    /// The record's timestamp in RFC 3339 format.
    var timestampText: String { RFC3339.text(milliseconds: timestampMilliseconds ?? 0) }

    var keyParts: (bundleId: BundleId, subject: String)? {
        key.flatMap { String(validating: $0, as: UTF8.self) }.flatMap { RecordKey.parts(of: $0) }
    }
}
