/// A librdkafka property and its value.
package struct ClientProperty: Hashable, Sendable {
    let name: String
    let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the value is secret. librdkafka itself prints secrets in `rd_kafka_conf_dump`. The check uses patterns,
    /// so that it also covers properties in future versions.
    var isSecret: Bool {
        let name = name.lowercased()
        return ["password", "passphrase", "secret", "credential", "jaas"].contains(where: name.contains)
            || name.hasSuffix(".key.pem")
            || name == "sasl.oauthbearer.config" || name == "sasl.username"
    }

    var shownValue: String { isSecret ? "********" : value }
}
