import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// Added, refunded and assigned seats. Sources: Apple's `additionalTransactionReason`, StoreKit's `seatAddition`,
/// `revokedSeatQuantity` and `inAppOwnershipType`.
extension AccessCase {
    static func seats(_ id: String, _ quantity: Int64, from start: Int64, to end: Int64 = 30) -> JSONObject {
        period(id, from: start * day, to: end * day).with("quantity", .integer(quantity))
    }

    static func marked(_ transaction: JSONObject) -> JSONObject {
        transaction.with("additionalTransactionReason", "SEAT_ADDITION")
    }

    static let team = told(.subscribed, .initialBuy, on: 0, .active, seats("1", 5, from: 0))
    static let added = told(
        NotificationType("SEATS_ADDED"), Subtype("NEW"), on: 10, .active, marked(seats("2", 2, from: 10)))
    /// The first transaction, signed again and marked after seats were added.
    static let signedAgain = told(
        .didChangeRenewalStatus, .autoRenewDisabled, on: 12, .active, marked(seats("1", 5, from: 0)), renewal(0))

    static func revoked(_ transaction: JSONObject, on day: Int64) -> Notification {
        told(.refund, on: Double(day), .active, transaction.with("revocationDate", date: day * 86_400_000), renewal(0))
    }

    static let seatCases: [AccessCase] = [
        .init(
            "seats added, then every transaction of the period marked", [team, added, signedAgain],
            (9, "ACTIVE monthly until 30 5 seats"), (11, "ACTIVE monthly until 30 7 seats"),
            (13, "ACTIVE monthly until 30 7 seats"), (29, "ACTIVE monthly until 30 7 seats"),
            (31, "no EXPIRED monthly")),
        .init(
            "only the first transaction is known, and it is marked", [signedAgain],
            (13, "ACTIVE monthly until 30 5 seats")),
        .init(
            "seats added twice",
            [
                team, signedAgain, added,
                told(.didChangeRenewalPref, .increaseQuantity, on: 20, .active, marked(seats("3", 4, from: 20))),
            ], (13, "ACTIVE monthly until 30 7 seats"), (21, "ACTIVE monthly until 30 11 seats")),
        .init(
            "the next period after added seats",
            [
                team, added, signedAgain,
                told(.didRenew, on: 29, .active, seats("4", 6, from: 30, to: 60)),
            ], (29.5, "ACTIVE monthly until 60 7 seats"), (31, "ACTIVE monthly until 60 6 seats")),
        .init(
            "the first of two transactions of a period revoked",
            [team, added, signedAgain, revoked(marked(seats("1", 5, from: 0)), on: 15)],
            (14, "ACTIVE monthly until 30 7 seats"), (16, "ACTIVE monthly until 30 2 seats"),
            (31, "no EXPIRED monthly")),
        .init(
            "every transaction of a period revoked",
            [
                team, added, signedAgain, revoked(marked(seats("1", 5, from: 0)), on: 15),
                revoked(marked(seats("2", 2, from: 10)), on: 18),
            ], (17, "ACTIVE monthly until 18 2 seats"), (18, "no REVOKED monthly")),
        .init(
            "an extension of one transaction of the period",
            [team, added, told(.renewalExtended, on: 20, .active, marked(seats("1", 5, from: 0, to: 37)))],
            (25, "ACTIVE monthly until 37 7 seats"), (35, "ACTIVE monthly until 37 7 seats")),
        .init(
            "the extended transaction of the period revoked",
            [
                team, added, signedAgain, revoked(marked(seats("1", 5, from: 0, to: 37)), on: 20),
            ], (21, "ACTIVE monthly until 30 2 seats"), (31, "no EXPIRED monthly")),
        .init(
            "some seats refunded",
            [
                team,
                told(
                    .refund, .seats, on: 8, .active,
                    seats("1", 5, from: 0).with("multiSeatInfo", ["revokedSeatQuantity": 2])),
            ], (9, "ACTIVE monthly until 30 3 seats")),
        .init(
            "an upgrade after added seats",
            [
                team, added, signedAgain,
                told(
                    .didChangeRenewalPref, .upgrade, on: 15, .active,
                    period("5", from: 15 * day, to: 45 * day, product: "premium").with("quantity", 7),
                    renewal(product: "premium")),
            ], (16, "ACTIVE premium until 45 7 seats")),
        .init(
            "a member's transaction, which repeats the group's number of seats",
            [
                told(
                    .subscribed, .initialBuy, on: 0, .active,
                    seats("1", 50, from: 0).with("inAppOwnershipType", "ASSIGNED")),
                told(
                    .revoke, on: 12, .revoked,
                    seats("1", 50, from: 0).with("inAppOwnershipType", "ASSIGNED")
                        .with("revocationDate", date: 12 * day).with("revocationType", "ASSIGNMENT_REVOKE")),
            ], (1, "ACTIVE monthly until 12"), (13, "no REVOKED monthly")),
    ]
}

@Suite("Seats") struct SeatTests {
    @Test(arguments: AccessCase.seatCases)
    func `access and the number of seats are as specified in every order`(given: AccessCase) throws {
        for order in [given.told, given.told.reversed(), given.told + given.told] {
            let purchase = try purchase(order)
            for (moment, expected) in given.expected {
                let state = try #require(purchase.state(at: at(Int64(moment * 86_400_000))))
                #expect(AccessCaseTests.text(state) == expected, "on day \(moment)")
            }
            #expect(try PurchaseFacts(json: purchase.jsonText) == purchase)
        }
    }

    @Test func `the transaction bought first represents the period`() throws {
        let purchase = try purchase(AccessCase.team, AccessCase.added, AccessCase.signedAgain)
        #expect(purchase.currentTransaction(at: at(13 * day))?.transactionId == TransactionId("1"))
        #expect(purchase.state(asOf: at(13 * day))?.transaction?.transactionId == TransactionId("1"))
        #expect(purchase.state(asOf: at(13 * day))?.seats == 7)
        #expect(purchase.nextChange(after: at(13 * day)) == at(30 * day))
    }
}
