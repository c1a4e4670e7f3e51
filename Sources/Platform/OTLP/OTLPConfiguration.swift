package import Configuration
package import HTTPClient
internal import Primitives
package import Tracing

/// The validated export parameters, created from a configuration or by a test.
package struct OTLPConfiguration: Sendable {
    /// The URL for traces, or nil if no traces are recorded.
    package var tracesURL: String?
    /// The URL for metrics, or nil if they are not exported.
    package var metricsURL: String?
    package var headers: [(name: String, value: String)] = []
    package var timeout = Duration.seconds(10)
    package var sampler = Sampler(.parentAlwaysOn)
    /// The resource attributes from the configuration.
    package var resource: [ResourceAttribute] = []
    package var metricInterval = Duration.seconds(60)
    package var scheduleDelay = Duration.seconds(5)
    package var queueSize = 2_048
    package var batchSize = 512
    package var http = HTTPClient.Configuration()

    package init() {}

    /// Creates the parameters from ``OTLPSettings``. If nothing is exported, the other settings are not validated.
    ///
    /// - Throws: a `ConfigurationError` that names the setting or the variable.
    package init(_ configuration: Configuration) throws(ConfigurationError) {
        guard try !Self.boolean(configuration, OTLPSettings.disabled) else { return }
        let hasTraces = try Self.isOn(configuration, OTLPSettings.tracesExporter)
        let hasMetrics = try Self.isOn(configuration, OTLPSettings.metricsExporter)
        guard hasTraces || hasMetrics else { return }
        guard configuration[OTLPSettings.protocol] == "http/json" else {
            throw configuration.error(
                OTLPSettings.protocol.key,
                "only http/json is supported. Collectors accept it at the http/protobuf URL."
            )
        }
        let http = try HTTPClient.Configuration(configuration, trustRootsFile: configuration[OTLPSettings.certificate])
        self.http = http
        self.http.maximumInFlight = 4
        self.http.maximumIdleConnections = 2
        if hasTraces { tracesURL = try Self.url(configuration, OTLPSettings.tracesEndpoint, path: "v1/traces") }
        if hasMetrics { metricsURL = try Self.url(configuration, OTLPSettings.metricsEndpoint, path: "v1/metrics") }
        headers = try Self.headers(configuration)
        timeout = try Self.duration(configuration, OTLPSettings.timeout)
        sampler = try Self.sampler(configuration)
        resource = try Self.resource(configuration)
        metricInterval = try Self.duration(configuration, OTLPSettings.metricInterval)
        scheduleDelay = try Self.duration(configuration, OTLPSettings.scheduleDelay)
        queueSize = try Self.count(configuration, OTLPSettings.queueSize)
        batchSize = try Self.count(configuration, OTLPSettings.batchSize)
    }

    private static func headers(
        _ configuration: Configuration
    ) throws(ConfigurationError) -> [(name: String, value: String)] {
        let file = configuration[OTLPSettings.headersFile]
        let text = file.map { String(decoding: $0.contents.revealedBytes, as: UTF8.self) }
        guard let text = text ?? configuration[OTLPSettings.headers] else { return [] }
        let key = file == nil ? OTLPSettings.headers.key : OTLPSettings.headersFile.key
        guard let pairs = KeyValueList.parse(text), pairs.allSatisfy({ isHeader($0.key, $0.value) }) else {
            throw configuration.error(
                key, "the value must be a list of name=value pairs, such as authorization=Bearer%20token.")
        }
        return pairs.map { (name: $0.key, value: $0.value) }
    }

    private static func isHeader(_ name: String, _ value: String) -> Bool {
        name.utf8.allSatisfy(\.isHTTPTokenCharacter) && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func resource(_ configuration: Configuration) throws(ConfigurationError) -> [ResourceAttribute] {
        var attributes: [ResourceAttribute] = []
        if let text = configuration[OTLPSettings.resourceAttributes] {
            guard let pairs = KeyValueList.parse(text) else {
                throw configuration.error(
                    OTLPSettings.resourceAttributes.key,
                    "\"\(text)\" must be a list of key=value pairs, such as deployment.environment.name=production.")
            }
            attributes = pairs.map { ResourceAttribute(key: $0.key, value: $0.value) }
        }
        guard let name = configuration[OTLPSettings.serviceName] else { return attributes }
        return attributes.filter { $0.key != ResourceAttribute.serviceName }
            + [ResourceAttribute(key: ResourceAttribute.serviceName, value: name)]
    }
}
