internal import AppStoreModel

/// Which messages a receiver gets.
struct WebhookFilter: Sendable, Equatable {
    /// Empty: of every app.
    let apps: Set<String>
    /// Empty: of every type. `purchase` covers `purchase.expired`, as every leading part does.
    let types: [String]

    /// Why this receiver does not get the message, as a ``WebhooksReason``; nil when it does.
    func refusal(_ message: WebhookMessage) -> String? {
        if !apps.isEmpty, !apps.contains(message.bundleId.rawValue) { return WebhooksReason.otherApp }
        if !types.isEmpty, !types.contains(where: { covers($0, message.type) }) { return WebhooksReason.otherType }
        return nil
    }

    private func covers(_ part: String, _ type: String) -> Bool { type == part || type.hasPrefix(part + ".") }
}
