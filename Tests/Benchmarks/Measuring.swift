internal import Foundation

/// A failed measurement, with the reason.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A distribution of samples.
struct Distribution {
    private let sorted: [Double]

    init(_ samples: [Double]) { sorted = samples.sorted() }

    var median: Double { percentile(0.5) }

    /// Returns a percentile by the nearest-rank method, or 0 without samples.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
    }
}

/// The spread of repeated measurements on this machine within one run.
struct Noise {
    /// The range from the 10th to the 90th percentile, as a percentage of the median.
    let percent: Double

    init(of samples: [Double]) {
        let distribution = Distribution(samples)
        let median = distribution.median
        percent = median > 0 ? (distribution.percentile(0.9) - distribution.percentile(0.1)) / median * 100 : 0
    }
}

/// The clocks of this process.
enum Clocks {
    /// The CPU time of the calling thread, in nanoseconds.
    static var threadCPU: Double { read(CLOCK_THREAD_CPUTIME_ID) }
    /// The CPU time of all threads, in nanoseconds.
    static var processCPU: Double { read(CLOCK_PROCESS_CPUTIME_ID) }
    /// The monotonic time in nanoseconds.
    static var monotonic: Double { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// A sequence of due times at a fixed rate.
struct Pace {
    private let interval: Double
    private let start: Double
    private var next = 0.0

    init(perSecond: Double, from start: Double) {
        interval = 1e9 / perSecond
        self.start = start
    }

    /// Returns the next due time if it is not later than `now`, and advances to the one after it.
    mutating func take(at now: Double) -> Double? {
        let due = start + next * interval
        guard due <= now else { return nil }
        next += 1
        return due
    }
}
