internal import Kafka
internal import Primitives
internal import Telemetry

/// The reason for dead-lettering a record, and the number of attempts.
struct DeadLetterCause: Sendable {
    /// A short code, such as the handler's reason code.
    let reason: String
    /// The type of the thrown error, or the reason code if the handler returned `deadLetter`.
    let exceptionClass: String
    /// A description of the error, or the reason's detail; never contains payload data.
    let message: String
    /// The number of attempts, including the first.
    let attempts: Int
    /// The time of the first failed attempt, in milliseconds since 1970.
    let firstFailureMilliseconds: Int64
}

extension DeadLetterCause {
    /// Creates the cause for a handler's verdict. If no earlier attempt failed, the time of the first failure is the
    /// current time.
    init(deciding reason: HandlerReason, attempts: Int, firstFailure: Int64?) {
        self.init(
            reason: reason.code, exceptionClass: reason.code, message: reason.detail ?? reason.code,
            attempts: attempts, firstFailureMilliseconds: firstFailure ?? SystemClock.wallMilliseconds())
    }
}

extension DeadLetterCause {
    /// Returns the cause for a record whose handler call crashed the process or hung several times, most recently with
    /// no other call running.
    static func crashedHandler(crashes: Int) -> DeadLetterCause {
        DeadLetterCause(
            reason: "crashed-handler", exceptionClass: "crashed-handler",
            message: "the process crashed or hung while handling this record", attempts: crashes,
            firstFailureMilliseconds: SystemClock.wallMilliseconds())
    }
}

/// Names of the headers added to a dead letter. These names are a contract.
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

    /// The timestamp of the record, in milliseconds since 1970. The dead letter's own timestamp is the time of writing,
    /// because retention of the dead letter topic depends on it.
    package static let originalTimestamp = "sluice.dlq.original.timestamp"
    /// Set to ``placeAsKey`` if the dead letter has a generated key because the record has no key or its key was
    /// omitted.
    package static let key = "sluice.dlq.key"
    /// The value of ``key``.
    package static let placeAsKey = "place"
    /// The parts of the record that were omitted to keep the dead letter within the size limit. See
    /// ``DeadLetter/Content/omitted``.
    package static let omitted = "sluice.dlq.omitted"
    /// The total size of the record's key, value and headers in bytes. Present only if something is omitted.
    package static let originalBytes = "sluice.dlq.original.bytes"

    package static let all: Set<String> = [
        topic, partition, offset, exceptionClass, exceptionMessage, stage, group, reason, attempts, firstFailureTime,
        originalTimestamp, key, omitted, originalBytes,
    ]
}

/// Builds the record to write to a dead letter topic. It contains the key, value and headers of the input (byte for
/// byte unless the topic rejects them, see ``DeadLetterForm``) and additional headers with the origin and the reason.
/// Headers with the prefix `__connect.errors.` follow Kafka Connect (KIP-298).
enum DeadLetter {
    /// The maximum length of an added header's value, in bytes.
    static let maximumHeaderBytes = 1024

    typealias Header = DeadLetterHeader

    /// The parts of the record that a dead letter contains. Parts are omitted if the dead letter is too large for the
    /// topic. The complete record remains readable at the offset in the headers until its topic deletes it.
    enum Content: CaseIterable {
        case everything, withoutValue, headersOfLetter

        /// The next smaller content, or nil if this is the smallest.
        var smaller: Content? {
            switch self {
            case .everything: .withoutValue
            case .withoutValue: .headersOfLetter
            case .headersOfLetter: nil
            }
        }

        /// The omitted parts, or nil if the content is complete.
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
    /// The timestamp is the time of writing, because topics expire and reject records by timestamp.
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

    /// Returns the text as UTF-8, truncated at a character boundary to at most `maximumHeaderBytes`.
    static func capped(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count > maximumHeaderBytes else { return bytes }
        var end = maximumHeaderBytes
        // 10xxxxxx is a continuation byte.
        while end > 0, bytes[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return Array(bytes[..<end])
    }
}
