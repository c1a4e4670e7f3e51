internal import Primitives
internal import Telemetry

/// A resource attribute. The resource is this process.
package struct ResourceAttribute: Sendable, Equatable {
    package let key: String
    package let value: String

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    static let serviceName = "service.name"

    /// Returns a process's resource attributes. Configured attributes replace default attributes with the same key.
    ///
    /// - Parameters:
    ///   - executable: the default for `service.name`.
    ///   - instance: identifies this run of the process.
    package static func all(
        executable: String, instance: String, configured: [ResourceAttribute]
    ) -> [ResourceAttribute] {
        let own = [
            ResourceAttribute(key: serviceName, value: executable),
            ResourceAttribute(key: "service.version", value: Build.version),
            ResourceAttribute(key: "service.instance.id", value: instance),
            ResourceAttribute(key: "telemetry.sdk.name", value: "sluice"),
            ResourceAttribute(key: "telemetry.sdk.language", value: "swift"),
            ResourceAttribute(key: "telemetry.sdk.version", value: Build.version),
        ]
        return own.filter { attribute in !configured.contains { $0.key == attribute.key } } + configured
    }
}
