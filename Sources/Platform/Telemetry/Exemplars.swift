internal import Synchronization

/// A measured value with the span in which it was measured. Only the OTLP export contains exemplars, because text
/// format 0.0.4 does not support them.
package struct Exemplar: Sendable, Equatable {
    package let value: Double
    package let span: TraceParent
    /// The time of the measurement, in nanoseconds since 1970.
    package let nanoseconds: UInt64
}

/// The latest exemplar for each of a histogram's buckets.
final class Exemplars: Sendable {
    private let latest: Mutex<[Exemplar?]>

    init(buckets: Int) { latest = Mutex(Array(repeating: nil, count: buckets)) }

    func set(_ exemplar: Exemplar, bucket: Int) { latest.withLock { $0[bucket] = exemplar } }

    var all: [Exemplar] { latest.withLock { $0.compactMap(\.self) } }
}
