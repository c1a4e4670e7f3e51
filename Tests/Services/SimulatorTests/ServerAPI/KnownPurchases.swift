import AppStoreModel
import JSON

@testable import Simulator

/// One purchase of each kind, for tests of every endpoint.
enum KnownPurchases {
    static let consumable = "1000"
    static let subscription = "2000"
    static let lapsedSubscription = "2100"
    static let freeTrial = "2200"
    static let familySubscription = "3000"
    static let nonConsumable = "4000"
    static let nonRenewing = "4100"
    static let advancedCommerce = "5000"
    /// A purchase of a customer without an appTransactionId.
    static let withoutAppTransaction = "6000"
    /// The second period of `subscription`.
    static let renewal = "2001"
    static let customer = "7000"
    static let product = "com.example.app.premium"

    static func register(in api: SimulatedServerAPI, now: Int64) {
        for (index, id) in all.enumerated() {
            api.register(transaction: transaction(id, index: index, now: now), renewalInfo: renewalInfo(id, now: now))
        }
        api.register(
            transaction: transaction(subscription, index: 1, now: now).with("transactionId", .string(renewal))
                .with("purchaseDate", .integer(now - 1000)))
    }

    /// Registers a subscription that an organization or a group assigned to the customer.
    static func registerAssigned(_ id: String, in api: SimulatedServerAPI, now: Int64) {
        api.register(
            transaction: transaction(id, index: 0, now: now).with("inAppOwnershipType", "ASSIGNED"),
            renewalInfo: renewalInfo(id, now: now))
    }

    private static let all = [
        consumable, subscription, lapsedSubscription, freeTrial, familySubscription, nonConsumable, nonRenewing,
        advancedCommerce, withoutAppTransaction,
    ]

    private static func type(of id: String) -> String {
        switch id {
        case consumable, withoutAppTransaction: "Consumable"
        case nonConsumable: "Non-Consumable"
        case nonRenewing: "Non-Renewing Subscription"
        default: "Auto-Renewable Subscription"
        }
    }

    private static func transaction(_ id: String, index: Int, now: Int64) -> JSONObject {
        let isSubscription = type(of: id) == "Auto-Renewable Subscription"
        var payload: JSONObject = [
            "transactionId": .string(id), "originalTransactionId": .string(id), "bundleId": "com.example.app",
            "environment": "Production", "productId": .string(product), "type": .string(type(of: id)), "quantity": 1,
            "purchaseDate": .integer(now - Duration.days(20).milliseconds + Int64(index)),
            "inAppOwnershipType": id == familySubscription ? "FAMILY_SHARED" : "PURCHASED", "storefront": "USA",
            "signedDate": .integer(now),
        ]
        if isSubscription {
            let days: Int64 = id == lapsedSubscription ? -1 : 10
            payload["expiresDate"] = .integer(now + Duration.days(days).milliseconds)
            payload["subscriptionGroupIdentifier"] = "21345678"
            payload["webOrderLineItemId"] = .string("9" + id)
        }
        if id == freeTrial { payload["offerDiscountType"] = "FREE_TRIAL" }
        if id == advancedCommerce { payload["advancedCommerceInfo"] = ["taxCode": "C003"] }
        if id != withoutAppTransaction { payload["appTransactionId"] = .string(customer) }
        return payload
    }

    private static func renewalInfo(_ id: String, now: Int64) -> JSONObject? {
        guard type(of: id) == "Auto-Renewable Subscription" else { return nil }
        return [
            "originalTransactionId": .string(id), "productId": .string(product), "autoRenewProductId": .string(product),
            "autoRenewStatus": 1, "signedDate": .integer(now), "environment": "Production",
        ]
    }
}
