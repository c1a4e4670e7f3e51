import AppStoreModel
import EntitlementRules
import JSON
import Story
import Testing

private let day: Int64 = 86_400_000
private let hour: Int64 = 3_600_000

/// Returns the time this many milliseconds after 2026-01-01T00:00:00Z.
private func at(_ milliseconds: Int64) -> AppStoreInstant {
    AppStoreInstant(clampingMillisecondsSince1970: 1_767_225_600_000 + milliseconds)
}

@Suite struct StoryReplayTests {
    private func input(
        _ type: String, signed: Int64, known: Int64? = nil, period number: Int64, renews: Bool = true
    ) throws -> StoryInput {
        let start = (number - 1) * 30 * day
        let notification: JSONObject = [
            "notificationType": .string(type), "notificationUUID": .string("\(type)-\(signed)"),
            "signedDate": .integer(at(signed).millisecondsSince1970),
            "data": ["environment": "Production", "bundleId": "com.example", "status": 1],
        ]
        let transaction: JSONObject = [
            "transactionId": .string("\(number)"), "originalTransactionId": "1", "productId": "monthly",
            "type": "Auto-Renewable Subscription", "signedDate": .integer(at(signed).millisecondsSince1970),
            "purchaseDate": .integer(at(start).millisecondsSince1970),
            "expiresDate": .integer(at(start + 30 * day).millisecondsSince1970),
        ]
        let renewal: JSONObject = [
            "originalTransactionId": "1", "autoRenewProductId": "monthly", "autoRenewStatus": renews ? 1 : 0,
            "signedDate": .integer(at(signed).millisecondsSince1970),
        ]
        let facts = PurchaseFacts(
            notification: try NotificationPayload(json: JSONValue.object(notification).json),
            transaction: try TransactionPayload(json: JSONValue.object(transaction).json),
            renewalInfo: try RenewalInfoPayload(json: JSONValue.object(renewal).json))
        return StoryInput(
            at: at(known ?? signed), facts: try #require(facts),
            cause: .notification(uuid: type, type: type, position: ""))
    }

    private func states(_ replay: StoryReplay) -> [String] {
        replay.changes.map { "\($0.at.description.prefix(16)) \($0.after.first?.state ?? "-")" }
    }

    @Test func `a late renewal shows the gap that customers had`() throws {
        let replay = StoryReplay(
            [
                try input("SUBSCRIBED", signed: 0, period: 1),
                try input("DID_RENEW", signed: 30 * day, known: 30 * day + 9 * hour, period: 2),
            ], until: at(31 * day), rules: ProductRules())
        #expect(
            states(replay) == [
                "2026-01-01T00:00 ACTIVE", "2026-01-31T00:00 RENEWING", "2026-01-31T03:00 EXPIRED",
                "2026-01-31T09:00 ACTIVE",
            ])
        let lost = replay.changes[2]
        #expect(lost.cause == .time)
        #expect(lost.origin == .notification(uuid: "SUBSCRIBED", type: "SUBSCRIBED", position: ""))
        #expect(lost.after.map(\.rule) == [.renewalMissing])
        #expect(replay.changes[3].cause == .notification(uuid: "DID_RENEW", type: "DID_RENEW", position: ""))
    }

    @Test func `the origin of a change by time is the notification that changed the outlook`() throws {
        let replay = StoryReplay(
            [
                try input("SUBSCRIBED", signed: 0, period: 1),
                try input("DID_CHANGE_RENEWAL_STATUS", signed: 5 * day, period: 1, renews: false),
                try input("PRICE_INCREASE", signed: 6 * day, period: 1, renews: false),
            ], until: at(31 * day), rules: ProductRules())
        let last = try #require(replay.changes.last)
        #expect(last.at == at(30 * day) && last.cause == .time && last.after.map(\.rule) == [.renewalOff])
        #expect(
            last.origin
                == .notification(
                    uuid: "DID_CHANGE_RENEWAL_STATUS", type: "DID_CHANGE_RENEWAL_STATUS", position: ""))
    }

    @Test func `a duplicate changes nothing, and the end limits the evaluated events`() throws {
        let bought = try input("SUBSCRIBED", signed: 0, period: 1)
        let twice = StoryReplay([bought, bought], until: at(day), rules: ProductRules())
        #expect(states(twice) == ["2026-01-01T00:00 ACTIVE"])
        #expect(twice.isComplete)
        let before = StoryReplay([bought], until: at(-1), rules: ProductRules())
        #expect(before.changes.isEmpty && before.facts == nil)
    }
}
