internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Records
internal import Telemetry

/// What the receiver gets of a record, the same in every attempt.
struct WebhookMessage: Sendable, Equatable {
    /// `<topic, its dots as underscores>-<partition>-<timestamp of the record>-<offset>`: without a dot, which separates
    /// the signed parts. Offsets start again when a topic is recreated; with the timestamp the id does not repeat.
    let id: String
    /// The record's value byte for byte; for a tombstone an object that says what was erased.
    let body: [UInt8]
    /// The W3C trace context of the record, if it has a valid one.
    let traceParent: String?

    /// Nil for a tombstone that does not say of what.
    init?(_ record: KafkaRecord, environment: AppStoreEnvironment) {
        let topic = String(record.topic.rawValue.map { $0 == "." ? "_" : $0 })
        let timestamp = record.timestampMilliseconds ?? 0
        id = "\(topic)-\(record.partition.rawValue)-\(timestamp)-\(record.offset.rawValue)"
        traceParent =
            record.header(WebhooksHeader.traceParent)?.value
            .flatMap { TraceParent.parse(String(decoding: $0, as: UTF8.self)) }?.text
        if let value = record.value {
            body = value
        } else {
            guard let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }), !key.isEmpty else {
                return nil
            }
            body = Self.erasure(environment, key)
        }
    }
    /// The body for a key whose state was erased.
    private static func erasure(_ environment: AppStoreEnvironment, _ key: String) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.set("environment", environment.rawValue)
            $0.set("erased", true)
            // `bundleId/originalTransactionId`
            $0.set("key", key)
        }
        return json.bytes
    }
}
