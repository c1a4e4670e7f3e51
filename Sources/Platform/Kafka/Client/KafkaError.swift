internal import CRdKafka

/// What went wrong with Kafka: an answer of a broker, a condition of the client, or a refusal of this library.
///
/// Decide on `code`, `isRetriable`, `isFatal` and `persistence`, never on the text. Equality compares all properties.
public struct KafkaError: Error, Hashable, Sendable {
    /// Whether the record that failed may be in the log all the same (`rd_kafka_message_status`).
    public enum Persistence: Sendable {
        /// It was never sent.
        case no
        /// It was sent, and the answer is not known: a consumer may see it.
        case maybe
        /// It is in the log.
        case yes
    }

    /// The kind of error.
    public let code: Code
    /// The code's name as librdkafka prints it (`_MSG_TIMED_OUT`, `NOT_ENOUGH_REPLICAS`), or this library's own.
    public let name: String
    /// What happened, for people; holds no secret and no payload.
    public let message: String
    /// The same call may succeed later without any change.
    public let isRetriable: Bool
    /// The client is beyond repair and must be recreated. `KafkaProducer` does that by itself.
    public let isFatal: Bool
    /// For sends: whether the record may be in the log all the same; `.no` for everything else.
    public let persistence: Persistence

    /// An error of this code; retriable as the code says unless given.
    package init(
        _ code: Code, _ message: String, isRetriable: Bool? = nil, isFatal: Bool = false, persistence: Persistence = .no
    ) {
        self.code = code
        self.name = code.name
        self.message = message
        self.isRetriable = isRetriable ?? code.isTransient
        self.isFatal = isFatal
        self.persistence = persistence
    }

    /// An error that librdkafka reports as a bare code.
    init(_ code: rd_kafka_resp_err_t, during attempt: String, persistence: Persistence = .no) {
        let text = String(cString: rd_kafka_err2str(code))
        let code = Code(rawValue: code.rawValue)
        self.init(code, "\(attempt): \(text)", isFatal: code == .fatal, persistence: persistence)
    }

    /// The trouble as the error of a call that had to wait for it. The same call may succeed when it is over.
    init(_ trouble: KafkaTrouble) { self.init(trouble.code, trouble.message, isRetriable: true) }

    /// An error object of librdkafka, which is read fully and then destroyed.
    init(taking error: OpaquePointer, during attempt: String) {
        let code = Code(rawValue: rd_kafka_error_code(error).rawValue)
        let text = String(cString: rd_kafka_error_string(error))
        let isRetriable = rd_kafka_error_is_retriable(error) != 0 || code.isTransient
        let isFatal = rd_kafka_error_is_fatal(error) != 0
        rd_kafka_error_destroy(error)
        self.init(code, "\(attempt): \(text)", isRetriable: isRetriable, isFatal: isFatal)
    }
}

extension KafkaError: CustomStringConvertible {
    /// `message (name)`, one line.
    public var description: String { "\(message) (\(name))" }
}
