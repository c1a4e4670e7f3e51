internal import AppStoreModel
internal import JSON

/// The members of a renewal info payload from which facts are created.
enum RenewalMember: Int, ScannedName {
    case originalTransactionId, productId, autoRenewProductId, autoRenewStatus, isInBillingRetryPeriod
    case gracePeriodExpiresDate, expirationIntent, priceIncreaseStatus, renewalDate, renewalPrice, currency
    case offerType, offerIdentifier, recentSubscriptionStartDate, signedDate, environment, appAccountToken
    case appTransactionId, renewalQuantity, advancedCommerceInfo, commitmentInfo, multiSeatInfo

    static let table = ScannedTable(Self.self)

    var form: ScannedForm {
        switch self {
        case .gracePeriodExpiresDate, .renewalDate, .recentSubscriptionStartDate, .signedDate: .instant
        case .autoRenewStatus, .expirationIntent, .priceIncreaseStatus, .offerType, .renewalQuantity: .number32
        case .renewalPrice: .number64
        case .isInBillingRetryPeriod: .bool
        case .appAccountToken: .token
        case .currency, .offerIdentifier: .keptText
        // These objects are rare. Records that contain them are decoded into the full model types.
        case .advancedCommerceInfo, .commitmentInfo, .multiSeatInfo: .absent
        default: .text
        }
    }

    /// The members that are copied into the text of ``RenewalFacts``, in the order in which they are written. The
    /// version, which is written after them, is not in this list.
    static let facts: [RenewalMember] = [
        .productId, .autoRenewProductId, .autoRenewStatus, .isInBillingRetryPeriod, .gracePeriodExpiresDate,
        .expirationIntent, .priceIncreaseStatus, .renewalDate, .renewalPrice, .currency, .offerType, .offerIdentifier,
        .recentSubscriptionStartDate, .appAccountToken, .appTransactionId, .renewalQuantity,
    ]
}

extension RenewalContent {
    /// Creates the content from a scanned payload. The result is the same as from the payload's model type.
    init(_ scan: ScannedMembers<RenewalMember>, _ version: FactVersion) {
        self.init(version: version)
        productId = scan.identifier(.productId)
        autoRenewProductId = scan.identifier(.autoRenewProductId)
        autoRenewStatus = scan.enumeration(.autoRenewStatus)
        isInBillingRetryPeriod = scan.bool(.isInBillingRetryPeriod)
        gracePeriodExpiresDate = scan.instant(.gracePeriodExpiresDate)
        expirationIntent = scan.enumeration(.expirationIntent)
        priceIncreaseStatus = scan.enumeration(.priceIncreaseStatus)
        renewalDate = scan.instant(.renewalDate)
        renewalPrice = scan.integer(.renewalPrice)
        currency = scan.string(.currency)
        offerType = scan.enumeration(.offerType)
        offerIdentifier = scan.string(.offerIdentifier)
        recentSubscriptionStartDate = scan.instant(.recentSubscriptionStartDate)
        appAccountToken = scan.identifier(.appAccountToken)
        appTransactionId = scan.identifier(.appTransactionId)
        renewalQuantity = scan.int32(.renewalQuantity)
    }
}
