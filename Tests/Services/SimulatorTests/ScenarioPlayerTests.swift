import AppStoreModel
import Foundation
import Testing

@testable import Simulator

@Suite struct `Scenario player` {
    static let names = Scenario.all.map(\.name)

    func notifications(_ name: String, app: SimulatedApp = productionApp) throws -> [UnsignedNotification] {
        try makeSeries([try #require(Scenario.named(name))], app: app).notifications(of: 0)
    }

    @Test(arguments: names) func `every field that Apple always sends is present`(name: String) throws {
        for notification in try notifications(name) {
            let payload = try outer(notification)
            for field in ["notificationType", "notificationUUID", "version", "signedDate"] {
                #expect(payload[field] != nil, "\(field)")
            }
            let objects = ["data", "summary", "externalPurchaseToken", "appData", "unclaimInfo"].filter {
                payload[$0] != nil
            }
            #expect(objects.count == 1)
            if let data = payload["data"] as? [String: Any] {
                #expect(data["bundleId"] as? String == "com.example.app")
                #expect(data["environment"] as? String == "Production")
                #expect(data["appAppleId"] as? Int == 1_234_567_890)
            }
            if notification.transaction != nil {
                let transaction = try members(notification.transaction)
                for field in [
                    "transactionId", "originalTransactionId", "bundleId", "environment", "productId", "type",
                    "purchaseDate", "originalPurchaseDate", "quantity", "inAppOwnershipType", "signedDate",
                    "storefront",
                    "storefrontId",
                ] {
                    #expect(transaction[field] != nil, "\(field)")
                }
            }
            if notification.renewalInfo != nil {
                let renewal = try members(notification.renewalInfo)
                for field in [
                    "originalTransactionId", "productId", "autoRenewProductId", "autoRenewStatus",
                    "recentSubscriptionStartDate", "signedDate", "environment",
                ] {
                    #expect(renewal[field] != nil, "\(field)")
                }
                #expect(renewal["bundleId"] == nil)
            }
        }
    }

    @Test(arguments: names) func `the nested objects match Apple's table`(name: String) throws {
        for notification in try notifications(name) {
            let payload = try outer(notification)
            let data = payload["data"] as? [String: Any]
            let type = notification.notificationType
            switch type {
            case .test:
                #expect(data != nil && notification.transaction == nil && notification.renewalInfo == nil)
            case .renewalExtension where notification.subtype == .summary:
                #expect(payload["summary"] != nil && notification.transaction == nil)
            case .externalPurchaseToken:
                #expect(payload["externalPurchaseToken"] != nil && notification.transaction == nil)
            case .unclaimSeats:
                let seats = payload["unclaimInfo"] as? [String: Any]
                #expect((seats?["unclaimSeatIds"] as? [String])?.count == 2)
                #expect(seats?["bundleId"] as? String == "com.example.app" && notification.transaction == nil)
            case .rescindConsent:
                let appTransaction = try members(notification.appTransaction)
                #expect(appTransaction["appTransactionId"] as? String == notification.subject)
            default:
                let transaction = try members(notification.transaction)
                let isSubscription = transaction["type"] as? String == "Auto-Renewable Subscription"
                #expect((notification.renewalInfo != nil) == isSubscription)
                let isCancellation = type == .didChangeRenewalStatus && notification.subtype == nil
                #expect((data?["status"] != nil) == (isSubscription && !isCancellation))
                #expect((transaction["expiresDate"] != nil) == isSubscription)
                #expect((transaction["webOrderLineItemId"] != nil) == isSubscription)
                #expect((data?["consumptionRequestReason"] != nil) == (type == .consumptionRequest))
            }
        }
    }

    @Test(arguments: names) func `status, type and facts agree`(name: String) throws {
        for notification in try notifications(name) {
            guard let renewalInfo = notification.renewalInfo else { continue }
            let renewal = try members(renewalInfo)
            let transaction = try members(notification.transaction)
            let status = (try outer(notification)["data"] as? [String: Any])?["status"] as? Int
            #expect(renewal["originalTransactionId"] as? String == transaction["originalTransactionId"] as? String)
            switch notification.notificationType {
            case .subscribed, .didRenew, .renewalExtended: #expect(status == 1)
            case .didFailToRenew: #expect(status == (notification.subtype == .gracePeriod ? 4 : 3))
            case .gracePeriodExpired: #expect(status == 3)
            case .expired:
                #expect(status == 2)
                let intents = ["VOLUNTARY": 1, "BILLING_RETRY": 2, "PRICE_INCREASE": 3, "PRODUCT_NOT_FOR_SALE": 4]
                let intent = notification.subtype.map { intents[$0.rawValue] } ?? 5
                #expect(renewal["expirationIntent"] as? Int == intent)
            case .revoke:
                #expect(status == 5)
                #expect(transaction["inAppOwnershipType"] as? String == "FAMILY_SHARED")
            case .refund where notification.subtype == nil:
                #expect(transaction["revocationDate"] != nil && transaction["revocationPercentage"] != nil)
                let isCurrent = transaction["expiresDate"] as? Int64 == renewal["renewalDate"] as? Int64
                #expect(status == (isCurrent ? 5 : 1))
            case .refundReversed: #expect(transaction["revocationDate"] == nil)
            default: break
            }
        }
    }

    @Test(arguments: names) func `notifications are signed in order, up to the end date`(name: String) throws {
        let notifications = try notifications(name)
        let dates = notifications.map(\.signedDate)
        #expect(dates == dates.sorted() && Set(dates).count == dates.count)
        let last = try #require(dates.last)
        #expect(last <= scenarioEnd && last > scenarioEnd - 6 * 3_600_000)
        #expect(Set(notifications.map(\.notificationUUID)).count == notifications.count)
    }

    @Test func `a subscription keeps its originalTransactionId, and every period has its own transaction`() throws {
        let life = try notifications("subscription-life")
        #expect(Set(life.compactMap(\.originalTransactionId)).count == 1)
        // The transactions are the first purchase, a renewal, a recovery, an upgrade, a renewal, and a return.
        #expect(Set(life.compactMap(\.transactionId)).count == 6)
    }

    @Test func `a pending product takes effect with the renewal`() throws {
        let run = try notifications("plan-downgraded")
        let pending = try members(run[1].renewalInfo)
        #expect(pending["productId"] as? String == "com.example.app.premium.monthly")
        #expect(pending["autoRenewProductId"] as? String == "com.example.app.basic.monthly")
        let renewed = try members(run[2].transaction)
        #expect(renewed["productId"] as? String == "com.example.app.basic.monthly")
    }

    @Test func `a late renewal is signed after the old period's end, and begins there`() throws {
        let run = try notifications("subscription-renewed-late")
        let ended = try #require(try members(run[0].transaction)["expiresDate"] as? Int64)
        #expect(run[1].notificationType == .didRenew && run[1].subtype == nil)
        #expect(run[1].signedDate >= ended + 40 * 60_000 && run[1].signedDate < ended + 60 * 60_000)
        #expect(try members(run[1].transaction)["purchaseDate"] as? Int64 == ended)
    }

    @Test func `a grace period may have no date`() throws {
        let run = try notifications("billing-grace-undated")
        #expect(run[1].subtype == .gracePeriod)
        let data = try #require(try outer(run[1])["data"] as? [String: Any])
        #expect(data["status"] as? Int == 4)
        let renewal = try members(run[1].renewalInfo)
        #expect(renewal["gracePeriodExpiresDate"] == nil && renewal["isInBillingRetryPeriod"] as? Bool == true)
        // The charge succeeds within the grace period, so no day is lost.
        #expect(
            try members(run[2].transaction)["purchaseDate"] as? Int64
                == members(run[1].transaction)["expiresDate"] as? Int64)
    }

    @Test func `a refund of a future period does not affect the current one`() throws {
        let run = try notifications("refund-of-coming-period")
        let refund = try members(run[2].transaction)
        #expect(run[2].notificationType == .refund && run[2].transactionId == run[1].transactionId)
        let begins = try #require(refund["purchaseDate"] as? Int64)
        #expect(begins > run[2].signedDate)
        #expect(try #require(refund["revocationDate"] as? Int64) <= run[2].signedDate)
        let data = try #require(try outer(run[2])["data"] as? [String: Any])
        #expect(data["status"] as? Int == 1)
        let renewal = try members(run[2].renewalInfo)
        #expect(renewal["renewalDate"] as? Int64 == begins && renewal["autoRenewStatus"] as? Int == 0)
        // It ends where the refunded period would have begun.
        #expect(run[3].notificationType == .expired && run[3].transactionId == run[0].transactionId)
        #expect(run[3].signedDate >= begins && run[3].signedDate < begins + 60_000)
    }

    @Test func `a scenario with a Server API ends with its first refund request`() throws {
        let scenario = try #require(Scenario.named("refund-declined"))
        #expect(scenario.untilRefundRequest.steps.last?.event == .asksForRefund(.unintendedPurchase))
        #expect(scenario.untilRefundRequest.steps.count == 3)
        let other = try #require(Scenario.named("subscription-life"))
        #expect(other.untilRefundRequest.steps.count == other.steps.count)
    }

    @Test func `a request declined on Apple's website is followed by another one without a notification in between`()
        throws
    {
        let run = try notifications("refund-requests-repeated")
        #expect(
            run.map(\.notificationType) == [
                .oneTimeCharge, .consumptionRequest, .refundDeclined, .consumptionRequest, .consumptionRequest,
            ])
        #expect(Set(run.map(\.transactionId)).count == 1 && Set(run.map(\.notificationUUID)).count == 5)
        #expect(run[4].signedDate - run[3].signedDate > Duration.hours(72).milliseconds)
    }

