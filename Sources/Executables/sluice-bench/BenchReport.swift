internal import Foundation

/// The results, as they are printed and as JSON.
struct BenchReport {
    private var values: [String: Double] = [:]

    /// Prints one line and keeps the value under `name`.
    mutating func add(_ name: String, _ value: Double, _ unit: String, digits: Int = 1) {
        values[name] = value
        let label = name.padding(toLength: 52, withPad: " ", startingAt: 0)
        print("  \(label) \(String(format: "%.\(digits)f", value)) \(unit)")
    }

    func section(_ title: String) { print("\n\(title)") }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(values).write(to: URL(fileURLWithPath: path))
    }
}

/// Sorted samples.
struct Distribution {
    private let sorted: [Double]

    init(_ samples: [Double]) { sorted = samples.sorted() }

    var count: Int { sorted.count }
    var median: Double { percentile(0.5) }

    /// The nearest rank; 0 without samples.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
    }
}

/// CPU time of the calling thread, in nanoseconds.
func threadCPUNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Monotonic time in nanoseconds.
func monotonicNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
