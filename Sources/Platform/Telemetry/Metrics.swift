internal import Synchronization

/// A number in memory of its own, so that metrics of different threads do not share an allocation.
final class AtomicCell: Sendable {
    let value = Atomic<UInt64>(0)
}

/// A count that only grows. Incrementing takes no lock.
public struct Counter: Sendable {
    let cell: AtomicCell

    /// Adds one.
    public func increment() { increment(by: 1) }

    /// Adds a number.
    public func increment(by count: UInt64) {
        cell.value.wrappingAdd(count, ordering: .relaxed)
    }

    /// The count now.
    public var value: UInt64 { cell.value.load(ordering: .relaxed) }
}

/// A number that goes up and down. Setting takes no lock.
public struct Gauge: Sendable {
    let cell: AtomicCell

    /// Replaces the number.
    public func set(_ value: Double) {
        cell.value.store(value.bitPattern, ordering: .relaxed)
    }

    /// Replaces the number.
    public func set(_ value: Int) { set(Double(value)) }

    /// Adds a number, which may be negative.
    public func add(_ difference: Double) { cell.add(difference) }

    /// The number now.
    public var value: Double { Double(bitPattern: cell.value.load(ordering: .relaxed)) }
}

/// A distribution over fixed buckets. Observing takes no lock.
public struct Histogram: Sendable {
    /// Buckets for the time of a request, in seconds: from 1 ms to 10 s.
    public static let secondsBuckets: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// Upper bounds, ascending, without infinity.
    public let buckets: [Double]
    /// One for each bucket and one for everything beyond.
    let counts: [AtomicCell]
    let sum: AtomicCell

    init(buckets: [Double]) {
        self.buckets = buckets
        self.counts = (0...buckets.count).map { _ in AtomicCell() }
        self.sum = AtomicCell()
    }

    /// Counts a value, in the unit of the metric's name (seconds, bytes). A value that is not a number is not counted.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        var low = 0
        var high = buckets.count
        while low < high {
            let middle = (low + high) / 2
            if value <= buckets[middle] { high = middle } else { low = middle + 1 }
        }
        counts[low].value.wrappingAdd(1, ordering: .relaxed)
        sum.add(value)
    }

    /// Counts a duration given in nanoseconds, for a metric in seconds.
    public func observe(nanoseconds: Int64) { observe(Double(nanoseconds) / 1e9) }
}

extension AtomicCell {
    /// Adds to a number that is kept as the bits of a `Double`.
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

/// Counters of one metric that differ in one label, for a closed set of its values. An unlisted value counts as
/// `other`, so that no input can make a time series.
public struct LabelledCounters: Sendable {
    private let counters: [String: Counter]
    private let other: Counter

    init(counters: [String: Counter], other: Counter) {
        self.counters = counters
        self.other = other
    }

    /// The counter of a value.
    public subscript(_ value: String) -> Counter { counters[value] ?? other }
}
