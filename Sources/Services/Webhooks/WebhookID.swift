internal import Cryptography
internal import Kafka
internal import Records

/// The value of `webhook-id`: `<topic, its dots as underscores>-<partition>-<offset>-<timestamp>-<digest>`, without a
/// dot, which separates the signed parts.
///
/// Equal ids mean equal messages. Offsets begin again when a topic is recreated, and an erasure keeps its timestamp; the
/// digest tells apart what is left. It is over the content, the key and the value.
struct WebhookID: Sendable, Equatable {
    /// The first part: the topic with underscores.
    let topic: String
    let partition: KafkaPartition
    let offset: KafkaOffset
    let text: String

    /// The id of a record as it is delivered.
    init(_ record: KafkaRecord, content: WebhookContent) {
        topic = Self.name(record.topic)
        partition = record.partition
        offset = record.offset
        let timestamp = record.timestampMilliseconds ?? 0
        text =
            "\(topic)-\(record.partition.rawValue)-\(record.offset.rawValue)-\(timestamp)-"
            + Self.digest(record, content)
    }

    /// Reads where the record of an id is; nil for a text that is no id of ours.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 5, let partition = Int32(parts[parts.count - 4]), partition >= 0,
            let offset = Int64(parts[parts.count - 3]), offset >= 0
        else { return nil }
        topic = parts.dropLast(4).joined(separator: "-")
        self.partition = KafkaPartition(rawValue: partition)
        self.offset = KafkaOffset(rawValue: offset)
        self.text = text
    }

    /// How a topic is written in an id.
    static func name(_ topic: KafkaTopic) -> String { String(topic.rawValue.map { $0 == "." ? "_" : $0 }) }

    /// 16 hexadecimal digits.
    private static func digest(_ record: KafkaRecord, _ content: WebhookContent) -> String {
        // Lengths, so that nothing moves from one part into another; an erasure is no empty value.
        let key = record.key ?? []
        let shape = "\(content.rawValue) \(key.count) \(record.value?.count ?? -1) "
        return String(SHA256.digest(of: Array(shape.utf8) + key + (record.value ?? [])).hex.prefix(16))
    }
}
