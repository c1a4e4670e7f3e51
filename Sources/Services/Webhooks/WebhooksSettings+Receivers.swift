package import Configuration
package import PipelineRuntime
internal import Records
internal import Telemetry

extension WebhooksSettings {
    static let prefix = "webhooks."
    static let receiverTemplate = "webhooks.receivers.<receiver>."
    static let group = ConsumerSettings.group(of: TopicNames.webhooksGroup)
    private static let groupInstanceId = ConsumerSettings.groupInstanceId(of: TopicNames.webhooksGroup)

    /// The settings that each receiver in `webhooks.receivers` can override.
    static let ofReceiver = NamedSettings(
        [
            url, secrets, content, environments, apps, types, timeout, concurrency, failures, failureTime, gone,
            insecure, roots, paused, group, groupInstanceId,
        ], prefix: prefix, template: receiverTemplate)

    /// Returns the configuration of one receiver in `webhooks.receivers`. By default, its group is named after the
    /// receiver.
    static func narrowed(_ configuration: Configuration, to receiver: String) -> Configuration {
        configuration.narrowed(
            to: receiver, ofReceiver,
            defaults: [ConfigurationDefault(group, "\(TopicNames.webhooksGroup)-\(receiver)")])
    }

    /// Returns each receiver with its configuration. If `webhooks.receivers` is not set, returns the single receiver
    /// from the general settings.
    ///
    /// - Throws: a ``ConfigurationError`` if receivers cannot be distinguished.
    package static func consumers(_ configuration: Configuration) throws(ConfigurationError) -> [NamedConsumer] {
        let names = configuration[receivers]
        guard !names.isEmpty else { return [NamedConsumer(configuration: configuration)] }
        for general in [url.key, group.key] where configuration.origin(of: general) != .default {
            let own = receiverTemplate + general.dropFirst(prefix.count)
            throw configuration.error(general, "is for a single receiver. Remove it, or set \(own) for each receiver")
        }
        var consumers: [NamedConsumer] = []
        var groups: [String: String] = [:]
        for name in names {
            let own = narrowed(configuration, to: name)
            if let other = groups.updateValue(name, forKey: own[group]) {
                throw own.error(
                    other == name ? receivers.key : group.key,
                    other == name
                        ? "\(name) is listed twice" : "\(other) and \(name) have the same group; use separate groups")
            }
            consumers.append(NamedConsumer(label: MetricLabel("receiver", name), configuration: own))
        }
        return consumers
    }

    /// Returns the configuration of one receiver.
    ///
    /// - Parameter name: the name of the receiver, or nil if there is only one.
    /// - Throws: a ``ConfigurationError`` if the receiver is not configured, or if a name is required.
    package static func receiver(
        _ name: String?, _ configuration: Configuration
    ) throws(ConfigurationError) -> Configuration {
        let consumers = try consumers(configuration)
        guard let name else {
            if consumers.count == 1, let only = consumers.first { return only.configuration }
            throw configuration.error(receivers.key, "several receivers are configured. Name one with --receiver")
        }
        guard let receiver = consumers.first(where: { $0.label?.value == name }) else {
            throw configuration.error(receivers.key, "does not list \(name)")
        }
        return receiver.configuration
    }
}
