internal import Telemetry

extension LogKey {
    static let offset = LogKey(rawValue: "offset")
    static let ageSeconds = LogKey(rawValue: "ageSeconds")
    static let finding = LogKey(rawValue: "finding")
    static let path = LogKey(rawValue: "path")
    static let milliseconds = LogKey(rawValue: "milliseconds")
}
