/// What a handler answers for one record. The runtime acts on it; a handler never touches offsets.
public enum HandlerVerdict: Sendable, Equatable {
    /// The record's effect is durable.
    case done
    /// The record needs no effect here; counted under the reason's code.
    case skip(HandlerReason)
    /// Not now: the record comes again after `after`, or after the runtime's own backoff when nil.
    ///
    /// This is for something outside the record (a sink that is down, a lock held elsewhere): it spends no attempts and
    /// goes on indefinitely. For a ``RecordHandler`` only records of the same key wait meanwhile, until the partition's
    /// window is full; for the other forms the partition waits.
    case retry(after: Duration?)
    /// The record can never succeed here: it goes to the dead letter topic, and the partition goes on once the broker
    /// has acknowledged the dead letter.
    case deadLetter(HandlerReason)
}

/// Why a record was skipped or dead-lettered.
public struct HandlerReason: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A word from a small closed set of the handler's, such as `unknown-schema`: it labels a metric.
    public let code: String
    /// More for a person, never payload or personal data; goes to the dead letter's headers (at most 1 KB) and to the
    /// log.
    public let detail: String?

    /// Makes a reason.
    public init(code: String, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// A reason without detail.
    public init(stringLiteral code: String) {
        self.init(code: code)
    }

    public var description: String {
        detail.map { "\(code): \($0)" } ?? code
    }
}

/// An error that says: the record is fine, something it needs is not.
///
/// A handler that throws an error conforming to this, or a `KafkaError` of its own producer that is not about the
/// record, is tried again indefinitely. Any other thrown error is the record's fault: it spends attempts, and the record
/// is dead-lettered when they are spent.
public protocol InfrastructureFault: Error {}

/// An error that is the record's own and says its reason: it spends an attempt like any other, and the dead letter that
/// follows the last one carries this reason instead of `attempts-spent`.
public protocol RecordFault: Error {
    /// Why the record cannot be handled.
    var reason: HandlerReason { get }
}
