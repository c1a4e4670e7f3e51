/// The environment of a purchase (Apple: environment).
public struct AppStoreEnvironment: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let production = AppStoreEnvironment("Production")
    /// The sandbox, which also includes TestFlight and App Review.
    public static let sandbox = AppStoreEnvironment("Sandbox")
    /// StoreKit testing in Xcode. Apple never signs data for this environment.
    public static let xcode = AppStoreEnvironment("Xcode")
    /// Unit tests that use Apple's server libraries.
    public static let localTesting = AppStoreEnvironment("LocalTesting")

    public static let known: Set<AppStoreEnvironment> = [
        .production, .sandbox, .xcode, .localTesting,
    ]
}

/// The kind of product (Apple: type).
public struct ProductType: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let autoRenewableSubscription = ProductType("Auto-Renewable Subscription")
    public static let nonConsumable = ProductType("Non-Consumable")
    public static let consumable = ProductType("Consumable")
    public static let nonRenewingSubscription = ProductType("Non-Renewing Subscription")

    public static let known: Set<ProductType> = [
        .autoRenewableSubscription, .nonConsumable, .consumable, .nonRenewingSubscription,
    ]
}

/// The state of a subscription when the notification was signed (Apple: status).
public struct SubscriptionStatus: OpenEnumeration {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let active = SubscriptionStatus(1)
    public static let expired = SubscriptionStatus(2)
    public static let billingRetry = SubscriptionStatus(3)
    public static let billingGracePeriod = SubscriptionStatus(4)
    public static let revoked = SubscriptionStatus(5)

    public static let known: Set<SubscriptionStatus> = [
        .active, .expired, .billingRetry, .billingGracePeriod, .revoked,
    ]
}

/// Whether the subscription renews.
public struct AutoRenewStatus: OpenEnumeration {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let off = AutoRenewStatus(0)
    public static let on = AutoRenewStatus(1)

    public static let known: Set<AutoRenewStatus> = [
        .off, .on,
    ]
}

/// The reason why a subscription expired (Apple: expirationIntent).
public struct ExpirationIntent: OpenEnumeration {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let customerCancelled = ExpirationIntent(1)
    public static let billingError = ExpirationIntent(2)
    public static let noConsentToPriceIncrease = ExpirationIntent(3)
    public static let productNotAvailable = ExpirationIntent(4)
    public static let other = ExpirationIntent(5)

    public static let known: Set<ExpirationIntent> = [
        .customerCancelled, .billingError, .noConsentToPriceIncrease, .productNotAvailable, .other,
    ]
}

/// The state of the customer's consent to a price increase (Apple: priceIncreaseStatus).
public struct PriceIncreaseStatus: OpenEnumeration {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let notAnswered = PriceIncreaseStatus(0)
    /// The customer consented, or was notified of an increase that requires no consent.
    public static let consented = PriceIncreaseStatus(1)

    public static let known: Set<PriceIncreaseStatus> = [
        .notAnswered, .consented,
    ]
}

/// How the customer obtained the purchase (Apple: inAppOwnershipType).
public struct InAppOwnershipType: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let purchased = InAppOwnershipType("PURCHASED")
    public static let familyShared = InAppOwnershipType("FAMILY_SHARED")
    /// A seat assigned by an organization or group.
    public static let assigned = InAppOwnershipType("ASSIGNED")

    public static let known: Set<InAppOwnershipType> = [
        .purchased, .familyShared, .assigned,
    ]
}

/// The reason for a refund or revocation (Apple: revocationReason).
public struct RevocationReason: OpenEnumeration {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let other = RevocationReason(0)
    public static let issueInApp = RevocationReason(1)

    public static let known: Set<RevocationReason> = [
        .other, .issueInApp,
    ]
}

/// The kind of revocation: a full or prorated refund, or the end of family sharing or of a seat assignment (Apple:
/// revocationType).
public struct RevocationType: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let refundFull = RevocationType("REFUND_FULL")
    public static let refundProrated = RevocationType("REFUND_PRORATED")
    public static let familyRevoke = RevocationType("FAMILY_REVOKE")
    /// The seat was unassigned.
    public static let assignmentRevoke = RevocationType("ASSIGNMENT_REVOKE")

    public static let known: Set<RevocationType> = [
        .refundFull, .refundProrated, .familyRevoke, .assignmentRevoke,
    ]
}

/// Whether the transaction is a purchase by the customer or a renewal (Apple: transactionReason).
public struct TransactionReason: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let purchase = TransactionReason("PURCHASE")
    public static let renewal = TransactionReason("RENEWAL")

    public static let known: Set<TransactionReason> = [
        .purchase, .renewal,
    ]
}

/// The reason for an additional transaction within a period.
public struct AdditionalTransactionReason: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Seats were added during a period; the new transaction does not replace the earlier one.
    public static let seatAddition = AdditionalTransactionReason("SEAT_ADDITION")

    public static let known: Set<AdditionalTransactionReason> = [
        .seatAddition
    ]
}

/// The customer's reason for requesting a refund (Apple: consumptionRequestReason).
public struct ConsumptionRequestReason: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let unintendedPurchase = ConsumptionRequestReason("UNINTENDED_PURCHASE")
    public static let fulfillmentIssue = ConsumptionRequestReason("FULFILLMENT_ISSUE")
    public static let unsatisfiedWithPurchase = ConsumptionRequestReason("UNSATISFIED_WITH_PURCHASE")
    public static let legal = ConsumptionRequestReason("LEGAL")
    public static let other = ConsumptionRequestReason("OTHER")

    public static let known: Set<ConsumptionRequestReason> = [
        .unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal, .other,
    ]
}

/// The billing plan of a subscription (Apple: billingPlanType).
public struct BillingPlanType: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let billedUpfront = BillingPlanType("BILLED_UPFRONT")
    public static let monthly = BillingPlanType("MONTHLY")

    public static let known: Set<BillingPlanType> = [
        .billedUpfront, .monthly,
    ]
}

/// Who invites seat holders: Apple or the developer.
public struct InvitationManagement: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let apple = InvitationManagement("APPLE")
    public static let developer = InvitationManagement("DEVELOPER")

    public static let known: Set<InvitationManagement> = [
        .apple, .developer,
    ]
}
