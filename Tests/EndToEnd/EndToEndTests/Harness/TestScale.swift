import Foundation

/// The size of a fault suite: its short form belongs to `make test`, the long one (`SLUICE_TEST_LONG=1`) to `make
/// faults`.
enum TestScale {
    static let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1"
    /// Multiplier of the long form: `SLUICE_TEST_TIMES`, 1 by default.
    static let times = max(1, ProcessInfo.processInfo.environment["SLUICE_TEST_TIMES"].flatMap { Int($0) } ?? 1)

    /// The form and its multiplier, for reports.
    static var name: String { isLong ? times > 1 ? "long, \(times) times" : "long" : "short" }

    static func choose<Value>(short: Value, long: Value) -> Value { isLong ? long : short }

    /// Like ``choose(short:long:)``, multiplied in a longer run.
    static func choose(short: Int, longTimes long: Int) -> Int { isLong ? long * times : short }
}

extension Duration {
    /// Whether a measured time keeps a promise. Only the long form checks it: it runs on release executables and on an
    /// otherwise idle machine. In the short form only the deadlines of waits fail.
    func keeps(_ promise: Duration) -> Bool { !TestScale.isLong || self <= promise }
}
