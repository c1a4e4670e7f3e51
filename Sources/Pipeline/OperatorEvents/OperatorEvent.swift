internal import JSON
package import Kafka
internal import Primitives

/// An event that an operator must be aware of, such as a receiver that accepts nothing.
///
/// The JSON Schema for the value is `deploy/operator-event.schema.json`.
package struct OperatorEvent: Sendable {
    /// The format version, in the `version` member.
    package static let formatVersion: Int64 = 1

    package let type: OperatorEventType
    /// The subject, such as a consumer group or the key of a row; nil if it is the member itself.
    package let subject: String?
    /// The details for the type, in output order. Nil values are omitted.
    package let data: KeyValuePairs<String, OperatorEventValue?>
    /// The unique identifier of the event.
    package let id: String
    /// The time of the event in milliseconds since 1970.
    package let atMilliseconds: Int64

    package init(
        _ type: OperatorEventType, subject: String? = nil, data: KeyValuePairs<String, OperatorEventValue?> = [:],
        id: String, atMilliseconds: Int64
    ) {
        self.type = type
        self.subject = subject
        self.data = data
        self.id = id
        self.atMilliseconds = atMilliseconds
    }

    private var time: String { RFC3339.text(milliseconds: atMilliseconds) }

    /// Returns the record's value.
    package func json(from member: OperatorEventMember) -> [UInt8] {
        JSONWriter.text { writer in
            writer.object { object in
                object.set("version", Self.formatVersion)
                object.set("id", id)
                object.set("type", type.name)
                object.set("severity", type.severity.rawValue)
                object.set("time", time)
                object.set("executable", member.executable)
                object.set("instance", member.instance)
                object.set("release", member.release)
                object.set("subject", subject)
                object.object("data") { data in
                    for (name, value) in self.data { value?.write(as: name, to: &data) }
                }
            }
        }
    }

    /// Returns the record to produce: a CloudEvent in binary mode. The key is the member, which keeps the member's
    /// events in order.
    package func produced(to topic: KafkaTopic, from member: OperatorEventMember) -> KafkaProducerRecord {
        var headers = [
            KafkaHeader(key: OperatorEventHeader.specVersion, text: "1.0"),
            KafkaHeader(key: OperatorEventHeader.id, text: id),
            KafkaHeader(key: OperatorEventHeader.type, text: type.name),
            KafkaHeader(key: OperatorEventHeader.source, text: member.source),
        ]
        if let subject { headers.append(KafkaHeader(key: OperatorEventHeader.subject, text: subject)) }
        headers += [
            KafkaHeader(key: OperatorEventHeader.time, text: time),
            KafkaHeader(key: OperatorEventHeader.contentType, text: "application/json"),
            KafkaHeader(key: OperatorEventHeader.severity, text: type.severity.rawValue),
        ]
        return KafkaProducerRecord(
            topic: topic, key: Array("\(member.executable)/\(member.instance)".utf8), value: json(from: member),
            headers: headers)
    }
}
