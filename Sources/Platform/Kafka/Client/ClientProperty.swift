/// One librdkafka property with its value.
package struct ClientProperty: Hashable, Sendable {
    let name: String
    let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// librdkafka itself shows these in clear in `rd_kafka_conf_dump`.
    var isSecret: Bool {
        let name = name.lowercased()
        return name.contains("password") || name.contains("secret") || name.hasSuffix(".key.pem")
            || name == "sasl.oauthbearer.config" || name == "sasl.username"
    }

    var shownValue: String { isSecret ? "********" : value }
}
