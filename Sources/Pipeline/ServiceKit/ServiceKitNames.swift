internal import Telemetry

extension LogKey {
    static let port = LogKey(rawValue: "port")
}
