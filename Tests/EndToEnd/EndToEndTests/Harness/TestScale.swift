import Foundation

/// The size of a fault suite. `make test` runs the short form, and `make faults` the long form (`SLUICE_TEST_LONG=1`).
enum TestScale {
    static let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1"
    /// Multiplier of the long form: `SLUICE_TEST_TIMES`, 1 by default.
    static let times = max(1, ProcessInfo.processInfo.environment["SLUICE_TEST_TIMES"].flatMap { Int($0) } ?? 1)

    /// The form and its multiplier, for reports.
    static var name: String { isLong ? times > 1 ? "long, \(times) times" : "long" : "short" }

    static func choose<Value>(short: Value, long: Value) -> Value { isLong ? long : short }

    /// Like ``choose(short:long:)``, but multiplied in a longer run.
    static func choose(short: Int, longTimes long: Int) -> Int { isLong ? long * times : short }
}

extension Duration {
    /// Whether a measured time is within its limit. Only the long form checks it, because it runs release executables
    /// on an otherwise idle machine. In the short form, a test fails only if a wait times out.
    func keeps(_ promise: Duration) -> Bool { !TestScale.isLong || self <= promise }
}
