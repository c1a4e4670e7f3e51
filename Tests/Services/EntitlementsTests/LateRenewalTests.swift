import AppStoreModel
import EntitlementRules
import JSON
import Kafka
import KeyedState
import TestSupport
import Testing

@testable import Entitlements

/// One day of subscription renewals that Apple reports early, in time and late, with the values published meanwhile.
@Suite struct LateRenewalTests {
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    /// Length of a period, in hours.
    private static let length: Int64 = 4

    private struct Told {
        let at: Int64
        let facts: PurchaseFacts
    }

    /// Generates purchases one after the other. Up to an hour lies between the end of a period and the notification of
    /// the next.
    private func notifications(_ purchases: Int, _ random: inout some RandomNumberGenerator) throws -> [Told] {
        var told: [Told] = []
        for number in 0..<purchases {
            let first = on(0) + Int64.random(in: 0..<(Self.length * 60), using: &random) * Self.minute
            for period in 0...(24 / Self.length) {
                let start = first + period * Self.length * Self.hour
                let delay = period == 0 ? 0 : Int64.random(in: -60...59, using: &random) * Self.minute
                let transaction: JSONObject = [
                    "transactionId": .string("\(number).\(period)"), "productId": "monthly",
                    "type": "Auto-Renewable Subscription", "purchaseDate": .integer(start),
                    "expiresDate": .integer(start + Self.length * Self.hour),
                ]
                let draft = Draft(
                    period == 0 ? "SUBSCRIBED" : "DID_RENEW", signed: start + delay, purchase: "\(number)",
                    transaction: transaction, renewalInfo: ["autoRenewStatus": 1, "autoRenewProductId": "monthly"])
                told.append(Told(at: start + delay, facts: try draft.facts()))
            }
        }
        return told.sorted { $0.at < $1.at }
    }

    private func states(_ value: [UInt8]) throws -> [String] {
        (try JSONValue(json: value).object ?? JSONObject()).allGrants.compactMap { $0["state"]?.string }
    }

    @Test func `no published state revokes the access of a customer whose renewal is reported late`() throws {
        var random = SeededGenerator(seed: 3)
        var told = try notifications(200, &random)[...]
        let rows = try RowsHarness()
        var now = on(0)
        while now < on(1) {
            let due = told.prefix { $0.at <= now }
            told = told.dropFirst(due.count)
            try rows.merge(due.map(\.facts), at: now)
            try rows.store.publishPending(at: now)
            now += Self.minute
        }
        var counts: [String: Int] = [:]
        for record in rows.store.log {
            for state in try states(#require(record.value)) { counts[state, default: 0] += 1 }
        }
        #expect(Set(counts.keys) == ["ACTIVE", "RENEWING"])
        #expect(counts["RENEWING"] ?? 0 > 200)
    }
}
