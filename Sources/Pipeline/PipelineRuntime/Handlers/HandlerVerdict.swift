/// A handler's verdict on one record. The runtime acts on the verdict; a handler never changes offsets.
public enum HandlerVerdict: Sendable, Equatable {
    /// The record's effect is durable.
    case done
    /// The handler ignores the record, which is counted under the reason code.
    case skip(HandlerReason)
    /// The record is passed again after this time or, if nil, after the runtime's own backoff.
    ///
    /// Use this for causes outside the record, such as a sink that is down or a lock held by another process. Retries
    /// are unlimited and do not count as attempts. With a ``RecordHandler``, only records with the same key wait in the
    /// meantime, until the partition's window is full; with other handlers, the whole partition waits.
    case retry(after: Duration?)
    /// The record can never be handled successfully. It is written to the dead letter topic, and the partition
    /// continues once the broker has acknowledged the dead letter.
    case deadLetter(HandlerReason)
}

/// The reason why a record was skipped or dead-lettered.
public struct HandlerReason: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A code from a small fixed set defined by the handler, such as `unknown-schema`. Used as a metric label.
    public let code: String
    /// Additional text for operators, without payload or personal data. It is written to the headers of the dead letter
    /// (at most 1 KB) and to the log.
    public let detail: String?

    /// Creates a reason.
    public init(code: String, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// Creates a reason without a detail.
    public init(stringLiteral code: String) {
        self.init(code: code)
    }

    public var description: String {
        detail.map { "\(code): \($0)" } ?? code
    }
}

/// An error caused by one of the handler's dependencies rather than by the record.
///
/// A call that throws this error, or a `KafkaError` from the handler's own producer that does not concern the record,
/// is retried indefinitely. Any other error is attributed to the record: it uses up an attempt, and the record is
/// dead-lettered after the last one.
public protocol InfrastructureFault: Error {}

/// An error caused by the record, with a reason. Like any other error, it uses up an attempt, but the dead letter
/// contains this reason instead of `attempts-spent`.
public protocol RecordFault: Error {
    /// The reason why the record cannot be handled.
    var reason: HandlerReason { get }
}
