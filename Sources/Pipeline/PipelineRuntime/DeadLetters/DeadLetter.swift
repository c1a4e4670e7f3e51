internal import Kafka
internal import Telemetry
internal import Time

/// Why and after what a record is dead-lettered.
struct DeadLetterCause: Sendable {
    /// A short code, such as the handler's reason.
    let reason: String
    /// The type of the error that was thrown, or the reason's code when the handler decided.
    let exceptionClass: String
    /// What the error or the reason says; never payload.
    let message: String
    /// Attempts made, the first included.
    let attempts: Int
    /// When the first attempt failed, milliseconds since 1970.
    let firstFailureMilliseconds: Int64
}

extension DeadLetterCause {
    /// The handler decided it, at this moment when no attempt failed before.
    init(deciding reason: HandlerReason, attempts: Int, firstFailure: Int64?) {
        self.init(
            reason: reason.code, exceptionClass: reason.code, message: reason.detail ?? reason.code,
            attempts: attempts, firstFailureMilliseconds: firstFailure ?? SystemClock.wallMilliseconds())
    }
}

extension DeadLetterCause {
    /// The process ended in the handler's hands, several times and at last with nothing else in work.
    static func crashedHandler(crashes: Int) -> DeadLetterCause {
        DeadLetterCause(
            reason: "crashed-handler", exceptionClass: "crashed-handler",
            message: "the process crashed or hung in the handler of this record", attempts: crashes,
            firstFailureMilliseconds: SystemClock.wallMilliseconds())
    }
}

/// The names of the headers that a dead letter has beside those of its record, a contract.
package enum DeadLetterHeader {
    package static let topic = "__connect.errors.topic"
    package static let partition = "__connect.errors.partition"
    package static let offset = "__connect.errors.offset"
    package static let exceptionClass = "__connect.errors.exception.class.name"
    package static let exceptionMessage = "__connect.errors.exception.message"
    package static let stage = "__connect.errors.stage"
    package static let group = "sluice.dlq.group"
    package static let reason = "sluice.dlq.reason"
    package static let attempts = "sluice.dlq.attempts"
    package static let firstFailureTime = "sluice.dlq.first.failure.time"

    /// The timestamp of the record, milliseconds since 1970; the letter's own is the time of writing, from which its topic
    /// counts how long it is kept.
    package static let originalTimestamp = "sluice.dlq.original.timestamp"
    /// ``placeAsKey`` where the key is not the record's, which has none.
    package static let key = "sluice.dlq.key"
    /// The value of ``key``.
    package static let placeAsKey = "place"
    /// What of the record is missing, because the letter would be too large with it: ``DeadLetter/Content``'s text.
    package static let omitted = "sluice.dlq.omitted"
    /// Bytes of key, value and headers of the record, where something is missing.
    package static let originalBytes = "sluice.dlq.original.bytes"

    package static let all: Set<String> = [
        topic, partition, offset, exceptionClass, exceptionMessage, stage, group, reason, attempts, firstFailureTime,
        originalTimestamp, key, omitted, originalBytes,
    ]
}

/// The record written to a dead letter topic: key, value and headers of the input byte for byte (unless Kafka does not
/// take that, ``DeadLetterForm``), and headers that say where it came from and why. The first ones carry the names of Kafka Connect (KIP-298), as text.
enum DeadLetter {
    /// Longest value of a header that is added, in bytes.
    static let maximumHeaderBytes = 1024

    typealias Header = DeadLetterHeader

    /// How much of the record its letter holds: less where Kafka takes no more. The record itself is at the offset that
    /// the headers name, as long as its topic keeps it.
    enum Content: CaseIterable {
        case everything, withoutValue, headersOfLetter

        /// The next smaller one.
        var smaller: Content? {
            switch self {
            case .everything: .withoutValue
            case .withoutValue: .headersOfLetter
            case .headersOfLetter: nil
            }
        }

        /// What is missing; nil where nothing is.
        var omitted: String? {
            switch self {
            case .everything: nil
            case .withoutValue: "value"
            case .headersOfLetter: "key,value,headers"
            }
        }
    }

    /// Builds the dead letter of a record.
    ///
    /// Its timestamp is the time of writing: topics keep a record, and refuse it, by its timestamp.
    static func record(
        of input: KafkaRecord, to topic: KafkaTopic, group: KafkaConsumerGroup, cause: DeadLetterCause,
        form: DeadLetterForm = DeadLetterForm()
    ) -> KafkaProducerRecord {
        let content = form.content
        var headers = content == .headersOfLetter ? [] : input.headers
        func add(_ key: String, _ text: String) {
            headers.append(KafkaHeader(key: key, value: capped(text)))
        }
        add(Header.topic, input.topic.rawValue)
        add(Header.partition, String(input.partition.rawValue))
        add(Header.offset, String(input.offset.rawValue))
        add(Header.exceptionClass, cause.exceptionClass)
        add(Header.exceptionMessage, cause.message)
        add(Header.stage, "TASK_PUT")
        add(Header.group, group.rawValue)
        add(Header.reason, cause.reason)
        add(Header.attempts, String(cause.attempts))
        add(Header.firstFailureTime, RFC3339.text(milliseconds: cause.firstFailureMilliseconds))
        if let timestamp = input.timestampMilliseconds { add(Header.originalTimestamp, String(timestamp)) }
        if let omitted = content.omitted {
            add(Header.omitted, omitted)
            add(Header.originalBytes, String(input.payloadBytes))
        }
        let key = form.key(of: input)
        if form.hasPlaceAsKey(input) { add(Header.key, Header.placeAsKey) }
        return KafkaProducerRecord(
            topic: topic, key: key, value: content == .everything ? input.value : nil, headers: headers)
    }

    /// At most `maximumHeaderBytes` of UTF-8, cut between characters.
    static func capped(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count > maximumHeaderBytes else { return bytes }
        var end = maximumHeaderBytes
        // 10xxxxxx continues a character.
        while end > 0, bytes[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return Array(bytes[..<end])
    }
}
