internal import AppStoreModel
internal import Configuration
internal import Cryptography
internal import JSON
internal import Lifecycle
internal import Records
internal import Story

/// The webhook delivery attempts that belong to a story. A sluice-webhooks process keeps only its latest attempts.
struct StoryWebhooks {
    let configuration: Configuration
    let identifier: StoryIdentifier
    let environment: AppStoreEnvironment

    func entries(
        _ collector: StoryCollector, timeout: Duration, _ gaps: inout [Story.Gap]
    ) async -> [StoryEntry] {
        let attempts: [JSONObject]
        do {
            attempts = try await WebhooksCommand(configuration: configuration, timeout: timeout).allAttempts()
        } catch {
            let failure = error as? StartupError
            gaps.append(
                Story.Gap(
                    "webhook delivery attempts could not be read: \(failure?.problem ?? "\(error)")",
                    fix: failure?.fix ?? "Run the command again"))
            return []
        }
        gaps.append(
            Story.Gap(
                "only the latest webhook delivery attempts of one sluice-webhooks process are known",
                fix: "Search the logs of sluice-webhooks for the webhookId; the committed offset of its group shows "
                    + "how far it has read"))
        return attempts.compactMap { entry($0, collector) }
    }

    /// Returns whether a webhook belongs to the story. The story of a single notification has only that notification's
    /// webhooks, although the collector has all notifications of the purchase.
    private static func isOf(_ collector: StoryCollector, _ webhook: StoryWebhookId) -> Bool {
        if let uuid = collector.notificationUUID { return webhook.notificationUUID == uuid }
        if let uuid = webhook.notificationUUID {
            return collector.notifications.contains { $0.text(.id)?.lowercased() == uuid }
        }
        return collector.keys.contains { SHA256.digest(of: $0).hex.prefix(16) == webhook.keyDigest ?? "" }
    }

    private func entry(_ attempt: JSONObject, _ collector: StoryCollector) -> StoryEntry? {
        guard let id = attempt[OutputName.id]?.string, let webhook = StoryWebhookId(id),
            webhook.environment == environment,
            let at = attempt[OutputName.at]?.string.flatMap({ AppStoreInstant(rfc3339: $0) })
        else { return nil }
        guard id == identifier.text || Self.isOf(collector, webhook) else { return nil }
        var fields = [StoryField(StoryName.webhookId, .string(id))]
        for (name, member) in [
            (StoryName.outcome, OutputName.outcome), (StoryName.status, OutputName.status),
            (StoryName.milliseconds, OutputName.milliseconds), (StoryName.type, OutputName.type),
            (StoryName.detail, OutputName.detail),
        ] {
            if let value = attempt[member] { fields.append(StoryField(name, value)) }
        }
        let outcome = attempt[OutputName.outcome]?.string ?? "?"
        return StoryEntry(
            at: at, .webhook, "webhook \(outcome)", notificationUUID: webhook.notificationUUID, fields: fields)
    }
}
