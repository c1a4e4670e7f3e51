internal import AppStoreModel
internal import Kafka
internal import Records

/// What the receiver gets: `webhooks.content`.
package enum WebhookContent: String, Sendable, CaseIterable {
    /// The state of a purchase, with each change.
    case state
    /// Each of Apple's notifications, decoded.
    case notification
    /// Each of Apple's notifications as Apple posted it, byte for byte, for endpoints that verify it themselves.
    case signed

    /// The topic of an environment.
    func topic(_ names: TopicNames, _ environment: AppStoreEnvironment) -> KafkaTopic {
        switch self {
        case .state: names.entitlements(environment)
        case .notification, .signed: names.notifications(environment)
        }
    }

    /// The topics of all environments, as they are created.
    func specifications(_ names: TopicNames) -> [TopicSpecification] {
        switch self {
        case .state: names.state()
        case .notification, .signed: names.notifications()
        }
    }
}
