import Foundation

/// How much a fault suite does: its short form belongs to `make test`, the long one (`SLUICE_TEST_LONG=1`) to
/// `make faults`.
enum Extent {
    static let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1"

    static func choose<Value>(short: Value, long: Value) -> Value { isLong ? long : short }
}
