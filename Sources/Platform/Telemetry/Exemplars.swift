internal import Synchronization

/// A measured value with the span that it was measured in. Text format 0.0.4 has no exemplars, so only the export by
/// OTLP contains them.
package struct Exemplar: Sendable, Equatable {
    package let value: Double
    package let span: TraceParent
    /// The time of the measurement, in nanoseconds since 1970.
    package let nanoseconds: UInt64
}

/// The latest exemplar of each bucket of a histogram.
final class Exemplars: Sendable {
    private let latest: Mutex<[Exemplar?]>

    init(buckets: Int) { latest = Mutex(Array(repeating: nil, count: buckets)) }

    func set(_ exemplar: Exemplar, bucket: Int) { latest.withLock { $0[bucket] = exemplar } }

    var all: [Exemplar] { latest.withLock { $0.compactMap(\.self) } }
}
