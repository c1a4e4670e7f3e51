package import AppStoreModel
package import EntitlementRules
package import KafkaModel

/// The result of reading a record as sluice-entitlements does.
package enum StoryReading: Sendable {
    case facts(PurchaseFacts)
    /// Nothing of the record concerns entitlements: the code of the reason.
    case skipped(String)
    /// The record cannot be handled: the code of the reason, and its detail.
    case deadLettered(String, String?)
}

/// The rules of sluice-entitlements, for replays of its decisions.
package struct StoryModel: Sendable {
    package let rules: ProductRules
    /// Reads a record of the notification topic of an environment.
    package let read: @Sendable (KafkaRecord, AppStoreEnvironment) -> StoryReading

    package init(
        rules: ProductRules, read: @escaping @Sendable (KafkaRecord, AppStoreEnvironment) -> StoryReading
    ) {
        self.rules = rules
        self.read = read
    }
}
