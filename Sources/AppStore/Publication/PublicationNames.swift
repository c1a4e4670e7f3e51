internal import Telemetry

extension LogKey {
    static let facility = LogKey(rawValue: "facility")
    static let detail = LogKey(rawValue: "detail")
    static let generation = LogKey(rawValue: "generation")
    static let known = LogKey(rawValue: "known")
}
