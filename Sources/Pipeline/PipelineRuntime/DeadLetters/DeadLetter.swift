internal import Kafka
internal import Telemetry
internal import Time

/// The reason why a record is dead-lettered, and the number of attempts.
struct DeadLetterCause: Sendable {
    /// A short code, such as the code of the handler's reason.
    let reason: String
    /// The type of the thrown error, or the code of the reason if the handler returned `deadLetter`.
    let exceptionClass: String
    /// The error's description or the reason's detail; never contains payload.
    let message: String
    /// Number of attempts, including the first.
    let attempts: Int
    /// Time of the first failed attempt, milliseconds since 1970.
    let firstFailureMilliseconds: Int64
}

extension DeadLetterCause {
    /// Creates the cause for a handler's verdict. The time of the first failure is now if no earlier attempt failed.
    init(deciding reason: HandlerReason, attempts: Int, firstFailure: Int64?) {
        self.init(
            reason: reason.code, exceptionClass: reason.code, message: reason.detail ?? reason.code,
            attempts: attempts, firstFailureMilliseconds: firstFailure ?? SystemClock.wallMilliseconds())
    }
}

extension DeadLetterCause {
    /// Returns the cause for a record on which the process crashed or hung several times, the last time while handling
    /// only this record.
    static func crashedHandler(crashes: Int) -> DeadLetterCause {
        DeadLetterCause(
            reason: "crashed-handler", exceptionClass: "crashed-handler",
            message: "the process crashed or hung in the handler of this record", attempts: crashes,
            firstFailureMilliseconds: SystemClock.wallMilliseconds())
    }
}

/// Names of the headers that a dead letter has in addition to the record's own. A contract.
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

    /// Timestamp of the record, milliseconds since 1970. The dead letter's own timestamp is the time of writing,
    /// because its topic's retention is based on it.
    package static let originalTimestamp = "sluice.dlq.original.timestamp"
    /// Set to ``placeAsKey`` if the dead letter's key is generated because the record has none.
    package static let key = "sluice.dlq.key"
    /// The value of ``key``.
    package static let placeAsKey = "place"
    /// Parts of the record that are omitted because the dead letter would be too large. See
    /// ``DeadLetter/Content/omitted``.
    package static let omitted = "sluice.dlq.omitted"
    /// Total size in bytes of the record's key, value and headers; present if something is omitted.
    package static let originalBytes = "sluice.dlq.original.bytes"

    package static let all: Set<String> = [
        topic, partition, offset, exceptionClass, exceptionMessage, stage, group, reason, attempts, firstFailureTime,
        originalTimestamp, key, omitted, originalBytes,
    ]
}

/// The record written to a dead letter topic: the input's key, value and headers, byte for byte unless the topic
/// refuses them (see ``DeadLetterForm``), and headers with its origin and the reason. The first of these are Kafka
/// Connect's text headers (KIP-298).
enum DeadLetter {
    /// Maximum length of an added header's value, in bytes.
    static let maximumHeaderBytes = 1024

    typealias Header = DeadLetterHeader

    /// The parts of the record that its dead letter contains. There are fewer parts if the topic refuses the size. The
    /// complete record can be read at the offset named in the headers, for as long as its topic retains it.
    enum Content: CaseIterable {
        case everything, withoutValue, headersOfLetter

        /// The next smaller content; nil if this is the smallest.
        var smaller: Content? {
            switch self {
            case .everything: .withoutValue
            case .withoutValue: .headersOfLetter
            case .headersOfLetter: nil
            }
        }

        /// The omitted parts; nil if the content is complete.
        var omitted: String? {
            switch self {
            case .everything: nil
            case .withoutValue: "value"
            case .headersOfLetter: "key,value,headers"
            }
        }
    }

    /// Builds the dead letter for a record.
    ///
    /// Its timestamp is the time of writing, because topics retain and refuse records by their timestamps.
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

    /// Returns text as UTF-8, truncated between characters to at most `maximumHeaderBytes`.
    static func capped(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count > maximumHeaderBytes else { return bytes }
        var end = maximumHeaderBytes
        // 10xxxxxx is a continuation byte.
        while end > 0, bytes[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return Array(bytes[..<end])
    }
}
