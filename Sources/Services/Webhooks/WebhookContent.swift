internal import AppStoreModel
internal import Kafka
internal import Records

/// The content of messages. The raw values are those of `webhooks.content`.
package enum WebhookContent: String, Sendable, CaseIterable {
    /// The state of a purchase, after each change.
    case state
    /// Each of Apple's notifications, in decoded form.
    case notification
    /// Each of Apple's notifications as Apple posted it, byte for byte, for endpoints that verify notifications
    /// themselves.
    case signed
    /// Each operator event.
    case operations

    /// Returns the input topic for an environment. Operator events have a single topic for all environments.
    func topic(_ names: TopicNames, _ environment: AppStoreEnvironment) -> KafkaTopic {
        switch self {
        case .state: names.entitlements(environment)
        case .notification, .signed: names.notifications(environment)
        case .operations: names.operations
        }
    }

    /// Returns the input topics for the given environments.
    func topics(_ names: TopicNames, _ environments: [AppStoreEnvironment]) -> [KafkaTopic] {
        self == .operations ? [names.operations] : environments.map { topic(names, $0) }
    }
}