    @Test func `an assigned subscription has the customer's own transaction, without token and price`() throws {
        let run = try notifications("refund-request-assigned")
        #expect(run.map(\.notificationType) == [.subscribed, .consumptionRequest])
        let transaction = try members(run[1].transaction)
        #expect(transaction["inAppOwnershipType"] as? String == "ASSIGNED")
        #expect(transaction["appAccountToken"] == nil && transaction["price"] == nil)
    }

    @Test func `an upgraded period is marked and refunded in part`() throws {
        let refund = try members(try notifications("refund-of-upgraded-period")[2].transaction)
        #expect(refund["isUpgraded"] as? Bool == true)
        #expect(refund["revocationType"] as? String == "REFUND_PRORATED")
        #expect(refund["revocationPercentage"] as? Int == 70_000)
    }

    @Test func `an accepted price increase is charged`() throws {
        let run = try notifications("price-increase-accepted")
        let before = try #require(try members(run[0].transaction)["price"] as? Int)
        let after = try #require(try members(run[3].transaction)["price"] as? Int)
        #expect(after == before * 150 / 100)
    }

    @Test func `a subscription cancelled within a commitment renews until its end`() throws {
        let told = try notifications("subscription-committed-cancelled").map { try members($0.renewalInfo) }
        for renewal in told { #expect(renewal["autoRenewStatus"] as? Int == 1) }
        let statuses = told.map { ($0["commitmentInfo"] as? [String: Any])?["commitmentAutoRenewStatus"] as? Int }
        #expect(statuses == [1, 1, 0, 0])
    }

    @Test func `a subscription cancelled in the grace period expires, and the date stays in the renewal info`() throws {
        let run = try notifications("billing-grace-cancelled")
        let (failed, expired) = (try members(run[1].renewalInfo), try members(run[2].renewalInfo))
        #expect(failed["isInBillingRetryPeriod"] as? Bool == true && failed["expirationIntent"] as? Int == 2)
        #expect(expired["isInBillingRetryPeriod"] == nil && expired["expirationIntent"] as? Int == 1)
        #expect(expired["gracePeriodExpiresDate"] as? Int == failed["gracePeriodExpiresDate"] as? Int)
        #expect((try outer(run[2])["data"] as? [String: Any])?["status"] as? Int == 2)
    }

    /// app-store.md 3.6, C 17.
    @Test func `transactions of a period with added seats are marked, the first when it is signed again`() throws {
        let told = try notifications("seats").map { try members($0.transaction) }
        try #require(told.count == 5)
        #expect(told[0]["additionalTransactionReason"] == nil)
        #expect(told[1]["transactionId"] as? String != told[0]["transactionId"] as? String)
        #expect(told[2]["transactionId"] as? String == told[0]["transactionId"] as? String)
        for transaction in told[1...3] {
            #expect(transaction["additionalTransactionReason"] as? String == "SEAT_ADDITION")
        }
        // A single transaction represents the next period.
        #expect(told[4]["additionalTransactionReason"] == nil)
    }

    @Test func `the price of a purchase is for its quantity, the price of seats is for one seat`() throws {
        func price(_ name: String) throws -> (price: Int, quantity: Int) {
            let bought = try members(try #require(try notifications(name).first).transaction)
            return (try #require(bought["price"] as? Int), try #require(bought["quantity"] as? Int))
        }
        // The first customer plays every scenario here, so all of them use one storefront.
        let one = try price("refund-request")
        #expect(one.quantity == 1 && one.price > 0)
        #expect(try price("consumable-refunded") == (one.price * 2, 2))
        let offered = one.price * Int(Offer.oneTimeCode.percentCharged) / 100
        #expect(try price("consumable") == (offered * 3, 3))

        let seats = try notifications("seats")
        let first = try members(seats[0].transaction)
        #expect(first["quantity"] as? Int == 5)
        #expect(try members(seats[1].transaction)["price"] as? Int == first["price"] as? Int)
    }

    @Test func `a migration names the previous purchase and starts a new one`() throws {
        let run = try notifications("advanced-commerce")
        let migrated = try members(run[1].transaction)
        #expect(migrated["previousOriginalTransactionId"] as? String == run[0].originalTransactionId?.rawValue)
        #expect(run[1].originalTransactionId != run[0].originalTransactionId)
        #expect(migrated["advancedCommerceInfo"] != nil)
    }

    @Test func `the sandbox sends no app id, and marks tokens`() throws {
        let test = try outer(try notifications("test", app: sandboxApp)[0])
        #expect((test["data"] as? [String: Any])?["appAppleId"] == nil)
        let token = try outer(try notifications("external-purchase", app: sandboxApp)[0])
        let object = try #require(token["externalPurchaseToken"] as? [String: Any])
        #expect((object["externalPurchaseId"] as? String)?.hasPrefix("SANDBOX") == true)
    }

    @Test func `all notifications about an external purchase token contain the same token`() throws {
        let tokens = try notifications("external-purchase").map {
            try #require(try outer($0)["externalPurchaseToken"] as? [String: Any])
        }
        for member in ["externalPurchaseId", "bundleId", "tokenType"] {
            let texts = tokens.compactMap { $0[member] as? String }
            #expect(texts.count == 3 && Set(texts).count == 1, "\(member): \(texts)")
        }
        for member in ["appAppleId", "tokenCreationDate", "tokenExpirationDate"] {
            let numbers = tokens.compactMap { $0[member] as? Int }
            #expect(numbers.count == 3 && Set(numbers).count == 1, "\(member): \(numbers)")
        }
    }

    @Test func `family members have no account token`() throws {
        for notification in try notifications("family-subscription") {
            #expect(try members(notification.transaction)["appAccountToken"] == nil)
        }
    }

    @Test func `the same seed plays the same runs, byte for byte`() throws {
        func texts(seed: UInt64) throws -> [[UInt8]] {
            let series = try makeSeries(seed: seed)
            return (0..<Scenario.all.count).flatMap { series.notifications(of: $0) }.flatMap {
                [
                    $0.payload(signedTransactionInfo: [0x54], signedRenewalInfo: nil, signedAppTransactionInfo: nil),
                    $0.transaction ?? [], $0.renewalInfo ?? [], $0.appTransaction ?? [],
                ]
            }
        }
        #expect(try texts(seed: 7) == texts(seed: 7))
        #expect(try texts(seed: 7) != texts(seed: 8))
    }

    @Test func `a single step equals the step in the whole run`() throws {
        let series = try makeSeries()
        for run in 0..<Scenario.all.count {
            for (step, notification) in series.notifications(of: run).enumerated() {
                let alone = try #require(series.notification(of: run, step: step))
                #expect(alone.notificationUUID == notification.notificationUUID)
                #expect(alone.transaction == notification.transaction)
                #expect(alone.renewalInfo == notification.renewalInfo)
            }
        }
        #expect(series.notification(of: 0, step: 99) == nil)
    }

    @Test func `transactions of different runs never share an id`() throws {
        let series = try makeSeries(accounts: 3)
        let runs = (0..<500).map { series.notifications(of: $0) }
        let ids = runs.map { Set($0.compactMap(\.transactionId)) }
        #expect(ids.reduce(0) { $0 + $1.count } == ids.reduce(into: Set()) { $0.formUnion($1) }.count)
    }
}
