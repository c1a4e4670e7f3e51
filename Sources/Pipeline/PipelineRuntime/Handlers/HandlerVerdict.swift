/// A handler's verdict on one record. The runtime acts on it; a handler never touches offsets.
public enum HandlerVerdict: Sendable, Equatable {
    /// The record's effect is durable.
    case done
    /// The record needs no effect here; counted under the reason's code.
    case skip(HandlerReason)
    /// The record is passed again after `after`, or after the runtime's own backoff if nil.
    ///
    /// For a cause outside the record (a sink that is down, a lock held elsewhere): it spends no attempts and is
    /// repeated indefinitely. With a ``RecordHandler`` only records of the same key wait meanwhile, until the
    /// partition's window is full; with other handlers the partition waits.
    case retry(after: Duration?)
    /// The record can never succeed here: it is written to the dead letter topic, and the partition continues when the
    /// broker has acknowledged the dead letter.
    case deadLetter(HandlerReason)
}

/// Reason why a record was skipped or dead-lettered.
public struct HandlerReason: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A word from a small closed set defined by the handler, such as `unknown-schema`; it labels a metric.
    public let code: String
    /// Further text for operators, without payload and personal data; written to the dead letter's headers (at most 1
    /// KB) and to the log.
    public let detail: String?

    /// Creates a reason.
    public init(code: String, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// Creates a reason without detail.
    public init(stringLiteral code: String) {
        self.init(code: code)
    }

    public var description: String {
        detail.map { "\(code): \($0)" } ?? code
    }
}

/// An error caused by something the record needs, not by the record itself.
///
/// After an error that conforms to this protocol, or a `KafkaError` of the handler's own producer that is not about the
/// record, the call is repeated indefinitely. Any other error is the record's fault: it spends an attempt, and the
/// record is dead-lettered after the last one.
public protocol InfrastructureFault: Error {}

/// An error caused by the record, with its own reason. It spends an attempt like any other error, and the dead letter
/// after the last attempt carries this reason instead of `attempts-spent`.
public protocol RecordFault: Error {
    /// Why the record cannot be handled.
    var reason: HandlerReason { get }
}
