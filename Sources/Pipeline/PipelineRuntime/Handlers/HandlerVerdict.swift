/// A handler's verdict on one record. The runtime acts on it; a handler never touches offsets.
public enum HandlerVerdict: Sendable, Equatable {
    /// The record's effect is durable.
    case done
    /// The handler has nothing to do for the record; counted under the reason's code.
    case skip(HandlerReason)
    /// The record is passed again after `after`, or if nil, after the runtime's own backoff.
    ///
    /// For causes outside the record, such as a sink that is down or a lock held elsewhere. It uses up no attempts and
    /// is repeated indefinitely. With a ``RecordHandler``, only records with the same key wait in the meantime, until
    /// the partition's window is full; with other handlers, the partition waits.
    case retry(after: Duration?)
    /// The record can never succeed here. It is written to the dead letter topic, and the partition continues once the
    /// broker has acknowledged the dead letter.
    case deadLetter(HandlerReason)
}

/// The reason why a record was skipped or dead-lettered.
public struct HandlerReason: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A word from a small closed set defined by the handler, such as `unknown-schema`; it labels a metric.
    public let code: String
    /// Further text for operators, without payload or personal data. It is written to the dead letter's headers (at
    /// most 1 KB) and to the log.
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

/// An error caused by something that the record needs, not by the record itself.
///
/// After an error that conforms to this protocol, or a `KafkaError` from the handler's own producer that is not about
/// the record, the call is repeated indefinitely. Any other error is the record's fault: it uses up an attempt, and the
/// record is dead-lettered after the last one.
public protocol InfrastructureFault: Error {}

/// An error caused by the record, with its own reason. It uses up an attempt like any other error, and the dead letter
/// after the last attempt contains this reason instead of `attempts-spent`.
public protocol RecordFault: Error {
    /// The reason why the record cannot be handled.
    var reason: HandlerReason { get }
}
