internal import Telemetry

/// Names of this module's metrics.
enum ServiceKitMetricName {
    static let credentialsChanged = "sluice_kafka_credentials_changed"
}

extension LogKey {
    static let port = LogKey(rawValue: "port")
    static let property = LogKey(rawValue: "property")
    static let file = LogKey(rawValue: "file")
}
