import AppStoreModel
import EntitlementRules
import JSON
import Story
import Testing

/// Names that scripts and the console read. Names may be added, but not changed.
@Suite struct StoryNamesTests {
    @Test func `the kinds of events and identifiers match the published ones`() {
        #expect(
            StoryEntry.Kind.allCases.map(\.rawValue) == [
                "notification", "quarantined", "dead_lettered", "state", "published", "erased", "archive_decision",
                "refund_requested", "refund_decided", "refund_answered", "refund_ended", "refund_outcome",
                "refund_waiting", "webhook",
            ])
        #expect(
            StoryIdentifier.Kind.allCases.map(\.rawValue) == [
                "notificationUUID", "appAccountToken", "originalTransactionId", "transactionId", "appTransactionId",
                "webOrderLineItemId", "recordKey", "webhook-id", "orderId",
            ])
    }

    @Test func `the rules match the published ones`() {
        #expect(
            StateRule.allCases.map(\.rawValue) == [
                "revoked", "revoked_by_status", "period", "grace", "grace_without_end", "renewal_awaited",
                "renewal_unread", "billing_retry", "active_by_status", "active_by_status_too_old", "retry_over",
                "renewal_off", "renewal_missing", "period_over", "items_revoked", "unconfirmed", "bought", "not_begun",
                "length_over", "length_unknown", "purchase_revoked", "credited", "partly_debited", "debited",
                "not_credited", "unknown_type",
            ])
    }

    @Test func `an empty story has every member`() throws {
        let story = Story(try #require(StoryIdentifier("1")), .production)
        #expect(
            story.json(reveals: false) == [
                "id": "1", "kinds": [], "environment": "Production", "found": false, "complete": true,
                "masked": true, "purchases": [], "timeline": [], "searched": [], "gaps": [],
            ])
    }

    @Test func `a personal field is masked unless it is revealed`() {
        let entry = StoryEntry(
            at: AppStoreInstant(clampingMillisecondsSince1970: 0), .notification, "TEST", purchase: "a/1",
            fields: [
                StoryField("appAccountToken", "secret", isPersonal: true), StoryField("productId", "monthly"),
            ])
        let masked: JSONObject = [
            "at": "1970-01-01T00:00:00.000Z", "kind": "notification", "title": "TEST", "purchase": "a/1",
            "appAccountToken": "…", "productId": "monthly",
        ]
        #expect(entry.json(reveals: false) == masked)
        #expect(entry.json(reveals: true)["appAccountToken"] == "secret")
    }

    @Test func `equal times keep the given order, and a range of time is half open`() throws {
        var story = Story(try #require(StoryIdentifier("1")), .production)
        func entry(_ second: Int64, _ title: String) -> StoryEntry {
            StoryEntry(at: AppStoreInstant(clampingMillisecondsSince1970: second * 1_000), .state, title)
        }
        story.add([entry(2, "b"), entry(1, "a")])
        story.add([entry(2, "c"), entry(3, "d")])
        #expect(story.entries.map(\.title) == ["a", "b", "c", "d"])
        story.limit(
            from: AppStoreInstant(clampingMillisecondsSince1970: 2_000),
            to: AppStoreInstant(clampingMillisecondsSince1970: 3_000))
        #expect(story.entries.map(\.title) == ["b", "c"])
    }

    @Test func `a range of time without events does not make a story empty`() throws {
        var story = Story(try #require(StoryIdentifier("1")), .production)
        let later = AppStoreInstant(clampingMillisecondsSince1970: 3_000)
        story.limit(from: later, to: nil)
        #expect(!story.isFound)
        story.add([StoryEntry(at: AppStoreInstant(clampingMillisecondsSince1970: 2_000), .state, "a")])
        story.limit(from: later, to: nil)
        #expect(story.entries.isEmpty && story.isFound)
        #expect(story.json(reveals: false)["found"] == true)
    }
}
