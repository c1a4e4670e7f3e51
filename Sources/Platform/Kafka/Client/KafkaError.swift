internal import CRdKafka

/// An error reported by a broker, by a client, or by this library.
///
/// Base decisions on `code`, `isRetriable`, `isFatal` and `persistence`, never on the message. Equality compares all
/// properties.
public struct KafkaError: Error, Hashable, Sendable {
    /// Whether the log may contain a record after its send has failed (`rd_kafka_message_status`).
    public enum Persistence: Sendable {
        /// The record was never sent.
        case no
        /// The record was sent, but the outcome is unknown. A consumer may receive it.
        case maybe
        /// The record is in the log.
        case yes
    }

    /// The kind of error.
    public let code: Code
    /// The name of the code as librdkafka prints it (`_MSG_TIMED_OUT`, `NOT_ENOUGH_REPLICAS`), or this library's own.
    public let name: String
    /// A human-readable description, without secrets or payloads.
    public let message: String
    /// Whether an identical call may succeed later.
    public let isRetriable: Bool
    /// Whether the client is unusable and must be replaced. `KafkaProducer` replaces it automatically.
    public let isFatal: Bool
    /// For a failed send, whether the log may contain the record; otherwise `.no`.
    public let persistence: Persistence

    /// Creates an error with this code. By default, the code determines `isRetriable`.
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

    /// Creates an error from a bare librdkafka code.
    init(_ code: rd_kafka_resp_err_t, during attempt: String, persistence: Persistence = .no) {
        let text = String(cString: rd_kafka_err2str(code))
        let code = Code(rawValue: code.rawValue)
        self.init(code, "\(attempt): \(text)", isFatal: code == .fatal, persistence: persistence)
    }

    /// Creates the error for a call that failed because of a connection problem. The call may succeed after the problem
    /// is resolved.
    init(_ trouble: KafkaTrouble) { self.init(trouble.code, trouble.message, isRetriable: true) }

    /// Creates an error from a librdkafka error object and destroys the object.
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
    /// The error as `message (name)` on one line.
    public var description: String { "\(message) (\(name))" }
}
