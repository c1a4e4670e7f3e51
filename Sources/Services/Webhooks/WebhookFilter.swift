internal import AppStoreModel

/// Selects the messages for a receiver by app and type.
struct WebhookFilter: Sendable, Equatable {
    /// The apps; empty means every app. A message that does not concern any app always passes.
    let apps: Set<String>
    /// The types; empty means every type. A type also covers the types below it: `purchase` covers `purchase.expired`.
    let types: [String]

    /// Returns the ``WebhooksReason`` for not sending the message to this receiver, or nil if the message is sent.
    func refusal(_ message: WebhookMessage) -> String? {
        if !apps.isEmpty, let app = message.bundleId, !apps.contains(app.rawValue) { return WebhooksReason.otherApp }
        if !types.isEmpty, !types.contains(where: { covers($0, message.type) }) { return WebhooksReason.otherType }
        return nil
    }

    private func covers(_ part: String, _ type: String) -> Bool { type == part || type.hasPrefix(part + ".") }
}
