internal import Synchronization

/// A number in a separate allocation, so that threads that update different metrics do not contend.
final class AtomicCell: Sendable {
    let value = Atomic<UInt64>(0)
}

/// A monotonic counter. Incrementing it takes no lock.
public struct Counter: Sendable {
    let cell: AtomicCell

    /// Adds one.
    public func increment() { increment(by: 1) }

    /// Adds a number.
    public func increment(by count: UInt64) {
        cell.value.wrappingAdd(count, ordering: .relaxed)
    }

    /// The current count.
    public var value: UInt64 { cell.value.load(ordering: .relaxed) }
}

/// A value that can go up and down. Setting it takes no lock.
public struct Gauge: Sendable {
    let cell: AtomicCell

    /// Sets the value.
    public func set(_ value: Double) {
        cell.value.store(value.bitPattern, ordering: .relaxed)
    }

    /// Sets the value.
    public func set(_ value: Int) { set(Double(value)) }

    /// Adds a number, which may be negative.
    public func add(_ difference: Double) { cell.add(difference) }

    /// The current value.
    public var value: Double { Double(bitPattern: cell.value.load(ordering: .relaxed)) }
}

/// A distribution over fixed buckets. Observing takes no lock.
public struct Histogram: Sendable {
    /// Buckets for request durations in seconds, from 1 ms to 10 s.
    public static let secondsBuckets: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// The upper bounds in ascending order, without infinity.
    public let buckets: [Double]
    /// One count per bucket, and one for larger values.
    let counts: [AtomicCell]
    let sum: AtomicCell
    let exemplars: Exemplars

    init(buckets: [Double]) {
        self.buckets = buckets
        exemplars = Exemplars(buckets: buckets.count + 1)
        self.counts = (0...buckets.count).map { _ in AtomicCell() }
        self.sum = AtomicCell()
    }

    /// Records a value in the unit that the metric's name specifies (seconds, bytes). NaN is ignored.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        counts[bucket(of: value)].value.wrappingAdd(1, ordering: .relaxed)
        sum.add(value)
    }

    /// Stores a value and its span as a bucket's exemplar, without counting the value. Call it only for recorded spans,
    /// because it takes a lock.
    package func exemplify(_ value: Double, _ span: TraceParent, at nanoseconds: UInt64) {
        guard value.isFinite else { return }
        exemplars.set(Exemplar(value: value, span: span, nanoseconds: nanoseconds), bucket: bucket(of: value))
    }

    /// Returns the index of the first bucket that contains a value.
    private func bucket(of value: Double) -> Int {
        var low = 0
        var high = buckets.count
        while low < high {
            let middle = (low + high) / 2
            if value <= buckets[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Records a duration in nanoseconds, for a metric measured in seconds.
    public func observe(nanoseconds: Int64) { observe(Double(nanoseconds) / 1e9) }
}

extension AtomicCell {
    /// Adds to a `Double` that is stored as its bit pattern.
    func add(_ difference: Double) {
        var old = value.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + difference).bitPattern
            let (exchanged, original) = value.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = original
        }
    }
}

/// The counters for a metric with one label that has a closed set of values. Any other value is counted as `other`, so
/// that input cannot create time series.
public struct LabelledCounters: Sendable {
    private let counters: [String: Counter]
    private let other: Counter

    init(counters: [String: Counter], other: Counter) {
        self.counters = counters
        self.other = other
    }

    /// The counter for a label value.
    public subscript(_ value: String) -> Counter { counters[value] ?? other }
}
