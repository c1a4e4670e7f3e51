package import AppStoreModel
package import EntitlementRules
package import KafkaModel

/// The result of reading a record the way sluice-entitlements does.
package enum StoryReading: Sendable {
    case facts(PurchaseFacts)
    /// The record does not concern entitlements. The value is the reason code.
    case skipped(String)
    /// The record cannot be handled. The values are the reason code and its detail.
    case deadLettered(String, String?)
}

/// The rules of sluice-entitlements, for replaying its decisions.
package struct StoryModel: Sendable {
    package let rules: ProductRules
    /// Reads a record from an environment's notification topic.
    package let read: @Sendable (KafkaRecord, AppStoreEnvironment) -> StoryReading

    package init(
        rules: ProductRules, read: @escaping @Sendable (KafkaRecord, AppStoreEnvironment) -> StoryReading
    ) {
        self.rules = rules
        self.read = read
    }
}
