import AppStoreModel
import Story
import Testing

@Suite struct StoryIdentifierTests {
    @Test(
        arguments: [
            ("7E3FB204-2AB3-4C5F-8F0E-0D9C1B6A7E55", [.notificationUUID, .appAccountToken]),
            ("2000000000000001", [.originalTransactionId, .transactionId, .appTransactionId, .webOrderLineItemId]),
            ("com.example.app/2000000000000001", [.recordKey]),
            ("notification-production-7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", [.webhookId]),
            ("state-sandbox-0123456789abcdef-12-fedcba9876543210", [.webhookId]),
            ("operations-7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", [.webhookId]), ("operations-", [.orderId]),
            ("MVJ6ZRQ8XW", [.orderId]),
        ] as [(String, [StoryIdentifier.Kind])])
    func `an identifier's syntax determines its possible kinds`(text: String, kinds: [StoryIdentifier.Kind]) throws {
        #expect(try #require(StoryIdentifier(text)).kinds == kinds)
    }

    @Test func `UUIDs are compared in lower case`() throws {
        let upper = try #require(StoryIdentifier("7E3FB204-2AB3-4C5F-8F0E-0D9C1B6A7E55"))
        #expect(upper.text == "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55")
    }

    @Test(arguments: ["", "a\nb", String(repeating: "1", count: 257)])
    func `a text that cannot be in a key or a URL is not an identifier`(text: String) {
        #expect(StoryIdentifier(text) == nil)
    }

    @Test func `the webhook-id of an operator event contains the id of the event`() throws {
        #expect(try #require(StoryIdentifier("operations-1-a")).operatorEventId == "1-a")
        for text in ["operations-a/1", "signed-sandbox-operations-1", "operations"] {
            #expect(try #require(StoryIdentifier(text)).operatorEventId == nil)
        }
    }

    @Test func `a webhook-id names its environment and its notification or purchase`() throws {
        let notification = try #require(StoryWebhookId("signed-sandbox-7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"))
        #expect(notification.environment == .sandbox)
        #expect(notification.notificationUUID == "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55")
        let state = try #require(StoryWebhookId("state-production-0123456789abcdef-1-fedcba9876543210"))
        #expect(state.keyDigest == "0123456789abcdef" && state.notificationUUID == nil)
        for text in ["state-xcode-0123456789abcdef-1-a", "state-production-short", "other-production-a", "state"] {
            #expect(StoryWebhookId(text) == nil)
        }
    }
}
