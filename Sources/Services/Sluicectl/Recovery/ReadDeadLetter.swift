internal import JSON
internal import Kafka
internal import PipelineRuntime
internal import Records

/// A dead letter and its decoded headers.
struct ReadDeadLetter {
    let record: KafkaRecord

    init(_ record: KafkaRecord) { self.record = record }

    var key: String? { record.key.map { String(decoding: $0, as: UTF8.self) } }
    /// The record's original topic.
    var input: KafkaTopic? { text(DeadLetterHeader.topic).map { KafkaTopic(rawValue: $0) } }
    var group: String? { text(DeadLetterHeader.group) }
    var reason: String? { text(DeadLetterHeader.reason) }
    var attempts: String? { text(DeadLetterHeader.attempts) }
    var message: String? { text(DeadLetterHeader.exceptionMessage) }
    /// The parts of the record that the dead letter omits because they were too large.
    var omitted: String? { text(DeadLetterHeader.omitted) }
    var firstFailure: String? { text(DeadLetterHeader.firstFailureTime) }

    private func text(_ name: String) -> String? { record.headers.last { $0.key == name }?.text }

    /// Returns the original record, byte for byte, except for its origin header and the header that records this
    /// failure.
    func replayed(to topic: KafkaTopic) -> KafkaProducerRecord {
        var headers = record.headers.filter { !DeadLetterHeader.all.contains($0.key) }
        if headers.contains(where: { $0.key == RecordHeaderName.origin.rawValue }) {
            headers.removeAll { $0.key == RecordHeaderName.origin.rawValue }
            headers.append(KafkaHeader(.origin, RecordOrigin.replay.rawValue))
        }
        headers.removeAll { $0.key == RecordHeaderName.replayReason.rawValue }
        if let failure { headers.append(KafkaHeader(.replayReason, failure)) }
        // A key generated for the dead letter is not the record's own.
        let key = text(DeadLetterHeader.key) == DeadLetterHeader.placeAsKey ? nil : record.key
        return KafkaProducerRecord(topic: topic, key: key, value: record.value, headers: headers)
    }

    var json: JSONObject {
        func value(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            OutputName.topic: .string(record.topic.rawValue),
            OutputName.position: .string("\(RecordPosition(record))"), OutputName.key: value(key),
            OutputName.input: value(input?.rawValue), OutputName.group: value(group), OutputName.reason: value(reason),
            OutputName.attempts: value(attempts), OutputName.message: value(message),
            OutputName.firstFailureTime: value(firstFailure), OutputName.omitted: value(omitted),
            OutputName.notificationUUID: value(record.text(.id)),
        ]
    }
}
