import Foundation

/// How much a fault suite does: its short form belongs to `make test`, the long one (`SLUICE_TEST_LONG=1`) to
/// `make faults`.
enum TestScale {
    static let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1"
    /// How many times the long form a run is: `SLUICE_TEST_TIMES`, 1 without it.
    static let times = max(1, ProcessInfo.processInfo.environment["SLUICE_TEST_TIMES"].flatMap { Int($0) } ?? 1)

    /// Which form of how many times, for reports.
    static var name: String { isLong ? times > 1 ? "long, \(times) times" : "long" : "short" }

    static func choose<Value>(short: Value, long: Value) -> Value { isLong ? long : short }

    /// As ``choose(short:long:)``, and as often as a longer run asks for.
    static func choose(short: Int, longTimes long: Int) -> Int { isLong ? long * times : short }
}

extension Duration {
    /// Whether a measured time keeps a promise. Only the long form judges it: it runs on release executables and on a
    /// machine that does nothing else. In the short form only the deadline of what waits for it fails.
    func keeps(_ promise: Duration) -> Bool { !TestScale.isLong || self <= promise }
}
